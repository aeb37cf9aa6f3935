// SPDX-License-Identifier: GPL-2.0-or-later

import Records
import Terminal

/// An interface in Wireshark.
struct CaptureInterfaceResult: CommandResult {
    /// The line that Wireshark reads.
    enum Line {
        /// The interface itself, with the adapter's address or what it is.
        case interface(place: String)
        /// The link type of its packets.
        case linkType
    }

    let adapter: String
    let line: Line
    let timestamp: Timestamp

    static let record = RecordKind<Self>("capture-interface", "an adapter as an interface in Wireshark") {
        RecordField("interface", .string, "its name there, such as `blectl-hci0`") { $0.name }
        RecordField("adapter", .string, "the adapter, such as `hci0`") { $0.adapter }
        RecordField("link_type", .integer, "the link type of its packets: 201, HCI in H4 with the direction") { _ in
            Self.linkType
        }
    }

    var recordKind: RecordKind<Self> { Self.record }

    /// LINKTYPE_BLUETOOTH_HCI_H4_WITH_PHDR.
    private static let linkType = 201

    private var name: String { ExtcapCommand.prefix + adapter }

    func text(_ style: TextStyle) -> String? {
        switch line {
        case .interface(let place): "interface {value=\(name)}{display=Bluetooth LE scan: \(adapter) (\(place))}"
        case .linkType:
            "dlt {number=\(Self.linkType)}{name=BLUETOOTH_HCI_H4_WITH_PHDR}{display=Bluetooth HCI with direction}"
        }
    }
}
