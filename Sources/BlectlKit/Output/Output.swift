// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import FoundationEssentials

/// Standard output: results, and nothing else. Every result is written, and flushed, as a whole.
public struct Output: Sendable {
    private let sink: any ByteSink
    /// Whether results are written as JSON.
    public let isJSON: Bool
    /// How text is dressed.
    public let style: TextStyle

    /// Makes an output.
    public init(_ sink: any ByteSink, isJSON: Bool, style: TextStyle) {
        self.sink = sink
        self.isJSON = isJSON
        self.style = style
    }

    /// Writes a result in the form that was asked for.
    public func emit(_ result: some CommandResult) throws {
        if isJSON {
            try sink.write(try Self.line(of: result.record))
        } else if let bytes = result.rawBytes {
            try sink.write(bytes)
        } else if let text = result.text(style) {
            try write(text)
        }
    }

    /// Writes a line, or several, of text.
    public func write(_ text: String) throws(OutputFailure) {
        try sink.write(Array(text.utf8) + [UInt8(ascii: "\n")])
    }

    /// Writes text as it is: control sequences of a live table.
    public func writeRaw(_ text: String) throws(OutputFailure) {
        try sink.write(Array(text.utf8))
    }

    /// A record as one line of JSON: keys in order, UTF-8, line feed at the end. What a terminal might obey, or what would
    /// mislead a reader, is escaped: JSON is read by people as well.
    static func line(of record: Record) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = Array(try encoder.encode(record.members))
        // Control characters below that are escaped already.
        guard line.contains(where: { $0 >= 0x7F }) else { return line + [UInt8(ascii: "\n")] }
        var text = ""
        for scalar in String(decoding: line, as: UTF8.self).unicodeScalars {
            guard scalar.value >= 0x7F, TerminalText.isUnsafe(scalar) else {
                text.unicodeScalars.append(scalar)
                continue
            }
            for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
                text += "\\u" + Hex.string([UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)])
            }
        }
        return Array(text.utf8) + [UInt8(ascii: "\n")]
    }
}
