// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// The octets of a value as a person types it: in a form of `ValueFormat`, or as the fields of its type.
enum TypedValue {
    /// The reason why words cannot be parsed as a value, as a sentence for the user.
    struct Problem: Error, Equatable {
        let message: String
        var hint: String?
    }

    /// The octets of words.
    ///
    /// - Parameters:
    ///   - format: The format of the characteristic or the descriptor, if it is known.
    ///   - type: The characteristic or the descriptor as the user named it, for the hint.
    ///   - prefersNumber: Whether digits are a number where the format is one number. Otherwise they are hex digits.
    static func octets(
        _ words: [String],
        in format: CharacteristicFormat?,
        of type: String,
        prefersNumber: Bool = false
    ) throws(Problem) -> [UInt8] {
        if let word = words.first, words.count == 1 {
            if prefersNumber, let format, format.isOneNumber, DecimalNumber(word) != nil {
                return try octets(ofFields: words, in: format, of: type)
            }
            do throws(ValueFormatError) {
                return try ValueFormat.encode(word)
            } catch {
                guard let format, !isForm(word) else { throw Problem(message: error.description) }
                // A single word of digits is hexadecimal here, so that an odd number of them is a typing error.
                if case .oddDigits = error, !format.takes(word) { throw Problem(message: error.description) }
                return try octets(ofFields: words, in: format, of: type)
            }
        }
        guard let format else {
            throw Problem(
                message: "the format of \(type) is unknown, so it takes one value only",
                hint: "see VALUES in 'man blectl'"
            )
        }
        return try octets(ofFields: words, in: format, of: type)
    }

    /// The octets of the words of `encode`: a word that names its form, as `write` takes it, or else fields. Digits
    /// alone are a number here.
    ///
    /// - Parameters:
    ///   - format: The format of the characteristic or the descriptor.
    ///   - type: The characteristic or the descriptor as the user named it, for the hint.
    static func octets(
        encoding words: [String],
        in format: CharacteristicFormat,
        of type: String
    ) throws(Problem) -> [UInt8] {
        guard let word = words.first, words.count == 1, namesFormat(word) else {
            return try octets(ofFields: words, in: format, of: type)
        }
        do throws(ValueFormatError) {
            return try ValueFormat.encode(word)
        } catch {
            throw Problem(message: error.description)
        }
    }

    /// The octets of the fields of a format.
    private static func octets(
        ofFields words: [String],
        in format: CharacteristicFormat,
        of type: String
    ) throws(Problem) -> [UInt8] {
        do {
            return try format.encode(try format.content(of: words))
        } catch let error as FieldError {
            throw Problem(message: error.description, hint: hint(type))
        } catch {
            throw Problem(message: "\(error)", hint: hint(type))
        }
    }

    /// The pointer to the fields of a type. `lookup` knows the last part of a path: a characteristic without its
    /// service, a descriptor without its characteristic.
    static func hint(_ type: String) -> String {
        "its fields: blectl lookup \(type.split(separator: "/").last.map(String.init) ?? type)"
    }

    /// Whether the text names its form, so that it can mean nothing else: `u16:70000`, `0x1`.
    private static func isForm(_ text: String) -> Bool {
        text.lowercased().hasPrefix("0x") || namesFormat(text)
    }

    /// Whether the text begins with a format of `ValueFormat` and a colon: `text:hello`.
    private static func namesFormat(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":") else { return false }
        return (try? ValueFormat(text[..<colon])) != nil
    }
}

extension CharacteristicFormat {
    /// Whether a value is one number.
    fileprivate var isOneNumber: Bool { fields.map(\.kind) == [.number] }

    /// Whether a word is a whole value.
    fileprivate func takes(_ word: String) -> Bool {
        guard !isOneNumber, let content = try? content(of: [word]) else { return false }
        return (try? encode(content)) != nil
    }
}
