// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal

/// A result that is a row of a table at a terminal.
package protocol TabledResult: RecordedResult {
    /// The headings of the table, in the order of `columns`.
    static var headings: [String] { get }

    /// The cells of the row. Text that came from elsewhere is escaped.
    var columns: [String] { get }
}

extension Output {
    /// Writes a list: as a table for a person at a terminal, and otherwise one result after the other.
    ///
    /// Lines that a program reads have no headings, because it would have to skip them.
    package func emit<Result: TabledResult>(list results: [Result]) async throws {
        guard !writesRecords, style.isTerminal else {
            for result in results { try await emit(result) }
            return
        }
        // An empty table would be headings without rows.
        guard !results.isEmpty else { return }
        for line in TextTable(Result.headings, results.map(\.columns)).lines(style) { try await write(line) }
    }
}
