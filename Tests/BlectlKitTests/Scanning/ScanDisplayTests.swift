// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization
import Testing

@testable import BlectlKit

@Suite("ScanDisplay")
struct ScanDisplayTests {
    private final class Buffer: ByteSink {
        private let bytes = Mutex<[UInt8]>([])
        var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
        func write(_ more: Span<UInt8>) {
            bytes.withLock { bytes in more.withUnsafeBufferPointer { bytes += $0 } }
        }
    }

    private let buffer = Buffer()

    private func output(isTerminal: Bool) -> Output {
        Output(buffer, isJSON: false, style: TextStyle(usesColor: false, isTerminal: isTerminal))
    }

    /// Devices with one report each, and without a scan response.
    private func heard(_ names: [String], by display: any ScanDisplay) throws -> [AdvertiserInfo] {
        var table = AdvertiserTable()
        for (index, name) in names.enumerated() {
            let address = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F400 + UInt64(index)), .random)
            let data = [UInt8(name.utf8.count + 1), 0x09] + Array(name.utf8)
            let report = AdvertisingReport(
                address: address,
                properties: [.connectable, .scannable, .legacy],
                rssi: -60,
                data: data
            )
            let scan = ScanReport(report, .zero, WallTime(nanosecondsSince1970: 0))
            _ = try display.show(scan, table.received(report, scan.data, now: .zero))
        }
        return table.advertisers
    }

    @Test("devices that were held back are shown at the end, as many as there is room for", arguments: [0, 1, 2, nil])
    func heldBack(room: Int?) throws {
        let display = DeviceLines(output: output(isTerminal: false), isActive: true)
        let devices = try heard(["one", "two", "three"], by: display)
        #expect(buffer.text.isEmpty)
        try display.end(devices, room: room)
        #expect(buffer.text.split(separator: "\n").count == room ?? 3)
    }
}
