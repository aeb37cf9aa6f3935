// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import FirmwareUpdate

/// A device that answers at once, as far as its times allow, and an upload to it.
private struct Board {
    var server: MCUmgrServer
    var now = Instant.zero
    private(set) var restarts = 0
    /// The time between a request and its packet's arrival.
    private var sequence: UInt8 = 0

    init(_ change: (inout MCUmgrServer.Configuration) -> Void = { _ in }) {
        var configuration = MCUmgrServer.Configuration()
        change(&configuration)
        server = MCUmgrServer(configuration)
    }

    /// Carries a request out, and waits until it is answered; `nil` if it is not.
    mutating func perform<Request: MCUmgrRequest>(_ request: Request) throws -> Request.Response? {
        sequence &+= 1
        let frame = request.frame(sequence: sequence)
        guard let answer = try wait(server.received(frame.encoded(), now: now)).first else { return nil }
        #expect(answer.answers(frame))
        return try request.response(in: answer)
    }

    /// The frames that are sent until nothing more is to happen.
    mutating func wait(_ first: [UpdateServerAction] = []) throws -> [MCUmgrFrame] {
        var frames: [MCUmgrFrame] = []
        var actions = first
        while true {
            for action in actions {
                switch action {
                case .send(let octets, _): frames.append(try MCUmgrFrame(decoding: octets))
                case .restart: restarts += 1
                }
            }
            guard frames.isEmpty, let deadline = server.deadline else { return frames }
            now = max(now, deadline)
            actions = server.timerFired(now: now)
        }
    }

    mutating func upload(_ file: [UInt8], image: Int? = nil) throws -> ImageUpload.Ending? {
        var upload = ImageUpload(file, image: image, limits: .init(buffers: .init(size: 2_475, count: 4), packet: 244))
        var queue = upload.linkMade(now: now)
        var arriving: [MCUmgrFrame] = []
        for _ in 0..<10_000 {
            var actions: [UpdateServerAction] = []
            for action in queue {
                switch action {
                case .send(let frame): actions += server.received(frame.encoded(), now: now)
                case .ended(let ending): return ending
                case .progressed: break
                }
            }
            let before = restarts
            arriving += try wait(actions)
            if restarts > before {
                arriving = []
                queue = upload.linkLost() + upload.linkMade(now: now)
            } else if arriving.isEmpty {
                guard let deadline = upload.deadline else { return nil }
                now = max(now, deadline)
                queue = upload.timerFired(now: now)
            } else {
                queue = upload.received(arriving.removeFirst(), now: now)
            }
        }
        return nil
    }

    mutating func reset() throws {
        _ = try perform(MCUmgrReset())
        _ = try wait()
    }
}

@Suite("A device with MCUboot")
struct MCUmgrServerTests {
    private static func file() throws -> [UInt8] { try Vector.named("version", in: "images", "image") }

    @Test("An image is uploaded, tested, confirmed, and stays")
    func update() throws {
        var board = Board()
        let image = try MCUbootImage(Self.file())
        #expect(try board.upload(image.octets) == .complete)
        #expect(board.server.version == FirmwareVersion(1, 0, 0))
        let chosen = try #require(try board.perform(MCUmgrSetImage(hash: image.hash, isConfirmed: false)) ?? nil)
        #expect(chosen.map(\.isPending) == [false, true] && chosen.map(\.isPermanent) == [false, false])
        try board.reset()
        #expect(board.restarts == 1 && board.server.version == image.version)
        let tested = try #require(try board.perform(MCUmgrReadImages()))
        #expect(tested.map(\.hash).first == image.hash)
        #expect(tested.map(\.isConfirmed) == [false, true] && tested.map(\.isActive) == [true, false])
        _ = try board.perform(MCUmgrSetImage.confirmRunning)
        try board.reset()
        #expect(board.server.version == image.version)
    }

    @Test("An image that is not confirmed is put back by the next start")
    func reversion() throws {
        var board = Board()
        let image = try MCUbootImage(Self.file())
        _ = try board.upload(image.octets)
        _ = try board.perform(MCUmgrSetImage(hash: image.hash, isConfirmed: false))
        try board.reset()
        #expect(board.server.version == image.version)
        try board.reset()
        #expect(board.server.version == FirmwareVersion(1, 0, 0))
        #expect(try board.perform(MCUmgrReadImages())?.map(\.isConfirmed) == [true, false])
    }

    @Test("An image that does not run is put back at once")
    func failure() throws {
        var board = Board { $0.startsNewImages = false }
        let image = try MCUbootImage(Self.file())
        _ = try board.upload(image.octets)
        _ = try board.perform(MCUmgrSetImage(hash: image.hash, isConfirmed: true))
        try board.reset()
        #expect(board.server.version == FirmwareVersion(1, 0, 0))
        #expect(try board.perform(MCUmgrReadImages())?.map(\.isPending) == [false, false])
    }

    @Test("An image for a program that the device does not have is refused")
    func program() throws {
        var board = Board()
        let refusal = MCUmgrRefusal(group: .image, code: 9)
        #expect(try board.upload(try Self.file(), image: 1) == .refused(refusal))
        #expect(try board.perform(MCUmgrReadImages())?.count == 1)
        #expect(try board.upload(try Self.file(), image: 0) == .complete)
    }

    @Test("Faults of an upload have the effects that they say", arguments: UploadFault.Effect.allCases)
    func faults(_ effect: UploadFault.Effect) throws {
        var board = Board { $0.faults = [UploadFault(offset: 500, effect: effect)] }
        let ending = try board.upload(try Self.file())
        switch effect {
        case .refuse: #expect(ending == .refused(MCUmgrRefusal(group: .image, code: 12)))
        case .damage:
            #expect(ending == .damaged)
            #expect(try board.perform(MCUmgrReadImages())?.count == 1)
        case .lose: #expect(ending == .complete)
        case .restart: #expect(ending == .complete && board.restarts == 1)
        }
    }

    @Test("What cannot be done is refused with Zephyr's numbers")
    func refusals() throws {
        var board = Board()
        func code(_ request: some MCUmgrRequest) throws -> Int? {
            do {
                _ = try board.perform(request)
                return nil
            } catch MCUmgrResponseError.refused(let refusal) { return refusal.code }
        }
        let file = try Self.file()
        let whole = MCUmgrUpload.Announcement(image: nil, length: 500 << 10, hash: [])
        #expect(try code(MCUmgrUpload(offset: 0, data: file, announcement: whole)) == 30)
        let wrong = MCUmgrUpload.Announcement(image: nil, length: 64, hash: [])
        #expect(try code(MCUmgrUpload(offset: 0, data: [UInt8](repeating: 0, count: 64), announcement: wrong)) == 23)
        #expect(try code(MCUmgrSetImage(hash: [1], isConfirmed: true)) == 8)
        let running = try #require(try board.perform(MCUmgrReadImages())?.first?.hash)
        #expect(try code(MCUmgrSetImage(hash: running, isConfirmed: false)) == 33)
        #expect(try code(MCUmgrErase(slot: 0)) == 14)
        _ = try board.upload(file)
        _ = try board.perform(MCUmgrSetImage(hash: MCUbootImage(file).hash, isConfirmed: false))
        #expect(try code(MCUmgrErase(slot: 1)) == 9)
        #expect(try code(MCUmgrReadTime()) == 4)
        #expect(try code(MCUmgrReadSetting("x")) == 3)
        #expect(try code(MCUmgrStatistics("x")) == 2)
        #expect(try code(MCUmgrReadFile("/x", offset: 0)) == 3)
        #expect(try code(MCUmgrShell([])) == 3)
    }

    @Test("The other groups answer")
    func groups() throws {
        var board = Board()
        #expect(try board.perform(MCUmgrEcho("a")) == "a")
        _ = try board.perform(MCUmgrSetTime("2026-11-29T10:35:00"))
        #expect(try board.perform(MCUmgrReadTime()) == "2026-11-29T10:35:00")
        _ = try board.perform(MCUmgrWriteSetting("a/b", [1, 2]))
        #expect(try board.perform(MCUmgrReadSetting("a/b")) == [1, 2])
        _ = try board.perform(MCUmgrDeleteSetting("a/b"))
        #expect(try board.perform(MCUmgrWriteFile("/f", offset: 0, data: [1], length: 2)) == 1)
        #expect(try board.perform(MCUmgrWriteFile("/f", offset: 1, data: [2], length: 2)) == 2)
        #expect(try board.perform(MCUmgrReadFile("/f", offset: 0)) == .init(offset: 0, data: [1, 2], length: 2))
        #expect(try board.perform(MCUmgrShell(["nonsense"]))?.status == -8)
        #expect(try board.perform(MCUmgrTasks())?.first?.name == "idle")
        #expect(try board.perform(MCUmgrStatisticsGroups()) == ["smp_svr"])
        #expect(try board.perform(MCUmgrReadSlots())?.map(\.size) == [480 << 10, 480 << 10])
        #expect(try board.perform(MCUmgrBootLoader()) == "MCUboot")
    }

    @Test("Requests beyond the buffers get lost, and what is no frame is ignored")
    func buffers() throws {
        var board = Board { $0.eraseTime = .seconds(30) }
        let erase = MCUmgrErase(slot: 1).frame(sequence: 1).encoded()
        let echo = MCUmgrEcho("a").frame(sequence: 2).encoded()
        #expect(board.server.received(erase, now: .zero) == [])
        for _ in 0..<9 { #expect(board.server.received(echo, now: .zero) == []) }
        #expect(board.server.timerFired(now: Instant.zero + .seconds(30)).count == 4)
        #expect(board.server.received([1, 2, 3], now: .zero) == [])
        board.server.disconnected()
        #expect(board.server.received([UInt8](repeating: 0, count: 2_476), now: .zero) == [])
        #expect(board.server.received(echo, now: .zero).count == 1)
    }

    @Test("Random octets and damaged requests never make it do anything but answer")
    func hostile() throws {
        var random = TestGenerator(seed: 9)
        var board = Board()
        let known = try Vector.all("frames", "frame").map(\.octets)
        for _ in 0..<20_000 {
            var octets = known[Int.random(in: known.indices, using: &random)]
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                octets[Int.random(in: octets.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = board.server.received(octets, now: board.now)
            board.now = board.now + .milliseconds(20)
            _ = board.server.timerFired(now: board.now)
        }
        #expect(board.server.version == FirmwareVersion(1, 0, 0))
    }
}
