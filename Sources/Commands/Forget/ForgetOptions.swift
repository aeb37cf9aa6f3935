// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

enum ForgetOptions: Sendable, Equatable {
    case device(DeviceIdentifier)
    case all

    init(_ arguments: ParsedArguments) throws(UsageError) {
        if arguments[ForgetCommand.all] {
            self = .all
        } else if let device = arguments[ForgetCommand.device] {
            self = .device(device)
        } else {
            throw arguments.impossible("no device is named", hint: "give its address or its name, or --all")
        }
    }
}
