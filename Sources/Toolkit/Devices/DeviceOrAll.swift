// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface

/// The devices that a command forgets: one that is named, or all.
package enum DeviceOrAll: Sendable, Equatable {
    case device(DeviceIdentifier)
    case all

    package init(
        _ arguments: ParsedArguments,
        _ device: Argument<DeviceIdentifier?>,
        _ all: Option<Bool>
    ) throws(UsageError) {
        if arguments[all] {
            self = .all
        } else if let device = arguments[device] {
            self = .device(device)
        } else {
            throw arguments.impossible("no device is named", hint: "give its address or its name, or --all")
        }
    }

    package var text: String { if case .device(let device) = self { "\(device)" } else { "all devices" } }

    /// The names of devices that the command line contains.
    package var givenNames: [String] { if case .device(.name(let name)) = self { [name] } else { [] } }
}
