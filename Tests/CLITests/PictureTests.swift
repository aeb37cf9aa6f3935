// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

/// The pictures of README, drawn from what blectl shows on a terminal. `make pictures` draws them anew.
@Suite("Pictures", .startsPrograms())
struct PictureTests {
    private func screen(_ line: String, columns: Int, rows: Int) async throws -> TerminalScreen {
        let terminal = try PseudoTerminal(columns: columns, rows: rows)
        let (status, drawn) = try await terminal.run(Blectl.virtual + TypedCommand(line).arguments, hasKeyboard: true)
        #expect(status == 0)
        return TerminalScreen(columns: columns, rows: rows, showing: drawn)
    }

    private func compare(_ cells: [[TerminalScreen.Cell]], _ title: String, _ name: String) throws {
        try Golden.expect(SVGPicture.draw(cells, title: title), equals: name, in: "Pictures", target: "make pictures")
    }

    @Test func `a live scan`() async throws {
        let screen = try await screen("scan --duration 20.2", columns: 120, rows: 16)
        try compare(screen.lastPicture, "blectl --simulate scan", "scan.svg")
    }

    @Test func `a watch`() async throws {
        let screen = try await screen("watch heart-rate --duration 90", columns: 100, rows: 14)
        try compare(screen.lastPicture, "blectl --simulate watch heart-rate", "watch.svg")
    }

    @Test func `an inspection`() async throws {
        let screen = try await screen("inspect --values -d 'Thermo 1'", columns: 110, rows: 34)
        let cells = Array(screen.content.prefix(screen.lines.count))
        try compare(cells, "blectl --simulate inspect --values -d 'Thermo 1'", "inspect.svg")
    }
}
