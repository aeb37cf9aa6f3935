// SPDX-License-Identifier: GPL-2.0-or-later

/// One piece of advertising data: a type, and octets whose meaning the type tells (`element`).
///
/// Spec: Core 5.4, Vol 3, Part C, 11
public struct ADStructure: Hashable, Sendable {
    /// What the octets are.
    public let type: ADType
    /// The octets, 254 at most.
    public let data: [UInt8]

    /// Puts the two together; octets beyond 254, for which the length has no room, are cut off.
    public init(_ type: ADType, _ data: [UInt8]) {
        self.type = type
        self.data = data.count > 254 ? Array(data.prefix(254)) : data
    }
}

extension ADStructure: WireEncodable {
    public func encode(into writer: inout ByteWriter) {
        writer.uint8(UInt8(clamping: data.count + 1))
        writer.uint8(type.rawValue)
        writer.append(data)
    }
}

/// The data of an advertisement or a scan response, taken apart.
///
/// Reading never fails: advertisers send what they like, and what makes sense of it is wanted nevertheless. Octets that are
/// no structure are kept as `tail`, and `issue` says what is the matter with them.
///
/// Spec: Core 5.4, Vol 3, Part C, 11
public struct AdvertisingData: Hashable, Sendable {
    /// What is the matter with data that could not be read to their end.
    public enum Issue: Hashable, Sendable {
        /// The last structure says that it has more octets than are left.
        case truncated(ADType?, needed: Int, available: Int)
        /// Something other than zeros follows a structure of length zero, which ends the data.
        case dataAfterEnd(count: Int)
    }

    /// The structures, in the order they were sent.
    public let structures: [ADStructure]
    /// The octets that are no structure, without padding.
    public let tail: [UInt8]
    /// What is the matter with them; `nil` where there are none.
    public let issue: Issue?
    /// What the structures mean, one by one.
    public let elements: [ADElement]

    /// Takes received octets apart.
    public init(parsing bytes: [UInt8]) {
        var structures: [ADStructure] = []
        var position = 0
        var issue: Issue?
        while position < bytes.count, issue == nil {
            let length = Int(bytes[position])
            let available = bytes.count - position - 1
            if length == 0 {
                // An early end. Zeros are its padding.
                guard bytes[position...].contains(where: { $0 != 0 }) else { break }
                issue = .dataAfterEnd(count: available)
            } else if length > available {
                let type = available > 0 ? ADType(rawValue: bytes[position + 1]) : nil
                issue = .truncated(type, needed: length, available: available)
            } else {
                let data = bytes[position + 2..<position + 1 + length]
                structures.append(ADStructure(ADType(rawValue: bytes[position + 1]), Array(data)))
                position += 1 + length
            }
        }
        self.structures = structures
        elements = structures.map(\.element)
        self.issue = issue
        tail = issue == nil ? [] : Array(bytes[position...])
    }

    /// Puts structures together, to be sent.
    public init(structures: [ADStructure]) {
        self.structures = structures
        elements = structures.map(\.element)
        tail = []
        issue = nil
    }

    /// Puts elements together, to be sent.
    public init(_ elements: [ADElement]) {
        self.init(structures: elements.map(\.structure))
    }
}

extension AdvertisingData: WireEncodable {
    /// Writes the structures, and the tail behind them; padding is not kept.
    public func encode(into writer: inout ByteWriter) {
        for structure in structures { writer.append(structure) }
        writer.append(tail)
    }
}

extension AdvertisingData.Issue: CustomStringConvertible {
    /// What is the matter, in a few words.
    public var description: String {
        switch self {
        case .truncated(let type, let needed, let available):
            "\(type.map { "\($0)" } ?? "the last structure"): says \(count: needed, "octet"), \(available) left"
        case .dataAfterEnd(let count):
            "\(count: count, "octet") after the end of the data"
        }
    }
}

extension AdvertisingData {
    /// The flags, where they were sent.
    public var flags: ADFlags? {
        first { if case .flags(let flags) = $0 { flags } else { nil } }
    }

    /// The complete name, else the shortened one; `nil` where neither is there, or only an empty one.
    public var name: ADLocalName? {
        let names = elements.compactMap { element -> ADLocalName? in
            guard case .localName(let name) = element, !name.text.isEmpty else { return nil }
            return name
        }
        return names.first(where: \.isComplete) ?? names.first
    }

    /// The power it was sent with, in dBm, where it was sent along.
    public var txPower: Int8? {
        first { if case .txPower(let power) = $0 { power } else { nil } }
    }

    /// What the device looks like, where it was sent.
    public var appearance: UInt16? {
        first { if case .appearance(let appearance) = $0 { appearance } else { nil } }
    }

    /// The services that the device offers, of all lists, in their order.
    public var services: [BluetoothUUID] {
        elements.flatMap { element -> [BluetoothUUID] in
            guard case .services(let list) = element, list.kind != .solicited else { return [] }
            return list.uuids
        }
    }

    /// The services that the device looks for.
    public var solicitedServices: [BluetoothUUID] {
        elements.flatMap { element -> [BluetoothUUID] in
            guard case .services(let list) = element, list.kind == .solicited else { return [] }
            return list.uuids
        }
    }

    /// The data of manufacturers, in their order.
    public var manufacturerData: [ADManufacturerData] {
        elements.compactMap { if case .manufacturerData(let data) = $0 { data } else { nil } }
    }

    /// The data of services, in their order.
    public var serviceData: [ADServiceData] {
        elements.compactMap { if case .serviceData(let data) = $0 { data } else { nil } }
    }

    private func first<Value>(_ value: (ADElement) -> Value?) -> Value? {
        for element in elements {
            if let value = value(element) { return value }
        }
        return nil
    }
}
