// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth

/// The socket of a session in the folder of its user. The name of its file tells what it leads to.
package struct SessionSocket: Sendable, Hashable {
    package let label: String
    package let address: BluetoothAddress
    /// The digits that stand for the world of the device.
    package let world: String
    package let path: String

    /// Parses the name of a file; `nil` if it is not that of a session.
    package init?(file: String, in folder: String) {
        let parts = file.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, SessionLabel(String(parts[0])) != nil else { return nil }
        let place = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        // Twelve digits of the address, and eight of the world.
        guard place.count == 2, place[0].utf8.count == 12, place[1].utf8.count == 8,
            let octets = Hex.bytes(String(place[0])), Hex.bytes(String(place[1])) != nil
        else { return nil }
        label = String(parts[0])
        address = BluetoothAddress(rawValue: octets.reduce(0) { $0 << 8 | UInt64($1) })
        world = String(place[1])
        path = "\(folder)/\(file)"
    }

    package static func isNamed(by path: String) -> Bool {
        path.split(separator: "/").last.map { SessionSocket(file: String($0), in: "") != nil } ?? false
    }
}
