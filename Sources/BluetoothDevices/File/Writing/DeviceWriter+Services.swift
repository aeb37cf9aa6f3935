// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceWriter {
    /// A service with its characteristics. Handles stand there only if the definition fixes them.
    func service(_ service: DeviceService) -> JSONNode {
        .object([
            "uuid": Self.uuid(service.uuid, .service),
            "primary": service.isPrimary ? nil : .bool(false),
            "label": service.label.map { .string($0) },
            "includes": service.includes.isEmpty ? nil : .strings(service.includes),
            "characteristics": service.characteristics.isEmpty
                ? nil : .array(service.characteristics.map(characteristic)),
            "handle": Self.handle(service.handle),
        ])
    }

    /// A characteristic. A User Description and a Presentation Format in their usual places become members of
    /// their own.
    private func characteristic(_ characteristic: DeviceCharacteristic) -> JSONNode {
        let uuid = characteristic.uuid
        let stream = characteristic.stream
        let extended = DeviceWords.extendedProperties.enumerated()
            .filter { characteristic.extendedProperties.contains(.init(rawValue: 1 << UInt16($0.offset))) }
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
        return .object([
            "uuid": Self.uuid(uuid, .characteristic),
            "label": characteristic.label.map { .string($0) },
            "properties": characteristic.properties.isEmpty ? nil : .strings(characteristic.properties.names),
            "extended_properties": extended.isEmpty ? nil : .strings(extended.map(\.element)),
            "permissions": characteristic.permissions.map {
                permissions($0, default: AttributePermissions(for: characteristic.properties))
            },
            "subscription": characteristic.subscription.isPlain ? nil : requirement(characteristic.subscription),
            "value": characteristic.value.map { value($0, of: uuid) },
            "lengths": characteristic.lengths.map { Self.lengths($0) },
            "every": stream?.period.map(period),
            "only_changes": stream?.onlyChanges == true ? .bool(true) : nil,
            "while": stream.flatMap { conditions($0.conditions) },
            "idle": stream?.idleValue.map { octets($0, of: uuid) },
            "on_read": onRead(characteristic.onRead),
            "on_write": characteristic.onWrite.isEmpty
                ? nil : .array(characteristic.onWrite.map { rule($0, of: uuid) }),
            "description": description,
            "format": format,
            "descriptors": descriptors.isEmpty ? nil : .array(descriptors.map(descriptor)),
            "declaration_handle": Self.handle(characteristic.handle),
            "value_handle": Self.handle(characteristic.valueHandle),
        ])
    }

    /// How a read is answered; `nil` if with the value.
    private func onRead(_ response: DeviceCharacteristic.ReadResponse) -> JSONNode? {
        switch response {
        case .value: nil
        case .silence: .string("silence")
        case .refuse(let code): .object(["error": .string(FileName.text(of: code))])
        }
    }

    /// The time between two values.
    private func period(_ period: DeviceStream.Period) -> JSONNode {
        switch period {
        case .fixed(let duration): Self.time(duration)
        case .value(let other, let unit): .object(["value_of": reference(other), "unit": Self.time(unit)])
        }
    }

    /// The only condition, or a list of several.
    private func conditions(_ conditions: [DeviceStream.Condition]) -> JSONNode? {
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

    // MARK: - References

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

    // MARK: - Access

    /// The permissions that differ from the default.
    private func permissions(_ permissions: AttributePermissions, default byDefault: AttributePermissions) -> JSONNode {
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
    private func requirement(_ requirement: AccessRequirement) -> JSONNode {
        var words: [String] = []
        if requirement.authentication { words.append("authenticated") }
        if requirement.encryption, !requirement.authentication { words.append("encrypted") }
        if requirement.authorization { words.append("authorized") }
        return words.isEmpty ? .string("open") : words.count == 1 ? .string(words[0]) : .strings(words)
    }

    // MARK: - Descriptors

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

    /// A descriptor of the list.
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

extension AccessRequirement {
    /// Whether nothing is required.
    fileprivate var isPlain: Bool { self == .open }
}
