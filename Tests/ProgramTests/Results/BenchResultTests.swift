// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Terminal
import Testing

@testable import Commands
@testable import Records
@testable import Toolkit

@Suite("BenchResult")
struct BenchResultTests {
    private func result(_ elapsed: Duration, isQueued: Bool) -> BenchResult {
        BenchResult(
            device: DeviceReference(address: DeviceAddress(BluetoothAddress(rawValue: 1), .random), name: "Bench"),
            action: "l2cap",
            target: "0x0081",
            count: 4,
            octets: 80,
            measured: (4, 80),
            elapsed: elapsed,
            isQueued: isQueued,
            latency: nil,
            timestamp: Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)
        )
    }

    @Test func `operations without a duration, or only queued ones, have no rate`() {
        for (elapsed, isQueued) in [(Duration.zero, false), (.zero, true), (.milliseconds(2), true)] {
            let result = result(elapsed, isQueued: isQueued)
            let members = record(result)
            #expect(members["rate_per_s"] == .null && members["throughput_kbps"] == .null)
            #expect(result.text(.plain)?.hasSuffix(": 4, too few for a rate") == true)
        }
    }

    @Test func `operations with a duration have a rate`() {
        #expect(record(result(.milliseconds(2), isQueued: false))["rate_per_s"] == .number(2_000))
        let queued = result(.milliseconds(8), isQueued: true)
        #expect(record(queued)["throughput_kbps"] == .number(80))
        #expect(queued.text(.plain)?.hasSuffix(": 4 in 0.008 s, 500 per second, 80 kbit/s") == true)
    }
}
