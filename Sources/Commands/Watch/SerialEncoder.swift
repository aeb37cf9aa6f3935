// SPDX-License-Identifier: GPL-2.0-or-later

import Toolkit

/// Turns the octets of standard input into those that are sent.
///
/// Text is sent as it comes, with its ends of lines replaced. Hexadecimal input is sent line by line.
struct SerialEncoder {
    private let options: SerialOptions
    private var lines = HexLines()

    init(_ options: SerialOptions) { self.options = options }

    /// The octets for the next part of the input. In hex a line is sent when it is complete.
    mutating func encode(_ input: [UInt8]) -> (octets: [UInt8], problems: [HexLines.Problem]) {
        guard options.isHex else { return (text(input), []) }
        return Self.parts(lines.take(input))
    }

    /// The octets of a last line without an end.
    mutating func finish() -> (octets: [UInt8], problems: [HexLines.Problem]) { Self.parts(lines.finish()) }

    /// The octets of the lines that have some, and the problems of the others.
    private static func parts(_ lines: [HexLines.Line]) -> (octets: [UInt8], problems: [HexLines.Problem]) {
        var octets: [UInt8] = []
        var problems: [HexLines.Problem] = []
        for line in lines {
            switch line {
            case .octets(let part): octets += part
            case .problem(let problem): problems.append(problem)
            }
        }
        return (octets, problems)
    }

    /// The text with the wanted ends of lines.
    private func text(_ input: [UInt8]) -> [UInt8] {
        guard options.newline != .lf else { return input }
        return input.flatMap { $0 == 0x0A ? options.newline.octets : [$0] }
    }
}
