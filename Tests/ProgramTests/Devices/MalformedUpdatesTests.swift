// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@testable import BluetoothHost
@testable import Toolkit

@Suite("Malformed updates")
struct MalformedUpdatesTests {
    private static let device = DeviceReference(
        address: DeviceAddress(BluetoothAddress(rawValue: 1), .public),
        name: "Pulse HR"
    )

    private static func count(_ number: Int) -> String {
        "\(number) notifications or indications of \(device.text) were malformed, and dropped"
    }

    @Test func `are counted from one disconnection to the next`() {
        let log = OperationLog()
        let updates = MalformedUpdates(log)
        for _ in 0..<3 { updates.take(LinkDiagnostic("odd", isLostUpdate: true)) }
        for _ in 0..<2 { updates.reportCount(of: Self.device) }
        #expect(log.notes == ["odd", Self.count(3)])
        for _ in 0..<2 { updates.take(LinkDiagnostic("odd again", isLostUpdate: true)) }
        updates.reportCount(of: Self.device)
        #expect(log.notes == ["odd", Self.count(3), "odd again", Self.count(2)])
    }
}
