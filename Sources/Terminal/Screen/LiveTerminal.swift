// SPDX-License-Identifier: GPL-2.0-or-later

/// The terminal as a live screen needs it: the process's own, or one in a test's memory.
package protocol LiveTerminal: Sendable {
    var size: ScreenSize { get }

    var hasKeys: Bool { get }

    /// Takes the terminal over for a screen. The stream signals when it has to be redrawn at once.
    func open() -> AsyncStream<TerminalEvent>

    /// The number of the screen's appearance, which grows whenever the terminal has shown something else meanwhile, so
    /// that a whole picture is due. `nil` if nothing may be drawn: the program is suspended or in the background.
    func appearance() -> Int?

    /// Whether earlier pictures are not shown yet, because the terminal is stopped or slow.
    var isBehind: Bool { get }

    func show(_ picture: String) throws(OutputFailure)

    /// The next keys, as the terminal sends them; none at the end. Throws if they cannot be read at present.
    func keys() async throws -> [UInt8]

    /// Gives the terminal back as it was.
    func close() throws(OutputFailure)
}

package enum TerminalEvent: Sendable, Equatable {
    case resized
    /// The program continues after it was suspended.
    case continued
}
