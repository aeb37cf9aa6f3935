// SPDX-License-Identifier: MIT

package import Bluetooth

/// Where a device has MCUmgr. Spec: Zephyr, SMP Protocol Specification, SMP over Bluetooth
extension BluetoothUUID {
    package static let mcumgrService = BluetoothUUID(bits128: 0x8D53_DC1D_1DB7_4CD3_868B_8A52_7460_AA84)
    /// Its only characteristic: requests are written without response, and responses are notified.
    package static let mcumgrData = BluetoothUUID(bits128: 0xDA2E_7828_FBCE_4E01_AE9E_2611_7499_7C48)
}
