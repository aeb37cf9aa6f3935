// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost

package struct PairOptions: Sendable, Equatable {
    /// The answer to the question whether the two show the same digits.
    package enum Confirmation: Sendable, Equatable {
        case yes
        case no
        /// Yes if this machine shows these digits.
        case digits(UInt32)
    }

    /// The user's means of input and output in a pairing; `nil` if the option was not given.
    package var capability: IOCapability?
    package var passkey: UInt32?
    package var confirmation: Confirmation?
    package var wantsBond = true
    package var secureConnections: SetSecureConnections.Mode?
    /// The file with the out-of-band data of the device.
    package var outOfBandFile: String?
    /// The files with the out-of-band data of the centrals of a served device.
    package var centralFiles: [String] = []
    /// The file for the out-of-band data of this machine, which is all that `pair` then does.
    package var outOfBandOutput: String?
    /// The files that the options have written.
    package var writtenFiles: [(option: String, path: String)] { outOfBandOutput.map { [("--oob-out", $0)] } ?? [] }
    /// Whether `--timeout` was given, which then also limits the time for digits that are entered at the device.
    package var isTimeGiven = false

    package init() {}

    /// The means of input and output that the pairing announces, derived from the answers that are available.
    ///
    /// - Parameter isInteractive: Whether there is a person to ask.
    package func capability(isInteractive: Bool) -> IOCapability {
        if let capability { return capability }
        if isInteractive { return .keyboardDisplay }
        // The capability decides the method (Core 5.4, Vol 3, Part H, 2.3.5.1): no question is asked that has no
        // answer.
        switch (passkey, confirmation) {
        case (nil, nil): return .noInputNoOutput
        case (nil, _?): return .displayYesNo
        case (_?, nil): return .keyboardOnly
        case (_?, _?): return .keyboardDisplay
        }
    }

    /// The option without which a question of the pairing could have no answer; `nil` if none is missing.
    package var missingAnswer: String? {
        switch capability {
        case nil, .noInputNoOutput?, .displayOnly?: nil
        case .displayYesNo?: confirmation == nil ? "--confirm" : nil
        case .keyboardOnly?: passkey == nil ? "--passkey" : nil
        case .keyboardDisplay?: passkey == nil ? "--passkey" : confirmation == nil ? "--confirm" : nil
        }
    }
}
