// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Toolkit

enum UnpairOptions: Sendable, Equatable {
    case device(DeviceIdentifier)
    case all

    init(_ arguments: ParsedArguments) throws(UsageError) {
        if arguments[UnpairCommand.all] {
            self = .all
        } else if let device = arguments[UnpairCommand.device] {
            self = .device(device)
        } else {
            throw arguments.impossible("no device is named", hint: "give its address or its name, or --all")
        }
    }
}
