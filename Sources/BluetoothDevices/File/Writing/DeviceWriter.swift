// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

/// Makes the JSON text of a definition. Members stand in the order of the schema; those with their default are left
/// out.
struct DeviceWriter {
    /// The device to be written.
    let definition: DeviceDefinition
    /// The labels of the characteristics, which names of attributes must not resemble.
    let labels: [String: BluetoothUUID]
    /// The model that the services of the written database tell, as the reader will find it.
    private(set) var model: DeviceModel?

    /// Collects the labels first, because references are written where labels come later.
    init(_ definition: DeviceDefinition) {
        self.definition = definition
        var labels: [String: BluetoothUUID] = [:]
        let databases = definition.databases.sorted { $0.key < $1.key }.map(\.value)
        for characteristic in ([definition.services] + databases).joined().flatMap(\.characteristics) {
            if let label = characteristic.label, labels[label] == nil { labels[label] = characteristic.uuid }
        }
        self.labels = labels
        model = .of(services: definition.services.map(\.uuid))
    }

    private func services(ofDatabase services: [DeviceService]) -> JSONNode {
        var writer = self
        writer.model = .of(services: services.map(\.uuid))
        return .array(services.map(writer.service))
    }

    /// The whole file.
    var device: JSONNode {
        let databases = definition.databases.sorted { $0.key < $1.key }
            .map { JSONNode.Member(key: $0.key, value: services(ofDatabase: $0.value)) }
        return .object([
            "schema": .string(DeviceSchema.name),
            "label": .string(definition.label),
            "summary": definition.summary.isEmpty ? nil : .string(definition.summary),
            "name": definition.name.map { .string($0) },
            "appearance": definition.appearance.map { Self.appearance($0) },
            "address": .string(definition.address.address.description),
            "address_type": definition.address.type.connectionType == .public ? .string("public") : nil,
            "advertising": definition.advertising.isEmpty ? nil : .array(definition.advertising.map(Self.advertising)),
            "services": definition.services.isEmpty ? nil : .array(definition.services.map(service)),
            "standard_services": definition.hasStandardServices ? nil : .bool(false),
            "databases": databases.isEmpty ? nil : JSONNode(.object(databases)),
            "channels": definition.channels.isEmpty ? nil : .array(definition.channels.map(Self.channel)),
            "timeline": definition.timeline.isEmpty ? nil : .array(definition.timeline.map(entry)),
            "limits": limits(definition.limits),
            "pairing": definition.pairing.map(Self.pairing),
            "signal": signal(definition.signal),
            "faults": definition.faults.isEmpty ? nil : .array(definition.faults.map(fault)),
        ])
    }

    // MARK: - Parts of values

    /// A duration with its unit.
    static func time(_ duration: Duration) -> JSONNode { .string(FileDuration.text(duration)) }

    /// Octets in hexadecimal digits.
    static func hex(_ octets: [UInt8]) -> JSONNode { .string(Hex.string(octets)) }

    /// An appearance by its name if that leads back to it.
    static func appearance(_ number: UInt16) -> JSONNode {
        FileName.appearanceName(number).map { .string($0) } ?? .number(number)
    }

    /// A UUID by its assigned name if that leads back to it.
    static func uuid(_ uuid: BluetoothUUID, _ kind: AssignedNumber.Kind) -> JSONNode {
        .string(FileName.text(of: uuid, kind))
    }

    /// A handle in hexadecimal; `nil` if the server chooses it.
    static func handle(_ handle: Handle?) -> JSONNode? {
        handle.map { .string("0x" + Hex.string($0.rawValue, minimumDigits: 4).lowercased()) }
    }

    /// The value, unless it is the default.
    static func unless<Value: Equatable>(
        _ byDefault: Value,
        _ value: Value,
        _ node: (Value) -> JSONNode
    ) -> JSONNode? {
        value == byDefault ? nil : node(value)
    }

    // MARK: - Limits and signal

    /// The limits that differ from the usual ones; `nil` if none does.
    private func limits(_ limits: DeviceLimits) -> JSONNode? {
        let usual = DeviceLimits()
        guard limits != usual else { return nil }
        let phys = ["1M", "2M", "coded"].filter { limits.phys.contains(DeviceWords.phySets[$0] ?? []) }
        let security = ["none", "bonded", "encrypted", "authenticated"]
            .first { DeviceWords.securities[$0] == limits.security }
        // A security without its own word becomes the nearest one.
        let nearest =
            limits.security.isEncrypted
            ? limits.security.isAuthenticated ? "authenticated" : "encrypted"
            : limits.security.hasBond ? "bonded" : "none"
        return .object([
            "mtu": Self.unless(usual.maximumMTU, limits.maximumMTU) { .number($0) },
            "prepared_writes": Self.unless(usual.preparedWrites, limits.preparedWrites) { .number($0) },
            "connections": limits.maximumConnections.map { .number($0) },
            "latency": Self.unless(usual.responseLatency, limits.responseLatency, Self.time),
            "interval": Self.unless(usual.connectionInterval, limits.connectionInterval, Self.time),
            "data_length": Self.unless(usual.dataLength, limits.dataLength) { .number($0) },
            "packets_per_event": Self.unless(usual.packetsPerEvent, limits.packetsPerEvent) { .number($0) },
            "phys": Self.unless(usual.phys, limits.phys) { _ in .strings(phys) },
            "refuses": Self.linkSettings(limits.refusedLinkSettings),
            "never_answers": Self.linkSettings(limits.unansweredLinkSettings),
            "security": Self.unless("none", security ?? nearest) { .string($0) },
        ])
    }

    /// The words for settings of a link; `nil` if there are none.
    private static func linkSettings(_ settings: Set<LinkRequest.Setting>) -> JSONNode? {
        let words = DeviceWords.linkSettings.filter { settings.contains($0.setting) }.map(\.word)
        return words.isEmpty ? nil : .strings(words)
    }

    /// The signal, as far as it differs from the usual one.
    private func signal(_ signal: DeviceSignal) -> JSONNode? {
        let usual = DeviceSignal()
        guard signal != usual else { return nil }
        let movement: JSONNode? =
            switch signal.movement {
            case .wandering: nil
            case .still: .string("still")
            case .path(let to, let over, let returns):
                .object(["to": .number(to), "over": Self.time(over), "returns": returns ? .bool(true) : nil])
            }
        let absences = signal.absences.map { absence in
            JSONNode.object([
                "from": Self.time(absence.from), "until": absence.until.map(Self.time),
                "every": absence.every.map(Self.time),
            ])
        }
        return .object([
            "rssi": Self.unless(usual.rssi, signal.rssi) { .number($0) },
            "second_rssi": signal.secondRSSI.map { .number($0) },
            "movement": movement,
            "absences": absences.isEmpty ? nil : .array(absences),
        ])
    }
}
