// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Glibc

/// Answers the questions of a pairing by options, or else by a person at the terminal, and reports the steps.
struct PairingDialog: PairingDelegate {
    /// The time for a pairing with a person, without `--timeout`: the Security Manager of the device gives up after 30
    /// seconds, too. Spec: Core 5.4, Vol 3, Part H, 3.4
    static let defaultTime = Duration.seconds(30)

    let device: DeviceReference
    let options: PairOptions
    /// The person's keyboard; `nil` if there is none.
    let keyboard: TerminalKeyboard?
    let context: CommandContext
    /// Whether a pairing that proves nothing is refused in any case.
    var refusesConsent = false
    /// Called when a pairing was refused because it proves nothing.
    var onRefusedConsent: @Sendable () -> Void = {}

    func answer(_ prompt: PairingPrompt) async -> PairingAnswer {
        switch (prompt, options.confirmation) {
        case (.consent, _) where refusesConsent:
            onRefusedConsent()
            return .no
        // Running the command is consent, unless the options say otherwise, because just works shows no digits to
        // compare.
        case (.consent, .no?), (.consent, .digits?): return .no
        case (.consent, .yes?), (.consent, nil): return .yes
        case (.compare, .yes?): return .yes
        case (.compare, .no?): return .no
        case (.compare(let shown), .digits(let expected)?): return shown == expected ? .yes : .no
        case (.compare(let shown), nil):
            let digits = PairingStepResult.digits(shown)
            return await isYes("does \(device.text) show \(digits)? [y/N] ") ? .yes : .no
        case (.enterPasskey, _):
            if let passkey = options.passkey { return .passkey(passkey) }
            return await askPasskey()
        }
    }

    private func isYes(_ question: String) async -> Bool {
        guard let answer = await keyboard?.ask(question) else { return false }
        return ["y", "yes"].contains(answer.lowercased())
    }

    private func askPasskey() async -> PairingAnswer {
        var question = "the six digits that \(device.text) shows: "
        // A slip of the finger must not cost the pairing, which some devices allow only a few times.
        for _ in 0..<3 {
            guard let answer = await keyboard?.ask(question) else { return .no }
            if answer.wholeMatch(of: /[0-9]{6}/) != nil, let passkey = UInt32(answer) { return .passkey(passkey) }
            question = "six digits, please: "
        }
        return .no
    }

    func took(_ step: PairingStep) async {
        let result = PairingStepResult(device: device, step: step, timestamp: Timestamp(context.time))
        try? await context.output.emit(result)
    }
}

/// A person at a terminal, who is asked when a value that needs a pairing is touched.
struct AskedPerson: Sendable {
    let keyboard: TerminalKeyboard
    /// The times in which the person is asked.
    let pauses = PersonPauses()

    /// The person at this keyboard.
    init(_ keyboard: TerminalKeyboard) { self.keyboard = keyboard }

    /// The person at the terminal of the process; `nil` if there is none.
    init?(_ notes: Diagnostics) {
        guard let keyboard = TerminalKeyboard(notes) else { return nil }
        self.init(keyboard)
    }
}

/// The dialog of a pairing that a command other than `pair` needs: what the person has to know is not a result of it.
struct TouchDialog: PairingDelegate {
    let dialog: PairingDialog

    func answer(_ prompt: PairingPrompt) async -> PairingAnswer { await dialog.answer(prompt) }

    func took(_ step: PairingStep) async {
        let result = PairingStepResult(device: dialog.device, step: step, timestamp: Timestamp(dialog.context.time))
        guard let text = result.text(.plain) else { return }
        dialog.context.diagnostics.lines(text)
    }
}

/// A terminal on which a person can be asked.
struct TerminalKeyboard: Sendable {
    /// Asks a question, and returns the answer on one line; `nil` if there is none.
    private let answer: @Sendable (String) async -> String?

    /// `nil` if standard input or standard error is not a terminal.
    init?(_ notes: Diagnostics) {
        guard isatty(0) == 1, isatty(2) == 1 else { return nil }
        // On a separate thread even in virtual time, because a person answers in real time.
        guard let source = try? ByteSource(path: "-", blocking: { WorkThread.start($0) }) else { return nil }
        self.init(source, notes)
    }

    /// A keyboard whose lines come from a source.
    init(_ source: ByteSource, _ notes: Diagnostics) {
        answer = { question in
            // Nobody can have answered the question before: a key that was pressed too early would prove that two
            // devices show the same digits.
            source.discardTyped()
            notes.prompt(question)
            // Enter alone is the answer in capitals.
            var lines = LineSource(source, keepsEmptyLines: true)
            return try? await lines.next()
        }
    }

    /// A keyboard that belongs to a shell, which prints the question and reads the answer.
    init(_ notes: Diagnostics, asking answer: @escaping @Sendable (String) async -> String?) {
        self.answer = { question in
            notes.clearProgress()
            return await answer(question)
        }
    }

    /// The answer on one line; `nil` if there is none.
    func ask(_ question: String) async -> String? { await answer(question) }
}
