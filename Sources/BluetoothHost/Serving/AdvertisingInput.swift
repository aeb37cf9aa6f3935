// SPDX-License-Identifier: MIT

import Bluetooth

enum AdvertisingInput: Sendable {
    case event(HCIEvent)
    /// The device leaves, and comes back with `returned`.
    case left
    /// The device is back.
    case returned
    /// The device accepts connections from now on, or no more of them.
    case accepting(Bool)
    /// The lifetime of the private address is over.
    case outlived
    /// It is time to start again what the controller has refused.
    case retrying
}

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
