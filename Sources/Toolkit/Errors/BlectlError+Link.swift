// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import CommandLineInterface

extension BlectlError {
    /// A link that has not got the properties that were asked for, in a person's words.
    package init(_ failure: LinkChangeFailure, to device: DeviceReference?) {
        let setting = failure.result.setting
        let wanted = failure.change.request.words(of: setting).map { " to \($0)" } ?? ""
        let link = device.map { "the link to \($0.text)" } ?? "the link"
        let action = "change the \(setting.words) of \(link)\(wanted)"
        switch failure.result.outcome {
        case .reached:
            self.init(.internalError, cannot: action, "it was reached")
        case .different:
            let present = failure.change.after.words(of: setting) ?? "not known"
            self.init(.protocolError, cannot: action, "the device and the controllers agree on less: \(present)")
        case .refused(let status):
            self.init(.protocolError, cannot: action, "the device refuses: \(status)")
        case .rejected(let status) where status == .unknownHCICommand || status == .unsupportedFeatureOrParameterValue:
            self.init(
                .bluetoothUnavailable,
                cannot: action,
                "the controller of this machine does not support it: \(status)",
                hint: "'blectl adapters' shows others"
            )
        case .rejected(let status):
            self.init(.temporaryFailure, cannot: action, "the controller of this machine refuses: \(status)")
        case .unanswered:
            let silence = "the device did not answer within \(failure.limit.text)"
            self.init(
                .timedOut,
                cannot: action,
                // The controller reports only changed lengths, so that an agreement on the same one looks like silence.
                setting == .dataLength ? "the two sides agree on no other length, or \(silence)" : silence,
                hint: "--timeout allows more time"
            )
        case .ended(let status):
            self.init(.temporaryFailure, cannot: action, "the link has ended: \(status)", hint: "try again")
        case .impossible(let problem):
            self.init(
                .usage,
                cannot: action,
                problem.words,
                hint: problem == .unknownInterval ? "--link-interval gives it" : nil
            )
        }
    }
}
