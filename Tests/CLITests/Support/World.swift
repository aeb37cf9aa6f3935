// SPDX-License-Identifier: GPL-2.0-or-later

/// The content of the simulated world, as a person types it.
enum World {
    static let strap = "C8:4B:1D:3A:90:5E"
    static let iBeacon = "E2:0D:77:41:C3:19"
    static let workbench = "D3:6F:10:2C:84:B7"
    static let absent = "FF:EE:DD:CC:BB:AA"
    static let uart = "70:81:94:0D:FB:AA"
    static let uartReceive = "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
    static let uartTransmit = "6e400003-b5a3-f393-e0a9-e50e24dcca9e"
}

/// The content of the workbench: see its file in `BluetoothDevices`.
enum Workbench {
    static let long = numbered("0101")
    static let variable = numbered("0102")
    static let fixed = numbered("0103")
    static let counter = numbered("0104")
    static let writeOnly = numbered("0105")
    static let reliable = numbered("0106")
    static let ticker = numbered("0107")
    static let commandOnly = numbered("0108")
    static let voltage = numbered("0201")
    static let labelled = numbered("0204")
    static let twin = numbered("0205")
    static let authenticated = numbered("0301")
    static let authorized = numbered("0303")
    static let applicationError = numbered("0304")
    static let silent = numbered("0305")

    static func numbered(_ number: String) -> String { "b1ec\(number)-5ec7-4c3a-9d0e-51a1b1ec0001" }
}
