// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("A number and what it counts")
struct CountedNounTests {
    @Test("one is singular, and all else is plural", arguments: [(0, "0 octets"), (1, "1 octet"), (21, "21 octets")])
    func plural(_ count: Int, _ text: String) {
        #expect("\(count: count, "octet")" == text)
        #expect("\(count: UInt8(count), "octet")" == text)
    }

    @Test("texts about one thing use the singular")
    func texts() {
        #expect("\(GATTError.unsuitableHandleCount(1))" == "a request cannot ask for 1 handle")
        #expect("\(GATTError.InvalidResponse.valueCount(1, asked: 2))" == "1 value where 2 were asked for")
        #expect(AdvertisingData(parsing: [0x01]).issue?.description == "the last structure: says 1 octet, 0 left")
    }
}
