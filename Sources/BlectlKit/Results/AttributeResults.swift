// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// Where a value stands: the target as it was typed, and what is known of the attribute behind it.
struct AttributeReference: Sendable {
    let device: DeviceReference
    let target: String
    let handle: Handle
    let service: BluetoothUUID?
    let characteristic: BluetoothUUID?
    let descriptor: BluetoothUUID?

    /// The type of the attribute, where it is known.
    var uuid: BluetoothUUID? { descriptor ?? characteristic }

    var members: [String: JSONValue] {
        [
            "device": device.json,
            "target": .string(target),
            "handle": .integer(Int64(handle.rawValue)),
            "service": .optional(service?.description),
            "characteristic": .optional(characteristic?.description),
            "characteristic_name": .optional(characteristic.flatMap { AssignedNumbers.name(ofCharacteristic: $0) }),
            "descriptor": .optional(descriptor?.description),
        ]
    }
}

/// A value that was read, or that the device sent.
struct ValueResult: CommandResult {
    /// How it came.
    enum Origin: Sendable, Equatable {
        case read
        case notification(sequence: Int)
        case indication(sequence: Int)
    }

    let attribute: AttributeReference
    let presentation: ValuePresentation
    let origin: Origin
    let timestamp: Timestamp
    /// Whether the line for people has to say which target it is.
    let isLabelled: Bool

    var record: Record {
        var members = attribute.members.merging(presentation.members) { first, _ in first }
        switch origin {
        case .read:
            return Record("value", at: timestamp, members)
        case .notification(let sequence):
            members["sequence"] = .integer(Int64(sequence))
            return Record("notification", at: timestamp, members)
        case .indication(let sequence):
            members["sequence"] = .integer(Int64(sequence))
            return Record("indication", at: timestamp, members)
        }
    }

    func text(_ style: TextStyle) -> String? {
        let value = presentation.text
        let label = isLabelled ? "\(style.paint(TerminalText.escaped(attribute.target), .cyan)): " : ""
        guard origin != .read else { return label + value }
        return "\(style.paint(timestamp.wall.description, .faint))  \(label)\(value)"
    }

    var rawBytes: [UInt8]? { presentation.isRaw ? presentation.bytes : nil }
}

/// A target of several that could not be read: the others were.
struct TargetErrorResult: CommandResult {
    let target: String
    let error: BlectlError
    let timestamp: Timestamp

    var record: Record {
        Record(
            "error",
            at: timestamp,
            [
                "target": .string(target),
                "message": .string(error.message),
                "status": .integer(Int64(error.status.rawValue)),
                "att_error": .optional(error.attError),
            ]
        )
    }

    // People read it on standard error.
    func text(_ style: TextStyle) -> String? { nil }
}

/// A value that was written.
struct WriteResult: CommandResult {
    /// How it was written.
    enum Procedure: String, Sendable {
        case writeRequest = "write-request"
        case writeCommand = "write-command"
        case longWrite = "long-write"
        case reliableWrite = "reliable-write"
    }

    let attribute: AttributeReference
    let length: Int
    let procedure: Procedure
    let isVerified: Bool?
    let timestamp: Timestamp

    var record: Record {
        Record(
            "write",
            at: timestamp,
            [
                "device": attribute.device.json,
                "target": .string(attribute.target),
                "handle": .integer(Int64(attribute.handle.rawValue)),
                "length": .integer(Int64(length)),
                "procedure": .string(procedure.rawValue),
                "verified": .optional(isVerified),
            ]
        )
    }

    // A write that worked is silent, as all commands of a shell that change something.
    func text(_ style: TextStyle) -> String? { nil }
}

/// A decoded measurement of a profile.
struct MeasurementResult: CommandResult {
    let profile: String
    let attribute: AttributeReference
    let presentation: ValuePresentation
    let sequence: Int
    let timestamp: Timestamp

    var record: Record {
        var members = presentation.members
        members["length"] = nil
        members["device"] = attribute.device.json
        members["profile"] = .string(profile)
        members["characteristic"] = .optional(attribute.characteristic?.description)
        members["handle"] = .integer(Int64(attribute.handle.rawValue))
        members["sequence"] = .integer(Int64(sequence))
        return Record("measurement", at: timestamp, members)
    }

    func text(_ style: TextStyle) -> String? {
        "\(style.paint(timestamp.wall.description, .faint))  \(presentation.text)"
    }
}
