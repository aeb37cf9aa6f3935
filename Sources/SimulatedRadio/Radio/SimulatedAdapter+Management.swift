// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization

extension SimulatedAdapter {
    /// The adapter as it is now; `nil` if it is missing.
    var present: AdapterDescription? {
        state.withLock { state in
            guard let kept = state.kernel.state else { return nil }
            var adapter = description
            adapter.state = kept
            return adapter
        }
    }

    func openManagement() -> SimulatedManagementChannel {
        let channel = SimulatedManagementChannel(self)
        state.withLock { $0.managers.append(channel) }
        return channel
    }

    func closeManagement(_ channel: SimulatedManagementChannel) {
        state.withLock { $0.managers.removeAll { $0 === channel } }
    }

    func managementReceived(_ packet: [UInt8], from channel: SimulatedManagementChannel) throws(RadioError) {
        let isOpen = state.withLock { state in
            guard state.managers.contains(where: { $0 === channel }) else { return false }
            var kernel = state.kernel
            let actions = kernel.received(packet)
            state.kernel = kernel
            perform(actions, from: channel, &state)
            return true
        }
        guard isOpen else { throw RadioError(.closedLocally, during: "management channel") }
    }

    /// Starts the changes of the adapter that the world prescribes.
    func followChanges() {
        let changes = state.withLock { $0.kernel.changes }
        guard !changes.isEmpty else { return }
        let start = time.now
        scope.spawn { [self] in
            for (moment, change) in changes {
                guard (try? await time.sleep(until: start + moment)) != nil else { return }
                state.withLock { state in
                    let actions = state.kernel.happen(change)
                    perform(actions, from: nil, &state)
                }
            }
        }
    }

    private func perform(
        _ actions: [SimulatedKernel.Action],
        from channel: SimulatedManagementChannel?,
        _ state: inout State
    ) {
        for action in actions {
            switch action {
            case .reply(let packet): channel?.deliver(packet.encoded())
            case .event(let packet):
                for manager in state.managers where manager !== channel { manager.deliver(packet.encoded()) }
            case .end(let cause): end(cause, &state)
            }
        }
    }

    /// Ends links, scans and channels, as Linux does when an adapter is powered off or pulled out.
    private func end(_ cause: RadioError.Cause, _ state: inout State) {
        let error = RadioError(cause, during: description.name, on: description.name)
        state.stopScanning()
        state.controller = SimulatedController(state.kernel.profile)
        for link in state.links { link.closeByHost(cause) }
        for channel in state.channels { channel.end(error) }
        state.channels = []
        state.guests.listener?.end(error)
        state.guests.listener = nil
    }
}
