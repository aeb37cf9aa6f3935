// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Foundation
import Testing

/// A device that breaks the specification, with a command that must work nevertheless.
struct SloppyDevice: Sendable, CustomTestStringConvertible {
    let name: String
    let arguments: [String]
    let manners: Manners

    var testDescription: String { name }

    init(_ name: String, _ arguments: [String] = ["inspect"], as manners: Manners) {
        self.name = name
        self.arguments = arguments
        self.manners = manners
    }

    private static let read = ["read", "\(ModelDevice.long)"]
    private static let notify = ["notify", "\(ModelDevice.notifying)", "--count", "3"]
    private static let indicate = ["notify", "\(ModelDevice.indicating)", "--count", "3"]
    private static let lateMTUError: [UInt8] = [Opcode.error, Opcode.mtu, 0, 0, 0x06]
    private static let mtuResponse: [UInt8] = [0x03, 0x05, 0x02]
    /// A request of each kind that a device may send, because phones discover their clients.
    private static let requests: [[UInt8]] = [
        [0x02, 0x05, 0x02], [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28], [0x04, 0x01, 0x00, 0xFF, 0xFF],
        [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28], [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x0F, 0x18],
        [0x0A, 0x03, 0x00], [0x0C, 0x03, 0x00, 0x01, 0x00], [0x12, 0x03, 0x00, 0x01],
        [0x16, 0x03, 0x00, 0x00, 0x00, 0x01], [0x18, 0x01], [0x0E, 0x03, 0x00, 0x05, 0x00], [0x3F],
    ]
    /// PDUs that a device may send at any time, without a request.
    private static let asides: [(String, [UInt8])] = [
        ("a notification of a handle that there is not", [0x1B, 0xFF, 0xFF, 0x01]),
        ("a notification before it is subscribed to", [0x1B, 0x12, 0x00, 0x00, 0x50]),
        ("a notification without a handle", [0x1B]),
        ("a notification with half a handle", [0x1B, 0x01]),
        ("a notification of 513 octets", [0x1B, 0x12, 0x00] + [UInt8](repeating: 1, count: 513)),
        ("an indication", [0x1D, 0x12, 0x00, 0x01]),
        ("an indication without a handle", [0x1D]),
        ("Service Changed of everything", [0x1D, 0x08, 0x00, 0x01, 0x00, 0xFF, 0xFF]),
        ("several values at once, cut", [0x23, 0x12, 0x00, 0xFF, 0x00, 0x01]),
        ("a command", [0x52, 0x01, 0x00, 0x01]),
        ("a signed write", [0xD2, 0x01, 0x00] + [UInt8](repeating: 0, count: 12)),
        ("an unknown command", [0x7F, 0x01]),
        ("a confirmation of nothing", [0x1E]),
        ("nothing at all", []),
    ]

    static let all = answering + having + listening + changing + beforeAnswers + beforeValues

    private static let answering: [SloppyDevice] = [
        SloppyDevice("answers the MTU exchange twice", as: .on(Opcode.mtu) { $0.followed(by: $0.honest) }),
        SloppyDevice(
            "answers the MTU exchange again in mid-discovery",
            as: .on(Opcode.readByGroupType, 0) { $0.after([mtuResponse]) }
        ),
        SloppyDevice(
            "refuses the MTU exchange after having answered it",
            as: .on(Opcode.readByGroupType, 0) { $0.after([lateMTUError]) }
        ),
        SloppyDevice("does not know the MTU exchange", as: .answer(Opcode.mtu, with: lateMTUError)),
        SloppyDevice("refuses the MTU exchange with another error", as: .answer(Opcode.mtu, with: [1, 2, 0, 0, 0x0E])),
        SloppyDevice("refuses the MTU exchange with no error", as: .answer(Opcode.mtu, with: [1, 2, 0, 0, 0])),
        SloppyDevice("agrees to an MTU of 0", as: .answer(Opcode.mtu, with: [3, 0, 0])),
        SloppyDevice("agrees to an MTU of 22", as: .answer(Opcode.mtu, with: [3, 22, 0])),
        SloppyDevice("agrees to an MTU of 65535", as: .answer(Opcode.mtu, with: [3, 0xFF, 0xFF])),
        SloppyDevice("ends each list with error 00") { $0.refused([1, $0.opcode, 0, 0, 0]) },
        SloppyDevice("ends each list with an error about another handle") { $0.refused([1, $0.opcode, 9, 9, 0x0A]) },
        SloppyDevice("ends each list with an error about request 00") { $0.refused([1, 0, 0, 0, 0x0A]) },
        SloppyDevice("asks us everything before each of its answers") { $0.after(requests) },
        SloppyDevice("asks us something after each of its answers") { $0.followed(by: [requests[1]]) },
        SloppyDevice("asks for the MTU before it answers the same", as: .on(Opcode.mtu) { $0.after([[2, 23, 0]]) }),
        SloppyDevice("takes its time") { [Manners.Act.pause(milliseconds: 30)] + $0.acts },
        SloppyDevice("ends a long value with Invalid Offset", read) { turn in
            turn.changed { $0 == [0x0D] ? [1, Opcode.readBlob, 0, 0, 7] : $0 }
        },
    ]

    private static let having: [SloppyDevice] = [
        SloppyDevice(
            "has services that include themselves and each other",
            ["inspect", "--values"],
            as: .having([
                ServiceDefinition(0x180F, label: "a", includes: ["a", "b"]),
                ServiceDefinition(0x180D, label: "b", includes: ["a", "b"]),
            ])
        ),
        SloppyDevice(
            "has a characteristic twice, and two configurations of one",
            ["notify", "battery-level", "--count", "3"],
            as: .having([
                ServiceDefinition(
                    0x180F,
                    characteristics: [
                        CharacteristicDefinition(
                            0x2A19,
                            .notify,
                            value: .fixed([1]),
                            descriptors: [.clientConfiguration(), .clientConfiguration()]
                        ),
                        CharacteristicDefinition(0x2A19, .notify, value: .fixed([2])),
                    ]
                )
            ])
        ),
        SloppyDevice("has nothing", as: .having([])),
    ]

    private static let listening: [SloppyDevice] = [
        SloppyDevice(
            "answers what nobody has asked",
            notify,
            as: .on(Opcode.write, 0) { turn in
                let answer = turn.acts.prefix(1)
                return answer + [Manners.Act.send([0x0B, 1])] + turn.acts.dropFirst()
            }
        ),
        SloppyDevice(
            "sends values before it confirms the subscription",
            notify,
            as: .on(Opcode.write, 0) { $0.acts.reversed() }
        ),
        SloppyDevice("sends values by indication where it was asked for notifications", notify) { turn in
            turn.changed { $0.first == Opcode.notification ? [Opcode.indication] + $0.dropFirst() : $0 }
        },
        SloppyDevice("indicates all at once, without waiting for confirmations", indicate) { turn in
            if turn.opcode == Opcode.confirmation { return [] }
            let indications = turn.honest.filter { $0.first == Opcode.indication }
            return turn.followed(by: indications + indications)
        },
    ]

    private static let everythingHasChanged: [UInt8] = [Opcode.indication, 0x08, 0x00, 0x01, 0x00, 0xFF, 0xFF]

    /// Devices that report changes, although nothing has changed.
    private static let changing: [SloppyDevice] = [
        SloppyDevice(
            "says once in the midst of the values that everything has changed",
            ["inspect", "--values"],
            as: .on(Opcode.read, 1) { $0.after([everythingHasChanged]) }
        ),
        SloppyDevice("says before each of its values that everything has changed", ["inspect", "--values"]) { turn in
            turn.opcode == Opcode.read ? turn.after([everythingHasChanged]) : turn.acts
        },
    ]

    private static let beforeAnswers: [SloppyDevice] = asides.map { name, pdu in
        SloppyDevice("says \(name) before each answer") { $0.after([pdu]) }
    }

    private static let beforeValues: [SloppyDevice] = asides.map { name, pdu in
        SloppyDevice("says \(name) before each value", notify) { turn in
            turn.honest.flatMap { [.send(pdu), .send($0)] }
        }
    }

    private init(
        _ name: String,
        _ arguments: [String] = ["inspect"],
        _ react: @escaping @Sendable (Manners.Turn) -> [Manners.Act]
    ) {
        self.init(name, arguments, as: Manners(react: react))
    }
}

/// Devices in use that break rules. The output must equal that for an honest device.
@Suite("Devices that break the rules but have to work", .startsPrograms(isLong: true))
struct SloppyDeviceTests {
    private func run(_ device: SloppyDevice, _ manners: Manners) async throws -> (BlectlRun, ScriptedPeer) {
        try await ScriptedPeer.run(manners) { peer in
            (try await Blectl.run(peer.arguments + device.arguments + ["--json", "--timeout", "60"]), peer)
        }
    }

    @Test(arguments: SloppyDevice.all)
    func `the results equal those of a conforming device`(_ device: SloppyDevice) async throws {
        var same = Manners.honest
        same.services = device.manners.services
        let (honest, _) = try await run(device, same)
        let (run, peer) = try await run(device, device.manners)
        #expect(run.status == 0, "\(run.stderr)")
        let values = { (run: BlectlRun) in try run.records().map { $0.withoutTime.filter { $0.key != "type" } } }
        let isSame = try values(run) == values(honest)
        #expect(isSame, "\(run.stdout)\ninstead of\n\(honest.stdout)")
        // The client must answer as well: a refusal to each request, a confirmation to each indication.
        let requests = peer.sent.count { ATTKind.isRequest($0.bytes) }
        let answers = peer.received.count { ATTKind.isAnswer($0) }
        let indications = peer.sent.count { $0.bytes.first == Opcode.indication }
        let confirmations = peer.received.count { $0 == [Opcode.confirmation] }
        // The link may be closed before the last PDU is seen.
        #expect((requests - 1...requests).contains(answers), "\(requests) requests, \(answers) answers")
        #expect((indications - 1...indications).contains(confirmations), "\(indications) and \(confirmations)")
    }

    @Test func `a late answer is not taken for the next target's`() async throws {
        let manners = Manners.on(Opcode.readByType, 0) { turn in
            turn.connection == 0 ? [.pause(milliseconds: 7_500)] + turn.acts : turn.acts
        }
        let run = try await ScriptedPeer.run(manners) { peer in
            let arguments = ["read", "device-name", "battery-level", "0x2A38", "--json", "--timeout", "4500ms"]
            return try await Blectl.run(peer.arguments + arguments)
        }
        #expect(run.status == 124)
        let records = try run.records()
        #expect(records.map { $0["type"] } == ["error", "value", "value"].map { .string($0) })
        #expect(records.dropFirst().map { $0["value"] } == ["57", "01"].map { .string($0) })
    }

    @Test func `a value after a new connection is not taken for an earlier one`() async throws {
        // The first value never arrives on the first connection. On the next one all handles have moved.
        var manners = Manners.on(Opcode.readByType) { $0.connection == 0 ? [.fallSilent] : $0.acts }
        manners.laterServices = [ServiceDefinition(0x1811)] + ModelDevice.services.reversed()
        let run = try await ScriptedPeer.run(manners) { peer in
            let targets = ["device-name", "\(ModelDevice.long)/\(ModelDevice.label)", "battery-level"]
            return try await Blectl.run(peer.arguments + ["read", "--json", "--timeout", "6"] + targets)
        }
        let records = try run.records()
        #expect(records.map { $0["type"] } == ["error", "value", "value"].map { .string($0) }, "\(run.stderr)")
        #expect(records.dropFirst().map { $0["value"] } == ["6c6f6e67", "57"].map { .string($0) })
    }

    @Test func `a tree comes from one database, even after a value that never came`() async throws {
        var manners = Manners.on(Opcode.read, 1) { $0.connection == 0 ? [.fallSilent] : $0.acts }
        let arguments = ["inspect", "--values", "--json", "--timeout", "6"]
        let same = try await ScriptedPeer.run(manners) { try await Blectl.run($0.arguments + arguments) }
        #expect(same.status == 124, "\(same.stderr)")
        #expect(same.stderr.contains("a value timed out"), "all the others were read: \(same.stderr)")
        manners.laterServices = [ServiceDefinition(0x1811)] + ModelDevice.services.reversed()
        let other = try await ScriptedPeer.run(manners) { try await Blectl.run($0.arguments + arguments) }
        #expect(other.status == 75)
        #expect(other.stderr.contains("has changed its services meanwhile"), "\(other.stderr)")
        let whole = try same.records().map(\.withoutTime)
        for record in try other.records().map(\.withoutTime) where record["type"] != .string("error") {
            #expect(whole.contains(record))
        }
    }
}

/// The kind of a PDU, by its opcode.
enum ATTKind {
    static func isRequest(_ pdu: [UInt8]) -> Bool {
        guard let opcode = pdu.first, opcode & 0x40 == 0 else { return false }
        return [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20, 0x3F].contains(opcode)
    }

    /// Whether a client sends the PDU in answer to a request.
    static func isAnswer(_ pdu: [UInt8]) -> Bool { pdu.first == 0x01 || pdu.first == 0x03 }
}
