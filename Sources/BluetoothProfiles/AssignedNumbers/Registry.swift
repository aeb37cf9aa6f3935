// SPDX-License-Identifier: MIT

public import Bluetooth

/// The lists in which numbers are assigned, in the order of the importance of their entries.
///
/// Spec: Assigned Numbers; Core 5.4, Vol 1, Part F (error codes)
public enum Registry: String, Hashable, Sendable, CaseIterable {
    /// GATT services, of the SIG and of vendors.
    case service
    /// GATT characteristics, of the SIG and of vendors.
    case characteristic
    /// GATT descriptors and declarations.
    case descriptor
    /// 16-bit UUIDs of companies.
    case member
    /// 16-bit UUIDs of standards development organisations.
    case standardsOrganization = "standards-organization"
    /// Service classes of Bluetooth Classic.
    case serviceClass = "service-class"
    /// Protocols of Bluetooth Classic.
    case `protocol`
    /// Profiles of lighting control in a mesh.
    case meshProfile = "mesh-profile"
    /// Types of objects of the Object Transfer Service.
    case objectType = "object-type"
    /// Units of measurement.
    case unit
    /// Company identifiers.
    case company
    /// Appearance values.
    case appearance
    /// Types of advertising data.
    case adType = "ad-type"
    /// Types of values in a Presentation Format.
    case formatType = "format-type"
    /// Descriptions in a Presentation Format.
    case description
    /// Schemes of URIs in advertising data, each by the character that represents it.
    case uriScheme = "uri-scheme"
    /// Errors that a GATT server answers with.
    case attError = "att-error"
    /// Errors of a controller.
    case hciError = "hci-error"

    /// Whether the numbers are UUIDs.
    public var isUUID: Bool {
        switch self {
        case .service, .characteristic, .descriptor, .member, .standardsOrganization, .serviceClass, .protocol,
            .meshProfile, .objectType, .unit:
            true
        case .company, .appearance, .adType, .formatType, .description, .uriScheme, .attError, .hciError: false
        }
    }

    /// The digits of a number that is not a UUID.
    fileprivate var digits: Int {
        switch self {
        case .adType, .formatType, .uriScheme, .attError, .hciError: 2
        default: 4
        }
    }
}

/// An assigned number with its name.
public struct RegistryEntry: Hashable, Sendable {
    /// The list in which it is.
    public let registry: Registry
    /// The number; of a UUID that is not derived from the base UUID, all 128 bits.
    public let number: UInt128
    /// The name: `Battery Level`.
    public let name: String
    /// The symbol of a unit, which may be empty; `nil` for other numbers.
    public let symbol: String?

    init(_ registry: Registry, _ number: UInt128, _ name: String, symbol: String? = nil) {
        self.registry = registry
        self.number = number
        self.name = name
        self.symbol = symbol
    }

    /// The UUID; `nil` if the number is none.
    public var uuid: BluetoothUUID? {
        guard registry.isUUID else { return nil }
        return UInt16(exactly: number).map { BluetoothUUID($0) } ?? BluetoothUUID(bits128: number).attForm
    }

    /// The number as text: `0x2A19`, `0x4C`, or 128 bits with dashes.
    public var numberText: String {
        uuid?.description ?? "0x" + Hex.string(number, minimumDigits: registry.digits)
    }

    /// The name on a command line: `battery-level`.
    public var slug: String { AssignedNumber.slug(name) }
}

/// A search in the registries: for a number or for a part of a name.
public struct RegistryQuery: Sendable {
    private let key: NameKey
    /// The numbers that the text may mean.
    private let numbers: [UInt128]
    /// The descriptor whose short name the text is: `cpf`.
    private let descriptor: UInt128?

    /// A query; `nil` for a text that can be neither a number nor a name.
    ///
    /// `0x2A19` is a number, and so are four hex digits and a UUID of 128 bits. Other decimal digits are a decimal
    /// number.
    public init?(_ text: some StringProtocol) {
        key = NameKey(text.utf8)
        numbers = Self.numbers(text)
        let named = AssignedNumbers.descriptorsByShortName[String(decoding: key.octets, as: UTF8.self)]
        descriptor = named?.short16.map { UInt128($0) }
        if key.octets.isEmpty { return nil }
    }

    private static func numbers(_ text: some StringProtocol) -> [UInt128] {
        let lower = text.lowercased()
        if lower.hasPrefix("0x"), lower.utf8.count <= 34, let number = UInt128(hexDigits: lower.dropFirst(2)) {
            return [number]
        }
        var numbers: [UInt128] = []
        if let uuid = BluetoothUUID(text) { numbers.append(uuid.short16.map { UInt128($0) } ?? uuid.value) }
        // Four digits are a UUID, in whichever registry its number is.
        let isDecimal = numbers.isEmpty || text.utf8.count != 4
        if isDecimal, let number = UInt16(text), !numbers.contains(UInt128(number)) { numbers.append(UInt128(number)) }
        return numbers
    }

    /// Whether the text can be a number.
    public var isNumber: Bool { !numbers.isEmpty }

    /// The entries that match, those with the whole name or the number first, then those that begin with the text, then
    /// those that contain it. Private services and characteristics come before the assigned ones.
    public func entries(
        in registries: Set<Registry> = Set(Registry.allCases),
        _ formats: FormatCatalogue = .assigned
    ) -> [RegistryEntry] {
        var exact: [RegistryEntry] = []
        var beginning: [RegistryEntry] = []
        var containing: [RegistryEntry] = []
        for registry in Registry.allCases where registries.contains(registry) {
            registry.forEach(formats) { number, name, makeEntry in
                if isExactly(number, of: registry) || key.matches(name) {
                    exact.append(makeEntry())
                } else if key.isPart(of: name) {
                    let entry = makeEntry()
                    let isBeginning = NameKey(entry.name.utf8).octets.starts(with: key.octets)
                    if isBeginning { beginning.append(entry) } else { containing.append(entry) }
                }
            }
        }
        return exact + beginning + containing
    }

    /// Whether the number or the whole name of an entry is meant.
    public func isExactly(_ entry: RegistryEntry) -> Bool {
        isExactly(entry.number, of: entry.registry) || key.matches(entry.name.utf8)
    }

    /// Whether the text is the number, or the short name of the descriptor with the number.
    private func isExactly(_ number: UInt128, of registry: Registry) -> Bool {
        numbers.contains(number) || registry == .descriptor && number == descriptor
    }
}

extension Registry {
    /// The numbers of the registry with their names in UTF-8, and a function that makes the entry, because most are
    /// passed over.
    fileprivate func forEach(
        _ formats: FormatCatalogue,
        _ body: (UInt128, AnySequence<UInt8>, () -> RegistryEntry) -> Void
    ) {
        for (uuid, name) in own(formats) {
            let number = uuid.short16.map { UInt128($0) } ?? uuid.value
            body(number, AnySequence(name.utf8)) { RegistryEntry(self, number, name) }
        }
        for table in tables {
            table.forEach { entry in
                body(entry.number, AnySequence(entry.name)) {
                    RegistryEntry(self, entry.number, String(decoding: entry.name, as: UTF8.self))
                }
                return true
            }
        }
        switch self {
        case .service, .characteristic, .descriptor:
            NameTable.vendor.forEach { entry in
                guard let letter = entry.name.first, rawValue == AssignedNumber.Kind(tableLetter: letter)?.rawValue
                else {
                    return true
                }
                let name = entry.name.dropFirst(2)
                let number = entry.uuid.short16.map { UInt128($0) } ?? entry.number
                body(number, AnySequence(name)) {
                    RegistryEntry(self, number, String(decoding: name, as: UTF8.self))
                }
                return true
            }
        case .unit:
            NameTable.units.forEach { entry in
                let parts = entry.name.split(
                    separator: UInt8(ascii: "\t"),
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                guard let symbol = parts.first, let name = parts.last, parts.count == 2 else { return true }
                body(entry.number, AnySequence(name)) {
                    RegistryEntry(
                        self,
                        entry.number,
                        String(decoding: name, as: UTF8.self),
                        symbol: String(decoding: symbol, as: UTF8.self)
                    )
                }
                return true
            }
        case .adType: forEach(octets: { ADType(rawValue: $0).name }, body)
        case .formatType: forEach(octets: { PresentationFormat.Format(rawValue: $0).name }, body)
        case .attError: forEach(octets: { ATTErrorCode(rawValue: $0).name }, body)
        case .hciError: forEach(octets: { $0 == 0 ? nil : HCIStatus(rawValue: $0).name }, body)
        case .uriScheme:
            for (number, name) in URIScheme.names.enumerated() where !name.isEmpty {
                body(UInt128(number), AnySequence(name.utf8)) { RegistryEntry(self, UInt128(number), name) }
            }
        default: break
        }
    }

    private func own(_ formats: FormatCatalogue) -> [(BluetoothUUID, String)] {
        switch self {
        case .service: formats.services.map { ($0.uuid, $0.name) }
        case .characteristic: formats.characteristics.map { ($0.uuid, $0.name) }
        default: []
        }
    }

    private func forEach(
        octets name: (UInt8) -> String?,
        _ body: (UInt128, AnySequence<UInt8>, () -> RegistryEntry) -> Void
    ) {
        for octet in UInt8.min...UInt8.max {
            guard let name = name(octet) else { continue }
            body(UInt128(octet), AnySequence(name.utf8)) { RegistryEntry(self, UInt128(octet), name) }
        }
    }

    private var tables: [NameTable] {
        switch self {
        case .service: [.services]
        case .characteristic: [.characteristics]
        case .descriptor: [.descriptors]
        case .member: [.members]
        case .standardsOrganization: [.standardsOrganizations]
        case .serviceClass: [.serviceClasses]
        case .protocol: [.protocols]
        case .meshProfile: [.meshProfiles]
        case .objectType: [.objectTypes]
        case .company: [.companies]
        case .appearance: [.appearances]
        case .description: [.namespaceDescriptions]
        case .unit, .adType, .formatType, .uriScheme, .attError, .hciError: []
        }
    }
}
