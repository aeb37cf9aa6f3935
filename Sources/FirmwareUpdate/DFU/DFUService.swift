// SPDX-License-Identifier: MIT

package import Bluetooth

/// Where a device has Nordic's Legacy DFU. Spec: nRF5 SDK 11, BLE DFU Service
extension BluetoothUUID {
    package static let legacyDFUService = legacyDFU(0x1530)
    /// Orders are written, and answers are notified.
    package static let legacyDFUControl = legacyDFU(0x1531)
    /// Firmware is written without response.
    package static let legacyDFUPacket = legacyDFU(0x1532)
    /// The version of the service, by which a boot loader and an application differ.
    package static let legacyDFUVersion = legacyDFU(0x1534)

    private static func legacyDFU(_ short: UInt128) -> BluetoothUUID {
        BluetoothUUID(bits128: 0x0000_0000_1212_EFDE_1523_785F_EABC_D123 | short << 96)
    }
}

/// Where a device has Nordic's Secure DFU. Spec: nRF5 SDK 17, Secure DFU Service and Buttonless Secure DFU Service
extension BluetoothUUID {
    /// The service, of the boot loader and of an application that starts it.
    package static let secureDFUService: BluetoothUUID = 0xFE59
    /// Orders are written, and answers are notified.
    package static let secureDFUControl = secureDFU(1)
    /// Firmware is written without response.
    package static let secureDFUPacket = secureDFU(2)
    /// Starts the boot loader, which has another address, by an order whose answer is indicated.
    package static let buttonlessDFU = secureDFU(3)
    /// The same on a device that shares its bonds, and its address, with the boot loader.
    package static let buttonlessDFUWithBonds = secureDFU(4)

    private static func secureDFU(_ number: UInt128) -> BluetoothUUID {
        BluetoothUUID(bits128: 0x8EC9_0000_F315_4F60_9FB8_8388_30DA_EA50 | number << 96)
    }
}

extension BluetoothAddress {
    /// The address of a boot loader that does not have that of its application. Spec: nRF5 SDK 17, Buttonless Secure DFU Service
    package var ofBootLoader: BluetoothAddress { lastOctet(changedBy: 1) }

    /// The address of the application of such a boot loader.
    package var ofApplication: BluetoothAddress { lastOctet(changedBy: -1) }

    private func lastOctet(changedBy difference: Int) -> BluetoothAddress {
        let last = UInt64(UInt8(truncatingIfNeeded: Int(rawValue & 0xFF) + difference))
        return BluetoothAddress(rawValue: rawValue & ~0xFF | last)
    }
}
