// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

/// A device's octets, possibly malformed, with the expected result of parsing: a line with `hex`.
struct AdvertisingVector: Decodable, Sendable {
    let name: String
    let payload: [UInt8]
    /// The flags; 0 if there are none.
    let flags: UInt8
    /// The power in dBm; 127 if there is none.
    let txPower: Int8
    /// The name in UTF-8, with invalid octets replaced.
    let deviceName: [UInt8]
    /// The services in order, with repetitions.
    let uuids: [String]

    private enum CodingKeys: String, CodingKey {
        case name, flags, uuids
        case payload = "hex"
        case txPower = "tx"
        case deviceName = "name_hex"
    }

    init(from decoder: any Decoder) throws {
        let keys = try decoder.container(keyedBy: CodingKeys.self)
        name = try keys.decode(String.self, forKey: .name)
        payload = try keys.decode(HexOctets.self, forKey: .payload).octets
        flags = try keys.decode(.flags, or: 0)
        txPower = try keys.decode(.txPower, or: 127)
        deviceName = try keys.decode(.deviceName, or: HexOctets([])).octets
        uuids = try keys.decode(.uuids, or: [])
    }
}
