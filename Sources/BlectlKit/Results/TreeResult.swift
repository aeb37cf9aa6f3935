// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// The position of a line in a tree, which determines the lines drawn before it.
struct TreeBranch: Sendable {
    private let ancestors: String
    private let isLast: Bool

    /// A branch at the root.
    init(isLast: Bool) { self.init("", isLast) }

    private init(_ ancestors: String, _ isLast: Bool) {
        self.ancestors = ancestors
        self.isLast = isLast
    }

    /// A branch below this one.
    func child(isLast: Bool) -> TreeBranch { TreeBranch(ancestors + (self.isLast ? "   " : "│  "), isLast) }

    var text: String { ancestors + (isLast ? "└─ " : "├─ ") }
}

/// One line of the tree that `inspect` prints.
struct TreeResult: RecordedResult {
    enum Node: Sendable {
        case service(GATTService)
        case include(GATTIncludedService)
        case characteristic(GATTCharacteristic, Value?)
        case descriptor(GATTDescriptor, Value?)
    }

    /// The outcome of reading a value.
    enum Value: Sendable {
        case read(ValuePresentation)
        case refused(ATTErrorCode)
        case failed(String)

        var error: String? {
            switch self {
            case .read: nil
            case .refused(let code): "ATT 0x\(Hex.string(code.rawValue, minimumDigits: 2)) \(code)"
            case .failed(let why): why
            }
        }

        var presentation: ValuePresentation? {
            if case .read(let presentation) = self { presentation } else { nil }
        }
    }

    let device: DeviceReference
    let node: Node
    let branch: TreeBranch
    let timestamp: Timestamp

    var record: Record {
        var members: [String: JSONValue] = ["device": device.json]
        let type: String
        switch node {
        case .service(let service):
            type = "service"
            members["uuid"] = .string(service.uuid.description)
            members["name"] = .optional(AssignedNumbers.name(ofService: service.uuid))
            members["handle"] = .integer(Int64(service.range.start.rawValue))
            members["end_handle"] = .integer(Int64(service.range.end.rawValue))
            members["primary"] = .bool(service.isPrimary)
        case .include(let include):
            type = "include"
            members["handle"] = .integer(Int64(include.handle.rawValue))
            members["uuid"] = .optional(include.uuid?.description)
            members["service_handle"] = .integer(Int64(include.range.start.rawValue))
            members["end_handle"] = .integer(Int64(include.range.end.rawValue))
        case .characteristic(let characteristic, let value):
            type = "characteristic"
            members["uuid"] = .string(characteristic.uuid.description)
            members["name"] = .optional(AssignedNumbers.name(ofCharacteristic: characteristic.uuid))
            members["handle"] = .integer(Int64(characteristic.declaration.rawValue))
            members["value_handle"] = .integer(Int64(characteristic.valueHandle.rawValue))
            members["properties"] = .array(characteristic.properties.names.map { .string($0) })
            members.merge(Self.members(of: value)) { first, _ in first }
        case .descriptor(let descriptor, let value):
            type = "descriptor"
            members["uuid"] = .string(descriptor.uuid.description)
            members["name"] = .optional(AssignedNumbers.name(ofDescriptor: descriptor.uuid))
            members["handle"] = .integer(Int64(descriptor.handle.rawValue))
            members.merge(Self.members(of: value)) { first, _ in first }
        }
        return Record(type, at: timestamp, members)
    }

    private static func members(of value: Value?) -> [String: JSONValue] {
        [
            "value": .optional((value?.presentation?.bytes).map { Hex.string($0) }),
            "text": .optional(value?.presentation?.decoded?.fullText),
            "error": .optional(value?.error),
        ]
    }

    func text(_ style: TextStyle) -> String? {
        switch node {
        case .service(let service):
            let kind = service.isPrimary ? "service" : "secondary service"
            let name = AssignedNumbers.name(ofService: service.uuid)
            return
                "\(branch.text)\(kind) \(Self.label(service.uuid, name, style))  \(style.paint(service.range.description, .faint))"
        case .include(let include):
            let name = include.uuid.flatMap { AssignedNumbers.name(ofService: $0) }
            let label = include.uuid.map { Self.label($0, name, style) } ?? "a service"
            return "\(branch.text)includes \(label)  \(style.paint(include.range.description, .faint))"
        case .characteristic(let characteristic, let value):
            let name = AssignedNumbers.name(ofCharacteristic: characteristic.uuid)
            let handle = style.paint(characteristic.valueHandle.description, .faint)
            return
                "\(branch.text)\(Self.label(characteristic.uuid, name, style))  \(handle)  [\(characteristic.properties)]"
                + Self.text(value, style)
        case .descriptor(let descriptor, let value):
            let name = AssignedNumbers.name(ofDescriptor: descriptor.uuid)
            let handle = style.paint(descriptor.handle.description, .faint)
            return "\(branch.text)\(Self.label(descriptor.uuid, name, style))  \(handle)" + Self.text(value, style)
        }
    }

    private static func label(_ uuid: BluetoothUUID, _ name: String?, _ style: TextStyle) -> String {
        guard let name else { return style.paint(uuid.description, .cyan) }
        return "\(style.paint(name, .cyan)) (\(uuid))"
    }

    private static func text(_ value: Value?, _ style: TextStyle) -> String {
        switch value {
        case nil: ""
        case .read(let presentation): "  = \(presentation.text)"
        case .refused, .failed: "  = " + style.paint(value?.error ?? "", .yellow)
        }
    }
}
