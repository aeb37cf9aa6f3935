// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Synchronization
import Terminal
import Toolkit

/// The words that can stand before the cursor, from the command table and the known attributes of the device.
struct ShellCompletion: Sendable {
    private static let listLimit = 200

    let table: CommandTable
    /// The names of the shell's devices, and the addresses of those without one.
    var devices: [String] = []
    /// The numbers of the commands in the background.
    var jobs: [Int] = []
    /// The known part of the present device's database; `nil` if there is none.
    var database: DiscoveredDatabase?
    /// The files whose names begin with a text; folders end with a slash.
    var files: @Sendable (String) -> [String] = { _ in [] }

    func effect(behind text: String) -> CompletionEffect {
        let line = ShellLine(unfinished: text)
        guard !line.isBackground else { return .nothing }
        var words = line.words.map(\.text)
        // The editor counts characters of the type wchar_t, which are Unicode scalars.
        let end = text.unicodeScalars.count
        var begun = (text: "", start: end)
        if !line.isLastComplete, let last = line.words.last {
            begun = (last.text, last.start)
            words.removeLast()
        }
        if words.first == "blectl" { words.removeFirst() }
        let offers = Array(Set(candidates(behind: words, begun.text))).sorted()
        return Self.effect(of: offers, begun.text, replacing: end - begun.start)
    }

    /// The effect of the offers: the only one is typed with a blank after it, unless it may go on; several are typed
    /// as far as they agree, and listed when that adds nothing.
    private static func effect(of offers: [String], _ begun: String, replacing count: Int) -> CompletionEffect {
        guard let first = offers.first else { return .nothing }
        if offers.count == 1 {
            let isOpen = first.hasSuffix("/") || first.hasSuffix("=")
            return .replace(count: count, with: ShellLine.escaped(first) + (isOpen ? "" : " "))
        }
        var common = Array(first.unicodeScalars)[...]
        for offer in offers {
            let other = Array(offer.unicodeScalars)
            var length = 0
            while length < min(common.count, other.count), common[length] == other[length] { length += 1 }
            common = common.prefix(length)
        }
        var shared = ""
        shared.unicodeScalars.append(contentsOf: common)
        let isLonger = shared.unicodeScalars.count > begun.unicodeScalars.count
        if isLonger { return .replace(count: count, with: ShellLine.escaped(shared)) }
        return .list(offers.prefix(listLimit).map { TerminalText.escaped($0) })
    }

    private func candidates(behind words: [String], _ begun: String) -> [String] {
        guard let first = words.first else {
            let names =
                table.names.filter { !$0.has(.notForShells) }.map(\.rawValue)
                + ShellBuiltin.allCases.map(\.rawValue)
            return fitting(names, begun)
        }
        if let builtin = ShellBuiltin(word: first) { return arguments(of: builtin, words, begun) }
        return table.name(first).map { arguments(of: $0, words, begun) } ?? []
    }

    private func arguments(of builtin: ShellBuiltin, _ words: [String], _ begun: String) -> [String] {
        guard words.count == 1 else { return [] }
        return switch builtin {
        case .connect, .disconnect, .use: fitting(devices, begun)
        case .stop: fitting(jobs.map(String.init) + ["all"], begun)
        case .wait: fitting(jobs.map(String.init), begun)
        case .help: candidates(behind: [], begun)
        case .links, .jobs, .clear, .exit: []
        }
    }

    private func arguments(of command: CommandName, _ words: [String], _ begun: String) -> [String] {
        var refused = GlobalOptions.shellOptions + [DeviceSpec.reconnect.spec]
        // The adapter of the shell finds its device. `l2cap listen` has none, and a session is not the shell's.
        if command.hasDevice, ![.l2cap, .session].contains(command) { refused.append(GlobalSpec.adapter.spec) }
        let request = CompletionRequest(after: words, begun, of: table, refusing: refused)
        let offers = CompletionOffers(
            devices: { _ in devices.map { Choice(word: $0, summary: "") } },
            database: { _ in database }
        )
        guard let answer = offers.answer(to: request) else { return [] }
        let names = answer.files.map { ending in
            files(answer.typed).filter { $0.hasSuffix("/") || $0.hasSuffix(ending) }.map { answer.before + $0 }
        }
        return answer.fitting + (names ?? [])
    }

    /// The words that begin with the typed text; the case of letters does not matter.
    private func fitting(_ words: [String], _ begun: String) -> [String] {
        let begun = begun.lowercased()
        return words.filter { $0.lowercased().hasPrefix(begun) }
    }
}

/// The words that completion may offer at present. Behind a lock rather than in an actor, because Tab asks on the
/// thread that reads the line, which cannot wait for a task.
final class CompletionCache: Sendable {
    private let state: Mutex<ShellCompletion>

    init(_ table: CommandTable) { state = Mutex(ShellCompletion(table: table, files: FileNames.beginning)) }

    func update(_ change: (inout ShellCompletion) -> Void) { state.withLock { change(&$0) } }

    func effect(behind text: String) -> CompletionEffect { state.withLock { $0 }.effect(behind: text) }
}
