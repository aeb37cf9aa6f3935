// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import FirmwareUpdate

@Suite("Upload of an image, by its events")
struct ImageUploadTests {
    private static let file = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    /// Limits as of a server with buffers of 1,000 octets, on a link with packets of 244.
    private static func limits(requests: Int = 3, size: Int = 1_000) -> ImageUpload.Limits {
        ImageUpload.Limits(buffers: .init(size: size, count: requests + 1), packet: 244)
    }

    /// An upload whose first part was sent.
    private static func begun(_ limits: ImageUpload.Limits = limits()) -> (ImageUpload, MCUmgrFrame) {
        var upload = ImageUpload(file, image: nil, limits: limits)
        let frames = upload.linkMade(now: .zero).frames
        #expect(frames.count == 1)
        return (upload, frames[0])
    }

    private static func answer(_ frame: MCUmgrFrame, _ offset: Int, isMatch: Bool? = nil) -> MCUmgrFrame {
        frame.response(CBORMap(["off": CBORValue(offset), "match": isMatch.map { .bool($0) }]))
    }

    private static func seconds(_ count: Int) -> Instant { Instant.zero + .seconds(count) }

    @Test("The first part fits into a packet, says what follows, and is alone on its way")
    func announcement() throws {
        let (upload, first) = Self.begun()
        #expect(first.encoded().count == 244)
        #expect(try first.fields.required("len", \.count) == 5_000)
        #expect(try first.fields.required("sha", \.bytes) == SHA256.hash(Self.file))
        #expect(first.fields["image"] == nil)
        #expect(upload.deadline == Instant.zero + ImageUpload.announcementLimit)
    }

    @Test("A second part tries whether the server joins packets, then as many follow as it has buffers for, less one")
    func window() throws {
        var (upload, first) = Self.begun()
        let trial = upload.received(Self.answer(first, first.end), now: .zero)
        #expect(trial.frames.count == 1 && trial.progress == [first.end])
        let large = try #require(trial.frames.first)
        #expect(large.encoded().count == 1_000 && large.start == first.end)
        let more = upload.received(Self.answer(large, large.end), now: .zero).frames
        #expect(more.count == 3)
        #expect(more.map(\.start) == [large.end, more[0].end, more[1].end])
        // Each answer makes room for another.
        #expect(upload.received(Self.answer(more[0], more[0].end), now: .zero).frames.count == 1)
    }

    @Test("A server that does not join packets gets single ones", arguments: [true, false])
    func withoutReassembly(isSilent: Bool) throws {
        var (upload, first) = Self.begun()
        let large = try #require(upload.received(Self.answer(first, first.end), now: .zero).frames.first)
        let small =
            isSilent
            ? upload.timerFired(now: Instant.zero + ImageUpload.partLimit)
            : upload.received(large.response(MCUmgrRefusal.shared(.invalidValue).fields), now: .zero)
        #expect(small.frames.count == 3)
        #expect(small.frames.allSatisfy { $0.encoded().count <= 244 } && small.frames.first?.start == first.end)
    }

    @Test("A server that has a part of the file already goes on there")
    func resumption() throws {
        var (upload, first) = Self.begun()
        let next = upload.received(Self.answer(first, 3_210), now: .zero)
        #expect(next.frames.map(\.start) == [3_210] && next.progress == [3_210])
    }

    @Test("After a lost link the file is announced anew, and the server says where it goes on")
    func lostLink() throws {
        var (upload, first) = Self.begun()
        _ = upload.received(Self.answer(first, first.end), now: .zero)
        #expect(upload.linkLost() == [])
        #expect(upload.deadline == nil)
        let anew = try #require(upload.linkMade(Self.limits(), now: Self.seconds(9)).frames.first)
        #expect(anew.start == 0 && anew.fields["sha"] != nil)
        #expect(upload.received(Self.answer(anew, 1_000), now: Self.seconds(9)).frames.map(\.start) == [1_000])
    }

    @Test("A part that got lost is sent again once, although all parts after it are answered with its offset")
    func lostPart() throws {
        var (upload, first) = Self.begun()
        let large = try #require(upload.received(Self.answer(first, first.end), now: .zero).frames.first)
        let parts = upload.received(Self.answer(large, large.end), now: .zero).frames
        // The first of the three was lost.
        let again = upload.received(Self.answer(parts[1], large.end), now: .zero).frames
        #expect(again.map(\.start) == [large.end, parts[0].end])
        #expect(upload.received(Self.answer(parts[2], large.end), now: .zero).frames.map(\.start).first != large.end)
    }

    @Test("Repeated and late answers change nothing, and delay no time limit")
    func duplicates() throws {
        var (upload, first) = Self.begun()
        let trial = upload.received(Self.answer(first, first.end), now: .zero)
        let deadline = upload.deadline
        for second in 1...5 {
            #expect(upload.received(Self.answer(first, first.end), now: Self.seconds(second)) == [])
        }
        #expect(upload.deadline == deadline && trial.frames.count == 1)
    }

    @Test("A silent server is asked again, and not without end")
    func silence() throws {
        var (upload, _) = Self.begun()
        var count = 0
        var ending: [ImageUpload.Action] = []
        while let deadline = upload.deadline, count < 100 {
            ending = upload.timerFired(now: deadline)
            count += 1
        }
        #expect(ending == [.ended(.stalled)] && count == 6)
    }

    @Test("A busy server is left alone for a while, longer each time")
    func busy() throws {
        var (upload, first) = Self.begun()
        var frame = first
        var now = Instant.zero
        var pauses: [Duration] = []
        for _ in 0..<5 {
            #expect(upload.received(frame.response(MCUmgrRefusal.shared(.busy).fields), now: now) == [])
            let deadline = try #require(upload.deadline)
            pauses.append(deadline - now)
            now = deadline
            frame = try #require(upload.timerFired(now: now).frames.first)
        }
        #expect(pauses == [1, 2, 4, 8, 16].map { .seconds($0) })
        let ending = upload.received(frame.response(MCUmgrRefusal.shared(.busy).fields), now: now)
        #expect(ending == [.ended(.refused(.shared(.busy)))])
    }

    @Test("The end: all, or what the server says of it")
    func endings() throws {
        func ending(_ fields: CBORMap) -> ImageUpload.Action? {
            var (upload, first) = Self.begun()
            return upload.received(first.response(fields), now: .zero).last
        }
        #expect(ending(CBORMap(["off": CBORValue(5_000)])) == .ended(.complete))
        #expect(ending(CBORMap(["off": CBORValue(5_000), "match": .bool(true)])) == .ended(.complete))
        #expect(ending(CBORMap(["off": CBORValue(5_000), "match": .bool(false)])) == .ended(.damaged))
        let refusal = MCUmgrRefusal(group: .image, code: 30)
        #expect(ending(refusal.fields) == .ended(.refused(refusal)))
        #expect(
            ending(CBORMap(["off": CBORValue(5_001)])) == .ended(.malformed(DecodeError("off", .invalid(value: 5_001))))
        )
        #expect(ending(CBORMap()) == .ended(.malformed(DecodeError("off", .inconsistent("it is missing")))))
        #expect(ending(CBORMap(["off": CBORValue(-1)]))?.isMalformed == true)
    }

    @Test("A server that counts parts which nobody has sent is not believed")
    func invention() throws {
        var (upload, first) = Self.begun()
        let large = try #require(upload.received(Self.answer(first, first.end), now: .zero).frames.first)
        #expect(upload.received(Self.answer(large, large.end + 1), now: .zero).last?.isMalformed == true)
    }

    @Test("A link that has no room for a part is not used")
    func noRoom() {
        var upload = ImageUpload(Self.file, image: 1, limits: .init(buffers: nil, packet: 20))
        #expect(upload.linkMade(now: .zero) == [.ended(.noRoom)])
        // With buffers for it, it is sent in several packets.
        upload = ImageUpload(Self.file, image: 1, limits: .init(buffers: .init(size: 400, count: 2), packet: 20))
        #expect(upload.linkMade(now: .zero).frames.first?.encoded().count == 400)
    }

    @Test("A server whose buffers are smaller than a packet gets frames that fit")
    func smallBuffers() {
        let limits = ImageUpload.Limits(buffers: .init(size: 128, count: 1), packet: 244)
        #expect(limits.frame == 128 && limits.packet == 128 && limits.requests == 1)
        let nonsense = ImageUpload.Limits(buffers: .init(size: 0, count: 1_000), packet: 244)
        #expect(nonsense.frame == 244 && nonsense.packet == 244 && nonsense.requests == 16)
    }

    @Test(
        "Frames are as long as they may be, and not longer",
        arguments: [100, 101, 150, 278, 279, 280, 281, 2_475, 65_543]
    )
    func room(_ limit: Int) {
        let whole = MCUmgrUpload(offset: 70_000, data: [])
        let data = [UInt8](repeating: 0, count: whole.room(within: limit))
        let length = MCUmgrUpload(offset: 70_000, data: data).frame(sequence: 0).encoded().count
        let longer = MCUmgrUpload(offset: 70_000, data: data + [0]).frame(sequence: 0).encoded().count
        #expect(length <= limit && longer > limit)
    }
}

extension [ImageUpload.Action] {
    /// The frames that are sent.
    var frames: [MCUmgrFrame] { compactMap { if case .send(let frame) = $0 { frame } else { nil } } }
    /// The numbers of octets that are reported.
    var progress: [Int] { compactMap { if case .progressed(let octets) = $0 { octets } else { nil } } }
}

extension ImageUpload.Action {
    fileprivate var isMalformed: Bool { if case .ended(.malformed) = self { true } else { false } }
}

extension MCUmgrFrame {
    /// Where the part of an upload begins, how long it is, and where it ends.
    var start: Int { fields["off"]?.count ?? -1 }
    var length: Int { fields["data"]?.bytes?.count ?? -1 }
    var end: Int { start + length }
}
