// SPDX-License-Identifier: MIT

import CBluetoothData

/// A world that ships inside the program, as the text of a world file.
public struct BuiltInWorld: Hashable, Sendable {
    /// The word by which users choose the world: `security`.
    public let label: String
    /// The world file.
    public let text: String

    private init(_ label: String, _ data: BluetoothData) {
        self.label = label
        text = data.text
    }

    /// All of them, besides the one that all built-in devices make.
    public static var all: [BuiltInWorld] { [BuiltInWorld("security", bluetooth_device_security())] }

    /// The world with that label; `nil` if there is none.
    public static func named(_ label: String) -> BuiltInWorld? { all.first { $0.label == label } }
}
