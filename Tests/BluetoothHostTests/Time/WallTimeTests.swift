// SPDX-License-Identifier: MIT

import BluetoothHost
import Testing

@Suite("WallTime")
struct WallTimeTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let nanoseconds: Int64
        let text: String
        var testDescription: String { text }
    }

    @Test(
        "writes RFC 3339 in UTC with microseconds",
        arguments: [
            Vector(nanoseconds: 0, text: "1970-01-01T00:00:00.000000Z"),
            Vector(nanoseconds: 1_704_067_200_000_000_000, text: "2024-01-01T00:00:00.000000Z"),
            Vector(nanoseconds: 1_709_164_800_123_456_789, text: "2024-02-29T00:00:00.123456Z"),
            Vector(nanoseconds: 1_735_689_599_999_999_999, text: "2024-12-31T23:59:59.999999Z"),
            Vector(nanoseconds: 951_782_400_000_000_000, text: "2000-02-29T00:00:00.000000Z"),
            Vector(nanoseconds: 4_107_542_400_000_000_000, text: "2100-03-01T00:00:00.000000Z"),
            Vector(nanoseconds: -1, text: "1969-12-31T23:59:59.999999Z"),
        ]
    )
    func text(vector: Vector) {
        #expect(WallTime(nanosecondsSince1970: vector.nanoseconds).description == vector.text)
    }
}
