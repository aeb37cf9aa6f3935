// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothDevices
package import BluetoothHost
import CommandLineInterface

/// The services of a device as definitions, with exact handles, from a client's findings.
///
/// A hostile device may have a tree that is impossible for a server: an attribute that does not fit between its
/// neighbours is left out and reported.
package struct ClonedDatabase {
    /// The findings about a device besides its tree.
    package struct Findings: Sendable {
        package var reads: [Handle: TreeValueReader.Outcome] = [:]
        /// The values that were sent, by the handle of the value, and the time for which each was listened to.
        package var recordings: [Handle: ValueReplay] = [:]
        /// The errors by which subscriptions were refused, by the handle of the value.
        package var refusals: [Handle: ATTErrorCode] = [:]
        /// The values that take the place of those that were read, by the handle of the value.
        package var values: [Handle: DeviceValue] = [:]
        /// What the device does after a write, by the handle of the value.
        package var writeRules: [Handle: [WriteRule]] = [:]
        /// The errors of attributes that were refused until the link had more security.
        package var protections: [Handle: ATTErrorCode] = [:]
        /// Whether the link is encrypted, so that a refusal asks for more than that.
        package var isEncrypted = false

        package init() {}
    }

    /// The services in the order of their handles.
    package private(set) var services: [DeviceService] = []
    /// The losses of the clone, in words: attributes that could not be cloned exactly.
    package private(set) var remarks: [String] = []

    private let findings: Findings
    /// The labels of included services, by their first handle.
    private let labels: [Handle: String]
    /// The last handle that is taken.
    private var last = Handle.invalid

    /// Clones a tree. Only included services get labels, because nothing else refers to them.
    package init(_ tree: AttributeTree, _ findings: Findings) {
        self.findings = findings
        let starts = Set(tree.services.map(\.service.range.start))
        let included = Set(tree.services.flatMap(\.includes).map(\.range.start)).intersection(starts)
        labels = included.reduce(into: [:]) { $0[$1] = "service-\(Hex.string($1.rawValue, minimumDigits: 4))" }
        for (index, service) in tree.services.enumerated() {
            let next = index + 1 < tree.services.count ? tree.services[index + 1].service.range.start : nil
            add(service, before: next)
        }
        dropUnknownIncludes()
        dropUnknownTargets()
    }

    /// Whether a characteristic was cloned, and not left out.
    package func has(_ reference: CharacteristicReference) -> Bool {
        guard case .uuid(let uuid, let service) = reference else { return false }
        return services.contains { own in
            (service ?? own.uuid) == own.uuid && own.characteristics.contains { $0.uuid == uuid }
        }
    }

    /// Clones a service. Handles are kept where that is possible; each deviation is a remark.
    private mutating func add(_ node: AttributeTree.Service, before next: Handle?) {
        let start = node.service.range.start
        guard start > last else {
            remarks.append("the service at \(start) lies in the one before it, and is left out")
            return
        }
        last = start
        var service = DeviceService(
            node.service.uuid,
            isPrimary: node.service.isPrimary,
            label: labels[start],
            handle: start
        )
        for include in node.includes {
            guard let label = labels[include.range.start] else {
                remarks.append("the service that \(include.handle) includes is not there; the include is left out")
                continue
            }
            guard let place = last.next else { continue }
            if place != include.handle { remarks.append("the include at \(include.handle) gets the handle \(place)") }
            last = place
            service.includes.append(label)
        }
        for (index, characteristic) in node.characteristics.enumerated() {
            let following =
                index + 1 < node.characteristics.count
                ? node.characteristics[index + 1].characteristic.declaration : next
            if let characteristic = clone(characteristic, before: following) {
                service.characteristics.append(characteristic)
            }
        }
        services.append(service)
    }

    /// Services that were left out cannot be included.
    private mutating func dropUnknownIncludes() {
        let present = Set(services.compactMap(\.label))
        for index in services.indices where !services[index].includes.allSatisfy(present.contains) {
            services[index].includes.removeAll { !present.contains($0) }
        }
    }

    /// Characteristics that were left out send nothing.
    private mutating func dropUnknownTargets() {
        for service in services.indices {
            for own in services[service].characteristics.indices {
                for rule in services[service].characteristics[own].onWrite.indices {
                    let actions = services[service].characteristics[own].onWrite[rule].actions
                    let kept = actions.filter { action in action.target.map { has($0) } ?? true }
                    services[service].characteristics[own].onWrite[rule].actions = kept
                }
            }
        }
    }

    // MARK: - Characteristics

    /// A characteristic as a definition; `nil` if it has no place.
    private mutating func clone(_ node: AttributeTree.Characteristic, before next: Handle?) -> DeviceCharacteristic? {
        let (declaration, value) = (node.characteristic.declaration, node.characteristic.valueHandle)
        guard declaration > last, value > declaration, value < next ?? .last || next == nil else {
            remarks.append("the characteristic at \(declaration) has no place among its neighbours, and is left out")
            return nil
        }
        last = value
        var descriptors = node.descriptors.filter { $0.handle > value && $0.handle < next ?? .last || next == nil }
        if descriptors.count < node.descriptors.count {
            remarks.append("a descriptor of the characteristic at \(declaration) is out of place, and is left out")
        }
        var clone = DeviceCharacteristic(
            node.characteristic.uuid,
            node.characteristic.properties,
            handle: declaration,
            // Only an unusual handle is stated: the server puts a value directly after its declaration.
            valueHandle: value == declaration.next ? nil : value
        )
        omitAutomatic(&clone, &descriptors, value, before: next)
        for descriptor in descriptors {
            guard let definition = self.definition(of: descriptor) else { continue }
            clone.descriptors.append(definition)
        }
        addValue(to: &clone, at: value)
        return clone
    }

    /// Leaves out the descriptors that a server adds automatically, where they are in the usual places. A property that
    /// would add a missing descriptor is removed if there is no handle for it.
    private mutating func omitAutomatic(
        _ clone: inout DeviceCharacteristic,
        _ descriptors: inout [GATTDescriptor],
        _ value: Handle,
        before next: Handle?
    ) {
        let sends: CharacteristicProperties = [.notify, .indicate]
        let kinds: [(property: CharacteristicProperties, descriptor: BluetoothUUID, name: String)] = [
            (sends, .clientCharacteristicConfiguration, "Client Characteristic Configuration"),
            (.extendedProperties, .characteristicExtendedProperties, "Characteristic Extended Properties"),
        ]
        for kind in kinds where !clone.properties.isDisjoint(with: kind.property) {
            let count = descriptors.count { $0.uuid == kind.descriptor }
            if kind.descriptor == .characteristicExtendedProperties {
                clone.extendedProperties = extendedProperties(descriptors)
            }
            if count == 1, let first = descriptors.first, first.uuid == kind.descriptor, first.handle == last.next {
                last = first.handle
                descriptors.removeFirst()
            } else if count == 0 {
                let limit = descriptors.first?.handle ?? next
                if let place = last.next, limit.map({ place < $0 }) ?? true {
                    last = place
                    remarks.append("the characteristic at \(value) gets the descriptor \(kind.name) that it lacks")
                } else {
                    clone.properties.subtract(kind.property)
                    remarks.append(
                        "the characteristic at \(value) has no descriptor \(kind.name), and no handle for one: its property is left out"
                    )
                }
            }
        }
    }

    /// The bits of the Extended Properties descriptor; none if it was not read. Spec: Core 5.4, Vol 3, Part G,
    /// 3.3.3.1
    private func extendedProperties(_ descriptors: [GATTDescriptor]) -> CharacteristicExtendedProperties {
        let descriptor = descriptors.first { $0.uuid == .characteristicExtendedProperties }
        guard let descriptor, case .value(let value)? = findings.reads[descriptor.handle] else { return [] }
        let octets = value.value
        return CharacteristicExtendedProperties(
            rawValue: UInt16(octets.first ?? 0) | UInt16(octets.dropFirst().first ?? 0) << 8
        )
    }

    /// Clones a descriptor. A refused read becomes a permission, so that the clone refuses in the same way.
    private mutating func definition(of descriptor: GATTDescriptor) -> DescriptorDefinition? {
        guard descriptor.handle > last else { return nil }
        let handle = descriptor.handle == last.next ? nil : descriptor.handle
        last = descriptor.handle
        // Its value belongs to each client, so that none is cloned.
        if descriptor.uuid == .clientCharacteristicConfiguration { return .clientConfiguration(handle: handle) }
        var definition = DescriptorDefinition(descriptor.uuid, value: .fixed([]), handle: handle)
        switch findings.reads[descriptor.handle] {
        case .value(let value): definition.value = .fixed(octets(value))
        case .refused(let code):
            if let requirement = requirement(of: code) {
                definition.permissions.read = requirement
            } else {
                definition.permissions.read = nil
                if code != .readNotPermitted {
                    remarks.append(
                        "the descriptor at \(descriptor.handle) answers with \(code); the clone forbids reading"
                    )
                }
            }
        case .silent:
            remarks.append("the descriptor at \(descriptor.handle) does not answer; in the clone it is empty")
        case .notRead, nil: break
        }
        return definition
    }

    // MARK: - Values

    /// Clones the value of a characteristic: the recording if there is one, else the value that was read, else the
    /// refusal or the silence of the device.
    private mutating func addValue(to clone: inout DeviceCharacteristic, at handle: Handle) {
        var idle: [UInt8]?
        switch findings.reads[handle] {
        case .value(let value):
            let kept = octets(value)
            idle = kept
            clone.value = findings.values[handle] ?? .octets(kept)
        case .refused(let code):
            if let requirement = requirement(of: code) {
                protect(&clone, by: requirement)
            } else if code == .readNotPermitted {
                clone.permissions = AttributePermissions(for: clone.properties)
                clone.permissions?.read = nil
            } else {
                clone.onRead = .refuse(code)
            }
        case .silent: clone.onRead = .silence
        case .notRead, nil: break
        }
        clone.onWrite = findings.writeRules[handle] ?? []
        if let requirement = findings.protections[handle].flatMap({ requirement(of: $0) }) {
            protect(&clone, by: requirement)
        }
        if let code = findings.refusals[handle] {
            if let requirement = requirement(of: code) {
                clone.subscription = requirement
            } else {
                remarks.append("the characteristic at \(handle) refuses subscriptions with \(code)")
            }
        }
        if let recording = findings.recordings[handle], !recording.samples.isEmpty {
            clone.value = .replay(recording)
            // While nothing is sent, a read returns the value that was read.
            clone.stream = DeviceStream(every: nil, idleValue: idle)
        }
        // The server makes these for each client.
        if clone.uuid == .clientSupportedFeatures || clone.uuid == .serviceChanged { clone.value = nil }
    }

    /// A write may change what a read shows, so the same protection is assumed for both.
    private func protect(_ clone: inout DeviceCharacteristic, by requirement: AccessRequirement) {
        var permissions = AttributePermissions(for: clone.properties)
        permissions.read = requirement
        if permissions.write != nil { permissions.write = requirement }
        clone.permissions = permissions
    }

    /// The security that a refusal asks for; `nil` if it is about something else.
    ///
    /// Spec: Core 5.4, Vol 3, Part C, 10.3.1.1
    private func requirement(of code: ATTErrorCode) -> AccessRequirement? {
        switch code {
        case .insufficientAuthentication: findings.isEncrypted ? .authenticated : .encrypted
        case .insufficientEncryption: .encrypted
        case .insufficientAuthorization: .authorized
        // The error does not say which size is enough; no key is longer than 16 octets.
        case .encryptionKeySizeTooShort: AccessRequirement(encryption: true, minimumKeySize: 16)
        default: nil
        }
    }

    /// The octets of a value, at most 512. A longer one is a violation of the specification, and a file cannot
    /// express it.
    private mutating func octets(_ value: AttributeValue) -> [UInt8] {
        if value.isCut {
            remarks.append(
                "the value at \(value.handle) may be longer than the \(value.value.count) octets that are kept"
            )
        }
        return Array(value.value.prefix(GATTLimits.maximumValueLength))
    }
}

extension DeviceAction {
    /// The characteristic that it is about; `nil` for none.
    fileprivate var target: CharacteristicReference? {
        switch self {
        case .send(let target, _), .set(let target, _), .append(let target, _): target
        case .after(_, let action): action.target
        default: nil
        }
    }
}

extension DeviceDefinition {
    /// Checks the database, and lets the server compute the Database Hash if it is right, so that it stays right when the
    /// file is changed.
    ///
    /// - Parameter action: What fails if the database contradicts itself, after "cannot".
    package mutating func leaveHashToServer(_ action: String) throws(BlectlError) {
        let hash: [UInt8]
        do {
            hash = try image().database.hash
        } catch {
            throw BlectlError(.protocolError, cannot: action, "its database contradicts itself: \(error)")
        }
        services = services.map { service in
            var service = service
            for index in service.characteristics.indices where service.characteristics[index].uuid == .databaseHash {
                if service.characteristics[index].value == .octets(hash) { service.characteristics[index].value = nil }
            }
            return service
        }
    }
}
