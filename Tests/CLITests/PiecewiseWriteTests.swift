// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Writing piece by piece", .startsPrograms())
struct PiecewiseWriteTests {
    /// 20,000 octets without two equal packets.
    private static let image = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 251) }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private func values(_ run: BlectlRun) -> [String] { Trace(run.stderr).writes.map(\.value) }

    @Test func `a file larger than a packet is sent without response in packets, in order`() async throws {
        try await TemporaryFolder.use { (folder: URL) async throws in
            let file = folder.appendingPathComponent("image.bin")
            try Data(Self.image).write(to: file)
            let run = try await Blectl.simulate(
                "write \(World.uartReceive) @\(file.path) -d 'UART Echo' --no-response --json -v"
            )
            try #require(run.status == 0, "\(run.stderr.suffix(500))")
            let record = try #require(try run.records().first)
            #expect(record["length"] == .integer(20_000))
            #expect(record["procedure"] == .string("write-command"))
            // The device accepts packets of 517 octets, but a value has at most 512.
            #expect(record["chunks"] == .integer(40))
            let writes = Trace(run.stderr).writes
            #expect(Set(writes.map(\.name)) == ["Write Command"])
            #expect(writes.map(\.value).joined() == Self.hex(Self.image))
            // The answer to the last request proves that the device has received all pieces.
            let last = try #require(Trace(run.stderr).sent.last)
            #expect(last.name == "Read Request", "\(last)")
        }
    }

    @Test(arguments: [1, 20, 100, 512])
    func `standard input is sent in pieces of a size, each acknowledged`(size: Int) async throws {
        let bytes = Array(Self.image[..<1_000])
        let run = try await Blectl.simulate(
            "write \(World.uartReceive) - -d 'UART Echo' --chunk \(size) --json -v",
            input: bytes
        )
        try #require(run.status == 0, "\(run.stderr.suffix(500))")
        let pieces = (1_000 + size - 1) / size
        #expect(try run.records().first?["chunks"] == .integer(Int64(pieces)))
        let writes = Trace(run.stderr).writes
        #expect(Set(writes.map(\.name)) == ["Write Request"])
        #expect(writes.count == pieces)
        #expect(writes.map(\.value).joined() == Self.hex(bytes))
        #expect(writes.dropLast().allSatisfy { $0.value.count == 2 * size })
    }

    @Test func `a value of the command line can be split too, and an empty one is one empty piece`() async throws {
        let text = try await Blectl.simulate("write \(World.uartReceive) text:abcdefg -d 'UART Echo' --chunk 3 -v")
        #expect(values(text) == ["616263", "646566", "67"], "\(text.stderr)")
        let empty = try await Blectl.simulate("write \(World.uartReceive) - -d 'UART Echo' --chunk 3 -v")
        #expect(values(empty) == ["(empty)"], "\(empty.stderr)")
    }

    @Test func `a value that fits into a packet is one write, without a request after it`() async throws {
        let run = try await Blectl.simulate(
            "write \(World.uartReceive) - -d 'UART Echo' --no-response -v --json",
            input: Array("hello".utf8)
        )
        #expect(try run.records().first?["chunks"] == .integer(1))
        #expect(Trace(run.stderr).sent.last?.name == "Write Command")
    }

    /// A write of what a test writes into a FIFO, in pieces, while it goes on.
    private func write(
        _ options: [String],
        _ body: (LiveBlectl, FileHandle) async throws -> Void
    ) async throws {
        try await TemporaryFolder.use { (folder: URL) async throws in
            let fifo = folder.appendingPathComponent("fifo").path
            try #require(mkfifo(fifo, 0o600) == 0)
            // For reading, too: so it does not wait for the other end, and what is written waits for blectl.
            let end = open(fifo, O_RDWR | O_CLOEXEC)
            try #require(end >= 0)
            let input = FileHandle(fileDescriptor: end, closeOnDealloc: true)
            try await LiveBlectl.start(
                ["--simulate", "write", World.uartReceive, "-", "-d", "UART Echo", "-v"] + options,
                through: ["/bin/bash", "-c", "exec \"$@\" <'\(fifo)'", "bash"]
            ) { live in
                try await body(live, input)
            }
        }
    }

    @Test(arguments: [["--no-response"], ["--chunk", "20"]])
    func `standard input is sent as it arrives`(_ options: [String]) async throws {
        try await write(options) { live, input in
            for word in ["marco", "polo", "again"] {
                try input.write(contentsOf: Data(word.utf8))
                // The next one is not there before the device has got this one.
                try await live.waits(for: Self.hex(word.utf8), on: \.stderr)
            }
            try input.close()
            let run = try await live.end()
            #expect(run.status == 0, "\(run.stderr)")
            #expect(values(run) == ["marco", "polo", "again"].map { Self.hex($0.utf8) })
        }
    }

    @Test(
        "an interruption reports the progress",
        arguments: [
            (["--no-response"], "sent, 0 of them certainly received"), (["--chunk", "20"], "written"),
        ]
    )
    func interrupted(options: [String], told: String) async throws {
        try await write(options) { live, input in
            for word in ["marco", "polo"] {
                try input.write(contentsOf: Data(word.utf8))
                try await live.waits(for: Self.hex(word.utf8), on: \.stderr)
            }
            // The first is done by now, and the second may be.
            live.child.signal(SIGTERM)
            let run = try await live.end()
            #expect(run.status == -SIGTERM, "\(run.stderr)")
            let last = try #require(run.stderr.split(separator: "\n").last)
            let ways = ["5 octets, in 1 piece", "9 octets, in 2 pieces"].map { "blectl: \($0), were \(told)" }
            #expect(ways.contains(String(last)), "\(run.stderr)")
            try input.close()
        }
    }

    @Test func `a device that refuses a piece ends the write, and the progress is reported`() async throws {
        // The value has a fixed length of four octets, but the last piece is shorter.
        let run = try await Blectl.simulate("write \(Workbench.fixed) 0102030405 -d Workbench --chunk 4")
        #expect(run.status == 76)
        #expect(run.stderr.contains("; 4 of 5 octets, in 1 piece, were written"), "\(run.stderr)")
    }

    @Test(arguments: ["--reliable", "--verify"])
    func `pieces cannot be read back or echoed`(option: String) async throws {
        let run = try await Blectl.simulate("write \(World.uartReceive) 00 -d 'UART Echo' --chunk 4 \(option)")
        #expect(run.status == 64)
    }

    @Test func `a descriptor is written as a whole`() async throws {
        let run = try await Blectl.simulate("write \(Workbench.labelled)/0x2901 text:abc -d Workbench --chunk 2 -v")
        #expect(run.status == 64 && Trace(run.stderr).writes.isEmpty, "\(run.stderr)")
        #expect(run.stderr.contains("hint: leave out --chunk"))
    }
}
