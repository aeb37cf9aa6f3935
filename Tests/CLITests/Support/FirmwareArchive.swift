// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import FirmwareUpdate

/// Archives for boot loaders of Nordic's, as adafruit-nrfutil makes them, without compression.
enum FirmwareArchive {
    /// An archive with an application of a version for Legacy DFU.
    static func legacy(version: UInt8 = 7, length: Int = 6_000, manifest: String = usualManifest) -> [UInt8] {
        let firmware = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 251) }
        var packet = ByteWriter()
        packet.append([0x52, 0, 0xFF, 0xFF, version, 0, 0, 0, 1, 0, 0xFE, 0xFF])
        packet.uint16(Checksum.crc16(firmware))
        return zip([("manifest.json", Array(manifest.utf8)), ("app.bin", firmware), ("app.dat", packet.bytes)])
    }

    /// The list in such an archive.
    static let usualManifest =
        #"{ "manifest": { "application": { "bin_file": "app.bin", "dat_file": "app.dat" }, "dfu_version": 0.5 } }"#

    /// Spec: PKWARE, APPNOTE.TXT 6.3.10, 4.3
    static func zip(_ files: [(name: String, octets: [UInt8])]) -> [UInt8] {
        var (local, directory) = (ByteWriter(), ByteWriter())
        for file in files {
            var common = ByteWriter()
            for field: UInt16 in [20, 0, 0, 0, 0x21] { common.uint16(field) }
            common.uint32(Checksum.crc32(file.octets))
            for _ in 0..<2 { common.uint32(UInt32(file.octets.count)) }
            common.uint16(UInt16(file.name.utf8.count))
            common.uint16(0)
            directory.append([0x50, 0x4B, 1, 2, 20, 0])
            directory.append(common.bytes)
            for field: UInt16 in [0, 0, 0] { directory.uint16(field) }
            directory.uint32(0)
            directory.uint32(UInt32(local.bytes.count))
            directory.append(Array(file.name.utf8))
            local.append([0x50, 0x4B, 3, 4])
            local.append(common.bytes)
            local.append(Array(file.name.utf8) + file.octets)
        }
        let start = local.bytes.count
        local.append(directory.bytes)
        local.append([0x50, 0x4B, 5, 6, 0, 0, 0, 0])
        for _ in 0..<2 { local.uint16(UInt16(files.count)) }
        local.uint32(UInt32(directory.bytes.count))
        local.uint32(UInt32(start))
        local.uint16(0)
        return local.bytes
    }
}
