// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Synchronization

/// The attribute of a value: the target as it was typed, and the known types behind it.
///
/// It is a class, because a session creates one for each attribute and hands it to thousands of results.
final class AttributeReference: Hashable, Sendable {
    let device: DeviceReference
    let target: String
    let handle: Handle
    let service: BluetoothUUID?
    let characteristic: BluetoothUUID?
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
        decode = descriptor == nil ? ofType ?? ofDevice : nil
    }

    static func == (left: AttributeReference, right: AttributeReference) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The type of the attribute, if it is known.
    var uuid: BluetoothUUID? { descriptor ?? characteristic }
}

/// The attributes of a session, each looked up once: a device may send thousands of values a second.
final class AttributeReferences: Sendable {
    private struct Key: Hashable {
        let target: String
        let handle: Handle
    }

    /// A device has no more handles, and a command few targets.
    private static let limit = 1_024

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
        case read
        case notification(sequence: Int)
        case indication(sequence: Int)

        var recordType: String {
            switch self {
            case .read: "value"
            case .notification: "notification"
            case .indication: "indication"
            }
        }

        var sequence: Int? {
            switch self {
            case .read: nil
            case .notification(let sequence), .indication(let sequence): sequence
            }
        }
    }

    let attribute: AttributeReference
    let presentation: ValuePresentation
    let origin: Origin
    let timestamp: Timestamp
    /// Whether the line for people names the target.
    let isLabelled: Bool

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.key("characteristic")
            json.string(attribute.characteristic?.description)
            json.key("characteristic_name")
            json.string(attribute.characteristicName)
            json.key("decoded")
            json.varying(.decoded, of: self)
            json.key("decoding_error")
            json.varying(.fault, of: self)
            json.key("descriptor")
            json.string(attribute.descriptor?.description)
            json.key("device")
            json.value(attribute.device)
            json.key("handle")
            json.integer(attribute.handle.rawValue)
            json.key("length")
            json.varying(.length, of: self)
            json.key("monotonic_ns")
            json.varying(.monotonic, of: self)
            if origin != .read {
                json.key("sequence")
                json.varying(.sequence, of: self)
            }
            json.key("service")
            json.string(attribute.service?.description)
            json.key("target")
            json.string(attribute.target)
            json.key("text")
            json.varying(.text, of: self)
            json.key("time")
            json.varying(.time, of: self)
            json.key("type")
            json.string(origin.recordType)
            json.key("value")
            json.varying(.value, of: self)
        }
    }

    /// Values that were read come one at a time.
    var templateKey: RecordTemplateKey? {
        switch origin {
        case .read: nil
        case .notification: .notification(attribute)
        case .indication: .indication(attribute)
        }
    }

    enum VaryingMember: Int {
        case decoded
        case fault
        case length
        case monotonic
        case sequence
        case text
        case time
        case value
    }

    func write(_ member: VaryingMember, to json: inout JSONWriter) {
        switch member {
        case .decoded: json.value(presentation.decoded?.content ?? .null)
        case .fault: json.value(presentation.decoded?.faultContent ?? .null)
        case .length: json.integer(presentation.bytes.count)
        case .monotonic: json.integer(timestamp.monotonic.nanoseconds)
        case .sequence: json.integer(origin.sequence)
        case .text: json.string(presentation.decoded?.fullText)
        case .time: json.time(timestamp.wall)
        case .value: json.hex(presentation.bytes)
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

/// A value that was written.
struct WriteResult: RecordedResult {
    /// The procedure that wrote the value.
    enum Procedure: String, Sendable {
        case writeRequest = "write-request"
        case writeCommand = "write-command"
        case longWrite = "long-write"
        case reliableWrite = "reliable-write"
        case signedWriteCommand = "signed-write-command"
    }

    let attribute: AttributeReference
    let length: Int
    /// The number of pieces, each of them a value of its own.
    let chunks: Int
    let procedure: Procedure
    let isVerified: Bool?
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

    // A successful write prints nothing, like other commands of a shell that change something.
    func text(_ style: TextStyle) -> String? { nil }
}

/// A decoded measurement of a profile.
struct MeasurementResult: CommandResult {
    let profile: String
    let attribute: AttributeReference
    let presentation: ValuePresentation
    let sequence: Int
    let timestamp: Timestamp
    /// The name of the source in the line for people, if the profile has several.
    var label: String?
    /// The width of the labels of a table, in whose lines there is no time; `nil` for a line of its own.
    var labelWidth: Int?

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.key("characteristic")
            json.string(attribute.characteristic?.description)
            json.key("characteristic_name")
            json.string(attribute.characteristicName)
            json.key("decoded")
            json.varying(.decoded, of: self)
            json.key("decoding_error")
            json.varying(.fault, of: self)
            json.key("descriptor")
            json.string(attribute.descriptor?.description)
            json.key("device")
            json.value(attribute.device)
            json.key("handle")
            json.integer(attribute.handle.rawValue)
            json.key("length")
            json.varying(.length, of: self)
            json.key("monotonic_ns")
            json.varying(.monotonic, of: self)
            json.key("profile")
            json.string(profile)
            json.key("sequence")
            json.varying(.sequence, of: self)
            json.key("service")
            json.string(attribute.service?.description)
            json.key("text")
            json.varying(.text, of: self)
            json.key("time")
            json.varying(.time, of: self)
            json.key("type")
            json.string("measurement")
            json.key("value")
            json.varying(.value, of: self)
        }
    }

    var templateKey: RecordTemplateKey? { .measurement(attribute, profile: profile) }

    enum VaryingMember: Int {
        case decoded
        case fault
        case length
        case monotonic
        case sequence
        case text
        case time
        case value
    }

    func write(_ member: VaryingMember, to json: inout JSONWriter) {
        switch member {
        case .decoded: json.value(presentation.decoded?.content ?? .null)
        case .fault: json.value(presentation.decoded?.faultContent ?? .null)
        case .length: json.integer(presentation.bytes.count)
        case .monotonic: json.integer(timestamp.monotonic.nanoseconds)
        case .sequence: json.integer(sequence)
        case .text: json.string(presentation.decoded?.fullText)
        case .time: json.time(timestamp.wall)
        case .value: json.hex(presentation.bytes)
        }
    }

    func text(_ style: TextStyle) -> String? {
        if let label, let labelWidth {
            return "\(style.paint(TerminalText.padded(TerminalText.escaped(label), columns: labelWidth), .cyan))  "
                + presentation.text
        }
        let label = label.map { "\(style.paint(TerminalText.escaped($0), .cyan)): " } ?? ""
        return "\(style.paint(timestamp.wall.description, .faint))  \(label)\(presentation.text)"
    }
}
