// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

/// A device that lies, with the expected end of a command that does not believe it.
struct HostileDevice: Sendable, CustomTestStringConvertible {
    let name: String
    let arguments: [String]
    let status: Int32
    /// The text that the message must contain.
    let message: String
    let manners: Manners

    var testDescription: String { name }

    init(_ name: String, _ arguments: [String], _ status: Int32 = 76, _ message: String = "", _ manners: Manners) {
        self.name = name
        self.arguments = arguments
        self.status = status
        self.message = message
        self.manners = manners
    }

    private static let read = ["read", "battery-level"]
    private static let long = ["read", "\(ModelDevice.long)"]
    private static let write = ["write", "\(ModelDevice.writable)", "0102"]
    private static let longWrite = ["write", "\(ModelDevice.long)", String(repeating: "5a", count: 512)]
    private static let notify = ["notify", "\(ModelDevice.notifying)", "--count", "3", "--deadline", "60"]
    private static let invalid = "invalid"

    static let all =
        strides + services + characteristics + descriptors + byUUID + lastHandles + errors + answers + values + writes
        + refusals
        + configurations

    /// Lists with a wrong length of their entries.
    private static let strides: [HostileDevice] = ([0, 1, 2, 3, 255] as [UInt8]).flatMap { stride -> [HostileDevice] in
        let service: [UInt8] = [0x11, stride, 0x01, 0x00, 0x05, 0x00, 0x00, 0x18]
        let characteristic: [UInt8] = [0x09, stride, 0x02, 0x00, 0x02, 0x03, 0x00, 0x00, 0x2A, 0x00]
        return [
            HostileDevice(
                "services in steps of \(stride)",
                ["inspect"],
                76,
                invalid,
                .answer(Opcode.readByGroupType, with: service)
            ),
            HostileDevice(
                "characteristics in steps of \(stride)",
                ["inspect"],
                76,
                invalid,
                .answer(Opcode.readByType, with: characteristic)
            ),
        ]
    }

    /// Impossible services.
    private static let services: [HostileDevice] =
        ([
            ("a list without a length", [0x11]),
            ("an empty list", [0x11, 6]),
            ("half a service", [0x11, 6, 0x01, 0x00, 0x05]),
            ("a service and a half", [0x11, 6, 0x01, 0x00, 0x05, 0x00, 0x00, 0x18, 0x06, 0x00]),
            ("a service with a UUID of 3 octets", [0x11, 7, 0x01, 0x00, 0x05, 0x00, 0x00, 0x18, 0x00]),
            ("a service at handle 0000", [0x11, 6, 0x00, 0x00, 0x05, 0x00, 0x00, 0x18]),
            ("a service that ends before it begins", [0x11, 6, 0x05, 0x00, 0x01, 0x00, 0x00, 0x18]),
            ("the same service for ever", [0x11, 6, 0x01, 0x00, 0x05, 0x00, 0x00, 0x18]),
            ("services backwards", [0x11, 6, 0x06, 0x00, 0x09, 0x00, 0x00, 0x18, 0x01, 0x00, 0x05, 0x00, 0x01, 0x18]),
            (
                "services that overlap",
                [0x11, 6, 0x01, 0x00, 0x05, 0x00, 0x00, 0x18, 0x04, 0x00, 0x09, 0x00, 0x01, 0x18]
            ),
        ] as [(String, [UInt8])]).map { name, pdu in
            HostileDevice(name, ["inspect"], 76, invalid, .answer(Opcode.readByGroupType, with: pdu))
        }

    /// Lists that end at the last handle, although the device has more answers.
    private static let lastHandles: [HostileDevice] = [
        HostileDevice(
            "a service up to the last handle, and more behind it",
            ["inspect"],
            0,
            "",
            .answer(Opcode.readByGroupType, 0, with: [0x11, 6, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x18])
        ),
        HostileDevice(
            "a service at the last handle, again and again",
            ["inspect"],
            0,
            "",
            .on(Opcode.readByGroupType) { turn in
                // Secondary services are discovered by the same request.
                guard turn.request.dropFirst(5).first == 0 else { return turn.acts }
                return [Manners.Act.send([0x11, 6, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x18])]
            }
        ),
    ]

    /// Impossible characteristics.
    private static let characteristics: [HostileDevice] =
        ([
            ("a characteristic with a UUID of 3 octets", [9, 8, 2, 0, 2, 3, 0, 0, 0x2A, 0]),
            ("a characteristic without a UUID", [9, 5, 2, 0, 2, 3, 0]),
            ("a characteristic whose value stands before it", [9, 7, 3, 0, 2, 2, 0, 0, 0x2A]),
            ("a characteristic whose value has handle 0000", [9, 7, 2, 0, 2, 0, 0, 0, 0x2A]),
            ("the same characteristic for ever", [9, 7, 2, 0, 2, 3, 0, 0, 0x2A]),
            ("characteristics in one another", [9, 7, 2, 0, 2, 9, 0, 0, 0x2A, 3, 0, 2, 4, 0, 0, 0x2A]),
        ] as [(String, [UInt8])]).map { name, pdu in
            HostileDevice(name, ["inspect"], 76, invalid) { turn in
                turn.request.suffix(2) == [0x03, 0x28] ? [.send(pdu)] : turn.acts
            }
        }

    /// Impossible descriptors.
    private static let descriptors: [HostileDevice] =
        ([
            ("descriptors of format 3", [5, 3, 9, 0, 2, 0x29]),
            ("descriptors of format 0", [5, 0, 9, 0, 2, 0x29]),
            ("descriptors without a format", [5]),
            ("no descriptors", [5, 1]),
            ("half a descriptor", [5, 1, 9, 0, 2]),
            ("a descriptor at handle 0000", [5, 1, 0, 0, 2, 0x29]),
            ("a descriptor behind the last handle asked for", [5, 1, 0xFF, 0xFF, 1, 0x29]),
        ] as [(String, [UInt8])]).map { name, pdu in
            HostileDevice(name, ["inspect"], 76, invalid, .answer(Opcode.findInformation, with: pdu))
        }

    /// A search for a service by its UUID.
    private static let byUUID: [HostileDevice] =
        ([
            ("a service of half a range", [7, 1, 0, 5]),
            ("no service where there are some", [7]),
            ("a service backwards", [7, 5, 0, 1, 0]), ("a service at handle 0000", [7, 0, 0, 1, 0]),
        ] as [(String, [UInt8])]).map { name, pdu in
            let arguments = ["read", "heart-rate/body-sensor-location"]
            return HostileDevice(name, arguments, 76, invalid, .answer(Opcode.findByTypeValue, with: pdu))
        }

    /// Malformed answers.
    private static let errors: [HostileDevice] = (1...4).map { count in
        let error = Array([Opcode.error, Opcode.readByType, 0, 0].prefix(count))
        return HostileDevice("an error of \(count) octets", read, 76, invalid, .answer(Opcode.readByType, with: error))
    }

    private static let answers: [HostileDevice] = [
        HostileDevice("another answer", read, 76, invalid, .answer(Opcode.readByType, with: [0x0B, 1])),
        HostileDevice(
            "an answer in the place of a request",
            read,
            76,
            invalid,
            .answer(Opcode.readByType, with: [0x13])
        ),
        HostileDevice("an answer without a value", read, 76, invalid, .answer(Opcode.readByType, with: [0x09])),
        HostileDevice(
            "a value at handle 0000",
            read,
            76,
            invalid,
            .answer(Opcode.readByType, with: [0x09, 3, 0, 0, 1])
        ),
        HostileDevice(
            "values backwards",
            read,
            76,
            invalid,
            .answer(Opcode.readByType, with: [0x09, 3, 9, 0, 1, 8, 0, 1])
        ),
        HostileDevice("half an MTU", ["inspect"], 76, invalid, .answer(Opcode.mtu, with: [0x03, 0x17])),
        HostileDevice("an MTU and more", ["inspect"], 76, invalid, .answer(Opcode.mtu, with: [0x03, 0x17, 0, 0])),
        HostileDevice(
            "an answer that is longer than agreed",
            ["read", "handle:0x0003"],
            0,
            "the device gave only 512 octets of it",
            .answer(Opcode.read, with: [0x0B] + [UInt8](repeating: 0, count: 517))
        ),
        HostileDevice(
            "an answer that is far longer than any",
            ["read", "handle:0x0003"],
            0,
            "the device gave only 512 octets of it",
            .answer(Opcode.read, with: [0x0B] + [UInt8](repeating: 0, count: 20_000))
        ),
    ]

    /// Values without an end.
    private static let values: [HostileDevice] = [
        HostileDevice(
            "a value without an end",
            long,
            0,
            "the device gave only 512 octets of it",
            .on(Opcode.readBlob) { _ in [.send([0x0D] + [UInt8](repeating: 7, count: 516))] }
        ),
        HostileDevice(
            "a notification of more than a value can have",
            notify,
            0,
            "is longer than the 512 octets that a value can have"
        ) { turn in
            turn.acts.map { act in
                guard case .send(let pdu) = act, pdu.first == Opcode.notification else { return act }
                return .send(pdu.prefix(3) + [UInt8](repeating: 7, count: 514))
            }
        },
        HostileDevice(
            "a value without an end, 22 octets at a time",
            long,
            0,
            "the device gave only 512 octets of it",
            Manners { turn in
                switch turn.opcode {
                case Opcode.mtu: [.send([0x03, 0, 0])]
                case Opcode.readByType where turn.request.count == 21:
                    [.send([0x09, 21, 0x1D, 0x00] + [UInt8](repeating: 7, count: 19))]
                case Opcode.read: [.send([0x0B] + [UInt8](repeating: 7, count: 22))]
                case Opcode.readBlob: [.send([0x0D] + [UInt8](repeating: 7, count: 22))]
                default: turn.acts
                }
            }
        ),
        HostileDevice(
            "a value whose rest is refused",
            ["read", "handle:0x001D"],
            76,
            "0x81",
            .answer(Opcode.readBlob, with: [1, Opcode.readBlob, 0x1D, 0, 0x81])
        ),
    ]

    /// Writes that fail. Prepared parts must be cancelled.
    private static let writes: [HostileDevice] = [
        HostileDevice("an echo with other octets", longWrite, 76, "echoed") { turn in
            turn.changed { $0.first == 0x17 && turn.repetition == 1 ? $0.dropLast() + [0] : $0 }
        },
        HostileDevice("an echo of another offset", longWrite, 76, "echoed") { turn in
            turn.changed { $0.first == 0x17 ? Array($0.prefix(3)) + [9, 9] + Array($0.dropFirst(5)) : $0 }
        },
        HostileDevice(
            "an echo that is too short",
            longWrite,
            76,
            "",
            .answer(Opcode.prepareWrite, 1, with: [0x17, 1])
        ),
        HostileDevice(
            "no room for the second part",
            longWrite,
            76,
            "0x09",
            .answer(Opcode.prepareWrite, 1, with: [1, Opcode.prepareWrite, 0x1D, 0, 0x09])
        ),
    ]

    /// Refusals of each operation.
    private static let refusals: [HostileDevice] = ([0x05, 0x08, 0x0C, 0x0F, 0x12, 0x80, 0xFC, 0xFF] as [UInt8]).flatMap
    {
        code -> [HostileDevice] in
        let text = code == 0x80 || code >= 0xE0 ? "0x\(String(code, radix: 16, uppercase: true))" : "ATT 0x"
        let refuse: (UInt8) -> Manners = { opcode in .answer(opcode, with: [1, opcode, 1, 0, code]) }
        let name = "error \(String(code, radix: 16))"
        return [
            HostileDevice("\(name) to a discovery of services", ["inspect"], 76, text, refuse(Opcode.readByGroupType)),
            HostileDevice(
                "\(name) to a discovery of descriptors",
                ["inspect"],
                76,
                text,
                refuse(Opcode.findInformation)
            ),
            HostileDevice("\(name) to a read", read, 76, text, refuse(Opcode.readByType)),
            HostileDevice("\(name) to a read by handle", ["read", "handle:0x0003"], 76, text, refuse(Opcode.read)),
            HostileDevice("\(name) to a write", write, 76, text, refuse(Opcode.write)),
            HostileDevice("\(name) to a long write", longWrite, 76, text, refuse(Opcode.prepareWrite)),
            HostileDevice(
                "\(name) to its execution",
                longWrite,
                76,
                text,
                refuse(Opcode.executeWrite)
            ),
            HostileDevice(
                "\(name) to a subscription",
                notify,
                76,
                text,
                // The client repeats the request after Database Out Of Sync, and reports it only the second time.
                code == 0x12 ? refuse(Opcode.write) : .answer(Opcode.write, 0, with: [1, 0x12, 1, 0, code])
            ),
        ]
    }

    /// Client Characteristic Configurations that are missing or wrong.
    private static let configurations: [HostileDevice] = [
        HostileDevice("no configuration to write", notify, 68, "no descriptor") { turn in
            turn.opcode == Opcode.findInformation
                ? turn.changed { $0.replacing([0x02, 0x29], with: [0x02, 0x2B]) } : turn.acts
        },
        HostileDevice(
            "a configuration that cannot be written",
            notify,
            76,
            "0x03",
            .answer(Opcode.write, 0, with: [1, Opcode.write, 1, 0, 3])
        ),
        HostileDevice("a subscription that is not confirmed by what it was made with", notify, 76, invalid) { turn in
            turn.opcode == Opcode.write ? turn.changed { $0 == [0x13] ? [0x0B] : $0 } : turn.acts
        },
    ]

    private init(
        _ name: String,
        _ arguments: [String],
        _ status: Int32,
        _ message: String,
        _ react: @escaping @Sendable (Manners.Turn) -> [Manners.Act]
    ) {
        self.init(name, arguments, status, message, Manners(react: react))
    }
}

/// Devices that lie. The command must report it and end, at once and with few requests.
@Suite("Hostile devices", .startsPrograms())
struct HostileDeviceTests {
    @Test(arguments: HostileDevice.all)
    func `a command ends, and gives the reason`(_ device: HostileDevice) async throws {
        let arguments = ["--timeout", "60", "-d", "C0:00:00:00:00:01", "--address-type", "random"]
        let (run, peer) = try await ScriptedPeer.run(device.manners) { peer in
            (try await Blectl.run(peer.arguments + device.arguments + arguments), peer)
        }
        #expect(run.status == device.status, "\(run.stderr)")
        #expect(device.message.isEmpty || run.stderr.contains(device.message), "\(run.stderr)")
        if device.status != 0 {
            #expect(run.stderr.hasPrefix("blectl: cannot "), "\(run.stderr)")
            #expect(run.stderr.contains("C0:00:00:00:00:01"), "\(run.stderr)")
        }
        #expect(peer.received.count < 100, "\(peer.received.count) requests")
        // Prepared parts must not remain on the device, where the next client would execute them.
        if peer.received.contains(where: { $0.first == Opcode.prepareWrite }), device.status != 0 {
            let last = peer.received.last { $0.first == Opcode.executeWrite }
            let wasExecuted = peer.received.contains([Opcode.executeWrite, 1])
            #expect(wasExecuted || last == [Opcode.executeWrite, 0], "left what it has prepared")
        }
    }
}
