// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Advertising data built field by field.
///
/// Spec: Core 5.4, Vol 3, Part C, 11; CSS Part A, 1
struct AdvertisingFields {
    private(set) var bytes: [UInt8] = []

    /// Adds a field of any type. Data beyond the 254 octets that a field can hold are cut off.
    func adding(_ type: UInt8, _ data: [UInt8]) -> AdvertisingFields {
        var result = self
        let data = data.prefix(254)
        result.bytes += [UInt8(data.count + 1), type] + data
        return result
    }

    /// Flags: LE General Discoverable, BR/EDR not supported.
    static var flags: AdvertisingFields { AdvertisingFields().adding(0x01, [0x06]) }

    /// Complete list of service UUIDs. All must have the same width, because a list has one type.
    func services(_ uuids: BluetoothUUID...) -> AdvertisingFields {
        let type: UInt8 = uuids.first?.width == .bits128 ? 0x07 : 0x03
        return adding(type, uuids.flatMap { $0.encoded() })
    }

    /// Complete local name.
    func name(_ name: String) -> AdvertisingFields { adding(0x09, Array(name.utf8)) }

    /// TX power level in dBm.
    func txPower(_ power: Int8) -> AdvertisingFields { adding(0x0A, [UInt8(bitPattern: power)]) }

    /// Appearance.
    func appearance(_ value: UInt16) -> AdvertisingFields {
        var writer = ByteWriter()
        writer.uint16(value)
        return adding(0x19, writer.bytes)
    }

    /// Service data of a 16-bit UUID.
    func serviceData(_ uuid: BluetoothUUID, _ data: [UInt8]) -> AdvertisingFields {
        adding(0x16, uuid.encoded() + data)
    }

    /// Manufacturer specific data.
    func manufacturer(_ company: UInt16, _ data: [UInt8]) -> AdvertisingFields {
        var writer = ByteWriter()
        writer.uint16(company)
        writer.append(data)
        return adding(0xFF, writer.bytes)
    }
}
