// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Records
import Terminal
import Toolkit

/// The position of a line in a tree, which determines the lines drawn before it.
struct TreeBranch: Sendable {
    /// Whether each of the nodes above is the last one of its parent.
    private let ancestors: [Bool]
    /// Whether the node is the last one of its parent, so that no line goes on below it.
    private let isLast: Bool

    /// A branch at the root.
    init(isLast: Bool) { self.init([], isLast: isLast) }

    private init(_ ancestors: [Bool], isLast: Bool) {
        self.ancestors = ancestors
        self.isLast = isLast
    }

    func child(isLast: Bool) -> TreeBranch { TreeBranch(ancestors + [self.isLast], isLast: isLast) }

    /// The lines before the text, drawn with characters.
    func text(_ glyphs: Glyphs) -> String {
        ancestors.map { $0 ? "   " : glyphs.tree.past }.joined() + (isLast ? glyphs.tree.last : glyphs.tree.branch)
    }

    /// The columns of `text`.
    var width: Int { 3 * (ancestors.count + 1) }
}

/// One line of the tree that `inspect` prints.
struct TreeResult: CommandResult {
    /// The attribute of the line. Characteristics and descriptors have the outcome of a read, or `nil` if values are
    /// not read.
    enum Node: Sendable {
        case service
        case include(GATTIncludedService)
        case characteristic(GATTCharacteristic, Value?)
        case descriptor(GATTDescriptor, of: GATTCharacteristic, Value?)
    }

    enum Value: Sendable {
        /// The value, decoded if its format is known.
        case read(ValuePresentation)
        /// The device has refused with this error, which is a property of the attribute. The service may have a name for
        /// it.
        case refused(ATTErrorCode, name: String? = nil)
        /// No value has come, for a reason in words.
        case failed(String)

        /// The error that the device has answered with; `nil` if it has not refused.
        var attError: ATTErrorCode? {
            if case .refused(let code, _) = self { code } else { nil }
        }

        var attErrorName: String? {
            if case .refused(let code, let name) = self { name ?? code.description } else { nil }
        }

        /// The reason for a missing value; `nil` if there is a value.
        var error: String? {
            switch self {
            case .read: nil
            case .refused(let code, let name):
                "ATT 0x\(Hex.string(code.rawValue, minimumDigits: 2)) \(name ?? code.description)"
            case .failed(let why): why
            }
        }

        /// The value; `nil` if it could not be read.
        var presentation: ValuePresentation? {
            if case .read(let presentation) = self { presentation } else { nil }
        }
    }

    let device: DeviceReference
    /// The service that the node is, or is in.
    let service: GATTService
    let node: Node
    let branch: TreeBranch
    /// The names of services and characteristics.
    var formats = FormatCatalogue.assigned
    var layout = TreeLayout()
    /// When the line was made, which for a value is after its read.
    let timestamp: Timestamp

    static let service = RecordKind<Self>("service", "a service") {
        place
        RecordField("uuid", .uuid, "service") { $0.service.uuid }
        RecordField("name", orNull: .string, "its assigned name") { $0.formats.name(ofService: $0.service.uuid) }
        RecordField("handle", .integer, "its handle") { $0.service.range.start.rawValue }
        RecordField("end_handle", .integer, "last handle of the service") { $0.service.range.end.rawValue }
        RecordField("primary", .boolean, "whether it is a primary service") { $0.service.isPrimary }
    }

    static let include = RecordKind<Self>("include", "a service that another one includes") {
        place
        RecordField("handle", .integer, "its handle") { $0.included?.handle.rawValue ?? 0 }
        RecordField("uuid", orNull: .uuid, "included service; null if the device does not tell it") {
            $0.included?.uuid
        }
        RecordField("name", orNull: .string, "its assigned name") { result in
            result.included?.uuid.flatMap { result.formats.name(ofService: $0) }
        }
        RecordField("included_handle", .integer, "first handle of the included service") {
            $0.included?.range.start.rawValue ?? 0
        }
        RecordField("included_end_handle", .integer, "its last handle") { $0.included?.range.end.rawValue ?? 0 }
    }

    static let characteristic = RecordKind<Self>("characteristic", "a characteristic") {
        place
        placeOfCharacteristic
        RecordField("uuid", orNull: .uuid, "characteristic") { $0.characteristic?.uuid }.neverNull
        RecordField("name", orNull: .string, "its assigned name") { $0.characteristicName }
        RecordField("handle", .integer, "handle of its value, as in the records of `read`") {
            $0.characteristic?.valueHandle.rawValue ?? 0
        }
        RecordField("declaration_handle", .integer, "handle of its declaration") {
            $0.characteristic?.declaration.rawValue ?? 0
        }
        RecordField("properties", .array(of: .string), "what can be done with it") {
            $0.characteristic?.properties.names ?? []
        }
        Value.record.of { $0.value }
    }

    static let descriptor = RecordKind<Self>("descriptor", "a descriptor") {
        place
        placeOfCharacteristic
        RecordField("descriptor", orNull: .uuid, "descriptor") { $0.descriptor?.uuid }.neverNull
        RecordField("uuid", orNull: .uuid, "descriptor") { $0.descriptor?.uuid }.neverNull
        RecordField("name", orNull: .string, "its assigned name") {
            $0.descriptor.flatMap { AssignedNumbers.name(ofDescriptor: $0.uuid) }
        }
        RecordField("handle", .integer, "its handle") { $0.descriptor?.handle.rawValue ?? 0 }
        Value.record.of { $0.value }
    }

    static let schemas = [service.schema, include.schema, characteristic.schema, descriptor.schema]

    var recordKind: RecordKind<Self> {
        switch node {
        case .service: Self.service
        case .include: Self.include
        case .characteristic: Self.characteristic
        case .descriptor: Self.descriptor
        }
    }

    @FieldBuilder<TreeResult>
    private static var place: [RecordField<TreeResult>] {
        RecordField.device { $0.device }
        RecordField("service", .uuid, "service that it is, or is in") { $0.service.uuid }
        RecordField("service_handle", .integer, "first handle of that service") {
            $0.service.range.start.rawValue
        }
    }

    @FieldBuilder<TreeResult>
    private static var placeOfCharacteristic: [RecordField<TreeResult>] {
        RecordField("characteristic", orNull: .uuid, "characteristic that it is, or is under") {
            $0.characteristic?.uuid
        }.neverNull
        RecordField("characteristic_name", orNull: .string, "assigned name of that characteristic") {
            $0.characteristicName
        }
        RecordField("value_handle", .integer, "handle of the value of that characteristic") {
            $0.characteristic?.valueHandle.rawValue ?? 0
        }
    }

    private var included: GATTIncludedService? { if case .include(let include) = node { include } else { nil } }

    private var descriptor: GATTDescriptor? {
        if case .descriptor(let descriptor, _, _) = node { descriptor } else { nil }
    }

    /// The characteristic that the record is about, or under which its descriptor is.
    private var characteristic: GATTCharacteristic? {
        switch node {
        case .characteristic(let characteristic, _), .descriptor(_, let characteristic, _): characteristic
        case .service, .include: nil
        }
    }

    private var characteristicName: String? { characteristic.flatMap { formats.name(ofCharacteristic: $0.uuid) } }

    private var value: Value? {
        switch node {
        case .characteristic(_, let value), .descriptor(_, _, let value): value
        case .service, .include: nil
        }
    }
}

extension TreeResult.Value {
    /// The fields of a value. All of them are there in any case, so that records of one type have the same keys.
    @FieldBuilder<TreeResult.Value?>
    fileprivate static var record: [RecordField<TreeResult.Value?>] {
        RecordField("value", orNull: .hex, "bytes, if they were read") { $0?.presentation?.bytes }
        RecordField("length", orNull: .integer("bytes"), "their number") { $0?.presentation?.bytes.count }
        ValuePresentation.meaning.of { $0?.presentation }
        RecordField("error", orNull: .string, "why they could not be read") { $0?.error }
        RecordField("att_error", orNull: .integer, "ATT error code of the answer") {
            $0?.attError?.rawValue
        }
        RecordField("att_error_name", orNull: .string, "its name") { $0?.attErrorName }
    }
}
