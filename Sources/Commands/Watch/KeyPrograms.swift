// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import Terminal
import Toolkit

/// A program that runs when a key is pressed: `--exec 'left=playerctl previous'`.
struct KeyHook: Sendable, Equatable {
    /// The name of the key; `nil` for every key.
    let key: String?
    /// The program and its arguments, at least the program.
    let words: [String]

    /// Parses the text of an option. A word in front of a `=` is a key only if a known device has one of that name, so
    /// that a command may begin with `NAME=value`.
    init(_ text: String) throws(ValueProblem) {
        var command = text[...]
        var key: String?
        if let equals = text.firstIndex(of: "="),
            let known = KeyPad.all.flatMap(\.keys).first(where: { $0 == text[..<equals] })
        {
            key = known
            command = text[text.index(after: equals)...]
        }
        self.key = key
        words = try CommandWords.split(command)
        guard words.first?.isEmpty == false else { throw ValueProblem(expectation: "expected a command") }
    }
}

/// Runs a program for each press of a key, one after the other.
struct KeyPrograms: Sendable {
    /// The maximum number of presses that wait for their program; more are dropped.
    private static let mostWaiting = 64
    /// The maximum number of octets that a program may print.
    private static let outputLimit = 4_096

    /// The programs in the order of the command line.
    private let hooks: [KeyHook]
    private let runner: ExecRunner
    /// The presses that wait, oldest first.
    private let presses: AsyncStream<KeyResult>
    /// The other end of `presses`. It drops results beyond its limit, so that a held key cannot fill the memory.
    private let queue: AsyncStream<KeyResult>.Continuation

    /// Of the programs for the same key, the last one counts.
    init(_ hooks: [KeyHook], _ runner: ExecRunner) {
        self.hooks = hooks
        self.runner = runner
        (presses, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostWaiting))
    }

    /// Queues a press, if a program is meant for it.
    func start(for press: KeyResult) {
        guard hook(for: press) != nil else { return }
        guard case .dropped = queue.yield(press) else { return }
        runner.note("no program is run for \(press.event.key): \(Self.mostWaiting) others wait for theirs")
    }

    /// Ends the queue; the presses in it are still acted on.
    func finish() { queue.finish() }

    /// Runs the programs in the order of the presses, one at a time.
    ///
    /// If the task is cancelled, this kills the present program, and starts no other.
    func run() async {
        for await press in presses where !Task.isCancelled { await run(for: press) }
    }

    /// The program for a press: of those that fit, the last one on the command line.
    private func hook(for press: KeyResult) -> KeyHook? {
        hooks.last { $0.key == nil || $0.key == press.event.key }
    }

    /// Runs the program for a press. Its output is shown as a remark, and a failure does not end the observation.
    private func run(for press: KeyResult) async {
        guard let words = hook(for: press)?.words else { return }
        let subject = "'\(words[0])' for \(press.event.key)"
        let ending = await runner.run(
            words,
            for: subject,
            variables: Self.variables(press),
            outputLimit: Self.outputLimit,
            tooMuch: "it printed more than \(Self.outputLimit) octets"
        )
        guard let (status, output) = ending else { return }
        guard status == 0 else { return runner.note("\(subject) ended with status \(status)") }
        let text = TerminalText.escaped(String(String(decoding: output, as: UTF8.self).trimmed))
        if !text.isEmpty { runner.note(text) }
    }

    private static func variables(_ press: KeyResult) -> [String: String?] {
        var variables: [String: String?] = ["BLECTL_KEY": "\(press.event.key)", "BLECTL_ACTION": "\(press.action)"]
        if let address = press.device.addressText { variables["BLECTL_DEVICE"] = address }
        return variables
    }
}
