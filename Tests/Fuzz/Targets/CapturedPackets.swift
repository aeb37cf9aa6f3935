// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

@testable import Captures
@testable import CommandLineInterface
@testable import Commands
@testable import Records
@testable import Terminal
@testable import Toolkit

/// A file as it is, read in blocks; or steps that become the records of a file, because chance finds few headers.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let settings = input.octet()
    guard settings & 0x80 != 0 else {
        checkFile(Array(bytes.dropFirst()), blocks: Int(settings) + 1)
        return
    }
    let datalink = [BTSnoopDatalink.h4, .unencapsulatedHCI, .linuxMonitor][Int(settings % 3)]
    var file = BTSnoopHeader(datalink).encoded()
    var time: Int64 = 0
    while let step = input.step() {
        // The kind is the direction, or the opcode of the monitor, and how the clock of the file moves.
        let missing = UInt32(step.kind >> 6) * 3
        time = step.kind & 0x20 == 0 ? time + Int64(step.kind) * 1_000 : .max - time
        let record = BTSnoopRecord(
            step.bytes,
            originalLength: UInt32(step.bytes.count) + missing,
            flags: UInt32(step.kind & 0x1F),
            at: BTSnoopTimestamp(rawValue: time)
        )
        file += record.encoded()
    }
    checkFile(file, blocks: Int(settings & 0x7F) + 1)
}

/// What is read of a file, and where its fault is.
private struct Reading {
    var reader = BTSnoopReader()
    var records: [BTSnoopRecord] = []
    var fault: BTSnoopError?
}

private func reading(_ file: [UInt8], blocks: Int) -> Reading {
    var reading = Reading()
    var rest = file[...]
    do throws(BTSnoopError) {
        while !rest.isEmpty {
            reading.reader.append(rest.prefix(blocks))
            rest = rest.dropFirst(blocks)
            while let record = try reading.reader.next() { reading.records.append(record) }
        }
        try reading.reader.finish()
    } catch {
        reading.fault = error
    }
    return reading
}

private func checkFile(_ file: [UInt8], blocks: Int) {
    let whole = reading(file, blocks: max(1, file.count))
    let parts = reading(file, blocks: blocks)
    check(parts.records == whole.records, "blocks of \(blocks) octets have other records")
    check(parts.fault == whole.fault, "blocks of \(blocks) octets have another fault")
    check(whole.reader.offset <= UInt64(file.count), "more was read than there is")
    check(whole.fault != nil || whole.reader.offset == UInt64(file.count), "octets are left without a fault")
    guard let header = whole.reader.header else {
        check(whole.records.isEmpty, "records without a header")
        return
    }
    let written = header.encoded() + whole.records.flatMap { $0.encoded() }
    check(file.starts(with: written), "the records are written as others")
    guard [.h4, .unencapsulatedHCI, .linuxMonitor].contains(header.datalink) else { return }
    // The reader of all formats has the same records, and the next capture where a header stands.
    let (records, _) = readCapture(file, blocks: blocks)
    let same = whole.records.map { CapturedRecord($0, of: header.datalink).content }
    check(records.map(\.content).starts(with: same), "the reader of all formats has other records")
    checkEvents(of: records)
}
