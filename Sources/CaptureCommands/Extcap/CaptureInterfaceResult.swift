// SPDX-License-Identifier: GPL-2.0-or-later

import Records
import Terminal

struct CaptureInterfaceResult: RecordedResult {
    /// The line that Wireshark reads.
    enum Line {
        /// The interface itself, and what it shows, in words.
        case interface(String)
        case linkType
    }

    let interface: CaptureInterface
    let line: Line
    let timestamp: Timestamp

    static let record = RecordKind<Self>("capture-interface", "an interface in Wireshark") {
        RecordField("interface", .string, "its name there, such as `blectl-hci0`") { $0.interface.name }
        RecordField("adapter", orNull: .string, "adapter that scans, such as `hci0`; null for other packets") {
            if case .adapter(let name) = $0.interface { name } else { nil }
        }
        RecordField("link_type", .integer, "link type of its packets: 201, HCI in H4 with the direction") { _ in
            Self.linkType
        }
    }

    /// LINKTYPE_BLUETOOTH_HCI_H4_WITH_PHDR.
    private static let linkType = 201

    func text(_ style: TextStyle) -> String? {
        switch line {
        case .interface(let words):
            // Braces end a value.
            "interface {value=\(interface.name)}{display=Bluetooth LE \(String(words.filter { !"{}".contains($0) }))}"
        case .linkType:
            "dlt {number=\(Self.linkType)}{name=BLUETOOTH_HCI_H4_WITH_PHDR}{display=Bluetooth HCI with direction}"
        }
    }
}
