// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import ControllerCommands
import Toolkit

/// The checks of a controller that is not the kernel's.
extension MachineChecks {
    /// Where the controller is; `nil` for an adapter of the kernel.
    private var place: ControllerPlace? { snapshot.wanted.flatMap { ControllerPlace($0) } }

    /// The checks that say something: those of the kernel, or those of a controller elsewhere.
    var made: [DoctorCheck] {
        DoctorCheck.allCases.filter { check in
            switch check {
            case .transport: place != nil
            case .kernel, .rfkill, .driver, .power, .capability, .usb, .firmware, .manager: place == nil
            // What keeps it from being one is found by the transport.
            case .adapter: place == nil || snapshot.adapter != nil
            case .controller, .scan, .lowEnergy, .commands, .cache, .bonds, .formats: true
            }
        }
    }

    var transport: Finding {
        guard let place else { return .unchecked(.transport, because: "the adapter is the kernel's") }
        guard let problem = snapshot.problem else { return .ok(.transport, place.way) }
        if case .attachment(let attachment) = problem.cause, attachment.isCommand {
            return failure(.transport, problem, .command(attachment.remedy))
        }
        return failure(.transport, problem, BlectlError(problem, doing: "scan").hint.map { .advice($0) })
    }
}
