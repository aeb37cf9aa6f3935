// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

/// The lines of a source of octets, one after the other.
package struct LineSource {
    /// The longest line in octets: more than twice that of the longest value, which is 512 octets in hex digits with a
    /// character after each octet.
    private static let limit = 4_096

    private let source: ByteSource
    private let keepsEmptyLines: Bool
    private var rest: [UInt8] = []
    private var offset = 0
    private var isAtEnd = false
    /// The number of the latest line, from 1.
    package private(set) var number = 0

    /// - Parameter keepsEmptyLines: Whether lines without text are lines, too. Otherwise they are left out.
    package init(_ source: ByteSource, keepsEmptyLines: Bool = false) {
        self.source = source
        self.keepsEmptyLines = keepsEmptyLines
    }

    /// The next line without its end; `nil` after the last one.
    package mutating func next() async throws -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = rest[..<end]
                rest = Array(rest[(end + 1)...])
                number += 1
                if let text = try text(line) { return text }
                if keepsEmptyLines { return "" }
                continue
            }
            if isAtEnd {
                guard !rest.isEmpty else { return nil }
                let line = rest[...]
                rest = []
                number += 1
                return try text(line)
            }
            // Before the next read: input without ends of lines must not fill the memory.
            guard rest.count <= Self.limit else { throw tooLong }
            let octets = try await source.next(after: offset)
            offset += octets.count
            rest += octets
            isAtEnd = octets.isEmpty
        }
    }

    private func text(_ line: ArraySlice<UInt8>) throws(BlectlError) -> String? {
        guard line.count <= Self.limit else { throw tooLong }
        let blanks: [UInt8] = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
        let words = line.drop { blanks.contains($0) }
        guard let last = words.lastIndex(where: { !blanks.contains($0) }) else { return nil }
        guard let text = String(validating: words[...last], as: UTF8.self) else {
            throw BlectlError(.badData, cannot: "read \(source.name)", "line \(number) is not text in UTF-8")
        }
        return text
    }

    private var tooLong: BlectlError {
        BlectlError(.badData, cannot: "read \(source.name)", "line \(number + 1) is longer than \(Self.limit) octets")
    }
}
