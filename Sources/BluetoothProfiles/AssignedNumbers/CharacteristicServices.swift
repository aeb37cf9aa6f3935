// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

extension AssignedNumbers {
    /// The service that the specifications assign to a characteristic; `nil` if there is none. A user who asks for a
    /// heart rate means a device with the Heart Rate service.
    ///
    /// Spec: the service specifications of the Bluetooth SIG
    public static func service(ofCharacteristic uuid: BluetoothUUID) -> BluetoothUUID? {
        if let short = uuid.short16 {
            return homes.first { $0.characteristics.contains(short) }.map { BluetoothUUID($0.service) }
        }
        // The Nordic UART service numbers its characteristics within its own UUID.
        let nordicUART: UInt128 = 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E
        let third = UInt128(0xFFFF) << 96
        return uuid.value & ~third == nordicUART & ~third ? BluetoothUUID(bits128: nordicUART) : nil
    }

    /// The characteristic that a service is mostly used for: the first one that its specification defines; `nil` if it is
    /// unknown.
    public static func mainCharacteristic(ofService uuid: BluetoothUUID) -> BluetoothUUID? {
        guard let short = uuid.short16, let home = homes.first(where: { $0.service == short }) else { return nil }
        return home.characteristics.first.map { BluetoothUUID($0) }
    }

    private static var homes: [(service: UInt16, characteristics: [UInt16])] {
        [
            (0x1800, [0x2A00, 0x2A01, 0x2A02, 0x2A03, 0x2A04, 0x2AA6, 0x2AC9]),
            (0x1801, [0x2A05, 0x2B29, 0x2B2A, 0x2B3A]),
            (0x1802, [0x2A06]),
            (0x1804, [0x2A07]),
            (0x1805, [0x2A2B, 0x2A0F, 0x2A14]),
            (0x1808, [0x2A18, 0x2A34, 0x2A51, 0x2A52]),
            (0x1809, [0x2A1C, 0x2A1D, 0x2A1E, 0x2A21]),
            (0x180A, [0x2A23, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29, 0x2A2A, 0x2A50]),
            (0x180D, [0x2A37, 0x2A38, 0x2A39]),
            (0x180F, [0x2A19, 0x2A1A, 0x2A1B, 0x2BED]),
            (0x1810, [0x2A35, 0x2A36, 0x2A49]),
            (0x1812, [0x2A4A, 0x2A4B, 0x2A4C, 0x2A4D, 0x2A4E]),
            (0x1814, [0x2A53, 0x2A54]),
            (0x1816, [0x2A5B, 0x2A5C]),
            (0x1818, [0x2A63, 0x2A64, 0x2A65, 0x2A66]),
            (0x1819, [0x2A67, 0x2A68, 0x2A69, 0x2A6A, 0x2A6B]),
            (0x181A, [0x2A6C, 0x2A6D, 0x2A6E, 0x2A6F, 0x2A70, 0x2A71, 0x2A76, 0x2A77, 0x2A7B]),
            (0x181B, [0x2A9B, 0x2A9C]),
            (0x181D, [0x2A9D, 0x2A9E]),
            (0x1822, [0x2A5E, 0x2A5F, 0x2A60]),
            (0x1826, [0x2ACC, 0x2ACD, 0x2AD2, 0x2AD9, 0x2ADA]),
        ]
    }
}
