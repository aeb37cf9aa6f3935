// SPDX-License-Identifier: GPL-2.0-or-later

@testable import Bluetooth
@testable import FirmwareUpdate

/// Files that claim to be firmware, an upload to a hostile server, and a server with a hostile client. The first octet says
/// which; of the others, steps are answers or packets.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(Array(bytes.dropFirst()))
    let rest = Array(bytes.dropFirst())
    switch bytes.first.map({ $0 & 7 }) {
    case 0: readCBOR(rest)
    case 1: _ = try? MCUbootImage(rest)
    case 2, 3: upload(&input)
    case 4, 5: serve(&input)
    default: readFrames(&input)
    }
}

private func readCBOR(_ bytes: [UInt8]) {
    guard let value = try? CBORValue(decoding: bytes) else { return }
    let octets = value.encoded()
    let again = try? CBORValue(decoding: octets)
    check(again?.encoded() == octets, "an item is not read as it was written")
}

private func readFrames(_ input: inout FuzzInput) {
    var reassembler = MCUmgrReassembler()
    while let step = input.step() {
        guard let frame = (try? reassembler.received(step.bytes)) ?? nil else { continue }
        _ = try? MCUmgrReadImages().response(in: frame)
        _ = try? MCUmgrReadSlots().response(in: frame)
        _ = try? MCUmgrTasks().response(in: frame)
        _ = try? MCUmgrStatistics("").response(in: frame)
        _ = try? MCUmgrStatisticsGroups().response(in: frame)
        _ = try? MCUmgrShell([]).response(in: frame)
        do {
            _ = try MCUmgrEcho("").response(in: frame)
        } catch {
            if case .refused(let refusal) = error { _ = refusal.description }
        }
    }
}

/// An upload whose server answers what the input says. It must end, whatever that is.
private func upload(_ input: inout FuzzInput) {
    let limits = ImageUpload.Limits(
        buffers: .init(size: Int(input.octet()) << 4, count: Int(input.octet())),
        packet: 20 + Int(input.octet())
    )
    let file = [UInt8](repeating: 0x5A, count: 1 + Int(input.octet()) << 4)
    var upload = ImageUpload(file, image: nil, limits: limits)
    var now = Instant.zero
    var waiting: [MCUmgrFrame] = []
    var isEnded = false
    func take(_ actions: [ImageUpload.Action]) {
        for action in actions {
            switch action {
            case .send(let frame):
                check(!isEnded, "a request after the end")
                check(frame.encoded().count <= max(limits.frame, limits.packet), "a request is too long")
                waiting.append(frame)
            case .progressed(let octets): check((0...file.count).contains(octets), "more octets than there are")
            case .ended: isEnded = true
            }
        }
    }
    take(upload.linkMade(now: now))
    while let step = input.step(), !isEnded {
        now = now + .milliseconds(Int(step.kind))
        if step.bytes.isEmpty {
            take(upload.linkLost())
            take(upload.linkMade(now: now))
        } else if let request = waiting.first {
            if step.kind & 1 == 0 { waiting.removeFirst() }
            let fields = (try? CBORValue(decoding: step.bytes))?.fields
            let offset = Int(step.bytes[0]) << 4
            take(upload.received(request.response(fields ?? CBORMap(["off": CBORValue(offset)])), now: now))
        }
    }
    // A server that falls silent is given up.
    var rounds = Bound(64, "a silent server")
    while !isEnded, let deadline = upload.deadline {
        rounds.step()
        now = max(now, deadline)
        take(upload.timerFired(now: now))
    }
    check(isEnded, "the upload does not end")
}

private func serve(_ input: inout FuzzInput) {
    var configuration = MCUmgrServer.Configuration()
    configuration.buffers = .init(size: 64 + Int(input.octet()) << 2, count: 1 + Int(input.octet() & 7))
    var server = MCUmgrServer(configuration)
    var now = Instant.zero
    while let step = input.step() {
        now = now + .milliseconds(Int(step.kind))
        for action in server.received(step.bytes, now: now) + server.timerFired(now: now) {
            guard case .send(let octets) = action else { continue }
            check((try? MCUmgrFrame(decoding: octets)) != nil, "a response is no frame")
        }
    }
}
