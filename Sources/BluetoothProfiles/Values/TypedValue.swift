// SPDX-License-Identifier: MIT

import Bluetooth

/// The octets of a value as a person types it.
///
/// This is the one rule of every place that takes a value: arguments, scripts, device files, the output of programs.
/// Where the format is known, the text is the value in that format: `50`, `50 %`, `21.5C`, `high`, fields as
/// `FIELD=VALUE`. Octets have a mark: `0x01ff`, `hex:01 ff`; so has a number or a text of another type: `u16:500`,
/// `text:hello`. Where no format is known, a text without a mark is hex digits.
public enum TypedValue {
    /// The octets of words.
    ///
    /// Octets that are no value of the known format are refused, unless they are marked with `hex:`.
    ///
    /// - Parameters:
    ///   - words: The words of a command line.
    ///   - format: The format of the characteristic or the descriptor; `nil` if it is not known, or does not matter.
    public static func octets(
        _ words: [String],
        in format: CharacteristicFormat?
    ) throws(TypedValueError) -> [UInt8] {
        if let word = words.first, words.count == 1, isMarked(word) || format == nil {
            let octets: [UInt8]
            do throws(ValueFormatError) {
                octets = try ValueFormat.encode(word)
            } catch {
                throw .notation(error)
            }
            if let format, !isUnchecked(word) {
                try check(octets, in: format)
                if isPrinted(word, insteadOf: octets, in: format) { throw .ambiguous(word) }
            }
            return octets
        }
        guard let format else { throw .severalWords }
        let content: DecodedValue.Content
        do throws(TypedContentError) {
            content = try format.content(of: format.fieldWords(words))
        } catch {
            switch (error, format.reading(ofLine: words.joined(separator: " "))) {
            case (_, .octets(let octets)): return octets
            case (.notAssigned, .impossible(let error)): throw .field(error, octets: nil)
            case (.notAssigned(_, let keys), .unfit(let part)):
                throw .content(.notAssigned(part, keys: keys), octets: unmarkedOctets(words))
            default: throw .content(error, octets: unmarkedOctets(words))
            }
        }
        let octets: [UInt8]
        do throws(FieldError) {
            octets = try format.encode(content)
        } catch {
            throw .field(error, octets: unmarkedOctets(words))
        }
        // Nobody begins a number with a zero, and octets often do: 0100 for notifications, which is not one hundred.
        if let digits = words.first, digits.hasPrefix("0"), digits.allSatisfy(\.isNumber), !format.isText,
            let meant = unmarkedOctets(words), meant != octets, format.fields.first?.isNumeric == true
        {
            throw .ambiguous(digits)
        }
        return octets
    }

    /// The octets of a text that is not split into words: a string of a file, or what a program printed.
    public static func octets(
        ofText text: String,
        in format: CharacteristicFormat?
    ) throws(TypedValueError) -> [UInt8] {
        let hasFields = text.utf8.contains(UInt8(ascii: "="))
        let words = hasFields ? text.split(whereSeparator: \.isWhitespace).map(String.init) : []
        let areFields = words.count > 1 && words.allSatisfy { $0.contains("=") } && format?.isText == false
        return try octets(areFields && !isMarked(text) ? words : [text], in: format)
    }

    /// Throws if octets are no value of a format.
    ///
    /// A reserved number of a choice passes, because it can be typed and decodes to itself.
    public static func check(_ octets: [UInt8], in format: CharacteristicFormat) throws(TypedValueError) {
        let decoded = format.decodeAsFarAsPossible(octets)
        guard let fault = decoded.fault else { return }
        if case .reserved = fault.reason, (try? format.encode(decoded.content)) == octets { return }
        throw .foreign(octets, decoded.surplus.isEmpty ? fault.description : decoded.surplusText)
    }

    /// Whether the text names its form, so that it means the same in every format: `0x01`, `hex:01`, `u16:500`.
    public static func isMarked(_ text: String) -> Bool {
        if text.hasPrefix("0x") || text.hasPrefix("0X") { return true }
        guard let colon = text.firstIndex(of: ":") else { return false }
        return (try? ValueFormat(text[..<colon])) != nil
    }

    /// Whether a word of octets is what the format prints of a number with a name, whose octets are in the other order:
    /// `0x00C0` of `Watch (0x00C0)`.
    private static func isPrinted(_ word: String, insteadOf octets: [UInt8], in format: CharacteristicFormat) -> Bool {
        let digits = word.dropFirst(2)
        guard digits.count == 2 * octets.count, octets != octets.reversed() else { return false }
        let (printed, meant) = (format.decodeAsFarAsPossible(octets.reversed()), format.decodeAsFarAsPossible(octets))
        return printed.text.hasSuffix(" (0x\(digits.uppercased()))") && !meant.text.hasSuffix(")")
    }

    /// Whether the text has the mark of octets that no format is held to.
    private static func isUnchecked(_ text: String) -> Bool {
        text.prefix(4).lowercased() == "hex:" || text.prefix(4).lowercased() == "raw:"
    }

    /// The octets that the words would be without a known format, for the hint; `nil` for other words.
    private static func unmarkedOctets(_ words: [String]) -> [UInt8]? {
        guard let word = words.first, words.count == 1, !word.isEmpty else { return nil }
        return Hex.bytes(word)
    }
}

/// The reason why a text is not a value, as a sentence for the user.
public enum TypedValueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The notation of octets, or of a number of a type, is wrong.
    case notation(ValueFormatError)
    /// The words are not fields of the format. The octets are those that the word would be in hexadecimal.
    case content(TypedContentError, octets: [UInt8]?)
    /// The format cannot hold the content. The octets are those that the word would be in hexadecimal.
    case field(FieldError, octets: [UInt8]?)
    /// There are several words, and the format is not known.
    case severalWords
    /// The digits begin with a zero, or are those of a printed number, and are other octets as a number.
    case ambiguous(String)
    /// The octets are no value of the format, for the reason given.
    case foreign([UInt8], String)

    /// The sentence, without a full stop.
    public var description: String {
        switch self {
        case .notation(let error): error.description
        case .content(let error, _): error.description
        case .field(let error, _): error.description
        case .severalWords: "the format is not known, so that it takes one value only"
        case .ambiguous(let digits): "'\(digits)' may be a number, or octets"
        case .foreign(let octets, let reason):
            octets.isEmpty
                ? "it is empty: \(reason)" : "0x\(Hex.string(octets)) is not a value of its format: \(reason)"
        }
    }

    /// What to type instead, with the octets that may have been meant; `nil` if only the fields can help.
    public var advice: String? {
        switch self {
        case .foreign(let octets, _): "hex:\(Hex.string(octets)) is taken all the same"
        case .ambiguous(let word) where word.lowercased().hasPrefix("0x"):
            "octets are written hex:\(word.dropFirst(2)), the number \(Int(word.dropFirst(2), radix: 16) ?? 0)"
        case .ambiguous(let digits):
            "octets are written 0x\(digits), the number \(DecimalNumber(digits)?.description ?? digits)"
        case .content(.notAssigned(let word, let keys), let octets) where keys.count > 1 && (octets?.count ?? 0) < 2:
            "name the field: " + Self.likely(keys).map { "\($0)=\(word)" }.joined(separator: " or ")
        case .content(_, let octets?), .field(_, let octets?): "octets are written 0x\(Hex.string(octets))"
        case .notation, .content, .field, .severalWords: nil
        }
    }

    /// The fields that a word may be meant for: those of names, if there are some.
    private static func likely(_ keys: [String]) -> ArraySlice<String> {
        let names = keys.filter { $0.hasSuffix("_name") }
        return (names.isEmpty ? keys : names).prefix(2)
    }
}

extension FieldDescription {
    /// Whether digits stand for a number, or for the number of a name.
    fileprivate var isNumeric: Bool { [.number, .choice, .flags].contains(kind) }
}

extension CharacteristicFormat {
    package var isText: Bool { fields.count == 1 && fields[0].key.isEmpty && fields[0].kind == .text }

    /// The words of one value: those of a number with its unit, or of a name, are one. A text is taken only as a whole,
    /// because the spaces between its words would be lost.
    fileprivate func fieldWords(_ words: [String]) -> [String] {
        guard words.count > 1, let only = loneField, !isText, only.kind != .text,
            !words.contains(where: { $0.contains("=") })
        else { return words }
        return [words.joined(separator: " ")]
    }
}
