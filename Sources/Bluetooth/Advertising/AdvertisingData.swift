// SPDX-License-Identifier: MIT

/// A structure of advertising data: a type, and octets that `element` decodes.
///
/// Spec: Core 5.4, Vol 3, Part C, 11
public struct ADStructure: Hashable, Sendable {
    /// The type, which decides the meaning of the octets.
    public let type: ADType
    /// The octets, at most 254.
    public let data: [UInt8]

    /// Creates a structure. Cuts the octets after 254, because the length octet counts the type, too.
    public init(_ type: ADType, _ data: [UInt8]) {
        self.type = type
        // Data that fit are not copied, because this is done for each structure of each report.
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

/// The parsed data of an advertisement or a scan response.
///
/// Parsing never fails, because the valid part of broken data is still useful. Octets that form no structure are kept
/// in `tail`, and `issue` describes the fault.
///
/// Spec: Core 5.4, Vol 3, Part C, 11
public struct AdvertisingData: Hashable, Sendable {
    /// The fault of data that could not be parsed to their end.
    public enum Issue: Hashable, Sendable {
        /// The last structure's length is greater than the number of octets left.
        case truncated(ADType?, needed: Int, available: Int)
        /// A structure of length zero, which ends the data, is followed by other octets than zeros.
        case dataAfterEnd(count: Int)
    }

    /// The structures, in the order of sending.
    public let structures: [ADStructure]
    /// The octets that form no structure, without padding.
    public let tail: [UInt8]
    /// The fault; `nil` if there is none.
    public let issue: Issue?
    /// The decoded structures, one for each; after them those that were encrypted, if their key is known.
    public private(set) var elements: [ADElement]

    /// Parses received octets.
    public init(parsing bytes: [UInt8]) {
        var structures: [ADStructure] = []
        // Legacy advertisements have 31 octets, and rarely more structures.
        structures.reserveCapacity(6)
        var position = 0
        var issue: Issue?
        while position < bytes.count, issue == nil {
            let length = Int(bytes[position])
            // The length octet itself does not count.
            let available = bytes.count - position - 1
            if length == 0 {
                // An early end of the data. Zeros up to the end are its padding.
                guard bytes[position...].contains(where: { $0 != 0 }) else { break }
                issue = .dataAfterEnd(count: available)
            } else if length > available {
                let type = available > 0 ? ADType(rawValue: bytes[position + 1]) : nil
                issue = .truncated(type, needed: length, available: available)
            } else {
                // The length counts the type, which comes first.
                let data = bytes[position + 2..<position + 1 + length]
                structures.append(ADStructure(ADType(rawValue: bytes[position + 1]), Array(data)))
                position += 1 + length
            }
        }
        self.structures = structures
        // Decoded once, because several questions about each report need the elements.
        elements = Self.besideEachOther(structures.map(\.element))
        self.issue = issue
        tail = issue == nil ? [] : Array(bytes[position...])
    }

    /// Creates data for sending from structures.
    public init(structures: [ADStructure]) {
        self.structures = structures
        elements = Self.besideEachOther(structures.map(\.element))
        tail = []
        issue = nil
    }

    /// The same structures, decoded with what is known besides them.
    func replacingElements(_ elements: [ADElement]) -> AdvertisingData {
        var data = self
        data.elements = elements
        return data
    }

    /// Creates data for sending from elements.
    public init(_ elements: [ADElement]) {
        self.init(structures: elements.map(\.structure))
    }
}

extension AdvertisingData: WireEncodable {
    /// Writes the structures, and the tail after them. Padding is not restored.
    public func encode(into writer: inout ByteWriter) {
        for structure in structures { writer.append(structure) }
        writer.append(tail)
    }
}

extension AdvertisingData.Issue: CustomStringConvertible {
    /// The fault in a few words.
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
    /// The flags; `nil` if there are none.
    public var flags: ADFlags? {
        first { if case .flags(let flags) = $0 { flags } else { nil } }
    }

    /// The complete name, or else the shortened one; `nil` if there is neither, or only an empty one.
    public var name: ADLocalName? {
        let names = elements.compactMap { element -> ADLocalName? in
            guard case .localName(let name) = element, !name.text.isEmpty else { return nil }
            return name
        }
        // A complete name is worth more than a shortened one that comes before it.
        return names.first(where: \.isComplete) ?? names.first
    }

    /// The transmit power in dBm; `nil` if it was not sent.
    public var txPower: Int8? {
        first { if case .txPower(let power) = $0 { power } else { nil } }
    }

    /// The appearance, as Assigned Numbers, 2.6 lists them; `nil` if it was not sent.
    public var appearance: UInt16? {
        first { if case .appearance(let appearance) = $0 { appearance } else { nil } }
    }

    /// The services that the device offers, from all lists, in their order.
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

    /// The manufacturer data, in their order.
    public var manufacturerData: [ADManufacturerData] {
        elements.compactMap { if case .manufacturerData(let data) = $0 { data } else { nil } }
    }

    /// The service data, in their order.
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
