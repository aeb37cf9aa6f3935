// SPDX-License-Identifier: MIT

public import Bluetooth

/// Why a definition cannot run.
public enum DeviceDefinitionError: Error, Hashable, Sendable {
    /// The services do not make a database; `nil` for the services of the start.
    case database(String?, GATTDatabaseError)
    /// A rule refers to a characteristic that none of the databases contains.
    case unknownCharacteristic(CharacteristicReference)
    /// An action refers to a database that the definition does not contain.
    case unknownDatabase(String)
    /// A value or a command refers to a program that does not exist.
    case unknownProgram(ProgramReference)
    /// A number follows a characteristic whose value is generated, or is not one number.
    case nothingToFollow(CharacteristicReference)
    /// A fault makes no sense.
    case invalidFault(FaultRule)
}

extension DeviceDefinition {
    /// The device, ready to run.
    ///
    /// - Parameters:
    ///   - random: The source of its random numbers.
    ///   - programs: The programs to which it may refer.
    public func image(
        random: SeededGenerator = SeededGenerator(seed: 1),
        programs: DevicePrograms = .builtIn
    ) throws(DeviceDefinitionError) -> DeviceImage {
        var layouts: [String?: DeviceLayout] = [:]
        let first = try layout(of: services, named: nil)
        layouts[nil] = first
        // Sorted, so that of several wrong databases the same one is reported in each run.
        for (name, services) in databases.sorted(by: { $0.key < $1.key }) {
            layouts[name] = try layout(of: services, named: name)
        }
        // The order of the layouts does not matter: a reference has to lead somewhere in any of them.
        try check(Array(layouts.values), programs)
        let rules = RuleFirmware(self, layouts, first, programs)
        let updatable = try updatable(rules, first.database)
        var image = DeviceImage(
            name: label,
            address: address,
            advertising: advertising,
            database: updatable?.prepared(first.database) ?? first.database,
            firmware: updatable ?? rules,
            maximumMTU: limits.maximumMTU,
            faults: faults,
            random: random
        )
        // A fault that names a label may concern a characteristic that only a later database has.
        image.labels = layouts.values.reduce(into: first.labels) { known, layout in
            known.merge(layout.labels) { known, _ in known }
        }
        image.maximumConnections = limits.maximumConnections
        image.preparedWrites = limits.preparedWrites
        image.channels = channels
        image.responseLatency = limits.responseLatency
        return image.running(DeviceCode(self))
    }

    /// The database of services, with handles. Throws with the name of the database, which the error itself
    /// lacks.
    private func layout(of services: [DeviceService], named name: String?) throws(DeviceDefinitionError) -> DeviceLayout
    {
        do {
            return try DeviceLayout(complete(services), timeline: timeline)
        } catch {
            throw .database(name, error)
        }
    }

    func complete(_ own: [DeviceService]) -> [DeviceService] {
        let forUpdates = updateService.flatMap { service in own.contains { $0.uuid == service.uuid } ? nil : service }
        let services = own + [forUpdates].compactMap(\.self)
        // A device without services is a beacon, and needs none of the standard ones.
        guard hasStandardServices, !services.isEmpty else { return services }
        var standard: [DeviceService] = []
        if !services.contains(where: { $0.uuid == .genericAccess }) {
            standard.append(.genericAccess(name: name ?? label, appearance: appearance ?? 0))
        }
        if !services.contains(where: { $0.uuid == .genericAttribute }) { standard.append(.genericAttribute) }
        return standard + services
    }

    /// Checks that every reference leads somewhere.
    private func check(_ layouts: [DeviceLayout], _ programs: DevicePrograms) throws(DeviceDefinitionError) {
        // A definition in Swift has not passed the checks of the file reader.
        if let fault = faults.first(where: { $0.problem != nil }) { throw .invalidFault(fault) }
        for layout in layouts {
            if let wrong = layout.wronglyFollowed { throw .nothingToFollow(wrong) }
        }
        for reference in references {
            switch reference {
            case .characteristic(let reference):
                guard layouts.contains(where: { $0.handle(of: reference) != nil }) else {
                    throw .unknownCharacteristic(reference)
                }
            case .database(let name):
                guard databases[name] != nil else { throw .unknownDatabase(name) }
            case .value(let reference):
                guard programs.values.contains(reference.description) else { throw .unknownProgram(reference) }
            case .command(let reference):
                guard programs.commands.contains(reference.description) else { throw .unknownProgram(reference) }
            }
        }
    }
}

extension DeviceService {
    /// Generic Access with its two mandatory characteristics.
    ///
    /// Spec: Core 5.4, Vol 3, Part C, 12
    public static func genericAccess(name: String, appearance: UInt16) -> DeviceService {
        let appearanceOctets = [UInt8(truncatingIfNeeded: appearance), UInt8(truncatingIfNeeded: appearance >> 8)]
        return DeviceService(
            .genericAccess,
            characteristics: [
                DeviceCharacteristic(.deviceName, .read, value: .octets(Array(name.utf8))),
                DeviceCharacteristic(.appearance, .read, value: .octets(appearanceOctets)),
            ]
        )
    }

    /// Generic Attribute with the characteristics that caching needs.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 7
    public static let genericAttribute = DeviceService(
        .genericAttribute,
        characteristics: [
            DeviceCharacteristic(.serviceChanged, .indicate),
            DeviceCharacteristic(.clientSupportedFeatures, [.read, .write]),
            DeviceCharacteristic(.databaseHash, .read),
        ]
    )
}
