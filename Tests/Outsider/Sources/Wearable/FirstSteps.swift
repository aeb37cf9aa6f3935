// SPDX-License-Identifier: MIT

// The examples of README, "As a library": its code is a part of this file, word by word, which a test checks.

import BluetoothHost

/// Reads the battery of the first heart rate strap that is heard.
public func batteryLevel(on system: any RadioSystem) async throws -> UInt8 {
    try await withCentral(on: system) { central in
        let found = try await central.find { $0.services.contains(HeartRateService.uuid) }
        return try await central.withPeripheral(found.address) { strap in
            try await strap.read(.batteryLevel).percent
        }
    }
}

/// Prints who advertises, for five seconds.
public func listAdvertisers(_ central: Central) async throws {
    for try await advertisement in central.scan(for: .seconds(5)) {
        print(advertisement.address, advertisement.rssi ?? 0, advertisement.name ?? "(no name)")
    }
}

/// Prints the heart rate until the strap hangs up.
public func printHeartRate(_ strap: Peripheral) async throws {
    for try await measurement in strap.values(of: HeartRateMeasurement.self) {
        print(measurement.heartRate)
    }
}
