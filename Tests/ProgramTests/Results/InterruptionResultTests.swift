// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Scripting
import Testing

@testable import Records
@testable import Toolkit

@Suite("InterruptionResult")
struct InterruptionResultTests {
    @Test("a gap of dropped values has their number and the first one")
    func dropped() {
        let result = InterruptionResult(
            device: DeviceReference(address: DeviceAddress(BluetoothAddress(rawValue: 1), .random), name: nil),
            kind: .dropped(30, first: 91),
            timestamp: Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)
        )
        let record = record(result)
        #expect(record.type == InterruptionResult.valuesDropped.schema.type)
        #expect(record["count"] == .number(30))
        #expect(record["first_sequence"] == .number(91))
        #expect(result.words == "30 values dropped, because more came than could be written")
    }
}
