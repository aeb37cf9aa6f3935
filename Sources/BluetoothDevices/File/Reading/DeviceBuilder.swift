// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

/// Makes a definition of a JSON text that the schema has been compared with.
///
/// A value that the schema does not permit is already a fault, so the builder skips it silently. It reports faults that
/// the schema cannot express: lengths, references, numbers that do not fit their format.
struct DeviceBuilder {
    /// The faults so far.
    var faults: FaultCollector
    /// The names that values can refer to.
    let names: FileNames
    /// Returns the content of a file of numbers.
    let file: (String) throws -> [UInt8]
    /// The model of the device that is described, on which the formats of some fields depend; `nil` if its services do
    /// not tell it.
    private(set) var model: DeviceModel?

    /// Continues with the faults of the schema.
    init(_ faults: FaultCollector, _ names: FileNames, _ file: @escaping (String) throws -> [UInt8]) {
        self.faults = faults
        self.names = names
        self.file = file
    }

    /// The definition of a device. It is complete only if there are no faults.
    ///
    /// - Parameter fileLabel: The label of a device without one.
    mutating func device(_ root: JSONCursor, label fileLabel: String) -> DeviceDefinition {
        let label = root["label"]?.string ?? fileLabel
        var definition = DeviceDefinition(label: label, address: address(root, "address", label: label))
        definition.summary = root["summary"]?.string ?? ""
        definition.name = root["name"]?.string
        definition.appearance = root["appearance"].flatMap { appearance($0) }
        for set in root["advertising"]?.elements ?? [] { definition.advertising.append(advertising(set)) }
        model = Self.model(root["services"])
        if let services = root["services"] { definition.services = self.services(services) }
        definition.hasStandardServices = root["standard_services"]?.bool ?? true
        for (name, services) in root["databases"]?.members ?? [] {
            let usual = model
            defer { model = usual }
            model = Self.model(services)
            definition.databases[name] = self.services(services)
        }
        for channel in root["channels"]?.elements ?? [] {
            if let channel = self.channel(channel, besides: definition.channels) { definition.channels.append(channel) }
        }
        for entry in root["timeline"]?.elements ?? [] {
            if let entry = timelineEntry(entry) { definition.timeline.append(entry) }
        }
        if let limits = root["limits"] { definition.limits = self.limits(limits) }
        if let pairing = root["pairing"] {
            definition.pairing = self.pairing(pairing)
            if let security = root["limits"]?["security"], definition.limits.security != .none {
                faults.add(security, "a device with 'pairing' has no security from the start; leave one of them out")
            }
        }
        if let signal = root["signal"] { definition.signal = Self.signal(signal, &faults) }
        for fault in root["faults"]?.elements ?? [] {
            if let fault = self.fault(fault) { definition.faults.append(fault) }
        }
        return definition
    }

    /// The model that the services of a database tell.
    private static func model(_ services: JSONCursor?) -> DeviceModel? {
        let names = services?.elements?.compactMap { $0["uuid"]?.string } ?? []
        return .of(services: names.compactMap { try? FileName.uuid($0, .service) })
    }

    // MARK: - Parts of values

    /// A duration with its unit.
    func duration(_ cursor: JSONCursor?) -> Duration? { FileValue.duration(cursor) }

    /// A number that its type can hold.
    func integer<Number: FixedWidthInteger>(_ cursor: JSONCursor?) -> Number? { FileValue.integer(cursor) }

    /// The octets of a text in hexadecimal.
    func hex(_ cursor: JSONCursor?) -> [UInt8]? { cursor?.string.flatMap { Hex.bytes($0) } }

    /// The UUID that a text names.
    func uuid(_ cursor: JSONCursor?, _ kind: AssignedNumber.Kind) -> BluetoothUUID? {
        cursor?.string.flatMap { try? FileName.uuid($0, kind) }
    }

    /// A handle, as a number or as a text in hexadecimal.
    func handle(_ cursor: JSONCursor?) -> Handle? {
        if let text = cursor?.string { return FileName.handle(text) }
        let number: UInt16? = integer(cursor)
        return number.map { Handle($0) }
    }

    /// An appearance, by its name or its number.
    func appearance(_ cursor: JSONCursor) -> UInt16? {
        if let text = cursor.string { return try? FileName.appearance(text) }
        return integer(cursor)
    }

    /// A company identifier, by its number.
    func company(_ cursor: JSONCursor?) -> UInt16? {
        if let text = cursor?.string { return FileName.number16(text) }
        return integer(cursor)
    }

    /// The address in a member, with the type in the one beside it.
    private func address(_ object: JSONCursor, _ key: String, label: String) -> DeviceAddress {
        let type: AddressType = object["\(key)_type"]?.string == "public" ? .public : .random
        let stated = object[key]?.string.flatMap { BluetoothAddress($0) }
        // An address that is made is static random, whatever type the file states.
        return DeviceAddress(stated ?? Self.address(madeFrom: label), stated == nil ? .random : type)
    }

    /// A static address that depends on the label only (FNV-1a).
    static func address(madeFrom label: String) -> BluetoothAddress {
        let sum = label.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        // The two highest bits of a static address are set: Core 5.4, Vol 6, Part B, 1.3.2.1.
        return BluetoothAddress(rawValue: sum & 0x3FFF_FFFF_FFFF | 0xC000_0000_0000)
    }

    /// The device that directed advertising is for.
    func target(_ set: JSONCursor) -> DeviceAddress? {
        set["target"]?.string.flatMap { BluetoothAddress($0) }
            .map { DeviceAddress($0, set["target_type"]?.string == "public" ? .public : .random) }
    }

    // MARK: - Limits and signal

    /// The limits of the device; those that are not stated keep their usual values.
    private mutating func limits(_ object: JSONCursor) -> DeviceLimits {
        var limits = DeviceLimits()
        limits.maximumMTU = integer(object["mtu"]) ?? limits.maximumMTU
        limits.preparedWrites = integer(object["prepared_writes"]) ?? limits.preparedWrites
        limits.maximumConnections = integer(object["connections"])
        limits.responseLatency = duration(object["latency"]) ?? limits.responseLatency
        limits.connectionInterval = duration(object["interval"]) ?? limits.connectionInterval
        limits.dataLength = integer(object["data_length"]) ?? limits.dataLength
        limits.packetsPerEvent = integer(object["packets_per_event"]) ?? limits.packetsPerEvent
        if let phys = object["phys"]?.elements {
            // LE 1M is mandatory, so that every link has it.
            limits.phys = phys.reduce(.le1M) { $0.union(DeviceWords.phySets[$1.string ?? ""] ?? []) }
        }
        limits.refusedLinkSettings = Self.linkSettings(object["refuses"])
        limits.unansweredLinkSettings = Self.linkSettings(object["never_answers"])
        limits.security = object["security"]?.string.flatMap { DeviceWords.securities[$0] } ?? .none
        return limits
    }

    /// The settings of a link that a list names.
    private static func linkSettings(_ list: JSONCursor?) -> Set<LinkRequest.Setting> {
        let words = (list?.elements ?? []).compactMap(\.string)
        return Set(DeviceWords.linkSettings.filter { words.contains($0.word) }.map(\.setting))
    }

    /// The signal of the device: its strength in dBm, its movement, and when it is out of range.
    static func signal(_ object: JSONCursor, _ faults: inout FaultCollector) -> DeviceSignal {
        var signal = DeviceSignal()
        signal.rssi = FileValue.integer(object["rssi"]) ?? signal.rssi
        signal.secondRSSI = FileValue.integer(object["second_rssi"])
        if let movement = object["movement"] {
            if let to: Int8 = FileValue.integer(movement["to"]), let over = FileValue.duration(movement["over"]) {
                signal.movement = .path(to: to, over: over, returns: movement["returns"]?.bool ?? false)
            } else if movement.string == "still" {
                signal.movement = .still
            }
        }
        for absence in object["absences"]?.elements ?? [] {
            guard let from = FileValue.duration(absence["from"]) else { continue }
            let until = FileValue.duration(absence["until"])
            if let end = absence["until"], let until, until <= from {
                faults.add(end, "the end is not after the beginning, \(FileDuration.text(from))")
            }
            signal.absences.append(.init(from: from, until: until, every: FileValue.duration(absence["every"])))
        }
        return signal
    }
}

/// Values of a device file that need nothing else of it.
enum FileValue {
    /// A duration with its unit; `nil` if the schema has refused it.
    static func duration(_ cursor: JSONCursor?) -> Duration? { cursor?.string.flatMap(FileDuration.parse) }

    /// A number that its type can hold.
    static func integer<Number: FixedWidthInteger>(_ cursor: JSONCursor?) -> Number? {
        cursor?.integer.flatMap { Number(exactly: $0) }
    }
}

/// The words of a device file and their meanings.
enum DeviceWords {
    /// The PHYs by their names.
    static let phys: [String: LEPHY] = ["1M": .le1M, "2M": .le2M, "coded": .coded]
    /// Sets of one PHY by their names.
    static let phySets: [String: LEPHYSet] = ["1M": .le1M, "2M": .le2M, "coded": .coded]
    /// The settings of a link, in the order in which they are written.
    static let linkSettings: [(word: String, setting: LinkRequest.Setting)] = [
        ("phy", .phy), ("data-length", .dataLength), ("interval", .parameters),
    ]
    /// The security that a link has from its start.
    static let securities: [String: LinkSecurity] = [
        "none": .none,
        "encrypted": LinkSecurity(isEncrypted: true, keySize: 16, hasBond: true),
        "authenticated": LinkSecurity(isEncrypted: true, isAuthenticated: true, keySize: 16, hasBond: true),
        "bonded": LinkSecurity(keySize: 16, hasBond: true),
    ]
    /// The advertising flags from bit 0 to bit 7. Spec: Core Specification Supplement, Part A, 1.3
    static let flags = [
        "le-limited-discoverable", "le-general-discoverable", "br-edr-not-supported", "le-br-edr-controller",
        "le-br-edr-host", "bit-5", "bit-6", "bit-7",
    ]
    /// The properties from bit 0 to bit 7.
    static let properties = CharacteristicProperties(rawValue: 0xFF).names
    /// The extended properties from bit 0.
    static let extendedProperties = ["reliable-write", "writable-auxiliaries"]
}
