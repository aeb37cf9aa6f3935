// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Turns the octets of standard input into those that are sent.
///
/// Text is sent as it comes, with its ends of lines replaced. Hexadecimal input is collected line by line,
/// because the digits of an octet may be split between two parts.
struct SerialEncoder {
    /// The longest line of hex digits.
    /// A longer line is cut, so that input without a line end cannot fill the memory.
    private static let lineLimit = 65_536

    private let options: SerialOptions
    private var line: [UInt8] = []

    init(_ options: SerialOptions) { self.options = options }

    /// A line that is not octets in hex.
    struct Problem: Error, Equatable {
        let line: String
    }

    /// The octets for the next part of the input. In hex a line is sent when it is complete.
    mutating func encode(_ input: [UInt8]) -> (octets: [UInt8], problems: [Problem]) {
        guard options.isHex else { return (text(input), []) }
        var octets: [UInt8] = []
        var problems: [Problem] = []
        for octet in input {
            guard octet == 0x0A else {
                if line.count < Self.lineLimit { line.append(octet) }
                continue
            }
            take(&octets, &problems)
        }
        return (octets, problems)
    }

    /// The octets of a last line without an end.
    mutating func finish() -> (octets: [UInt8], problems: [Problem]) {
        var octets: [UInt8] = []
        var problems: [Problem] = []
        take(&octets, &problems)
        return (octets, problems)
    }

    /// Takes a line of hex digits. Blanks and colons between them are ignored.
    private mutating func take(_ octets: inout [UInt8], _ problems: inout [Problem]) {
        // A carriage return is ignored too, because files from Windows have one at the end of each line.
        let digits = line.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D && $0 != UInt8(ascii: ":") }
        let text = String(decoding: line, as: UTF8.self)
        line.removeAll()
        guard let bytes = Hex.bytes(String(decoding: digits, as: UTF8.self)) else {
            problems.append(Problem(line: text))
            return
        }
        octets += bytes
    }

    /// The text with the wanted ends of lines.
    private func text(_ input: [UInt8]) -> [UInt8] {
        guard options.newline != .lf else { return input }
        return input.flatMap { $0 == 0x0A ? options.newline.octets : [$0] }
    }
}
