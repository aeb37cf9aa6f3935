// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Terminal
import Testing

@testable import Commands
@testable import Records

@Suite("The text of a sent advertisement")
struct AdvertisingResultTests {
    private func text(_ data: String, scanResponse: String? = nil) throws -> String {
        let response = try scanResponse.map { try #require(Hex.bytes($0)) }
        let result = AdvertisingResult(
            advertisement: DeviceAdvertising(
                .scannable,
                interval: .milliseconds(100),
                data: try #require(Hex.bytes(data)),
                scanResponse: response
            ),
            number: 1,
            adapter: "hci0",
            address: DeviceAddress(BluetoothAddress(rawValue: 1), .public),
            mode: .extended,
            timestamp: Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)
        )
        let text = try #require(result.text(.plain))
        #expect(text.hasPrefix("advertising ") && text.contains(" on hci0 as "))
        let words = text.dropFirst("advertising ".count)
        let end = try #require(words.ranges(of: " on hci0").first?.lowerBound)
        return String(words[..<end])
    }

    @Test func `data with flags only are shown as octets, and an empty scan response as such`() throws {
        #expect(try text("") == "no data")
        #expect(try text("020106") == "octets 020106")
        #expect(try text("00000000") == "octets 00000000")
        #expect(try text("020106", scanResponse: "") == "octets 020106, scan response without data")
        #expect(try text("", scanResponse: "0000") == "scan response (0000)")
        let name = "Complete Local Name: A"
        #expect(try text("02010602094100") == name)
        #expect(try text("020106", scanResponse: "020941") == "scan response (\(name))")
    }
}
