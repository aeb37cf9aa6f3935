// SPDX-License-Identifier: MIT

/// The content of an advertisement in one of the known formats.
///
/// Decoding is lenient where the content is clear: octets after the known ones are ignored. A value that the device
/// marks as not available is `nil`.
public protocol AdvertisedFormat: Hashable, Sendable {
    /// Where the format's data are, and what its facts are called.
    static var registration: FormatRegistration { get }
    /// Decodes manufacturer data; `nil` if they do not have the format.
    init?(_ data: ADManufacturerData)
    /// Decodes service data; `nil` if they do not have the format.
    init?(_ data: ADServiceData)
    /// The format in one word: `ruuvi`, `bthome`, …; by default the first of `registration`.
    var kind: String { get }
    /// The format's name for persons.
    var title: String { get }
    /// The content, the most important first.
    var facts: [AdvertisedFact] { get }
    /// The elements of an advertisement with the content, without the flags. They decode to an equal value.
    var elements: [ADElement] { get }
    /// The service whose data contain the format; `nil` if manufacturer data do. By default it is the one of
    /// `registration`.
    var service: BluetoothUUID? { get }
    /// Whether this is the newer content of the same beacon: true by default. A format in which a device sends several
    /// things in turn, such as identifiers or parts of its measurements, distinguishes them.
    func replaces(_ earlier: Self) -> Bool
    /// The content on one line; by default the title and the main facts. Must be escaped before a terminal sees it,
    /// because a device chose the text.
    var text: String { get }
}

extension AdvertisedFormat {
    // A format is in the one or the other data.
    public init?(_ data: ADManufacturerData) { return nil }

    public init?(_ data: ADServiceData) { return nil }

    public var kind: String { Self.registration.kinds.first ?? "" }

    public var service: BluetoothUUID? { Self.registration.service }

    public func replaces(_ earlier: Self) -> Bool { true }

    public var text: String { AdvertisedFact.line(title, facts) }
}

/// One value in an advertisement, with its name and its unit.
public struct AdvertisedFact: Hashable, Sendable {
    /// The form of a value.
    public enum Value: Hashable, Sendable {
        /// A number in the fact's unit.
        case number(AdvertisedNumber)
        /// Text, which may be the device's own.
        case text(String)
        /// Uninterpreted octets.
        case octets([UInt8])
        /// A yes or no.
        case flag(Bool)
        /// Several things with facts of their own.
        case list([[AdvertisedFact]])
    }

    /// The place of a fact where there is room for few.
    public enum Place: Hashable, Sendable {
        /// In the line of the device, without its name.
        case main
        /// In the line of the device, with its name. A flag is its name alone, if it is set.
        case named
        /// Among the details.
        case detail
    }

    /// The key in records. If the value is a quantity, the key ends with the unit: `temperature_c`.
    public let key: String
    /// The value; `nil` if the device does not send it.
    public let value: Value?
    /// The unit as it is written after the value; empty if there is none.
    public let unit: String
    /// The name for persons.
    public var label: String { givenLabel ?? String(key.map { $0 == "_" ? " " : $0 }) }
    private let givenLabel: String?
    /// The place.
    public let place: Place

    init(_ key: String, _ value: Value?, unit: String = "", label: String? = nil, _ place: Place = .detail) {
        self.key = key
        self.value = value
        self.unit = unit
        givenLabel = label
        self.place = place
    }

    init(
        _ key: String,
        _ number: (some BinaryInteger)?,
        unit: String = "",
        label: String? = nil,
        _ place: Place = .detail
    ) {
        self.init(key, number.map { .number(AdvertisedNumber($0)) }, unit: unit, label: label, place)
    }

    init(
        _ key: String,
        _ number: AdvertisedNumber?,
        unit: String = "",
        label: String? = nil,
        _ place: Place = .detail
    ) {
        self.init(key, number.map { .number($0) }, unit: unit, label: label, place)
    }

    init(_ key: String, _ text: String?, label: String? = nil, _ place: Place = .detail) {
        self.init(key, text.map { .text($0) }, label: label, place)
    }

    init(_ key: String, _ flag: Bool?, label: String? = nil, _ place: Place = .detail) {
        self.init(key, flag.map { .flag($0) }, label: label, place)
    }

    /// The value with its unit; empty if the device does not send it. It must be escaped before a terminal sees it.
    public var text: String {
        switch value {
        case .number(let number): unit.isEmpty ? "\(number)" : "\(number) \(unit)"
        case .text(let text): text
        case .octets(let octets): Hex.string(octets)
        case .flag(let flag): flag ? "yes" : "no"
        case .list(let things): things.map { Self.line("", $0) }.filter { !$0.isEmpty }.joined(separator: ", ")
        case nil: ""
        }
    }

    /// The title and those facts that belong there on one line.
    static func line(_ title: String, _ facts: [AdvertisedFact]) -> String {
        var parts = title.isEmpty ? [] : [title]
        for fact in facts where fact.place != .detail && fact.value != nil {
            switch (fact.place, fact.value) {
            case (.named, .flag(let isSet)): if isSet { parts.append(fact.label) }
            case (.named, _): parts.append("\(fact.label) \(fact.text)")
            case (.main, _), (.detail, _): if !fact.text.isEmpty { parts.append(fact.text) }
            }
        }
        return parts.joined(separator: " ")
    }
}
