// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Foundation
import TestProcesses
import Testing

/// Devices that send more than blectl can process, and devices with the maximum number of attributes.
@Suite("Floods", .serialized, .startsPrograms(isLong: true))
struct FloodTests {
    /// The limit for blectl's memory in kilobytes: twice its need, and less than keeping so many values would take.
    private static let limit = 64_000
    /// The number of values. A million shows nothing more, but takes longer.
    private static let many = 400_000

    private static let notify = ["notify", "\(ModelDevice.notifying)", "--json", "--count"]

    /// Behaviour of a device that answers the subscription, and then sends a flood of the PDUs that `make` creates for
    /// the value's handle.
    private static func flood(
        _ count: Int,
        of opcode: UInt8,
        before act: Manners.Act? = nil
    ) -> Manners {
        .on(Opcode.write, 0) { turn in
            // The configuration follows the value.
            let handle = [turn.request[1] - 1, turn.request[2]]
            let answer = turn.honest.prefix(1).map { Manners.Act.send($0) }
            return answer + (act.map { [$0] } ?? [])
                + [.flood(0..<count) { [opcode] + handle + [UInt8(truncatingIfNeeded: $0)] }]
        }
    }

    /// A value of that length that contains its number.
    private static func value(_ number: Int, length: Int) -> [UInt8] {
        let place = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        return place + [UInt8](repeating: 0xA5, count: length - 4)
    }

    @Test(arguments: [20, 244], [[], ["--json"]])
    func `a slow reader slows a device down, and gets all of its values`(
        length: Int,
        form: [String]
    ) async throws {
        // More than all buffers hold. The benchmark pours 50,000 into an optimised build.
        let count = 25_000
        let manners = Manners.on(Opcode.write, 0) { turn in
            let head = [Opcode.notification, turn.request[1] - 1, turn.request[2]]
            return turn.honest.prefix(1).map { .send($0) }
                + [.flood(0..<count) { head + Self.value($0, length: length) }]
        }
        try await ScriptedPeer.run(manners) { peer in
            let (output, error) = (try PipeEnds(), try PipeEnds())
            let child = try Child(
                Program(
                    Blectl.path,
                    peer.arguments + ["notify", "\(ModelDevice.notifying)", "--count", "\(count)"] + form
                ),
                input: FileHandle.nullDevice,
                output: FileHandle(fileDescriptor: output.writing, closeOnDealloc: false),
                error: FileHandle(fileDescriptor: error.writing, closeOnDealloc: false),
                environment: ["HOME": "/nonexistent"]
            )
            for ends in [output, error] { close(ends.writing) }
            let messages = OutputCollector(error.reading)
            // The output is not read for a while, so that the device must wait.
            try await Task.sleep(for: .seconds(2))
            #expect(peer.floodCount == 0, "the device is held back")
            #expect(try residentKilobytes(of: child.identifier) < Self.limit)
            let results = OutputCollector(output.reading)
            let status = try await child.status()
            await results.waitForEnd()
            await messages.waitForEnd()
            #expect(status == 0, "\(messages.text)")
            #expect(messages.text == "")
            let lines = results.text.split(separator: "\n")
            #expect(lines.count == count)
            guard form.isEmpty else { return }
            let isInOrder = lines.enumerated().allSatisfy { number, line in
                let value = Hex.string(Self.value(number, length: length))
                return Substring(line.utf8.suffix(value.utf8.count)) == value
            }
            #expect(isInOrder)
        }
    }

    @Test func `a hundred thousand indications at once are each confirmed, or the link is ended`() async throws {
        let run = try await ScriptedPeer.run(Self.flood(100_000, of: Opcode.indication)) { peer in
            try await Blectl.run(peer.arguments + Self.notify + ["2000"])
        }
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout.split(separator: "\n").count == 2_000)
    }

    @Test func `confirmations that are not accepted end the link, and do not fill the memory`() async throws {
        let manners = Self.flood(Self.many, of: Opcode.indication, before: .stopReading)
        try await ScriptedPeer.run(manners) { peer in
            try await LiveBlectl.start(peer.arguments + Self.notify + ["1000000"]) { blectl in
                // blectl ends by itself, without a signal.
                let run = try await blectl.end()
                #expect(run.status == 75, "\(run.stderr)")
                #expect(run.stderr.contains("blectl: cannot listen to unix:"), "\(run.stderr)")
                #expect(run.stderr.contains("does not accept packets fast enough"), "\(run.stderr)")
            }
        }
    }

    /// Runs blectl with a limit on its memory.
    private func run(_ arguments: [String], against manners: Manners) async throws -> (BlectlRun, ScriptedPeer) {
        let limited = ["/bin/bash", "-c", "ulimit -v 1000000; exec \"$0\" \"$@\""]
        return try await ScriptedPeer.run(manners) { peer in
            (try await LiveBlectl.start(peer.arguments + arguments, through: limited) { try await $0.end() }, peer)
        }
    }

    @Test func `a device of 65535 services is shown`() async throws {
        let (run, peer) = try await run(["inspect", "--timeout", "600"], against: .full(of: .services))
        #expect(run.status == 0, "\(run.stderr.suffix(300))")
        #expect(run.stdout.split(separator: "\n").count == 65_536)
        // Each answer carries several services; asking one by one would take far more requests.
        #expect(peer.received.count < 65_536 / 70 + 50)
    }

    @Test func `a device of 32767 characteristics is shown`() async throws {
        let (run, _) = try await run(["inspect", "--timeout", "600"], against: .full(of: .characteristics))
        #expect(run.status == 0, "\(run.stderr.suffix(300))")
        #expect(run.stdout.split(separator: "\n").count == 32_769)
    }

    @Test func `a device of 65532 descriptors is shown`() async throws {
        let (run, _) = try await run(["inspect", "--timeout", "600"], against: .full(of: .descriptors))
        #expect(run.status == 0, "\(run.stderr.suffix(300))")
        #expect(run.stdout.split(separator: "\n").count == 65_535)
    }

    /// The target does not exist, so that everything must be discovered, and nothing twice: `most` is little more than
    /// the number of requests for that.
    @Test(
        arguments: [
            ("read", .services, 1_000), ("notify", .services, 1_000),
            ("notify", .services(of: 2, byTurns: true), 300), ("notify", .services(of: 3, byTurns: false), 23_000),
            ("notify", .services(of: 3, byTurns: true), 11_500),
        ] as [(String, Manners.Content, Int)]
    )
    fileprivate func `a characteristic is searched in all services of a UUID`(
        command: String,
        content: Manners.Content,
        most: Int
    ) async throws {
        let arguments = [command, "0x180F/0x2A1A", "--timeout", "600"]
        let (run, peer) = try await run(arguments, against: .full(of: content))
        #expect(run.status == 68, "\(run.stderr.suffix(300))")
        #expect(peer.requestCount < most)
    }

    @Test func `a device that returns its handles one by one is given up at the timeout`() async throws {
        let (run, _) = try await run(
            ["inspect", "--timeout", "1500ms"],
            against: .full(of: .services, perAnswer: 1, delay: 2)
        )
        #expect(run.status == 124, "\(run.stderr)")
        #expect(run.stdout == "")
    }
}

extension Manners {
    /// The use of the handles.
    fileprivate enum Content {
        /// Services with one UUID, or with two in turn, each with that number of handles. Characteristics follow the
        /// declaration.
        case services(of: Int, byTurns: Bool)
        /// Characteristics of a single service.
        case characteristics
        /// Descriptors of a single characteristic.
        case descriptors

        static let services = Self.services(of: 1, byTurns: false)
    }

    /// A device that uses all handles.
    fileprivate static func full(of content: Content, perAnswer count: Int = 70, delay: Int = 0) -> Manners {
        let device = FullDevice(content)
        return Manners { turn in
            guard turn.opcode != Opcode.mtu else { return [.send([0x03, 0x05, 0x02])] }
            guard let pdu = device.answer(turn.request, count) else {
                return [.send([1, turn.opcode] + turn.request.dropFirst().prefix(2) + [0x0A])]
            }
            return delay > 0 ? [.pause(milliseconds: delay), .send(pdu)] : [.send(pdu)]
        }
    }
}

/// A device whose attributes follow from their handles, so that none of them needs memory.
private struct FullDevice {
    private let serviceLength: Int
    private let content: Manners.Content

    init(_ content: Manners.Content) {
        self.content = content
        serviceLength =
            switch content {
            case .services(let length, _): length
            case .characteristics, .descriptors: 0xFFFF
            }
    }

    /// The answer with at most that number of entries; `nil` if nothing is found.
    func answer(_ request: [UInt8], _ count: Int) -> [UInt8]? {
        guard request.count >= 5 else { return nil }
        let handles = Self.number(request[1...])...max(Self.number(request[1...]), Self.number(request[3...]))
        let type = Self.number(request.dropFirst(5))
        let entries: [[UInt8]]
        let head: [UInt8]
        switch (request[0], type) {
        case (Opcode.readByGroupType, 0x2800):
            head = [0x11, 6]
            entries = services(in: handles, count).map {
                Self.octets($0) + Self.octets(end(of: $0)) + Self.octets(uuid(of: $0))
            }
        case (Opcode.findByTypeValue, 0x2800):
            let wanted = Self.number(request.dropFirst(7))
            head = [0x07]
            entries = services(in: handles, 2 * count).filter { uuid(of: $0) == wanted }.prefix(count)
                .map { Self.octets($0) + Self.octets(end(of: $0)) }
        case (Opcode.readByType, 0x2803):
            head = [0x09, 7]
            entries = characteristics(in: handles, count).map {
                Self.octets($0) + [0x02] + Self.octets($0 + 1) + [0x19, 0x2A]
            }
        case (Opcode.findInformation, _):
            head = [0x05, 0x01]
            entries = handles.lazy.filter { $0 > 3 }.prefix(count).map { Self.octets($0) + [0x01, 0x29] }
        default:
            return nil
        }
        return entries.isEmpty ? nil : head + entries.joined()
    }

    private func services(in handles: ClosedRange<Int>, _ count: Int) -> [Int] {
        let first = (handles.lowerBound - 1 + serviceLength - 1) / serviceLength * serviceLength + 1
        return Array(
            stride(from: first, through: min(handles.upperBound, 0xFFFF - serviceLength + 1), by: serviceLength).prefix(
                count
            )
        )
    }

    private func end(of service: Int) -> Int { service + serviceLength - 1 }

    private func uuid(of service: Int) -> Int {
        guard case .services(_, byTurns: true) = content else { return 0x180F }
        return (service - 1) / serviceLength % 2 == 0 ? 0x180F : 0x180A
    }

    /// The handles of declarations; the value follows each.
    private func characteristics(in handles: ClosedRange<Int>, _ count: Int) -> [Int] {
        switch content {
        case .descriptors: handles.contains(2) ? [2] : []
        case .characteristics, .services:
            Array(handles.lazy.filter { isDeclaration($0) && $0 < 0xFFFF }.prefix(count))
        }
    }

    private func isDeclaration(_ handle: Int) -> Bool {
        let place = (handle - 1) % serviceLength
        return place % 2 == 1 && place + 1 < serviceLength
    }

    private static func number(_ octets: ArraySlice<UInt8>) -> Int {
        octets.prefix(2).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private static func octets(_ number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }
}
