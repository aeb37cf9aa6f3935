// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization
import Testing

@testable import Records
@testable import Terminal

/// A result with two cells.
private struct Row: TabledResult {
    static let headings = ["NAME", "SIZE"]

    let columns: [String]

    let timestamp = Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)

    static let record = RecordKind<Self>("row", "a row") {
        RecordField("name", .string, "the name") { $0.columns[0] }
    }

    func text(_ style: TextStyle) -> String? { columns.joined(separator: "/") }
}

@Suite("Lists of results")
struct TabledResultTests {
    private final class Buffer: ByteSink {
        private let bytes = Mutex<[UInt8]>([])

        var lines: [String] {
            bytes.withLock { String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init) }
        }

        func write(_ span: Span<UInt8>) {
            bytes.withLock { bytes in for index in span.indices { bytes.append(span[index]) } }
        }
    }

    private static let rows = [Row(columns: ["strap", "1"]), Row(columns: ["lamp", "20"])]

    private func lines(of rows: [Row], isTerminal: Bool, isJSON: Bool = false) async throws -> [String] {
        let buffer = Buffer()
        let style = TextStyle(usesColor: false, isTerminal: isTerminal)
        try await Output(buffer, isJSON: isJSON, style: style).emit(list: rows)
        return buffer.lines
    }

    @Test func `a person at a terminal gets a table`() async throws {
        #expect(try await lines(of: Self.rows, isTerminal: true) == ["NAME   SIZE", "strap  1", "lamp   20"])
    }

    @Test func `a program gets a line for each result, without headings`() async throws {
        #expect(try await lines(of: Self.rows, isTerminal: false) == ["strap/1", "lamp/20"])
    }

    @Test(arguments: [false, true])
    func `records are the same at a terminal`(isTerminal: Bool) async throws {
        let lines = try await lines(of: Self.rows, isTerminal: isTerminal, isJSON: true)
        #expect(lines == Self.rows.map { String(decoding: Output.line(of: $0).dropLast(), as: UTF8.self) })
    }

    @Test(arguments: [false, true])
    func `an empty list prints nothing, not even headings`(isTerminal: Bool) async throws {
        #expect(try await lines(of: [], isTerminal: isTerminal).isEmpty)
    }
}
