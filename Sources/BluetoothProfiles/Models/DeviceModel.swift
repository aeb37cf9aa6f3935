// SPDX-License-Identifier: MIT

public import Bluetooth

/// A model of device whose values have formats of their own, under UUIDs that other devices use with other formats. The
/// UUID says nothing about such a value: the database of the device tells the model, and the model tells the format.
///
/// A new model is one case here, and its formats in `Characteristics`, with `.byModel`.
public enum DeviceModel: String, Hashable, Sendable, CaseIterable {
    /// The TI SensorTag of 2013.
    case cc2541
    /// The TI SensorTags of 2015: CC2650 and CC1350.
    case cc2650
    /// The scales of Xiaomi: Mi Scale and Mi Body Composition Scale.
    case xiaomiScale = "xiaomi_scale"

    /// The name, to follow an article.
    public var name: String {
        switch self {
        case .cc2541: "SensorTag CC2541"
        case .cc2650: "SensorTag CC2650"
        case .xiaomiScale: "Xiaomi scale"
        }
    }

    /// A service that tells the model: of the devices that use the same UUIDs, those of the other models lack it.
    public var service: BluetoothUUID {
        switch self {
        // The accelerometer.
        case .cc2541: SensorTag.uuid(0xAA10)
        // The motion sensor.
        case .cc2650: SensorTag.uuid(0xAA80)
        // The firmware of the wearables and scales of Huami.
        case .xiaomiScale: BluetoothUUID(bits128: 0x0000_1530_0000_3512_2118_0009_AF10_0700)
        }
    }

    /// The names that devices of this model advertise, for a device whose services are not known.
    private var deviceNames: [String] {
        switch self {
        case .cc2541, .cc2650: []
        case .xiaomiScale: ["MI_SCALE", "MI SCALE2", "MIBCS", "MIBFS"]
        }
    }

    /// The models on which the format of a characteristic depends; none for most characteristics.
    public static func models(sharing characteristic: BluetoothUUID) -> [DeviceModel] {
        CharacteristicFormat.of(characteristic)?.models ?? []
    }

    /// The model that a database belongs to; `nil` if no service of it tells one.
    ///
    /// - Parameter services: The UUIDs of its services.
    public static func of(services: some Sequence<BluetoothUUID>) -> DeviceModel? {
        let services = Set(services)
        return allCases.first { services.contains($0.service) }
    }

    /// The model with a name that only such devices advertise, as far as the format of a characteristic depends on it.
    package static func named(_ name: String?, for characteristic: BluetoothUUID) -> DeviceModel? {
        guard let name else { return nil }
        return models(sharing: characteristic).first { $0.deviceNames.contains(name) }
    }
}
