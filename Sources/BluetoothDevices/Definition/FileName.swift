// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

/// Why a text is not the name of something, as a sentence.
struct FileTextError: Error {
    /// The sentence, without a full stop.
    let message: String
}

/// The names of a device file: of attributes, errors, appearances, units.
enum FileName {
    static func uuid(_ text: String, _ kind: AssignedNumber.Kind) throws(FileTextError) -> BluetoothUUID {
        // Before the digits, because the short name cccd could be some.
        if kind == .descriptor, let named = AssignedNumbers.indexedUUIDs(named: text, kind: .descriptor).first {
            return named
        }
        if let uuid = BluetoothUUID(text) { return uuid }
        var uuids: [BluetoothUUID] = []
        for uuid in AssignedNumbers.indexedUUIDs(named: text, kind: kind) where !uuids.contains(uuid) {
            uuids.append(uuid)
        }
        if let first = uuids.first, uuids.count == 1 { return first }
        guard uuids.isEmpty else {
            let list = uuids.map(\.description).joined(separator: ", ")
            throw FileTextError(message: "'\(text)' is the name of several \(kind.rawValue)s: \(list)")
        }
        let near = AssignedNumbers.suggestions(for: text, kinds: [kind], limit: 2).map { "'\($0)'" }
        throw FileTextError(
            message: "'\(text.shortened)' is neither a UUID nor the assigned name of a \(kind.rawValue)"
                + (near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?")
        )
    }

    /// The name by which `uuid` finds a UUID again; the UUID if it has none.
    static func text(of uuid: BluetoothUUID, _ kind: AssignedNumber.Kind) -> String {
        let name =
            switch kind {
            case .service: AssignedNumbers.name(ofService: uuid)
            case .characteristic: AssignedNumbers.name(ofCharacteristic: uuid)
            case .descriptor: AssignedNumbers.name(ofDescriptor: uuid)
            }
        let plain = uuid.short16 == nil ? uuid.fullText : uuid.description
        guard let name else { return plain }
        let slug = AssignedNumber.slug(name)
        return (try? self.uuid(slug, kind)) == uuid ? slug : plain
    }

    // MARK: - Numbers

    /// A number of 16 bits, decimal or in hexadecimal with the prefix `0x`.
    static func number16(_ text: String) -> UInt16? {
        UInt16(numeral: text)
    }

    /// `0x0001 to 0xffff`
    static func hex(_ range: ClosedRange<Int64>) -> String {
        let highest = Hex.string(range.upperBound, minimumDigits: 2)
        let lowest = Hex.string(range.lowerBound, minimumDigits: highest.count)
        return "0x\(lowest) to 0x\(highest)".lowercased()
    }

    static func numberFormat(_ text: String) -> ValueFormat? {
        guard let format = try? ValueFormat(text), format.octets(of: .zero) != nil else { return nil }
        return format
    }

    // MARK: - ATT errors

    /// The names of the errors, as in `insufficient-authentication`.
    static let attErrors = namedErrors.map(\.name)

    /// The errors that have names, made once: a file may name errors in each of its rules.
    private static let namedErrors = (UInt8(1)...255).map { ATTErrorCode($0) }.compactMap { code in
        name(of: code).map { (code: code, name: $0) }
    }

    static func attError(_ text: String) -> ATTErrorCode? {
        if let number = number16(text) { return (1...255).contains(number) ? ATTErrorCode(UInt8(number)) : nil }
        let wanted = AssignedNumber.slug(text)
        return namedErrors.first { $0.name == wanted }?.code
    }

    static func text(of code: ATTErrorCode) -> String {
        name(of: code) ?? "0x" + Hex.string(code.rawValue, minimumDigits: 2).lowercased()
    }

    /// The name of an error; `nil` for application errors, which each service defines for itself.
    private static func name(of code: ATTErrorCode) -> String? {
        guard !code.isApplicationError, !code.description.hasPrefix("unknown") else { return nil }
        return AssignedNumber.slug(code.description)
    }

    // MARK: - Appearances, units and formats

    /// The appearance with that name or number. Throws with a suggestion if there is none.
    static func appearance(_ text: String) throws(FileTextError) -> UInt16 {
        if let number = AssignedNumbers.appearance(named: text) ?? number16(text) { return number }
        throw FileTextError(
            message: "'\(text.shortened)' is not the name of an appearance"
                + hint(AssignedNumber.slug(text), among: AssignedNumbers.appearanceSlugs)
        )
    }

    /// The name of an appearance; `nil` if it has none.
    static func appearanceName(_ number: UInt16) -> String? {
        guard let name = AssignedNumbers.appearanceName(number) else { return nil }
        let slug = AssignedNumber.slug(name)
        return AssignedNumbers.appearance(named: slug) == number ? slug : nil
    }

    /// The names of the units, in the order of their numbers.
    static let units = numberedUnits.map(\.slug)

    /// The units with their names, made once: a file may name a unit for each of its characteristics.
    private static let numberedUnits = unitNumbers.compactMap { number in
        AssignedNumbers.unit(BluetoothUUID(number)).map { (number: number, slug: $0.slug) }
    }

    private static let unitNumbers = UInt16(0x2700)...0x27FF

    /// The unit with that name, symbol or number. Units have UUIDs from 0x2700 on.
    static func unit(_ text: String) -> UInt16? {
        if let number = number16(text) { return unitNumbers.contains(number) ? number : nil }
        let wanted = AssignedNumber.slug(text)
        return numberedUnits.first { $0.slug == wanted }?.number ?? AssignedNumbers.unit(spelled: text)
    }

    /// The name of a unit, or its number if the name does not lead back to it.
    static func text(ofUnit number: UInt16) -> String {
        guard let slug = AssignedNumbers.unit(BluetoothUUID(number))?.slug, unit(slug) == number else {
            return "0x" + Hex.string(number, minimumDigits: 4).lowercased()
        }
        return slug
    }

    /// The short names of the format types.
    static let presentationFormats = (UInt8(1)...0x1C).map { PresentationFormat.Format(rawValue: $0).description }

    /// The number of a format type by its short name, or by the name of the same type on the command line.
    static func presentationFormat(_ text: String) -> UInt8? {
        let names = ValueFormat.names(of: text)
        return (UInt8(1)...0x1C).first { names.contains(PresentationFormat.Format(rawValue: $0).description) }
    }

    // MARK: - Did you mean

    /// `; did you mean 'battery-level'?`, or nothing if no word is near.
    static func hint(_ text: String, among words: [String]) -> String {
        nearest(text, among: words).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// The word that is most similar to a typed one, the first of several; `nil` if none is similar enough.
    static func nearest(_ text: String, among words: [String]) -> String? {
        let letters = Array(text.lowercased().utf8)
        guard (1...64).contains(letters.count) else { return nil }
        // The beginning of a word is a likelier intention than a misspelling. A single letter begins too many words.
        if letters.count > 1, let longer = words.first(where: { $0.utf8.starts(with: letters) }) { return longer }
        var best: (word: String, distance: Int)?
        for word in words {
            // With three errors, a short word would be similar to nearly every other one.
            let limit = min(3, max(1, word.utf8.count / 2 - 1))
            if let distance = EditDistance.distance(letters, Array(word.utf8), limit: limit),
                distance < best?.distance ?? .max
            {
                best = (word, distance)
            }
        }
        return best?.word
    }
}

extension UnitOfMeasurement {
    /// The name in the form in which files have it.
    fileprivate var slug: String { AssignedNumber.slug(name) }
}

/// Durations of a device file: `211.25 ms`, `1 s`, `10 min`.
enum FileDuration {
    static let longest: Duration = .seconds(365 * 24 * 60 * 60)

    /// The units in the order in which they are tried: `min` and `ms` before `m`, and `ns` before `s`.
    private static let units: [(name: String, nanoseconds: UInt64)] = [
        ("min", 60_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1), ("s", 1_000_000_000),
        ("m", 60_000_000_000), ("h", 3_600_000_000_000), ("d", 86_400_000_000_000),
    ]

    /// The length of a unit; `nil` for another word.
    static func unit(_ name: String) -> Duration? {
        units.first { $0.name == name }.map { .nanoseconds(Int64(clamping: $0.nanoseconds)) }
    }

    /// `nil` unless the text is a number of at least zero with a unit, whole in nanoseconds, and at most a year.
    static func parse(_ text: String) -> Duration? {
        guard text.utf8.count <= 40, let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
        var digits = text.dropLast(unit.name.count)
        while digits.last == " " { digits.removeLast() }
        // A decimal number may also have a sign and an exponent, which a duration does not have.
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let number = DecimalNumber(digits), let nanoseconds = number.multiplied(by: unit.nanoseconds).integer
        else { return nil }
        let duration = Duration.nanoseconds(nanoseconds)
        return duration <= longest ? duration : nil
    }

    /// The duration in the largest unit in which it is at least one, without loss of nanoseconds.
    static func text(_ duration: Duration) -> String {
        let nanoseconds = max(0, duration.clampedNanoseconds)
        if nanoseconds == 0 { return "0 s" }
        for (name, size): (String, Int64) in [
            ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("min", 60_000_000_000),
        ] where nanoseconds.isMultiple(of: size) {
            return "\(nanoseconds / size) \(name)"
        }
        let (name, power) =
            nanoseconds >= 1_000_000_000
            ? ("s", 9)
            : nanoseconds >= 1_000_000
                ? ("ms", 6)
                : nanoseconds >= 1_000 ? ("us", 3) : ("ns", 0)
        return "\(DecimalNumber(nanoseconds, exponent: -power)) \(name)"
    }
}
