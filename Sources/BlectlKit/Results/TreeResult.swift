// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// The position of a line in a tree, which determines the lines drawn before it.
struct TreeBranch: Sendable {
    /// Whether each of the nodes above is the last one of its parent.
    private let ancestors: [Bool]
    /// Whether the node is the last one of its parent, so that no line goes on below it.
    private let isLast: Bool

    /// A branch at the root.
    init(isLast: Bool) { self.init([], isLast: isLast) }

    /// A branch below the given ones.
    private init(_ ancestors: [Bool], isLast: Bool) {
        self.ancestors = ancestors
        self.isLast = isLast
    }

    /// A branch below this one.
    func child(isLast: Bool) -> TreeBranch { TreeBranch(ancestors + [self.isLast], isLast: isLast) }

    /// The lines before the text, drawn with characters.
    func text(_ glyphs: Glyphs) -> String {
        ancestors.map { $0 ? "   " : glyphs.tree.past }.joined() + (isLast ? glyphs.tree.last : glyphs.tree.branch)
    }

    /// The columns of `text`.
    var width: Int { 3 * (ancestors.count + 1) }
}

/// One line of the tree that `inspect` prints.
struct TreeResult: RecordedResult {
    /// The attribute of the line. Characteristics and descriptors have the outcome of a read, or `nil` if values are
    /// not read.
    enum Node: Sendable {
        /// The service itself.
        case service
        /// An inclusion of another service.
        case include(GATTIncludedService)
        /// A characteristic, with its value if that was read.
        case characteristic(GATTCharacteristic, Value?)
        /// A descriptor, with the characteristic that it describes.
        case descriptor(GATTDescriptor, of: GATTCharacteristic, Value?)
    }

    /// The outcome of reading a value.
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

        /// The name of that error.
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
    /// The attribute of the line.
    let node: Node
    /// Where in the tree the line stands.
    let branch: TreeBranch
    /// The names of services and characteristics.
    var formats = FormatCatalogue.assigned
    /// The columns of the tree as text.
    var layout = TreeLayout()
    /// When the line was made, which for a value is after its read.
    let timestamp: Timestamp

    /// The record of the node. Its type is the kind of node, and its members name the service and the
    /// characteristic that it is in.
    var record: Record {
        var members: [String: JSONValue] = [
            "device": device.json,
            "service": .string(service.uuid.description),
            "service_handle": .integer(Int64(service.range.start.rawValue)),
        ]
        let type: String
        switch node {
        case .service:
            type = "service"
            members["uuid"] = .string(service.uuid.description)
            members["name"] = .optional(formats.name(ofService: service.uuid))
            members["handle"] = .integer(Int64(service.range.start.rawValue))
            members["end_handle"] = .integer(Int64(service.range.end.rawValue))
            members["primary"] = .bool(service.isPrimary)
        case .include(let include):
            type = "include"
            members["handle"] = .integer(Int64(include.handle.rawValue))
            members["uuid"] = .optional(include.uuid?.description)
            members["name"] = .optional(include.uuid.flatMap { formats.name(ofService: $0) })
            members["included_handle"] = .integer(Int64(include.range.start.rawValue))
            members["included_end_handle"] = .integer(Int64(include.range.end.rawValue))
        case .characteristic(let characteristic, let value):
            type = "characteristic"
            members["uuid"] = .string(characteristic.uuid.description)
            members["name"] = .optional(formats.name(ofCharacteristic: characteristic.uuid))
            // `handle` is the attribute to read and to write, in every record.
            members["handle"] = .integer(Int64(characteristic.valueHandle.rawValue))
            members["declaration_handle"] = .integer(Int64(characteristic.declaration.rawValue))
            members["properties"] = .array(characteristic.properties.names.map { .string($0) })
            members.merge(self.members(of: characteristic)) { first, _ in first }
            members.merge(Self.members(of: value)) { first, _ in first }
        case .descriptor(let descriptor, let characteristic, let value):
            type = "descriptor"
            members["uuid"] = .string(descriptor.uuid.description)
            members["name"] = .optional(AssignedNumbers.name(ofDescriptor: descriptor.uuid))
            members["handle"] = .integer(Int64(descriptor.handle.rawValue))
            members["descriptor"] = .string(descriptor.uuid.description)
            members.merge(self.members(of: characteristic)) { first, _ in first }
            members.merge(Self.members(of: value)) { first, _ in first }
        }
        return Record(type, at: timestamp, members)
    }

    /// The characteristic that a record is about, or under which its descriptor is.
    private func members(of characteristic: GATTCharacteristic) -> [String: JSONValue] {
        [
            "characteristic": .string(characteristic.uuid.description),
            "characteristic_name": .optional(formats.name(ofCharacteristic: characteristic.uuid)),
            "value_handle": .integer(Int64(characteristic.valueHandle.rawValue)),
        ]
    }

    /// The members of a value. All of them are there in any case, so that records of one type have the same
    /// keys.
    private static func members(of value: Value?) -> [String: JSONValue] {
        let presentation = value?.presentation
        return [
            "value": .optional((presentation?.bytes).map { Hex.string($0) }),
            "length": .optional(presentation?.bytes.count),
            "text": .optional(presentation?.decoded?.fullText),
            "decoded": (presentation?.decoded?.content).map { JSONValue($0) } ?? .null,
            "decoding_error": (presentation?.decoded?.faultContent).map { JSONValue($0) } ?? .null,
            "error": .optional(value?.error),
            "att_error": .optional(value?.attError?.rawValue),
            "att_error_name": .optional(value?.attErrorName),
        ]
    }
}
