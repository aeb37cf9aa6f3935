// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost

extension SimulatedDevice {
    /// An iBeacon with a random static address, which accepts no connections.
    public static func iBeacon() -> SimulatedDevice {
        let uuid: UInt128 = 0xF7826DA6_4FA2_4E98_8024_BC5B71E0893E
        var frame = ByteWriter()
        frame.uint8(0x02)
        frame.uint8(0x15)
        frame.append(BluetoothUUID(bits128: uuid).encoded().reversed())
        frame.uint16BigEndian(0x0001)
        frame.uint16BigEndian(0x002A)
        frame.int8(-59)
        return SimulatedDevice(
            name: "ibeacon",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xE2_0D_77_41_C3_19), .random),
            rssi: -63,
            advertising: [
                DeviceAdvertising(
                    .nonConnectable,
                    interval: .milliseconds(100),
                    data: AdvertisingFields.flags.manufacturer(0x004C, frame.bytes).bytes
                )
            ]
        )
    }

    /// An Eddystone beacon that sends its URL and its telemetry in turn. It has a public address and accepts no
    /// connections.
    public static func eddystone() -> SimulatedDevice {
        let url = [0x10, 0xF6, 0x03] + Array("example".utf8) + [0x07]
        let start = AdvertisingFields.flags.services(0xFEAA)
        return SimulatedDevice(
            name: "eddystone",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xAC_23_3F_A1_0E_55), .public),
            rssi: -77,
            advertising: [
                DeviceAdvertising(
                    .nonConnectable,
                    interval: .microseconds(318_750),
                    frames: [
                        AdvertisingFrame([.octets(start.serviceData(0xFEAA, url).bytes)]),
                        AdvertisingFrame([
                            .octets(start.bytes), .eddystoneTelemetry(millivolts: 2_978, temperature: 23.25),
                        ]),
                    ]
                )
            ]
        )
    }
}
