// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Terminal

/// Turns lines of hex digits into octets.
///
/// The digits of an octet may be split between two parts of the input, so that a line is taken when it is complete.
/// Blanks and colons between the digits are ignored, and so is `0x` before those of a group.
package struct HexLines {

    package init() {}
    package enum Line: Equatable {
        case octets([UInt8])
        case problem(Problem)
    }

    /// A line that is not sent.
    package struct Problem: Equatable {
        /// The beginning of the line, up to 64 octets, because the message shows it.
        package let line: String
        /// Whether it has more than `lineLimit` characters.
        var isTooLong = false

        /// The reason, without the line.
        package var reason: String {
            isTooLong ? "the line has more than \(HexLines.lineLimit) characters" : "it is not octets in hex"
        }

        /// The reason and the line, for the user.
        package var message: String { "not sent, because \(reason): \(Prose.quoted(line))" }
    }

    /// The longest line, so that input without a line end cannot fill the memory: the largest unit of a channel, in
    /// digits with a character between the octets.
    package static let lineLimit = 3 * 65_536

    private var line: [UInt8] = []
    /// Whether the line had more characters than are kept. What is kept may look like whole octets.
    private var isTooLong = false

    /// The lines that are complete.
    package mutating func take(_ input: [UInt8]) -> [Line] {
        var lines: [Line] = []
        for octet in input {
            if octet == 0x0A {
                lines += finish()
            } else if line.count < Self.lineLimit {
                line.append(octet)
            } else {
                isTooLong = true
            }
        }
        return lines
    }

    /// The last line, if it has no line feed. Empty lines do not count.
    package mutating func finish() -> [Line] {
        defer {
            line.removeAll()
            isTooLong = false
        }
        let beginning = String(decoding: line.prefix(64), as: UTF8.self)
        if isTooLong { return [.problem(Problem(line: beginning, isTooLong: true))] }
        // A carriage return is ignored too, because files from Windows have one at the end of each line.
        let groups = line.split { [0x20, 0x09, 0x0D, UInt8(ascii: ":")].contains($0) }
        guard !groups.isEmpty else { return [] }
        var digits: [UInt8] = []
        for group in groups {
            guard let part = Self.digits(group) else { return [.problem(Problem(line: beginning))] }
            digits += part
        }
        guard let octets = Hex.bytes(String(decoding: digits, as: UTF8.self)) else {
            return [.problem(Problem(line: beginning))]
        }
        return [.octets(octets)]
    }

    /// The digits of a group, without the `0x` that may be before them, as in a value. `nil` if whole octets do not
    /// follow it: `0x1 0x2` are not the octet 12.
    private static func digits(_ group: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard group.starts(with: "0x".utf8) || group.starts(with: "0X".utf8) else { return group }
        let digits = group.dropFirst(2)
        return !digits.isEmpty && digits.count.isMultiple(of: 2) ? digits : nil
    }
}
