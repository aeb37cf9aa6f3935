// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceWriter {
    /// The descriptors of a characteristic. A User Description and a Presentation Format in their usual places are
    /// members of their own.
    func descriptors(
        of characteristic: DeviceCharacteristic
    ) -> (description: JSONNode?, format: JSONNode?, others: JSONNode?) {
        var descriptors = characteristic.descriptors[...]
        var description: JSONNode?
        if let first = descriptors.first, case .fixed(let octets) = first.value,
            let text = String(validating: octets, as: UTF8.self), first == .userDescription(text)
        {
            description = .string(text)
            descriptors.removeFirst()
        }
        let format = descriptors.first.flatMap { presentationFormat($0) }
        if format != nil { descriptors.removeFirst() }
        return (description, format, descriptors.isEmpty ? nil : .array(descriptors.map(descriptor)))
    }

    func period(_ period: DeviceStream.Period) -> JSONNode {
        switch period {
        case .fixed(let duration): Self.time(duration)
        case .value(let other, let unit): .object(["value_of": reference(other), "unit": Self.time(unit)])
        }
    }

    /// The only condition, or a list of several.
    func conditions(_ conditions: [DeviceStream.Condition]) -> JSONNode? {
        let nodes = conditions.map { condition in
            JSONNode.object([
                "characteristic": reference(condition.characteristic),
                "is": octets(condition.value, of: uuid(of: condition.characteristic)),
            ])
        }
        return nodes.isEmpty ? nil : nodes.count == 1 ? nodes[0] : .array(nodes)
    }

    /// One length, or the shortest and the longest.
    static func lengths(_ range: ClosedRange<Int>) -> JSONNode {
        range.count == 1
            ? .number(range.lowerBound) : .array([.number(range.lowerBound), .number(range.upperBound)])
    }

    /// A characteristic by its label, or by its name and that of its service.
    func reference(_ reference: CharacteristicReference) -> JSONNode {
        switch reference {
        case .label(let label): return .string(label)
        case .uuid(let uuid, let service):
            let before = service.map { FileName.text(of: $0, .service) + "/" } ?? ""
            let text = before + FileName.text(of: uuid, .characteristic)
            // A label counts before a name.
            return .string(labels[text] == nil ? text : before + uuid.description)
        }
    }

    /// The UUID of a characteristic, whose format values need.
    func uuid(of reference: CharacteristicReference) -> BluetoothUUID? {
        switch reference {
        case .label(let label): labels[label]
        case .uuid(let uuid, _): uuid
        }
    }

    func permissions(_ permissions: AttributePermissions, default byDefault: AttributePermissions) -> JSONNode {
        // The file has one key size for both accesses: the larger one. 7 octets are the smallest key of LE.
        let keySize = [permissions.read, permissions.write].compactMap { $0?.minimumKeySize }.max() ?? 7
        func access(_ requirement: AccessRequirement?, _ byDefault: AccessRequirement?) -> JSONNode? {
            var usual = byDefault
            // The key size is a separate member, so it is ignored here.
            usual?.minimumKeySize = keySize
            if requirement == usual { return nil }
            return requirement.map { self.requirement($0) } ?? .string("none")
        }
        return .object([
            "read": access(permissions.read, byDefault.read),
            "write": access(permissions.write, byDefault.write),
            "key_size": keySize == 7 ? nil : .number(keySize),
        ])
    }

    /// A requirement as one word or as a list. Authentication implies encryption.
    func requirement(_ requirement: AccessRequirement) -> JSONNode {
        var words: [String] = []
        if requirement.authentication { words.append("authenticated") }
        if requirement.encryption, !requirement.authentication { words.append("encrypted") }
        if requirement.authorization { words.append("authorized") }
        return words.isEmpty ? .string("open") : words.count == 1 ? .string(words[0]) : .strings(words)
    }

    /// A Presentation Format as a member; `nil` if the descriptor is none, or one that the reader would make
    /// otherwise.
    private func presentationFormat(_ descriptor: DescriptorDefinition) -> JSONNode? {
        guard case .fixed(let octets) = descriptor.value, octets.count == 7, octets[0] >= 1, octets[0] <= 0x1C else {
            return nil
        }
        let exponent = Int8(bitPattern: octets[1])
        let unit = UInt16(octets[2]) | UInt16(octets[3]) << 8
        let number = UInt16(octets[5]) | UInt16(octets[6]) << 8
        let same = DescriptorDefinition.presentationFormat(
            format: octets[0],
            exponent: exponent,
            unit: unit,
            namespace: octets[4],
            description: number
        )
        // The assigned units are in this block. A descriptor with any other number keeps its octets.
        guard descriptor == same, (0x2700...0x27FF).contains(unit) else { return nil }
        return .object([
            "format": .string(PresentationFormat.Format(rawValue: octets[0]).description),
            "exponent": Self.unless(0, exponent) { .number($0) },
            "unit": Self.unless(0x2700, unit) { .string(FileName.text(ofUnit: $0)) },
            "namespace": Self.unless(1, octets[4]) { .number($0) },
            "description": Self.unless(0, number) { .number($0) },
        ])
    }

    private func descriptor(_ descriptor: DescriptorDefinition) -> JSONNode {
        var value: JSONNode?
        var lengths: JSONNode?
        var byDefault = AttributePermissions.readOnly
        switch descriptor.value {
        case .fixed(let octets): value = octets.isEmpty ? nil : self.octets(octets, of: descriptor.uuid)
        case .stored(let octets, let range):
            value = octets.isEmpty ? nil : self.octets(octets, of: descriptor.uuid)
            lengths = Self.unless(0...GATTLimits.maximumValueLength, range, Self.lengths)
        case .clientConfiguration: byDefault = .readWrite
        case .handler, .clientSupportedFeatures, .databaseHash: break
        }
        return .object([
            "uuid": Self.uuid(descriptor.uuid, .descriptor),
            "value": value,
            "permissions": Self.unless(byDefault, descriptor.permissions) { permissions($0, default: .readOnly) },
            "lengths": lengths,
            "handle": Self.handle(descriptor.handle),
        ])
    }
}
