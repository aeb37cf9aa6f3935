// SPDX-License-Identifier: MIT

import BluetoothHost
import SimulatedRadio
import Synchronization

/// The machines of a simulation, and the peripherals that it has made and disconnects at its end.
final class SimulationResources: Sendable {
    private struct State {
        var peripherals: [Peripheral] = []
        var machines: [SimulatedRadioSystem] = []
    }

    private let state = Mutex(State())

    /// The machines in the order in which they joined.
    var machines: [SimulatedRadioSystem] { state.withLock { $0.machines } }

    func add(_ peripheral: Peripheral) { state.withLock { $0.peripherals.append(peripheral) } }

    func add(_ machine: SimulatedRadioSystem) { state.withLock { $0.machines.append(machine) } }

    func disconnect() async {
        for peripheral in state.withLock({ $0.peripherals }) { await peripheral.disconnect() }
    }
}
