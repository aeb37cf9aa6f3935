// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceBuilder {
    /// The services of a database. Includes are resolved last, because a service may include a later one.
    mutating func services(_ list: JSONCursor) -> [DeviceService] {
        var services: [DeviceService] = []
        var cursors: [JSONCursor] = []
        for cursor in list.elements ?? [] {
            guard let service = DeviceSchema.service.form.read(cursor, &self) else { continue }
            services.append(service)
            cursors.append(cursor)
        }
        checkLabels(of: cursors)
        let labels = Set(services.map { $0.label ?? $0.uuid.description })
        for (index, cursor) in cursors.enumerated() {
            services[index].includes = []
            for include in cursor["includes"]?.elements ?? [] {
                if let label = self.include(include, labels) { services[index].includes.append(label) }
            }
        }
        return services
    }

    /// Two characteristics of a database with one label are a fault: a rule would be of the first one, and its author may mean the
    /// other one.
    private mutating func checkLabels(of services: [JSONCursor]) {
        var labels: Set<String> = []
        for characteristic in services.flatMap({ $0["characteristics"]?.elements ?? [] }) {
            guard let cursor = characteristic["label"], let label = cursor.string, !labels.insert(label).inserted else {
                continue
            }
            faults.add(cursor, "another characteristic has the label '\(label.shortened)'")
        }
    }

    /// The label of an included service, which may also be named by its UUID or assigned name.
    private mutating func include(_ cursor: JSONCursor, _ labels: Set<String>) -> String? {
        guard let text = cursor.string else { return nil }
        if labels.contains(text) { return text }
        if let uuid = uuid(cursor, .service)?.description, labels.contains(uuid) { return uuid }
        let hint = FileName.hint(text, among: labels.sorted())
        faults.add(cursor, "no service beside this one has the label or the UUID '\(text.shortened)'" + hint)
        return nil
    }

    // MARK: - Access

    /// The permissions that differ from those of the properties. A key size applies to both directions.
    func permissions(_ cursor: JSONCursor, default byDefault: AttributePermissions) -> AttributePermissions {
        var permissions = byDefault
        // The smallest key of LE has 7 octets: Core 5.4, Vol 3, Part H, 2.3.4.
        let keySize: UInt8 = integer(cursor["key_size"]) ?? 7
        if let read = cursor["read"] { permissions.read = requirement(read, keySize: keySize) }
        if let write = cursor["write"] { permissions.write = requirement(write, keySize: keySize) }
        if cursor["read"] == nil { permissions.read?.minimumKeySize = keySize }
        if cursor["write"] == nil { permissions.write?.minimumKeySize = keySize }
        return permissions
    }

    /// `nil` if access is not permitted.
    func requirement(_ cursor: JSONCursor, keySize: UInt8) -> AccessRequirement? {
        var requirement = AccessRequirement(minimumKeySize: keySize)
        for word in cursor.list {
            switch word.string {
            case "encrypted": requirement.encryption = true
            case "authenticated":
                requirement.encryption = true
                requirement.authentication = true
            case "authorized": requirement.authorization = true
            case "none": return nil
            default: break
            }
        }
        return requirement
    }

    /// The number of octets, or the smallest and the largest number.
    mutating func lengths(_ cursor: JSONCursor) -> ClosedRange<Int>? {
        if let length: Int = integer(cursor) { return length...length }
        guard let bounds = cursor.elements, bounds.count == 2, let low: Int = integer(bounds[0]),
            let high: Int = integer(bounds[1])
        else { return nil }
        guard low <= high else {
            faults.add(cursor, "the first length, \(low), is greater than the second one, \(high)")
            return nil
        }
        return low...high
    }

    // MARK: - Descriptors

    /// The descriptors: those with members of their own first, and then those of the list.
    mutating func descriptors(_ characteristic: JSONCursor) -> [DescriptorDefinition] {
        var descriptors: [DescriptorDefinition] = []
        if let text = characteristic["description"]?.string { descriptors.append(.userDescription(text)) }
        if let format = characteristic["format"], let type = format["format"]?.string {
            descriptors.append(
                .presentationFormat(
                    format: FileName.presentationFormat(type) ?? 0,
                    exponent: integer(format["exponent"]) ?? 0,
                    // 0x2700 is "unitless", and namespace 1 is the Bluetooth SIG.
                    unit: format["unit"]?.string.flatMap { FileName.unit($0) } ?? 0x2700,
                    namespace: numeral(format["namespace"]) ?? 1,
                    description: numeral(format["description"]) ?? 0
                )
            )
        }
        for cursor in characteristic["descriptors"]?.elements ?? [] {
            if let descriptor = descriptor(cursor) { descriptors.append(descriptor) }
        }
        return descriptors
    }

    /// A descriptor of the list. It can be written only if its permissions say so.
    private mutating func descriptor(_ cursor: JSONCursor) -> DescriptorDefinition? {
        guard let uuid = uuid(cursor["uuid"], .descriptor) else { return nil }
        let handle = handle(cursor["handle"])
        let permissions = cursor["permissions"].map { self.permissions($0, default: .readOnly) }
        if uuid == .clientCharacteristicConfiguration {
            if let value = cursor["value"] { faults.add(value, "a client sets the value of this descriptor") }
            return DescriptorDefinition(
                uuid,
                // The builder of the database enters the characteristic and what it supports.
                value: .clientConfiguration(of: .invalid, supported: []),
                permissions: permissions ?? .readWrite,
                handle: handle
            )
        }
        let value = cursor["value"].flatMap { constant($0, of: uuid) } ?? []
        let lengths = cursor["lengths"].flatMap { self.lengths($0) } ?? 0...GATTLimits.maximumValueLength
        let isWritable = permissions?.write != nil
        if let lengths = cursor["lengths"], !isWritable {
            faults.add(lengths, "a descriptor has lengths only if it can be written; add its permissions")
        }
        return DescriptorDefinition(
            uuid,
            value: isWritable ? .stored(value, lengths: lengths) : .fixed(value),
            permissions: permissions ?? .readOnly,
            handle: handle
        )
    }

    // MARK: - Sending

    /// The stream of the value; `nil` if there is none.
    mutating func stream(_ cursor: JSONCursor, _ characteristic: DeviceCharacteristic) -> DeviceStream? {
        let members = ["only_changes", "while", "idle"].compactMap { cursor[$0] }
        let isReplay = if case .replay? = characteristic.value { true } else { false }
        let period = cursor["every"].flatMap { self.period($0) }
        guard cursor["every"] != nil || isReplay else {
            for member in members {
                faults.add(member, "the characteristic never sends a value unprompted: add 'every'")
            }
            return nil
        }
        if let every = cursor["every"], characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
            faults.add(every, "no client can subscribe: the properties contain neither 'notify' nor 'indicate'")
        }
        var stream = DeviceStream(every: period, onlyChanges: cursor["only_changes"]?.bool ?? false)
        for condition in cursor["while"]?.list ?? [] {
            guard let reference = reference(condition["characteristic"]),
                let value = condition["is"].flatMap({ constant($0, of: names.uuid(of: reference)) })
            else { continue }
            stream.conditions.append(.init(reference, is: value))
        }
        stream.idleValue = cursor["idle"].flatMap { constant($0, of: characteristic.uuid) }
        return stream
    }

    /// The time between two values: a duration, or the number in another characteristic times a unit.
    private mutating func period(_ cursor: JSONCursor) -> DeviceStream.Period? {
        if let duration = duration(cursor) { return .fixed(duration) }
        guard let reference = reference(cursor["value_of"]), let unit = duration(cursor["unit"]) else { return nil }
        return .value(of: reference, unit: unit)
    }

    mutating func reference(_ cursor: JSONCursor?) -> CharacteristicReference? {
        guard let cursor, let text = cursor.string else { return nil }
        do {
            return try names.reference(text)
        } catch {
            faults.add(cursor, error.message)
            return nil
        }
    }
}
