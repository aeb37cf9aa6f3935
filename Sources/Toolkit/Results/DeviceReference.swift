// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import BluetoothHost
package import Records
import Terminal

/// The device that a result is about.
///
/// It is a value without a connection, so that results outlive the link that they came from.
package struct DeviceReference: Sendable, Hashable {
    /// The address; zero for a device at the other end of a socket, which has none.
    package let address: DeviceAddress
    /// The name that was advertised or read, as the device gave it: it is escaped before it is printed.
    package let name: String?
    /// `unix:` and a path, for a device at the other end of a socket.
    package var socket: String?
    /// Whether the type of the address is known. A socket does not reveal it.
    var isTypeKnown = true
    /// Whether it was found by an advertisement on LE Coded, now or in an earlier run without a connection since. Older
    /// kernels do not look for those when they connect.
    package var wasHeardOnCoded = false
    /// The time of the last connection that is remembered, in RFC 3339; `nil` if none is.
    var connected: String?
    /// The security that the keys of a bond give to its link, for the advice in an error; `nil` without such a link.
    var bondedSecurity: LinkSecurity?

    package init(
        address: DeviceAddress,
        name: String?,
        socket: String? = nil,
        isTypeKnown: Bool = true
    ) {
        self.address = address
        self.name = name
        self.socket = socket
        self.isTypeKnown = isTypeKnown
    }

    /// The same device with an ellipsis in place of its name.
    package var concealed: DeviceReference {
        var device = DeviceReference(address: address, name: name.map { _ in "…" })
        device.socket = socket
        device.isTypeKnown = isTypeKnown
        device.wasHeardOnCoded = wasHeardOnCoded
        return device
    }

    /// Whether it is remembered that it was connected to on that day, or later.
    func wasConnected(on day: WallTime) -> Bool {
        // The first ten characters are the date. Times in RFC 3339 and UTC sort as texts.
        connected.map { $0 >= "\(day)".prefix(10) } ?? false
    }

    /// A device behind a socket has the address zero, which no radio uses.
    private var hasAddress: Bool { address.address.rawValue != 0 }

    /// The address as text; `nil` for a device that has none.
    package var addressText: String? { hasAddress ? address.address.description : nil }

    /// The type of the address as text; `nil` if it is not known.
    var addressTypeText: String? {
        hasAddress && isTypeKnown ? address.type.connectionType.description : nil
    }

    /// The device in records. Members that are not known are `null`, so that the keys are always the same.
    @FieldBuilder<DeviceReference>
    package static var record: [RecordField<DeviceReference>] {
        RecordField("address", orNull: .string, "its address; null on a socket, unless one was given") {
            $0.addressText
        }
        RecordField("address_type", orNull: .string, "`public` or `random`; null if not known") {
            $0.addressTypeText
        }
        RecordField("name", orNull: .string, "its name, if known") { $0.name }
        RecordField("socket", orNull: .string, "`unix:` and a path, if it is at the other end of a socket") {
            $0.socket
        }
    }

    /// `Pulse (F0:F1:F2:F3:F4:F5)`, safe to print.
    package var text: String {
        let label = [name, socket].lazy.compactMap { $0 }.first { !$0.isEmpty }.map { TerminalText.escaped($0) }
        guard let label else { return address.address.description }
        return addressText.map { "\(label) (\($0))" } ?? label
    }
}

extension FieldType where Value == DeviceReference {
    package static var device: FieldType { .object(DeviceReference.record) }
}

extension RecordField {
    package static func device(_ device: @escaping @Sendable (Result) -> DeviceReference) -> RecordField {
        RecordField("device", .device, "device", device)
    }
}
