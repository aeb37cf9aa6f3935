// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

extension SimulatedAdapter {
    /// The adapter as it is now; `nil` if it is missing.
    var present: AdapterDescription? {
        world.state.withLock { $0.adapters[number]?.described(as: description) }
    }

    /// Gives the events of this adapter to a channel to the simulated kernel. Several programs may have one.
    func openManagement(_ channel: SimulatedManagementChannel) {
        world.state.withLock { $0.adapters[number]?.managers.append(channel) }
    }

    /// Removes a channel, which gets no more events.
    func closeManagement(_ channel: SimulatedManagementChannel) {
        world.state.withLock { $0.adapters[number]?.managers.removeAll { $0 === channel } }
    }

    /// Takes a command of a program. The kernel decides, and its actions are carried out with the lock held.
    ///
    /// - Parameter others: The other adapters of the machine.
    func managementReceived(
        _ packet: [UInt8],
        from channel: SimulatedManagementChannel,
        besides others: [SimulatedAdapter]
    ) throws(RadioError) {
        let isOpen = world.state.withLock { state in
            guard let adapter = state.adapters[number], adapter.managers.contains(where: { $0 === channel }) else {
                return false
            }
            // The machine of the kernel does not see the controller, so this is brought up to date for each command.
            state.adapters[number]?.kernel.isRefusedByController = adapter.refusesExtendedCommands
            let listed = others.compactMap { state.adapters[$0.number]?.kernel }.filter(\.isListed).map(\.index)
            let keys = adapter.kernel.keys
            let actions = state.adapters[number]?.kernel.received(packet, besides: listed) ?? []
            perform(actions, from: channel, &state, knowing: keys)
            return true
        }
        guard isOpen else { throw RadioError(.closedLocally, during: "management channel") }
    }

    /// Starts the changes of the adapter that the world prescribes.
    func followChanges() {
        let changes = world.state.withLock { $0.adapters[number]?.kernel.changes ?? [] }
        guard !changes.isEmpty else { return }
        let start = time.now
        scope.spawn { [self] in
            for (moment, change) in changes {
                guard (try? await time.sleep(until: start + moment)) != nil else { return }
                apply(change)
            }
        }
    }

    /// Changes the adapter without a command of a program.
    func apply(_ change: SimulatedKernel.Change) {
        world.state.withLock { state in
            let actions = state.adapters[number]?.kernel.apply(change) ?? []
            perform(actions, from: nil, &state)
        }
    }

    /// Carries out the actions of the kernel, in order.
    ///
    /// - Parameters:
    ///   - actions: The actions. Replies go to one program, and events to all others.
    ///   - channel: The channel of the program that has sent the command; `nil` if the kernel acts without a command.
    ///   - keys: The keys that the kernel had before the actions; `nil` for its present ones.
    func perform(
        _ actions: [SimulatedKernel.Action],
        from channel: SimulatedManagementChannel?,
        _ state: inout RunningWorld.State,
        knowing keys: AdapterKeys? = nil
    ) {
        for action in actions {
            switch action {
            case .reply(let packet): channel?.deliver(packet.encoded())
            case .event(let packet):
                for manager in state.adapters[number]?.managers ?? [] where manager !== channel {
                    manager.deliver(packet.encoded())
                }
            case .end(let cause): end(cause, &state)
            case .pair(let command): begin(command, from: channel, &state)
            case .answered(.confirmed(let isConfirmed)): advance(&state) { $0.confirmed(isConfirmed, now: $1) }
            case .answered(.entered(let passkey)): advance(&state) { $0.entered(passkey, now: $1) }
            case .answeredTo(let device, let reply): answer(reply, to: device, &state)
            case .endPairing(let status): endPairing(status, &state)
            // A device that is forgotten is recognised at its private address by the keys that it had.
            case .disconnect(let device):
                for end in state.ends(with: device, of: number, knowing: keys) { end.close() }
            case .listConnections(let packet):
                guard let adapter = state.adapters[number] else { continue }
                let devices = adapter.links.filter(\.link.isOpen).map { ManagementAddress($0.peer) }
                let answers = adapter.kernel.complete(GetConnections.self, .init(devices), packet)
                perform(answers, from: channel, &state)
            // A device that was not recognised may be reached now by its private address.
            case .identitiesChanged: for waiter in state.waiters.takeAll() { waiter.finish() }
            }
        }
    }
}
