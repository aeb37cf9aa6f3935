// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothProfiles

/// A service of a device as a Swift type, with a member for each function of the service.
///
///     struct Lamp: TypedService {
///         static let uuid = BluetoothUUID(bits128: 0x1b7e8251_2877_41c3_b46e_cf057c562023)
///         let peripheral: Peripheral
///
///         func brightness() async throws(BluetoothError) -> Brightness { try await peripheral.read(Brightness.self) }
///         func set(_ brightness: Brightness) async throws(BluetoothError) { try await peripheral.write(brightness) }
///     }
///
///     try await device.service(Lamp.self).set(Brightness(percent: 40))
public protocol TypedService: Sendable {
    /// The UUID of the service.
    static var uuid: BluetoothUUID { get }

    /// The device.
    var peripheral: Peripheral { get }

    /// The service of a device. No request is sent yet.
    init(peripheral: Peripheral)
}

extension Peripheral {
    /// A service of the device by its type. No request is sent before an operation needs it.
    public nonisolated func service<Kind: TypedService>(_ kind: Kind.Type) -> Kind { Kind(peripheral: self) }
}

/// The Heart Rate service.
///
/// Spec: Heart Rate Service 1.0
public struct HeartRateService: TypedService {
    public static var uuid: BluetoothUUID { 0x180D }
    public let peripheral: Peripheral

    public init(peripheral: Peripheral) { self.peripheral = peripheral }

    /// The measurements from now on: about one a second.
    public func measurements(
        onEvent: @escaping @Sendable (SubscriptionEvent) async -> Void = { _ in }
    ) -> TypedValues<HeartRateMeasurement> {
        peripheral.values(of: .heartRateMeasurement, onEvent: onEvent)
    }

    /// The place on the body where the sensor is worn.
    public func location() async throws(BluetoothError) -> BodySensorLocation {
        try await peripheral.read(.bodySensorLocation)
    }

    /// Sets the energy expended to zero.
    ///
    /// Spec: Heart Rate Service 1.0, 3.3
    public func resetEnergyExpended() async throws(BluetoothError) {
        let controlPoint = CharacteristicKey<UInt8>(0x2A39) { octets throws(DecodeError) in
            var reader = ByteReader(octets)
            return try reader.uint8("command")
        } encode: {
            [$0]
        }
        try await peripheral.write(1, to: controlPoint)
    }
}

/// The Battery service.
///
/// Spec: Battery Service 1.1
public struct BatteryService: TypedService {
    public static var uuid: BluetoothUUID { 0x180F }
    public let peripheral: Peripheral

    public init(peripheral: Peripheral) { self.peripheral = peripheral }

    /// The present level.
    public func level() async throws(BluetoothError) -> BatteryLevel { try await peripheral.read(.batteryLevel) }

    /// The level at each of its changes from now on.
    public func levels(
        onEvent: @escaping @Sendable (SubscriptionEvent) async -> Void = { _ in }
    ) -> TypedValues<BatteryLevel> {
        peripheral.values(of: .batteryLevel, onEvent: onEvent)
    }
}

/// The Current Time service.
///
/// Spec: Current Time Service 1.1
public struct CurrentTimeService: TypedService {
    public static var uuid: BluetoothUUID { 0x1805 }
    public let peripheral: Peripheral

    public init(peripheral: Peripheral) { self.peripheral = peripheral }

    /// The time of the device.
    public func time() async throws(BluetoothError) -> CurrentTime { try await peripheral.read(.currentTime) }

    /// Sets the time of the device.
    public func set(_ time: CurrentTime) async throws(BluetoothError) { try await peripheral.write(time) }

    /// The time whenever the device adjusts it, from now on.
    public func adjustments(
        onEvent: @escaping @Sendable (SubscriptionEvent) async -> Void = { _ in }
    ) -> TypedValues<CurrentTime> {
        peripheral.values(of: .currentTime, onEvent: onEvent)
    }
}

/// The Device Information service.
///
/// Spec: Device Information Service 1.2
public struct DeviceInformationService: TypedService {
    public static var uuid: BluetoothUUID { DeviceInformation.service }
    public let peripheral: Peripheral

    public init(peripheral: Peripheral) { self.peripheral = peripheral }

    /// The contents of the Device Information service. Characteristics that are missing, refused or malformed are left
    /// out.
    public func information() async throws(BluetoothError) -> DeviceInformation {
        let characteristics = DeviceInformation.characteristics
        let peripheral = peripheral
        var information = DeviceInformation()
        do {
            let values = try await peripheral.withTimeout("read") { () async throws in
                try await peripheral.read(characteristics.map { peripheral.service(Self.uuid).characteristic($0) })
            }
            for (characteristic, value) in zip(characteristics, values) {
                guard case .success(let value) = value else { continue }
                try? information.receive(value.value, of: characteristic)
            }
        } catch {
            throw BluetoothError.from(error, doing: "read the device information of \(peripheral.address.address)")
        }
        return information
    }
}
