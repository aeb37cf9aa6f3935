// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Records
import Terminal
import Toolkit

/// The keys that are kept of a device.
struct BondResult: TabledResult {
    static let headings = ["DEVICE", "KEYS", "LEVEL", "SIZE", "ADAPTER", "SINCE"]

    let bond: Bond
    /// Whether the keys themselves are printed.
    let isRevealed: Bool
    let timestamp: Timestamp

    /// The device by its identity address and the name that it had when it was paired.
    private var device: DeviceReference { DeviceReference(address: bond.device, name: bond.name) }

    /// `secrets` is `null` unless the keys are revealed, so that records can be logged.
    static let record = RecordKind<Self>("bond", "the keys that blectl keeps of a device") {
        RecordField.device { $0.device }
        Bond.record.of { $0.bond }
        RecordField("adapter", .string, "address of the adapter that they belong to") {
            $0.bond.adapter.description
        }
        RecordField("since", .string, "time of the pairing, RFC 3339 in UTC") { $0.bond.since.description }
        RecordField(
            "secrets",
            orNull: .array(of: .object(Secret.record)),
            "keys themselves, with `--reveal-keys`; null otherwise"
        ) { $0.isRevealed ? $0.secrets : nil }
    }

    private struct Secret {
        let kind: BondKey
        let value: [UInt8]

        @FieldBuilder<Secret>
        static var record: [RecordField<Secret>] {
            RecordField("key", .string, "its kind") { $0.kind.rawValue }
            RecordField("value", .hex, "key, most significant byte first") { $0.value }
        }
    }

    private var secrets: [Secret] {
        bond.longTermKeys.map { Secret(kind: .longTerm, value: $0.value.octets) }
            + (bond.identityKey.map { [Secret(kind: .identity, value: $0.octets)] } ?? [])
            + bond.signing.map { signing in
                Secret(kind: signing.key.kind.isLocal ? .ownSignature : .signature, value: signing.key.value.octets)
            }
    }

    /// Without any secret: a table is read over shoulders.
    var columns: [String] {
        [
            device.text, bond.keys.map(\.rawValue).joined(separator: " "), "\(bond.level)", "\(bond.keySize)",
            bond.adapter.description, bond.since.description,
        ]
    }

    /// The line, with the keys below it if they are revealed.
    func text(_ style: TextStyle) -> String? {
        let line = columns.joined(separator: "  ")
        guard isRevealed else { return line }
        return ([line] + secrets.map { "  \($0.kind.rawValue)  \(Hex.string($0.value))" }).joined(separator: "\n")
    }
}
