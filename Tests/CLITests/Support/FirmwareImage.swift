// SPDX-License-Identifier: GPL-2.0-or-later

import FirmwareUpdate

/// An image that MCUboot starts. Spec: MCUboot, Bootloader, Image format
enum FirmwareImage {
    /// An image of a version, with a program of a length.
    static func octets(version: UInt8 = 2, length: Int = 20_000) -> [UInt8] {
        let size = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        var octets: [UInt8] = [0x3D, 0xB8, 0xF3, 0x96, 0, 0, 0, 0, 32, 0, 0, 0] + size + [0, 0, 0, 0]
        octets += [version, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        octets += (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 251) }
        return octets + [0x07, 0x69, 40, 0, 0x10, 0, 32, 0] + SHA256.hash(octets)
    }
}
