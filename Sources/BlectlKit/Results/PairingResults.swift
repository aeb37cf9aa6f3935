// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A step of a pairing.
///
/// It lets a program act as the user: it can type the passkey at the other device, or compare the numbers.
struct PairingStepResult: RecordedResult {
    /// The device that is being paired with.
    let device: DeviceReference
    let step: PairingStep
    /// When it has happened.
    let timestamp: Timestamp

    /// All members are always there, and those that the step does not have are `null`.
    var record: Record {
        let (name, passkey, count, answer, key) = parts
        return Record(
            "pairing",
            at: timestamp,
            [
                "device": device.json,
                "step": .string(name),
                "passkey": .optional(passkey.map(Self.digits)),
                "entered": .optional(count),
                "answer": .optional(answer),
                "key": .optional(key),
            ]
        )
    }

    /// The members of the step. A passkey that the device shows is never among them, because only the user
    /// knows it.
    private var parts: (String, passkey: UInt32?, entered: UInt8?, answer: String?, key: String?) {
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

    /// Six digits.
    static func digits(_ passkey: UInt32) -> String {
        let text = String(passkey)
        return String(repeating: "0", count: max(0, 6 - text.utf8.count)) + text
    }

    /// The passkey to type at the device; `nil` for steps that the dialog on the terminal shows.
    func text(_ style: TextStyle) -> String? {
        guard case .showPasskey(let passkey) = step else { return nil }
        return "enter \(style.paint(Self.digits(passkey), .bold)) at \(device.text)"
    }
}

/// A pairing that has succeeded.
struct PairedResult: RecordedResult {
    /// The device by its identity address, if it has sent one.
    let device: DeviceReference
    /// The adapter that the bond belongs to.
    let adapter: String
    /// How the pairing went: its method, and whether it made a bond.
    let pairing: Pairing
    /// The keys that were sent, as a bond would have them.
    let bond: Bond
    /// The program that stores the keys, or why none does.
    let keeper: Keeper
    /// When the pairing was complete.
    let timestamp: Timestamp

    /// What becomes of the keys.
    enum Keeper: Sendable, Equatable {
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
        init(_ pairing: Pairing, manager: String?, in bonds: any BondStore, wantsBond: Bool = true) {
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
        var program: String? { if case .program(let name) = self { name } else { nil } }

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
    var record: Record {
        Record(
            "paired",
            at: timestamp,
            [
                "device": device.json,
                "adapter": .string(adapter),
                "method": .optional(pairing.method?.description),
                "bonded": .bool(pairing.isBonded),
                "kept_by": .optional(keeper.program),
            ].merging(bond.members) { first, _ in first }
        )
    }

    /// The result in a line: the method, the level, and the program that keeps the keys.
    func text(_ style: TextStyle) -> String? {
        let method = pairing.method.map { " by \($0)" } ?? ""
        return "paired with \(style.paint(device.text, .bold))\(method): level \(bond.level), keys \(keeper.words)"
    }
}

/// The keys that are kept of a device.
struct BondResult: TabledResult {
    static let headings = ["DEVICE", "KEYS", "LEVEL", "SIZE", "ADAPTER", "SINCE"]

    /// The bond, with its keys.
    let bond: Bond
    /// Whether the keys themselves are printed.
    let isRevealed: Bool
    /// When the list was made.
    let timestamp: Timestamp

    /// The device by its identity address and the name that it had when it was paired.
    private var device: DeviceReference { DeviceReference(address: bond.device, name: bond.name) }

    /// `secrets` is `null` unless the keys are revealed, so that records can be logged.
    var record: Record {
        Record(
            "bond",
            at: timestamp,
            [
                "device": device.json,
                "adapter": .string(bond.adapter.description),
                "since": .string(bond.since.description),
                "secrets": isRevealed
                    ? .array(secrets.map { .object(["key": .string($0), "value": .string($1)]) }) : .null,
            ].merging(bond.members) { first, _ in first }
        )
    }

    /// The name of each key, and its value in hexadecimal.
    private var secrets: [(String, String)] {
        bond.longTermKeys.map { (BondKey.longTerm.rawValue, Hex.string($0.value.octets)) }
            + (bond.identityKey.map { [(BondKey.identity.rawValue, Hex.string($0.octets))] } ?? [])
            + bond.signing.map {
                ((($0.key.kind.isLocal ? BondKey.ownSignature : .signature)).rawValue, Hex.string($0.key.value.octets))
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
        return ([line] + secrets.map { "  \($0)  \($1)" }).joined(separator: "\n")
    }
}

extension Bond {
    /// The members that the records of a pairing and of a bond share.
    fileprivate var members: [String: JSONValue] {
        [
            "level": .string(level.description),
            "authenticated": .bool(isAuthenticated),
            "secure_connections": .bool(isSecureConnections),
            "key_size": .integer(Int64(keySize)),
            "keys": .array(keys.map { .string($0.rawValue) }),
        ]
    }
}

/// A device whose keys were forgotten.
struct UnpairedResult: RecordedResult {
    /// The device that was forgotten.
    let device: DeviceReference
    /// The adapter whose bond it was.
    let adapter: String
    /// Whether the kernel had keys.
    let wasInKernel: Bool
    /// Whether blectl had keys.
    let wasKept: Bool
    /// When the keys were removed.
    let timestamp: Timestamp

    var record: Record {
        Record(
            "unpaired",
            at: timestamp,
            [
                "device": device.json,
                "adapter": .string(adapter),
                "kernel": .bool(wasInKernel),
                "kept": .bool(wasKept),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? { "forgot the keys of \(style.paint(device.text, .bold))" }
}
