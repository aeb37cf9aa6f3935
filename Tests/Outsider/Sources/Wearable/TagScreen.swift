// SPDX-License-Identifier: MIT

// What the README and the tutorial of YmsCoreBluetooth show, with this library: a screen of a SensorTag.

import BluetoothHost

/// The screen of a SensorTag.
public actor TagScreen {
    public private(set) var acceleration: SensorTag.Acceleration?
    public private(set) var pressure: SensorTag.Pressure?
    public private(set) var keys: [SensorTag.Keys] = []
    public private(set) var rssi: Int8?
    public private(set) var failure: BluetoothError?

    public init() {}

    /// Fills the screen until the task is cancelled.
    public func show(_ device: Peripheral) async {
        let tag = device.service(SensorTagService.self)
        do {
            try await tag.setPeriod(of: .accelerometer, milliseconds: 500)
            try await tag.set(.accelerometer, isOn: true)
            let calibration = try await tag.barometerCalibration()
            try await tag.set(.barometer, isOn: true)
            try await withThrowingTaskGroup { group in
                group.addTask {
                    for try await reading in tag.readings(SensorTag.Acceleration.self) { await self.set(reading) }
                }
                group.addTask {
                    for try await reading in tag.pressures(calibration) { await self.set(reading) }
                }
                group.addTask { for try await keys in tag.keys() { await self.add(keys) } }
                group.addTask {
                    while true {
                        await self.set(try await device.signalStrength())
                        try await Task.sleep(for: .seconds(2))
                    }
                }
                try await group.waitForAll()
            }
        } catch let error as BluetoothError {
            if !error.isCancellation { failure = error }
        } catch {
            // The sleep was cancelled.
        }
    }

    private func set(_ reading: SensorTag.Acceleration) { acceleration = reading }
    private func set(_ reading: SensorTag.Pressure) { pressure = reading }
    private func set(_ rssi: Int8?) { self.rssi = rssi }
    private func add(_ pressed: SensorTag.Keys) { keys.append(pressed) }
}

/// The names that the app knows, as its list shows them.
public func knownTags(_ central: Central) async throws(BluetoothError) -> Advertisement {
    let names: Set = ["TI BLE Sensor Tag", "SensorTag"]
    return try await central.find { $0.name.map(names.contains) == true }
}
