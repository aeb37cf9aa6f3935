// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import CommandLineInterface
import Commands
import SimulatedRadio
import Toolkit

/// The faults of the command line, given to the devices of the world; `nil` for none, and for `serve`, which gives them
/// to the device that it serves. A device or a characteristic that does not exist ends the process.
func faults(of request: CommandRequest, in place: SimulatedLocation) -> FaultAssignment? {
    let options = request.global
    guard !options.faults.isEmpty, request.usesRadio, request.name != .serve, case .own(let content) = place else {
        return nil
    }
    do throws(UsageError) {
        // The definitions have the names of the devices and the characteristics that a fault refers to.
        return try FaultAssignment(
            options.faults,
            to: content.devices.map { $0.definition(seed: options.simulationSeed) },
            of: request.name,
            formats: options.formats
        )
    } catch {
        let names = content.devices.map { $0.advertisedName ?? $0.name }
        fail(error, names: names + options.faults.map(\.description))
    }
}
