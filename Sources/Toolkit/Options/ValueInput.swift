// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
package import BluetoothProfiles
package import CommandLineInterface

/// The value of a command line: its octets, or the file that has them.
package enum ValueInput: Sendable, Equatable {
    /// The octets of the words.
    case octets([UInt8])
    /// The octets of a file, or those of standard input for `-`.
    case file(String)
}

extension TypedValue {
    /// The reason why words cannot be parsed as a value, as a sentence for the user.
    package struct Problem: Error, Equatable {
        package let message: String
        package var hint: String?
    }

    /// The octets of the words of a command line, or of what a program printed. A JSON object is the content of a
    /// value, such as `decoded` in the records of `read`.
    ///
    /// - Parameters:
    ///   - format: The format of the characteristic or the descriptor; `nil` if it is not known.
    ///   - type: The characteristic or the descriptor as the user named it, for the hint.
    package static func octets(
        _ words: [String],
        in format: CharacteristicFormat?,
        of type: String
    ) throws(Problem) -> [UInt8] {
        if let word = words.first, words.count == 1, word.hasPrefix("{"), let format, !format.isText {
            do {
                return try format.encode(try DecodedValue.Content(json: Array(word.utf8)))
            } catch {
                throw Problem(message: "\(error)", hint: hint(type))
            }
        }
        do throws(TypedValueError) {
            return words.count == 1
                ? try octets(ofText: words[0], in: format) : try octets(words, in: format)
        } catch {
            throw Problem(error, of: type)
        }
    }

    /// The pointer to the fields of a type. `lookup` knows the last part of a path: a characteristic without its
    /// service, a descriptor without its characteristic.
    package static func hint(_ type: String) -> String {
        "its fields: blectl lookup \(type.split(separator: "/").last.map(String.init) ?? type)"
    }
}

extension TypedValue.Problem {
    package init(_ error: TypedValueError, of type: String) {
        message = error.description
        switch error {
        case .content, .field: hint = [error.advice, TypedValue.hint(type)].compactMap { $0 }.joined(separator: "; ")
        case .severalWords: hint = "see VALUES in 'man blectl'"
        case .notation, .foreign, .ambiguous: hint = error.advice
        }
    }
}

extension ParsedArguments {
    /// The value of the words: `-` and `@FILE` stand for the octets of standard input and of a file.
    ///
    /// - Parameters:
    ///   - format: The format of the characteristic or the descriptor; `nil` if it is not known, or does not matter.
    ///   - target: The characteristic or the descriptor as the user named it.
    ///   - action: What cannot be done without a value: `write`.
    package func value(
        _ words: [String],
        in format: CharacteristicFormat?,
        of target: String,
        doing action: String
    ) throws(UsageError) -> ValueInput {
        if let file = try file(of: words) { return .file(file) }
        do throws(TypedValue.Problem) {
            return .octets(try TypedValue.octets(words, in: format, of: target))
        } catch {
            throw UsageError(.badData("cannot \(action): \(error.message)", hint: error.hint), command: command)
        }
    }

    /// The file whose octets are a value, written as `@FILE`, or `-` for standard input; `nil` for other words.
    package func file(of words: [String]) throws(UsageError) -> String? {
        guard let word = words.first, words.count == 1, word == "-" || word.hasPrefix("@") else { return nil }
        guard word != "@" else { throw impossible("a file name is missing after @") }
        return word == "-" ? "-" : String(word.dropFirst())
    }
}

extension ValueInput {
    /// What a value would be read from: `a file` or `standard input`; `nil` if it is the value itself.
    package static func source(of text: String) -> String? {
        text == "-" ? "standard input" : text.hasPrefix("@") ? "a file" : nil
    }
}
