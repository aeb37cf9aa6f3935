// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import CommandLineInterface
package import Records
package import Terminal

/// A step of a pairing.
///
/// It lets a program act as the user: it can type the passkey at the other device, or compare the numbers.
package struct PairingStepResult: RecordedResult {
    package let device: DeviceReference
    package let step: PairingStep
    package let timestamp: Timestamp

    /// All members are always there, and those that the step does not have are `null`.
    package static let record = RecordKind<Self>("pairing", "a step of a pairing") {
        RecordField.device { $0.device }
        RecordField(
            "step",
            .string,
            "`started`, `show-passkey`, `digits-entered`, `compare`, `consent`, `enter-passkey` or `key`"
        ) { $0.parts.name }
        RecordField("passkey", orNull: .string, "six digits that are shown here") {
            $0.parts.passkey.map(Self.digits)
        }
        RecordField("entered", orNull: .integer, "how many of them were entered at the device") { $0.parts.entered }
        RecordField("answer", orNull: .string, "answer of a person or an option: `yes`, `no` or `passkey`") {
            $0.parts.answer
        }
        RecordField("key", orNull: .string, "kind of the key that has come") { $0.parts.key }
    }

    /// The members of the step. A passkey that the device shows is never among them, because only the user
    /// knows it.
    private var parts: (name: String, passkey: UInt32?, entered: UInt8?, answer: String?, key: String?) {
        switch step {
        case .started: ("started", nil, nil, nil, nil)
        case .showPasskey(let passkey): ("show-passkey", passkey, nil, nil, nil)
        case .digitsEntered(let count): ("digits-entered", nil, count, nil, nil)
        case .answered(.consent, let answer): ("consent", nil, nil, Self.text(answer), nil)
        case .answered(.compare(let digits), let answer): ("compare", digits, nil, Self.text(answer), nil)
        case .answered(.enterPasskey, let answer): ("enter-passkey", nil, nil, Self.text(answer), nil)
        case .received(let key): ("key", nil, nil, nil, key.rawValue)
        }
    }

    /// The passkey of an answer was given by the user, and is not repeated.
    private static func text(_ answer: PairingAnswer) -> String {
        switch answer {
        case .yes: "yes"
        case .no: "no"
        case .passkey: "passkey"
        }
    }

    package static func digits(_ passkey: UInt32) -> String {
        let text = String(passkey)
        return String(repeating: "0", count: max(0, 6 - text.utf8.count)) + text
    }

    /// The passkey to type at the device; `nil` for steps that the dialog on the terminal shows.
    package func text(_ style: TextStyle) -> String? {
        guard case .showPasskey(let passkey) = step else { return nil }
        return "enter \(style.paint(Self.digits(passkey), .bold)) at \(device.text)"
    }
}

package struct PairedResult: RecordedResult {
    /// The device by its identity address, if it has sent one.
    package let device: DeviceReference
    package let adapter: String
    /// How the pairing went: its method, and whether it made a bond.
    package let pairing: Pairing
    /// The keys that were sent, as a bond would have them.
    package let bond: Bond
    /// The program that stores the keys, or why none does.
    package let keeper: Keeper
    package let timestamp: Timestamp

    package init(
        device: DeviceReference,
        adapter: String,
        pairing: Pairing,
        bond: Bond,
        keeper: Keeper,
        timestamp: Timestamp
    ) {
        self.device = device
        self.adapter = adapter
        self.pairing = pairing
        self.bond = bond
        self.keeper = keeper
        self.timestamp = timestamp
    }

    /// What becomes of the keys.
    package enum Keeper: Sendable, Equatable {
        /// A program stores them: blectl, or the manager of the adapter.
        case program(String)
        /// This side has asked for no bond.
        case notWanted
        /// The two sides have not agreed on a bond, so that the keys end with the link.
        case notBonded
        /// The run is in virtual time, whose machine ends with it.
        case notLasting

        /// What becomes of the keys of a pairing.
        ///
        /// - Parameters:
        ///   - manager: The program that manages the adapter; `nil` if blectl stores its bonds.
        ///   - wantsBond: Whether this side has asked for a bond.
        package init(_ pairing: Pairing, manager: String?, in bonds: any BondStore, wantsBond: Bool = true) {
            if !wantsBond {
                self = .notWanted
            } else if !pairing.isBonded || manager == nil && pairing.longTermKeys.isEmpty {
                self = .notBonded
            } else if let manager {
                self = .program(manager)
            } else {
                self = bonds.isLasting ? .program(Program.name) : .notLasting
            }
        }

        /// The program; `nil` if the keys are not stored.
        package var program: String? { if case .program(let name) = self { name } else { nil } }

        /// The end of a sentence about the keys.
        fileprivate var words: String {
            switch self {
            case .program(let name): "kept by \(name)"
            case .notWanted: "not kept, because no bond is wanted"
            case .notBonded: "not kept, because the other side makes no bond"
            case .notLasting: "not kept, because virtual time ends with the command"
            }
        }
    }

    /// The method is `null` if the program could not observe the pairing.
    package static let record = RecordKind<Self>("paired", "a pairing that has succeeded") {
        RecordField.device { $0.device }
        Bond.record.of { $0.bond }
        RecordField("adapter", .string, "adapter, such as `hci0`") { $0.adapter }
        RecordField(
            "method",
            orNull: .string,
            "`just works`, `passkey entry`, `numeric comparison` or `out of band`; null without question or display"
        ) { $0.pairing.method?.description }
        RecordField("bonded", .boolean, "whether both sides keep the keys") { $0.pairing.isBonded }
        RecordField("kept_by", orNull: .string, "program that keeps them: `blectl` or the adapter's manager") {
            $0.keeper.program
        }
    }

    /// The result in a line: the method, the level, and the program that keeps the keys.
    package func text(_ style: TextStyle) -> String? {
        let method = pairing.method.map { " by \($0)" } ?? ""
        return "paired with \(style.paint(device.text, .bold))\(method): level \(bond.level), keys \(keeper.words)"
    }
}

extension Bond {
    /// The fields that all records of a bond share.
    @FieldBuilder<Bond>
    package static var record: [RecordField<Bond>] {
        RecordField("level", .string, "level of a link with the keys: `low`, `medium`, `high` or `fips`") {
            $0.level.description
        }
        RecordField("authenticated", .boolean, "whether the keys protect against a man in the middle") {
            $0.isAuthenticated
        }
        RecordField("secure_connections", .boolean, "whether they come from Secure Connections") {
            $0.isSecureConnections
        }
        RecordField("key_size", .integer("bytes"), "length of the key that encrypts; 0 if there is none") {
            $0.keySize
        }
        RecordField("keys", .array(of: .string), "kinds of keys: `ltk`, `irk`, `local-csrk`, `csrk`") {
            $0.keys.map(\.rawValue)
        }
    }
}
