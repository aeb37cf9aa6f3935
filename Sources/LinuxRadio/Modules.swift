// SPDX-License-Identifier: GPL-2.0-or-later

// A program on the kernel's radio needs to import only this module.
@_exported public import BluetoothHost
