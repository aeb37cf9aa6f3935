// SPDX-License-Identifier: MIT

import Bluetooth

/// The workbench's UUIDs: `b1ec0000-…`, each with its own number in the first group.
enum WorkbenchUUID {
    static func numbered(_ number: UInt16) -> BluetoothUUID {
        BluetoothUUID(bits128: 0xB1EC_0000_5EC7_4C3A_9D0E_51A1_B1EC_0001 | UInt128(number) << 96)
    }

    /// 512 octets.
    static let long = numbered(0x0101)
    /// 0 to 512 octets.
    static let variable = numbered(0x0102)
    /// Exactly four octets.
    static let fixed = numbered(0x0103)
    /// The number of times it was read.
    static let counter = numbered(0x0104)
    static let writeOnly = numbered(0x0105)
    /// A number that changes each second, by notification or indication.
    static let ticker = numbered(0x0107)

    static let aggregate = numbered(0x0203)
    static let twin = numbered(0x0205)

    static let authenticated = numbered(0x0301)
    static let encrypted = numbered(0x0302)
    static let authorized = numbered(0x0303)
    static let applicationError = numbered(0x0304)
    static let silent = numbered(0x0305)
}

/// The shapeshifter's UUIDs, from the workbench's range.
enum ShapeshifterUUID {
    /// Selects a shape.
    static let controlPoint = WorkbenchUUID.numbered(0x0501)
    /// The name of the shape.
    static let label = WorkbenchUUID.numbered(0x0512)
}

/// The UUIDs of the watch's own service.
enum SportsWatchUUID {
    /// The track of the last run, which is longer than a packet.
    static let track = numbered(1)
    /// Selects the track to show.
    static let selection = numbered(2)
    /// The track that is shown.
    static let selected = numbered(3)

    private static func numbered(_ number: UInt16) -> BluetoothUUID {
        BluetoothUUID(bits128: 0x5AFE_0000_72C4_4E0B_8A31_7D06_52B9_1C44 | UInt128(number) << 96)
    }
}
