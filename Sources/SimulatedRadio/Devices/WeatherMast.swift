// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost

extension SimulatedDevice {
    /// A weather station that broadcasts all its data in one extended advertisement of about 380 octets. Only extended
    /// scanners receive it, in several fragments. It has a random static address and accepts no connections.
    public static func weatherMast() -> SimulatedDevice {
        let hours = (0..<48).map { UInt8(128 + $0 * 7 % 50) }
        let record = Array("wind;gust;rain;sun;pressure;humidity;".utf8)
        let fields = AdvertisingFields.flags
            .name("Weather Mast North")
            .txPower(8)
            .manufacturer(0x05F1, [0x01] + record + hours + hours + hours)
            .manufacturer(0x05F1, [0x02] + record + hours + hours)
        return SimulatedDevice(
            name: "weather-mast",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xF5_90_2E_6B_D8_03), .random),
            rssi: -70,
            advertising: [
                DeviceAdvertising(
                    .extended(sid: 3, isConnectable: false, primaryPHY: .le1M, secondaryPHY: .le2M),
                    interval: .microseconds(546_250),
                    data: fields.bytes,
                    txPower: 8
                )
            ]
        )
    }
}
