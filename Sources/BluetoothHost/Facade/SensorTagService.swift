// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothProfiles

/// The sensors of a TI SensorTag CC2541. A sensor measures while it is switched on.
///
/// A CC2650 has a thermometer and a hygrometer under the same UUIDs, which are decoded in its own formats, because the
/// services of the tag tell the model.
///
/// Spec: TI SensorTag User Guide
public struct SensorTagService: TypedService {
    /// The service of the keys, which the tag advertises.
    public static var uuid: BluetoothUUID { 0xFFE0 }
    public let peripheral: Peripheral

    public init(peripheral: Peripheral) { self.peripheral = peripheral }

    /// Switches a sensor on or off.
    public func set(_ sensor: SensorTag.Sensor, isOn: Bool) async throws(BluetoothError) {
        let octets: [UInt8]
        do { octets = try sensor.configuration(isOn: isOn) } catch { throw .from(error, doing: "switch a sensor") }
        try await write(octets, to: sensor.configuration)
    }

    /// Sets the time between two readings: 0.1 to 2.55 s, in steps of 10 ms. Only the accelerometer and the
    /// magnetometer have a period that can be set; others are left unchanged.
    public func setPeriod(of sensor: SensorTag.Sensor, milliseconds: Int) async throws(BluetoothError) {
        guard let period = sensor.period else { return }
        let octets: [UInt8]
        do {
            octets = try sensor.period(milliseconds: milliseconds)
        } catch {
            throw .from(error, doing: "set the period of a sensor")
        }
        try await write(octets, to: period)
    }

    /// The readings of a sensor from now on: `readings(SensorTag.Acceleration.self)`. It has to be switched on.
    public func readings<Reading: CharacteristicModel>(
        _ reading: Reading.Type,
        onEvent: @escaping @Sendable (SubscriptionEvent) async -> Void = { _ in }
    ) -> TypedValues<Reading> {
        peripheral.values(of: reading, onEvent: onEvent)
    }

    /// The keys, each time that one is pressed or let go, from now on.
    public func keys(
        onEvent: @escaping @Sendable (SubscriptionEvent) async -> Void = { _ in }
    ) -> TypedValues<SensorTag.Keys> {
        peripheral.values(of: SensorTag.Keys.self, onEvent: onEvent)
    }

    /// The calibration of the barometer, which every tag has its own of. The barometer has to be switched on afterwards.
    public func barometerCalibration() async throws(BluetoothError) -> SensorTagBarometer {
        // The tag copies the calibration from its sensor when it is told to.
        try await write([2], to: SensorTag.Sensor.barometer.configuration)
        return try await peripheral.read(SensorTagBarometer.self)
    }

    /// The temperature and the pressure of the air from now on, computed with a calibration. The barometer has to be
    /// switched on.
    ///
    /// - Parameters:
    ///   - calibration: What `barometerCalibration` has returned.
    ///   - onEvent: Called in the task of the reader, between two values, which wait for it.
    public func pressures(
        _ calibration: SensorTagBarometer,
        onEvent: @escaping @Sendable (SubscriptionEvent) async -> Void = { _ in }
    ) -> TypedValues<SensorTag.Pressure> {
        let key = CharacteristicKey<SensorTag.Pressure>(SensorTag.RawPressure.characteristic) {
            octets throws(DecodeError) in
            SensorTag.Pressure(try SensorTag.RawPressure(decoding: octets), calibration)
        } encode: { pressure throws(FieldError) in
            try pressure.raw(calibration).encoded()
        }
        return peripheral.values(of: key, onEvent: onEvent)
    }

    private func write(_ octets: [UInt8], to characteristic: BluetoothUUID) async throws(BluetoothError) {
        let key = CharacteristicKey<[UInt8]>(characteristic) {
            $0
        } encode: {
            $0
        }
        try await peripheral.write(octets, to: key)
    }
}
