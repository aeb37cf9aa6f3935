// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
import Glibc
import Records

/// Answers the questions of a pairing by options, or else by a person at the terminal, and reports the steps.
package struct PairingDialog: PairingDelegate {
    /// The time for a pairing with a person, without `--timeout`: the Security Manager of the device gives up after 30
    /// seconds, too. Spec: Core 5.4, Vol 3, Part H, 3.4
    package static let defaultTime = Duration.seconds(30)

    package let device: DeviceReference
    package let options: PairOptions
    /// The person's keyboard; `nil` if there is none.
    package let keyboard: TerminalKeyboard?
    package let time: any TimeSource
    /// Takes what the person, or the reader of the results, has to know.
    package let show: @Sendable (PairingStepResult) async -> Void
    /// Whether a pairing that proves nothing is refused in any case.
    package var refusesConsent = false
    /// Called when a pairing was refused because it proves nothing.
    package var onRefusedConsent: @Sendable () -> Void = {}

    package init(
        device: DeviceReference,
        options: PairOptions,
        keyboard: TerminalKeyboard?,
        time: any TimeSource,
        show: @escaping @Sendable (PairingStepResult) async -> Void
    ) {
        self.device = device
        self.options = options
        self.keyboard = keyboard
        self.time = time
        self.show = show
    }

    package func answer(_ prompt: PairingPrompt) async -> PairingAnswer {
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
            let isSixDigits = answer.utf8.count == 6 && answer.utf8.allSatisfy { (0x30...0x39).contains($0) }
            if isSixDigits, let passkey = UInt32(answer) { return .passkey(passkey) }
            question = "six digits, please: "
        }
        return .no
    }

    package func took(_ step: PairingStep) async {
        await show(PairingStepResult(device: device, step: step, timestamp: Timestamp(time)))
    }
}
