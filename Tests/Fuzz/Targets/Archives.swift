// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

@testable import Captures
@testable import Toolkit

/// Compressed data and zip archives as they are; or steps that become the files of an archive with the right checksums.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let settings = input.octet()
    switch settings & 0x03 {
    case 0: checkInflated(Array(bytes.dropFirst()), .gzip, blocks: Int(settings >> 2) + 1)
    case 1: checkInflated(Array(bytes.dropFirst()), .none, blocks: Int(settings >> 2) + 1)
    case 2: checkArchive(Array(bytes.dropFirst()))
    default: checkArchive(archive(&input))
    }
}

/// What is inflated of octets that arrive in blocks, and the fault.
private func inflated(_ octets: [UInt8], _ wrapper: Inflater.Wrapper, blocks: Int) -> ([UInt8], InflateFault?) {
    var result: [UInt8] = []
    do throws(InflateFault) {
        let inflater = try Inflater(wrapper, limit: Inflater.Limit(free: 65_536, ratio: 200, total: 1 << 20))
        var rest = octets[...]
        while !rest.isEmpty {
            inflater.append(rest.prefix(blocks))
            rest = rest.dropFirst(blocks)
            while let part = try inflater.next(), !part.isEmpty {
                result += part
                check(result.count <= 1 << 20, "more than the limit was given out")
            }
        }
        check(inflater.consumed <= octets.count && inflater.produced == result.count, "the counts are wrong")
    } catch {
        return (result, error)
    }
    return (result, nil)
}

private func checkInflated(_ octets: [UInt8], _ wrapper: Inflater.Wrapper, blocks: Int) {
    let whole = inflated(octets, wrapper, blocks: max(1, octets.count))
    let parts = inflated(octets, wrapper, blocks: blocks)
    guard whole.1 == nil, parts.1 == nil else { return }
    check(whole.0 == parts.0, "blocks of \(blocks) octets have another result")
}

private func checkArchive(_ octets: [UInt8]) {
    var given = 0
    do {
        let archive = try ZipArchive(length: octets.count) { offset, count in
            check(offset >= 0 && count >= 0 && offset <= octets.count, "octets beyond the archive are read")
            return Array(octets.dropFirst(offset).prefix(count))
        }
        for entry in archive.entries {
            let contents = try archive.contents(of: entry)
            var length = 0
            while true {
                let part = try contents.next()
                length += part.count
                given += part.count
                check(length <= entry.length, "an entry is longer than its length")
                if part.isEmpty { break }
            }
            check(length == entry.length, "an entry has another length")
        }
        let logs = try ArchivedLogs(archive)
        var records: [CapturedRecord] = []
        while let record = try logs.next() { records.append(record) }
        checkEvents(of: records)
    } catch {
        // A refusal has a reason.
        check(error is ZipFault || error is InflateFault || error is CaptureFault, "\(error)")
    }
    check(given <= octets.count * 1_100, "more is given out than deflated data can become")
}

/// An archive with a file for each step. The kind chooses what is wrong with it.
private func archive(_ input: inout FuzzInput) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    guard let zlib = try? Zlib.load() else { return [] }
    var (files, directory, number): ([UInt8], [UInt8], Int) = ([], [], 0)
    while number < 64, let step = input.step() {
        let name = Array((step.kind & 1 == 0 ? "btsnoop_\(number).log" : "FS/data/misc/bluetooth/logs/\(number)").utf8)
        let isDeflated = step.kind & 2 != 0
        let stored = [1] + little(step.bytes.count, 2) + little(~step.bytes.count, 2) + step.bytes
        let packed = isDeflated && step.kind & 4 == 0 ? stored : step.bytes
        var fields = little(step.kind & 8 == 0 ? 0 : Int(step.kind), 2) + little(isDeflated ? 8 : 0, 2) + little(0, 4)
        fields += little(Int(zlib.crc(step.bytes, after: 0)) ^ (step.kind & 16 == 0 ? 0 : 1), 4)
        fields += little(packed.count, 4) + little(step.bytes.count + (step.kind & 32 == 0 ? 0 : 1), 4)
        fields += little(name.count, 2) + little(0, 2)
        directory += [0x50, 0x4B, 1, 2, 20, 0, 20, 0] + fields + little(0, 10)
        directory += little(step.kind & 64 == 0 ? files.count : 0, 4) + name
        files += [0x50, 0x4B, 3, 4, 20, 0] + fields + name + packed
        number += 1
    }
    let end = little(number, 2) + little(number, 2) + little(directory.count, 4) + little(files.count, 4) + little(0, 2)
    return files + directory + [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + end
}
