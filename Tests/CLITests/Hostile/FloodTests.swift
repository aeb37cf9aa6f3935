// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

/// Devices that say more than anybody can hear, and devices that have more than anybody needs.
@Suite("Floods", .serialized, .timeLimit(.minutes(3)))
struct FloodTests {
    /// What blectl needs twice over, and less than it would need to keep so many values, in kilobytes.
    private static let limit = 64_000
    /// A million does no more, and takes longer.
    private static let many = 400_000

    private static let notify = ["notify", "\(ModelDevice.notifying)", "--json", "--count"]

    /// A subscription that is answered, and then a flood of what `make` makes of the value's handle.
    private static func flood(
        _ count: Int,
        of opcode: UInt8,
        before act: Manners.Act? = nil
    ) -> Manners {
        .on(Opcode.write, 0) { turn in
            // The configuration stands behind the value.
            let handle = [turn.request[1] - 1, turn.request[2]]
            let answer = turn.honest.prefix(1).map { Manners.Act.send($0) }
            return answer + (act.map { [$0] } ?? [])
                + [.flood(0..<count) { [opcode] + handle + [UInt8(truncatingIfNeeded: $0)] }]
        }
    }

    @Test func `many notifications and a reader that is slow: some are dropped, and that is said`() async throws {
        try await ScriptedPeer.run(Self.flood(Self.many, of: Opcode.notification)) { peer in
            let (output, error) = (try PipeEnds(), try PipeEnds())
            let child = try Child(
                Program(Blectl.path, peer.arguments + Self.notify + ["3000"]),
                input: FileHandle.nullDevice,
                output: FileHandle(fileDescriptor: output.writing, closeOnDealloc: false),
                error: FileHandle(fileDescriptor: error.writing, closeOnDealloc: false),
                environment: ["HOME": "/nonexistent"]
            )
            for ends in [output, error] { close(ends.writing) }
            let messages = OutputCollector(error.reading)
            // Nobody reads while the flood lasts.
            for _ in 0..<3_000 where peer.floodCount == 0 && child.isRunning {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(peer.floodCount == 1, "the flood was not taken")
            #expect(try residentKilobytes(of: child.identifier) < Self.limit)
            let results = OutputCollector(output.reading)
            let status = await child.status()
            await results.waitForEnd()
            await messages.waitForEnd()
            #expect(status == 0, "\(messages.text)")
            #expect(results.text.split(separator: "\n").count == 3_000)
            #expect(messages.text.contains("values dropped"), "\(messages.text)")
        }
    }

    @Test func `a hundred thousand indications at once are each confirmed, or the link is given up`() async throws {
        let run = try await ScriptedPeer.run(Self.flood(100_000, of: Opcode.indication)) { peer in
            try await Blectl.run(peer.arguments + Self.notify + ["2000"])
        }
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout.split(separator: "\n").count == 2_000)
    }

    @Test func `confirmations that are not taken end the link, and do not fill the memory`() async throws {
        let manners = Self.flood(Self.many, of: Opcode.indication, before: .stopReading)
        try await ScriptedPeer.run(manners) { peer in
            try await LiveBlectl.start(peer.arguments + Self.notify + ["1000000"]) { blectl in
                // It gives up by itself: nobody interrupts it.
                let run = await blectl.end()
                #expect(run.status == 75, "\(run.stderr)")
                #expect(run.stderr.hasPrefix("blectl: cannot listen to unix:"), "\(run.stderr)")
                #expect(run.stderr.contains("does not take what is sent"), "\(run.stderr)")
            }
        }
    }

    /// Runs blectl with a limit on its memory.
    private func run(_ arguments: [String], against manners: Manners) async throws -> (BlectlRun, ScriptedPeer) {
        let limited = ["/bin/bash", "-c", "ulimit -v 1000000; exec \"$0\" \"$@\""]
        return try await ScriptedPeer.run(manners) { peer in
            (try await LiveBlectl.start(peer.arguments + arguments, through: limited) { await $0.end() }, peer)
        }
    }

    @Test func `a device of 65535 services is shown`() async throws {
        let (run, peer) = try await run(["inspect", "--timeout", "60"], against: .full(of: .services))
        #expect(run.status == 0, "\(run.stderr.suffix(300))")
        #expect(run.stdout.split(separator: "\n").count == 65_536)
        // As many as one answer carries at a time, and not one by one.
        #expect(peer.received.count < 65_536 / 70 + 50)
    }

    @Test func `a device of 32767 characteristics is shown`() async throws {
        let (run, _) = try await run(["inspect", "--timeout", "60"], against: .full(of: .characteristics))
        #expect(run.status == 0, "\(run.stderr.suffix(300))")
        #expect(run.stdout.split(separator: "\n").count == 32_769)
    }

    @Test func `a device that tells its handles one by one is given up when the time is up`() async throws {
        let (run, _) = try await run(
            ["inspect", "--timeout", "1500ms"],
            against: .full(of: .services, perAnswer: 1, delay: 2)
        )
        #expect(run.status == 124, "\(run.stderr)")
        #expect(run.stdout == "")
    }
}

extension Manners {
    /// What all handles are used for.
    fileprivate enum Content {
        case services
        case characteristics
    }

    /// A device without a free handle.
    fileprivate static func full(of content: Content, perAnswer count: Int = 70, delay: Int = 0) -> Manners {
        Manners { turn in
            if turn.opcode == Opcode.mtu { return [.send([0x03, 0x05, 0x02])] }
            guard turn.request.count >= 5 else { return turn.acts }
            let start = Int(turn.request[1]) | Int(turn.request[2]) << 8
            let entries: [[UInt8]]
            let head: [UInt8]
            switch (content, turn.opcode, turn.request.last) {
            case (.services, Opcode.readByGroupType, 0x28) where turn.request[5] == 0x00:
                entries = services(from: start)
                head = [0x11, 6]
            case (.characteristics, Opcode.readByGroupType, 0x28) where turn.request[5] == 0x00 && start == 1:
                entries = [[0x01, 0x00, 0xFF, 0xFF, 0x0F, 0x18]]
                head = [0x11, 6]
            case (.characteristics, Opcode.readByType, 0x28) where turn.request[5] == 0x03:
                entries = characteristics(from: start)
                head = [0x09, 7]
            default:
                entries = []
                head = []
            }
            if entries.isEmpty { return [.send([1, turn.opcode, turn.request[1], turn.request[2], 0x0A])] }
            let pdu = head + entries.prefix(count).joined()
            return delay > 0 ? [.pause(milliseconds: delay), .send(pdu)] : [.send(pdu)]
        }
    }

    private static func services(from start: Int) -> [[UInt8]] {
        (start...0xFFFF).prefix(80).map { handle in
            let octets = octets(handle)
            return octets + octets + [0x0F, 0x18]
        }
    }

    private static func characteristics(from start: Int) -> [[UInt8]] {
        stride(from: start + start % 2, to: 0xFFFF, by: 2).prefix(70).map { handle in
            octets(handle) + [0x02] + octets(handle + 1) + [0x19, 0x2A]
        }
    }

    private static func octets(_ handle: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8)]
    }
}
