// SPDX-License-Identifier: MIT

// A test uses the types of all these modules, and needs to import only this one.
@_exported public import Bluetooth
@_exported public import BluetoothDevices
@_exported public import BluetoothHost
@_exported public import BluetoothProfiles
@_exported public import SimulatedRadio
