// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

@testable import Captures
@testable import Toolkit

/// A file of any format as it is; or steps that become the records of pcap, pcapng and PacketLogger, because chance finds
/// few lengths.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let settings = input.octet()
    let blocks = Int(input.octet()) + 1
    let isBigEndian = settings & 0x40 != 0
    var file: [UInt8]
    switch settings & 0x0F {
    case 1: file = pcapng(&input, isBigEndian)
    case 2: file = packetLogger(&input, isBigEndian)
    case 3: file = pcap(&input, isBigEndian, link: [187, 201, 254][Int(settings >> 4) % 3])
    default: file = Array(bytes.dropFirst(2))
    }
    // What was cut, and what follows.
    if settings & 0x80 != 0 { file.removeLast(min(file.count, blocks)) }
    let whole = readCapture(file, blocks: max(1, file.count))
    let parts = readCapture(file, blocks: blocks)
    check(whole.records == parts.records, "blocks of \(blocks) octets have other records")
    check(whole.fault == parts.fault, "blocks of \(blocks) octets have another fault")
    checkEvents(of: whole.records)
}

private func number(_ value: UInt32, _ isBigEndian: Bool) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * (isBigEndian ? 3 - $0 : $0))) }
}

/// A section, and a block for each step. The first octets of a step are those of the block.
private func pcapng(_ input: inout FuzzInput, _ isBigEndian: Bool) -> [UInt8] {
    var file: [UInt8] = []
    func add(_ kind: UInt32, _ body: [UInt8]) {
        let padded = body + [UInt8](repeating: 0, count: -body.count & 3)
        let length = number(UInt32(padded.count + 12), isBigEndian)
        file += number(kind, isBigEndian) + length + padded + length
    }
    let order = number(0x1A2B_3C4D, isBigEndian)
    let version: [UInt8] = isBigEndian ? [0, 1, 0, 0] : [1, 0, 0, 0]
    let section = order + version + [UInt8](repeating: 0xFF, count: 8)
    add(0x0A0D_0D0A, section)
    while let step = input.step() {
        switch step.kind {
        case 0x0A: add(0x0A0D_0D0A, section + step.bytes)
        // A packet of the first interface, whose lengths are right.
        case 0x10...0x3F:
            let length = number(UInt32(step.bytes.count), isBigEndian)
            let time = number(UInt32(step.kind), isBigEndian) + number(UInt32(step.bytes.count) << 24, isBigEndian)
            add(6, number(0, isBigEndian) + time + length + length + step.bytes)
        // An interface with HCI packets, and options.
        case 0x40...0x7F:
            let link: UInt8 = [187, 201, 254][Int(step.kind) % 3]
            add(1, (isBigEndian ? [0, link] : [link, 0]) + [0, 0, 0, 0, 0, 0] + step.bytes)
        default: add(UInt32(step.kind), step.bytes)
        }
    }
    return file
}

private func packetLogger(_ input: inout FuzzInput, _ isBigEndian: Bool) -> [UInt8] {
    var file: [UInt8] = []
    while let step = input.step() {
        file += number(UInt32(9 + step.bytes.count), isBigEndian) + number(UInt32(step.kind) << 24, isBigEndian)
        file += number(UInt32(step.kind), isBigEndian) + [step.kind] + step.bytes
    }
    return file
}

private func pcap(_ input: inout FuzzInput, _ isBigEndian: Bool, link: UInt32) -> [UInt8] {
    var file = number(0xA1B2_C3D4, isBigEndian) + (isBigEndian ? [0, 2, 0, 4] : [2, 0, 4, 0])
    for value in [0, 0, 65_535, link] { file += number(value, isBigEndian) }
    while let step = input.step() {
        let length = UInt32(step.bytes.count)
        for value in [UInt32(step.kind) << 24, UInt32(step.kind), length, length + UInt32(step.kind >> 6)] {
            file += number(value, isBigEndian)
        }
        file += step.bytes
    }
    return file
}
