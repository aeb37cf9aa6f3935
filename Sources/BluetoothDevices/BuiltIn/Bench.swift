// SPDX-License-Identifier: MIT

public import Bluetooth

extension BuiltInDevice {
    /// The service of the device that measurements are made against.
    public static let benchService = BluetoothUUID(bits128: 0xb1ecb000_5ec7_4c3a_9d0e_51a1b1ec0001)
    /// Its characteristic that is read and written.
    public static let benchData = BluetoothUUID(bits128: 0xb1ecb001_5ec7_4c3a_9d0e_51a1b1ec0001)
    /// Its characteristic that sends notifications, as many as the shortest connection interval has room for at least.
    public static let benchStream = BluetoothUUID(bits128: 0xb1ecb002_5ec7_4c3a_9d0e_51a1b1ec0001)
}
