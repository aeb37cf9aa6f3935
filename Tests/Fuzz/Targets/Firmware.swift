// SPDX-License-Identifier: GPL-2.0-or-later

@testable import Bluetooth
@testable import BluetoothHost
@testable import FirmwareCommands
@testable import FirmwareUpdate

/// Files that claim to be firmware, firmware on its way to a hostile server or boot loader, and a server and boot loaders
/// with a hostile client. The first octet says which; of the others, steps are answers or packets.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(Array(bytes.dropFirst()))
    let rest = Array(bytes.dropFirst())
    switch bytes.first.map({ $0 & 15 }) {
    case 0: readCBOR(rest)
    case 1: _ = try? MCUbootImage(rest)
    case 2, 3: upload(&input)
    case 4, 5: serve(&input)
    case 8: _ = try? FirmwareFile.firmware(rest, "x.zip", image: nil)
    case 9: readPacket(rest)
    case 10: transfer(LegacyDFU(image(.legacy)), 16, &input)
    case 11: transfer(SecureDFU(image(.secure)), 0x60, &input)
    case 12: serve(.legacy, &input)
    case 13: serve(.secure, &input)
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
            guard case .send(let octets, _) = action else { continue }
            check((try? MCUmgrFrame(decoding: octets)) != nil, "a response is no frame")
        }
    }
}

// MARK: - Nordic's boot loaders

private func readPacket(_ bytes: [UInt8]) {
    let firmware = [UInt8](repeating: 0x5A, count: 100)
    for kind in DFUImage.Kind.allCases {
        _ = try? DFUImage(nil, kind, firmware: firmware, initPacket: bytes, sizes: nil)
        _ = try? DFUImage(.legacy, kind, firmware: firmware, initPacket: bytes, sizes: nil)
    }
}

/// Firmware of 1,000 octets, with an init packet without a signature.
private func image(_ format: DFUImage.Format) -> DFUImage {
    let firmware = [UInt8](repeating: 0x5A, count: 1_000)
    let hash: [UInt8] = [0x08, 3, 0x12, 32] + SHA256.hash(firmware).reversed()
    let start: [UInt8] = [0x08, 7, 0x38, 0xE8, 0x07, 0x42, UInt8(hash.count)] + hash
    let command: [UInt8] = [0x08, 1, 0x12, UInt8(start.count)] + start
    let sum = Checksum.crc16(firmware)
    let legacy: [UInt8] = [0, 0, 0, 0, 7, 0, 0, 0, 0, 0, UInt8(sum & 0xFF), UInt8(sum >> 8)]
    let packet = format == .legacy ? legacy : [0x0A, UInt8(command.count)] + command
    guard let image = try? DFUImage(format, .application, firmware: firmware, initPacket: packet) else {
        fatalError("the package is not what it should be")
    }
    return image
}

/// A transfer whose boot loader answers what the input says. It must end, whatever that is.
private func transfer(_ first: some DFUTransfer, _ answer: UInt8, _ input: inout FuzzInput) {
    var transfer = first
    var now = Instant.zero
    var (order, isEnded): (UInt8, Bool) = (0, false)
    func take(_ actions: [DFUAction]) {
        var mustReconnect = false
        for action in actions {
            switch action {
            case .order(let octets):
                check(!isEnded, "an order after the end")
                order = octets.first ?? 0
            case .packet(let octets): check(!octets.isEmpty && octets.count <= 512, "a packet of a wrong length")
            case .progressed(let octets): check((0...transfer.total).contains(octets), "more octets than there are")
            case .reconnect: mustReconnect = true
            case .ended: isEnded = true
            }
        }
        guard mustReconnect else { return }
        take(transfer.linkLost())
        take(transfer.linkMade(packet: 20, now: now))
    }
    take(transfer.linkMade(packet: Int(input.octet()), now: now))
    while let step = input.step(), !isEnded {
        now = now + .milliseconds(Int(step.kind))
        if step.bytes.isEmpty {
            take(transfer.linkLost())
            take(transfer.linkMade(packet: 20, now: now))
        } else {
            take(transfer.received(step.kind & 1 == 0 ? [answer, order] + step.bytes : step.bytes, now: now))
        }
    }
    // A boot loader that falls silent is given up.
    var rounds = Bound(64, "a silent boot loader")
    while !isEnded, let deadline = transfer.deadline {
        rounds.step()
        now = max(now, deadline)
        take(transfer.timerFired(now: now))
    }
    check(isEnded, "the transfer does not end")
}

private func serve(_ format: DFUImage.Format, _ input: inout FuzzInput) {
    var configuration = DFUServer.Configuration()
    (configuration.format, configuration.objectSize) = (format, 256)
    var server = DFUServer(configuration)
    var now = Instant.zero
    let places = server.characteristics
    while let step = input.step() {
        now = now + .milliseconds(Int(step.kind))
        let place = places[Int(step.kind) % places.count]
        for action in server.written(step.bytes, to: place, now: now) + server.timerFired(now: now) {
            guard case .restart = action else { continue }
            server.disconnected()
        }
    }
}
