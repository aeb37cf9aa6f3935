// SPDX-License-Identifier: MIT

import Bluetooth

enum AdvertisingChange: Sendable {
    case connected(ConnectionHandle, DeviceAddress)
    /// A link of the controller has ended, in any role, for that reason.
    case disconnected(ConnectionHandle, HCIStatus)
    /// The encryption of a link has changed, in any role.
    case encrypted(ConnectionHandle)
    /// The private address is another one from now on.
    case address(BluetoothAddress)
    case remark(String)
}
