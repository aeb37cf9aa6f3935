// SPDX-License-Identifier: MIT

// An app names UUIDs, values and devices of these modules, and needs to import only this one.
@_exported public import Bluetooth
@_exported public import BluetoothDevices
@_exported public import BluetoothProfiles
