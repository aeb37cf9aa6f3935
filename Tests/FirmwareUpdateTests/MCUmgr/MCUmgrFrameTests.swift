// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import FirmwareUpdate

@Suite("Frames of MCUmgr")
struct MCUmgrFrameTests {
    private static let hash = (0..<32).map { UInt8($0) }

    /// blectl's requests, by the names of the frames that another program made of them.
    private static let table: [(String, any MCUmgrRequest)] = [
        ("echo", MCUmgrEcho("hällo")), ("tasks", MCUmgrTasks()), ("time", MCUmgrReadTime()),
        ("set time", MCUmgrSetTime("2026-11-29T10:35:00")), ("reset", MCUmgrReset()),
        ("forced reset", MCUmgrReset(isForced: true)), ("parameters", MCUmgrParameters()),
        ("information", MCUmgrInformation()), ("boot loader", MCUmgrBootLoader()), ("images", MCUmgrReadImages()),
        ("test", MCUmgrSetImage(hash: hash, isConfirmed: false)), ("confirm", MCUmgrSetImage.confirmRunning),
        (
            "first part",
            MCUmgrUpload(
                offset: 0,
                data: Array("abc".utf8),
                announcement: .init(image: 1, length: 70_000, hash: hash)
            )
        ),
        ("next part", MCUmgrUpload(offset: 65_600, data: Array(repeating: 0, count: 300))),
        ("erase", MCUmgrErase(slot: 1)), ("statistics groups", MCUmgrStatisticsGroups()),
        ("statistics", MCUmgrStatistics("smp_svr")), ("setting", MCUmgrReadSetting("bt/id")),
        ("set setting", MCUmgrWriteSetting("bt/id", [1, 2])), ("delete setting", MCUmgrDeleteSetting("bt/id")),
        ("file", MCUmgrReadFile("/lfs/log", offset: 512)),
        ("write file", MCUmgrWriteFile("/lfs/log", offset: 0, data: Array("log".utf8), length: 3)),
        ("shell", MCUmgrShell(["kernel", "uptime"])),
    ]

    private static func frame(_ name: String) throws -> MCUmgrFrame {
        try MCUmgrFrame(decoding: try Vector.named(name, in: "frames", "frame"))
    }

    @Test("Requests are those of another program, octet for octet", arguments: table.indices)
    func requests(_ index: Int) throws {
        let (name, request) = Self.table[index]
        let octets = try Vector.named(name, in: "frames", "frame")
        #expect(Hex.string(request.frame(sequence: octets[6]).encoded()) == Hex.string(octets), "\(name)")
    }

    @Test("Responses of another program say what it means")
    func responses() throws {
        #expect(try MCUmgrEcho("hällo").response(in: Self.frame("echo response")) == "hällo")
        #expect(
            try MCUmgrParameters().response(in: Self.frame("parameters response")) == .init(size: 2_475, count: 4)
        )
        let task = try #require(try MCUmgrTasks().response(in: Self.frame("tasks response")).first)
        #expect(task.name == "idle" && task.contextSwitches == 70_000 && task.stackSize == 80)
        let images = try MCUmgrReadImages().response(in: Self.frame("images response"))
        #expect(
            images == [MCUmgrImageState(slot: 0, version: "1.2.3", hash: Self.hash, isConfirmed: true, isActive: true)]
        )
        let part = try MCUmgrUpload(offset: 0, data: []).response(in: Self.frame("part response"))
        #expect(part == .init(offset: 70_000, isMatch: true))
        let counters = try MCUmgrStatistics("smp_svr").response(in: Self.frame("statistics response"))
        #expect(counters == [.init(name: "ticks", value: 1 << 40)])
        let shell = try MCUmgrShell(["x"]).response(in: Self.frame("shell response"))
        #expect(shell == .init(output: "Uptime: 1 ms", status: -8))
        let file = try MCUmgrReadFile("/lfs/log", offset: 0).response(in: Self.frame("file response"))
        #expect(file == .init(offset: 0, data: Array("log".utf8), length: 3))
    }

    @Test("All frames of another program are read, and written as they were; no part of one is taken for one")
    func everyFrame() throws {
        for vector in try Vector.all("frames", "frame") {
            #expect(try MCUmgrFrame(decoding: vector.octets).encoded() == vector.octets, "\(vector.name)")
            for length in 0..<vector.octets.count {
                #expect(throws: DecodeError.self) { try MCUmgrFrame(decoding: Array(vector.octets.prefix(length))) }
            }
            #expect(throws: DecodeError.self) { try MCUmgrFrame(decoding: vector.octets + [0]) }
        }
    }

    @Test(
        "Errors of both versions are told from success",
        arguments: [
            ("a1 62 7263 05", MCUmgrRefusal.shared(.noEntry)),
            ("a1 63 657272 a2 65 67726f7570 01 62 7263 0d", MCUmgrRefusal(group: .image, code: 13)),
            ("a2 62 7263 08 63 72736e 62 6e6f", MCUmgrRefusal(code: 8, reason: "no")),
        ]
    )
    func errors(_ hex: String, _ refusal: MCUmgrRefusal) throws {
        let octets = try #require(Hex.bytes(hex.filter { $0 != " " }))
        let fields = try #require(try CBORValue(decoding: octets).fields)
        let response = MCUmgrReset().frame(sequence: 1).response(fields)
        #expect(throws: MCUmgrResponseError.refused(refusal)) { try MCUmgrReset().response(in: response) }
        #expect(refusal.fields == fields)
        let success = MCUmgrReset().frame(sequence: 1).response(CBORMap(["rc": CBORValue(0)]))
        try MCUmgrReset().response(in: success)
    }

    @Test("An error is named in words")
    func words() {
        #expect(MCUmgrRefusal.shared(.badState).description == "not in this state (MCUmgr error 6)")
        let image = MCUmgrRefusal(group: .image, code: 33, reason: "why")
        #expect(image.description == "the active image cannot be tested (image error 33): why")
        #expect(MCUmgrRefusal(group: MCUmgrGroup(rawValue: 64), code: 9).description == "group 64 error 9")
        #expect(MCUmgrRefusal(code: -1).description == "MCUmgr error -1")
        #expect(MCUmgrRefusal(code: .min).meaning == nil)
    }

    @Test("A response belongs to the request of its sequence number, group, command and operation")
    func answers() {
        let request = MCUmgrEcho("a").frame(sequence: 7)
        #expect(request.response(CBORMap()).answers(request))
        #expect(!request.answers(request))
        #expect(!MCUmgrEcho("a").frame(sequence: 8).response(CBORMap()).answers(request))
        #expect(!MCUmgrReset().frame(sequence: 7).response(CBORMap()).answers(request))
        #expect(!MCUmgrReadTime().frame(sequence: 7).response(CBORMap()).answers(MCUmgrSetTime("").frame(sequence: 7)))
    }

    @Test("A frame is put together of parts of any size", arguments: [1, 3, 7, 8, 9, 20, 244])
    func parts(_ size: Int) throws {
        let octets = try Vector.named("images response", in: "frames", "frame")
        var reassembler = MCUmgrReassembler()
        for _ in 0..<2 {
            var frames: [MCUmgrFrame] = []
            for start in stride(from: 0, to: octets.count, by: size) {
                #expect(frames.isEmpty)
                if let frame = try reassembler.received(Array(octets[start..<min(start + size, octets.count)])) {
                    frames.append(frame)
                }
            }
            #expect(frames.map { $0.encoded() } == [octets])
            #expect(!reassembler.isInFrame)
        }
    }

    @Test("After a frame that is none, or whose rest did not come, the next one is read")
    func recovery() throws {
        let octets = try Vector.named("echo response", in: "frames", "frame")
        var reassembler = MCUmgrReassembler()
        #expect(throws: DecodeError.self) { try reassembler.received(octets + [0]) }
        #expect(try reassembler.received(Array(octets.prefix(10))) == nil)
        reassembler.reset()
        #expect(try reassembler.received(octets) != nil)
    }
}
