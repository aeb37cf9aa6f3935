// SPDX-License-Identifier: MIT

public import Bluetooth

extension AssignedNumbers {
    /// The service that the specifications assign to a characteristic; `nil` if there is none. For example, a search
    /// for a heart rate looks for devices with the Heart Rate service.
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

    /// The characteristic that a service is mostly used for: the first one that its specification defines; `nil` if it
    /// is unknown.
    public static func mainCharacteristic(ofService uuid: BluetoothUUID) -> BluetoothUUID? {
        guard let short = uuid.short16, let home = homes.first(where: { $0.service == short }) else { return nil }
        return home.characteristics.first.map { BluetoothUUID($0) }
    }

    /// The characteristics that the specification of a service defines or uses; `nil` if they are not known.
    public static func characteristics(ofService service: BluetoothUUID) -> [BluetoothUUID]? {
        if let short = service.short16 {
            let tables = (homes + shared).filter { $0.service == short }
            guard !tables.isEmpty else { return nil }
            return tables.flatMap(\.characteristics).map { BluetoothUUID($0) }
        }
        let uart: UInt128 = 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E
        guard service.value == uart else { return nil }
        return [BluetoothUUID(bits128: uart + 1 << 96), BluetoothUUID(bits128: uart + 2 << 96)]
    }

    /// Characteristics that several services use, so that they say nothing about the service of a device.
    private static var shared: [(service: UInt16, characteristics: [UInt16])] {
        [
            (0x1803, [0x2A06]),
            (0x1814, [0x2A5D, 0x2A55]),
            (0x1816, [0x2A5D, 0x2A55]),
            (0x1818, [0x2A5D]),
            (0x180E, [0x2A3F, 0x2A41, 0x2A40]),
            (0x1813, [0x2A4F, 0x2A31]),
            (0x1822, [0x2A52]),
            (0x181F, [0x2A52]),
        ]
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
            (0x180F, [0x2A19, 0x2A1A, 0x2A1B, 0x2BE9, 0x2BEA, 0x2BEB, 0x2BEC, 0x2BED, 0x2BEE, 0x2BEF, 0x2BF0]),
            (0x1810, [0x2A35, 0x2A36, 0x2A49]),
            (0x1811, [0x2A44, 0x2A45, 0x2A46, 0x2A47, 0x2A48]),
            (0x1812, [0x2A4A, 0x2A4B, 0x2A4C, 0x2A4D, 0x2A4E, 0x2A22, 0x2A32, 0x2A33]),
            (0x1814, [0x2A53, 0x2A54]),
            (0x1816, [0x2A5B, 0x2A5C]),
            (0x1818, [0x2A63, 0x2A64, 0x2A65, 0x2A66]),
            (0x1819, [0x2A67, 0x2A68, 0x2A69, 0x2A6A, 0x2A6B]),
            (
                0x181A,
                [
                    0x2A6C, 0x2A6D, 0x2A6E, 0x2A6F, 0x2A70, 0x2A71, 0x2A72, 0x2A73, 0x2A74, 0x2A75, 0x2A76, 0x2A77,
                    0x2A78, 0x2A79, 0x2A7A, 0x2A7B, 0x2A7D, 0x2A2C, 0x2AA0, 0x2AA1, 0x2AA3,
                ]
            ),
            (0x181B, [0x2A9B, 0x2A9C]),
            (0x181C, [0x2A99, 0x2A9A, 0x2A9F]),
            (0x181D, [0x2A9D, 0x2A9E]),
            (0x181E, [0x2AA4, 0x2AA5]),
            (0x181F, [0x2AA7, 0x2AA8, 0x2AA9, 0x2AAA, 0x2AAB, 0x2AAC]),
            (0x1822, [0x2A5E, 0x2A5F, 0x2A60]),
            (0x1823, [0x2AB6, 0x2AB7, 0x2AB8, 0x2AB9, 0x2ABA, 0x2ABB]),
            (
                0x1825,
                [
                    0x2ABD, 0x2ABE, 0x2ABF, 0x2AC0, 0x2AC1, 0x2AC2, 0x2AC3, 0x2AC4, 0x2AC5, 0x2AC6, 0x2AC7, 0x2AC8,
                ]
            ),
            (
                0x1826,
                [
                    0x2ACC, 0x2ACD, 0x2ACE, 0x2ACF, 0x2AD0, 0x2AD1, 0x2AD2, 0x2AD3, 0x2AD4, 0x2AD5, 0x2AD6, 0x2AD7,
                    0x2AD8, 0x2AD9, 0x2ADA,
                ]
            ),
            (0x1843, [0x2B77, 0x2B78, 0x2B79, 0x2B7A, 0x2B7B, 0x2B7C]),
            (0x1844, [0x2B7D, 0x2B7E, 0x2B7F]),
            (0x1845, [0x2B80, 0x2B81, 0x2B82, 0x2B83]),
            (0x1846, [0x2B84, 0x2B85, 0x2B86, 0x2B87]),
            (0x184D, [0x2BC3]),
        ]
    }
}
