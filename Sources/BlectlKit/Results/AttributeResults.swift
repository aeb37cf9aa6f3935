// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Synchronization

/// The attribute of a value: the target as it was typed, and the known types of its parts.
///
/// It is a class, because a session creates one for each attribute and hands it to thousands of results.
final class AttributeReference: Hashable, Sendable {
    let device: DeviceReference
    /// The target as the user has typed it, which is how scripts recognise their results.
    let target: String
    /// The handle of the value, which may differ after the device has changed its database.
    let handle: Handle
    /// The UUID of the service; `nil` if the target is a handle whose service was not discovered.
    let service: BluetoothUUID?
    /// The UUID of the characteristic, or of the one that the descriptor belongs to.
    let characteristic: BluetoothUUID?
    /// The UUID of the descriptor; `nil` for the value of a characteristic.
    let descriptor: BluetoothUUID?
    /// The assigned name of the characteristic, if it has one.
    let characteristicName: String?
    /// The decoder of the characteristic's values, if their format is known.
    let decode: CharacteristicValue.Decoder?

    /// Looks up the name and the format; `AttributeReferences` does so once for many values.
    init(
        device: DeviceReference,
        target: String,
        handle: Handle,
        service: BluetoothUUID?,
        characteristic: BluetoothUUID?,
        descriptor: BluetoothUUID?,
        formats: FormatCatalogue = .assigned,
        format: PresentationFormats? = nil
    ) {
        self.device = device
        self.target = target
        self.handle = handle
        self.service = service
        self.characteristic = characteristic
        self.descriptor = descriptor
        characteristicName = characteristic.flatMap { formats.name(ofCharacteristic: $0) }
        let ofType = characteristic.flatMap { formats.decoder(of: $0) }
        var ofDevice: CharacteristicValue.Decoder?
        if let format { ofDevice = { format.decodeAsFarAsPossible($0) } }
        // An assigned format knows the fields of the value. A Presentation Format only describes numbers and texts.
        decode = descriptor == nil ? ofType ?? ofDevice : nil
    }

    /// Identity suffices, because `AttributeReferences` makes one reference for each attribute.
    static func == (left: AttributeReference, right: AttributeReference) -> Bool { left === right }

    /// Consistent with `==`: equal references are the same object.
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The type of the attribute, if it is known.
    var uuid: BluetoothUUID? { descriptor ?? characteristic }
}

/// The attributes of a session, each looked up once: a device may send thousands of values a second.
final class AttributeReferences: Sendable {
    /// One target can have another handle after the database has changed, so both are compared.
    private struct Key: Hashable {
        let target: String
        let handle: Handle
    }

    /// The most references that are kept: more than a command needs for its targets, unless handles change all the
    /// time.
    private static let limit = 1_024

    /// The references so far. When the limit is reached, further ones are created for each value.
    private let known = Mutex<[Key: AttributeReference]>([:])

    /// The reference of an attribute, if there is one already.
    func known(_ target: String, _ handle: Handle) -> AttributeReference? {
        known.withLock { $0[Key(target: target, handle: handle)] }
    }

    /// The reference of an attribute, created by `make` at first.
    func reference(_ target: String, _ handle: Handle, _ make: () -> AttributeReference) -> AttributeReference {
        let key = Key(target: target, handle: handle)
        return known.withLock { known in
            if let reference = known[key] { return reference }
            let reference = make()
            if known.count < Self.limit { known[key] = reference }
            return reference
        }
    }
}

/// A value that was read, or that the device sent.
struct ValueResult: CommandResult {
    /// The procedure that delivered the value.
    enum Origin: Sendable, Equatable {
        /// The answer to a request of this client.
        case read
        /// Sent by the device without an acknowledgement, so that the sequence number is that of the arrival.
        case notification(sequence: Int)
        /// Sent by the device, and acknowledged by a confirmation before the next one.
        case indication(sequence: Int)

        /// The type in JSON. Scripts tell by it whether a value was asked for.
        var recordType: String {
            switch self {
            case .read: "value"
            case .notification: "notification"
            case .indication: "indication"
            }
        }

        /// The number among the values of the observation, from 1; `nil` for a value that was read.
        var sequence: Int? {
            switch self {
            case .read: nil
            case .notification(let sequence), .indication(let sequence): sequence
            }
        }
    }

    /// The attribute that the value belongs to.
    let attribute: AttributeReference
    /// The octets, and their meaning in the chosen or the known format.
    let presentation: ValuePresentation
    /// How the value has come.
    let origin: Origin
    /// When the value arrived.
    let timestamp: Timestamp
    /// Whether the line for people names the target.
    let isLabelled: Bool

    func write(to json: inout JSONWriter) {
        attribute.write(self, type: origin.recordType, isNumbered: origin != .read, to: &json)
    }

    /// Values that were read come one at a time.
    var templateKey: RecordTemplateKey? {
        switch origin {
        case .read: nil
        case .notification: .notification(attribute)
        case .indication: .indication(attribute)
        }
    }

    /// Writes one member, for a whole record or for the gap in a template.
    func write(_ member: VaryingValueMember, to json: inout JSONWriter) {
        member.write(presentation, timestamp, sequence: origin.sequence, to: &json)
    }

    /// The line for people. A value that was read has no time in front, because it is the only one of its kind.
    func text(_ style: TextStyle) -> String? {
        let value = presentation.text
        let label = isLabelled ? "\(style.paint(TerminalText.escaped(attribute.target), .cyan)): " : ""
        guard origin != .read else { return label + value }
        return "\(style.paint(timestamp.wall.description, .faint))  \(label)\(value)"
    }

    /// The octets for `--as raw`, which go to standard output without a line feed.
    var rawBytes: [UInt8]? { presentation.isRaw ? presentation.bytes : nil }
}

/// A value that was written.
struct WriteResult: RecordedResult {
    /// The procedure that wrote the value.
    ///
    /// It shows in the record which ATT procedure carried the value. The user's option is only one reason for
    /// it: a value that does not fit into a packet needs a long write.
    enum Procedure: String, Sendable {
        /// A Write Request. The server acknowledges it.
        case writeRequest = "write-request"
        /// A Write Command. Nothing acknowledges it.
        case writeCommand = "write-command"
        /// Prepare Write Requests and one Execute Write Request, for a value that is longer than a packet.
        case longWrite = "long-write"
        /// The same requests, with a comparison of the echoed values.
        case reliableWrite = "reliable-write"
        /// A Signed Write Command, with a signature of 12 octets.
        case signedWriteCommand = "signed-write-command"
    }

    /// The attribute that was written.
    let attribute: AttributeReference
    /// The number of octets in all pieces together.
    let length: Int
    /// The number of pieces, each of them a separate value.
    let chunks: Int
    /// The procedure that was used.
    let procedure: Procedure
    /// Whether the value that was read back is the same; `nil` if it was not read back.
    let isVerified: Bool?
    /// When the last piece was sent or acknowledged.
    let timestamp: Timestamp

    var record: Record {
        Record(
            "write",
            at: timestamp,
            [
                "characteristic": .optional(attribute.characteristic?.description),
                "characteristic_name": .optional(attribute.characteristicName),
                "descriptor": .optional(attribute.descriptor?.description),
                "device": attribute.device.json,
                "handle": .integer(Int64(attribute.handle.rawValue)),
                "service": .optional(attribute.service?.description),
                "target": .string(attribute.target),
                "length": .integer(Int64(length)),
                "chunks": .integer(Int64(chunks)),
                "procedure": .string(procedure.rawValue),
                "verified": .optional(isVerified),
            ]
        )
    }

    /// `nil`: a successful write prints nothing, like other commands that change something.
    func text(_ style: TextStyle) -> String? { nil }
}

/// A decoded measurement of a profile.
struct MeasurementResult: CommandResult {
    /// The name of the profile on the command line.
    let profile: String
    /// The characteristic that the measurement came from.
    let attribute: AttributeReference
    /// The decoded value, with the numbers that were derived from earlier values.
    let presentation: ValuePresentation
    /// The number of the measurement in this run, from 1.
    let sequence: Int
    /// When the value arrived.
    let timestamp: Timestamp
    /// The name of the source in the line for people, if the profile has several.
    var label: String?
    /// The width of the labels in a table, whose lines contain no time; `nil` for a separate line.
    var labelWidth: Int?

    func write(to json: inout JSONWriter) {
        attribute.write(self, type: "measurement", profile: profile, isNumbered: true, to: &json)
    }

    /// Measurements come many times a second, so that their records are made from a template.
    var templateKey: RecordTemplateKey? { .measurement(attribute, profile: profile) }

    /// Writes one of the members that differ from one measurement of a characteristic to the next.
    func write(_ member: VaryingValueMember, to json: inout JSONWriter) {
        member.write(presentation, timestamp, sequence: sequence, to: &json)
    }

    /// The line for people: with the time for a measurement in a stream, with an aligned label in a table.
    func text(_ style: TextStyle) -> String? {
        if let label, let labelWidth {
            return "\(style.paint(TerminalText.padded(TerminalText.escaped(label), columns: labelWidth), .cyan))  "
                + presentation.text
        }
        let label = label.map { "\(style.paint(TerminalText.escaped($0), .cyan)): " } ?? ""
        return "\(style.paint(timestamp.wall.description, .faint))  \(label)\(presentation.text)"
    }
}
