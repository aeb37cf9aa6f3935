// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@Suite("Advertising data vectors")
struct AdvertisingVectorTests {
    @Test("advertising of real devices is decoded", arguments: Vectors.advertising)
    func understands(_ item: Vectors.AdvertisingCase) {
        let vector = item.vector
        let data = AdvertisingData(parsing: vector.payload)
        #expect(data.flags?.rawValue ?? 0 == vector.flags)
        #expect(data.txPower ?? 127 == vector.txPower)
        #expect(Hex.string(Array((data.name?.text ?? "").utf8)) == Hex.string(vector.deviceName))
        #expect(data.services.map(\.fullText) == vector.uuids.map { $0.lowercased() })
        // The encoded structures equal the received octets, except for padding and for the malformed part.
        let written = data.encoded()
        #expect(vector.payload.starts(with: written))
        let rest = vector.payload.dropFirst(written.count)
        #expect(rest.allSatisfy { $0 == 0 } || data.issue != nil)
    }
}
