// SPDX-License-Identifier: MIT

import Bluetooth

enum AdvertisingInput: Sendable {
    case event(HCIEvent)
    /// The device leaves, and comes back with `returned`.
    case left
    case returned
    /// The device accepts connections from now on, or no more of them.
    case accepting(Bool)
    /// The lifetime of the private address is over.
    case outlived
    /// Another program has taken sets off the air: these, or all of them.
    case stopped(Set<LEAdvertisingHandle>?)
    /// It is time to start again what was refused or stopped.
    case retrying

    /// The meaning of a command of another program; `nil` if it stops nothing.
    init?(ofOthers packet: HCICommandPacket) {
        switch try? HCICommandCatalog.command(in: packet) {
        case let command as LESetAdvertisingEnable where !command.isEnabled: self = .stopped(nil)
        case let command as LESetExtendedAdvertisingEnable where !command.isEnabled:
            self = .stopped(command.sets.isEmpty ? nil : Set(command.sets.map(\.handle)))
        default: return nil
        }
    }
}

enum AdvertisingChange: Sendable {
    case connected(ConnectionHandle, DeviceAddress)
    /// A link of the controller has ended, in any role, for that reason.
    case disconnected(ConnectionHandle, HCIStatus)
    case encrypted(ConnectionHandle)
    /// The private address is another one from now on.
    case address(BluetoothAddress)
    case remark(String)
}
