// SPDX-License-Identifier: MIT

/// A question of a pairing to a person.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.3.5
package enum PairingPrompt: Hashable, Sendable {
    /// Whether to pair at all. The identity of the device is not proved (Just Works).
    case consent
    /// Whether the device shows these six digits (numeric comparison).
    case compare(UInt32)
    /// The six digits that the device shows (passkey entry).
    case enterPasskey
}

package enum PairingAnswer: Hashable, Sendable {
    /// Yes: pair, or: the digits are the same.
    case yes
    /// No; also if no person can be asked.
    case no
    /// The passkey: 0 to 999,999.
    case passkey(UInt32)
}

package enum PairingStep: Hashable, Sendable {
    case started
    /// The passkey that has to be entered at the device: 0 to 999,999.
    case showPasskey(UInt32)
    /// The number of its digits that were entered at the device.
    case digitsEntered(UInt8)
    case answered(PairingPrompt, PairingAnswer)
    case received(BondKey)
}

package protocol PairingDelegate: Sendable {
    /// Answers a prompt. The task is cancelled if the pairing ends before; the answer is not used then.
    func answer(_ prompt: PairingPrompt) async -> PairingAnswer

    func took(_ step: PairingStep) async
}
