// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import Toolkit

/// What `read` is asked for: an attribute, or with `SERVICE/*` all of a service that can be read.
enum ReadTarget: Sendable, Equatable {
    case attribute(AttributeTarget)
    case contents(of: BluetoothUUID, text: String)

    private static let ending = "/*"

    init(_ text: String, in arguments: ParsedArguments) throws(UsageError) {
        guard text.hasSuffix(Self.ending), !text.hasPrefix("handle:") else {
            self = .attribute(try arguments.target(text, of: ReadCommand.targets))
            return
        }
        do throws(AttributeTarget.Problem) {
            let name = String(text.dropLast(Self.ending.count))
            self = .contents(of: try serviceUUID(name, in: arguments.formats), text: text)
        } catch {
            throw arguments.invalid(ReadCommand.targets, text, ValueProblem(error))
        }
    }

    var text: String {
        switch self {
        case .attribute(let target): target.text
        case .contents(_, let text): text
        }
    }

    func format(in formats: FormatCatalogue) -> CharacteristicFormat? {
        if case .attribute(let target) = self { target.format(in: formats) } else { nil }
    }

    /// The service to search devices by.
    func likelyService(in formats: FormatCatalogue) -> BluetoothUUID? {
        switch self {
        case .attribute(let target): target.likelyService(in: formats)
        case .contents(let service, _): service
        }
    }

    /// The attributes on a device, in the order of their handles. Throws if the device lacks the service, or if nothing
    /// in it can be read.
    func attributes(of device: ConnectedDevice) async throws -> [AttributeTarget] {
        guard case .contents(let service, let text) = self else {
            if case .attribute(let target) = self { return [target] }
            return []
        }
        var found: [GATTCharacteristic] = []
        for characteristic in try await device.peripheral.service(service).characteristics() {
            let definition = try await characteristic.definition()
            if definition.properties.contains(.read) { found.append(definition) }
        }
        guard !found.isEmpty else {
            throw BlectlError(
                .notFound,
                cannot: "read \(text) from \(device.reference.text)",
                "none of its characteristics can be read",
                hint: "what it has: blectl inspect\(device.reference.option)"
            )
        }
        let prefix = text.dropLast(1)
        return try found.map { characteristic in
            // A handle is exact where a service has several characteristics of one UUID.
            guard found.count(where: { $0.uuid == characteristic.uuid }) == 1 else {
                return try AttributeTarget("handle:\(characteristic.valueHandle)")
            }
            let name = device.formats.name(ofCharacteristic: characteristic.uuid).map { AssignedNumber.slug($0) }
            let named = name.flatMap { try? AttributeTarget("\(prefix)\($0)", in: device.formats) }
            if let named, named.characteristic == characteristic.uuid { return named }
            return try AttributeTarget("\(prefix)\(characteristic.uuid)", in: device.formats)
        }
    }
}
