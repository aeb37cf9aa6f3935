// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

// Management channels, and the security of links.

extension ControllerHost {
    func openManagement() throws(RadioError) -> HostManagementChannel {
        try state.withLock { state throws(RadioError) in
            if let end = state.end { throw end }
            let channel = HostManagementChannel(ChannelID(rawValue: state.number()), self)
            state.managers[channel.id] = channel
            return channel
        }
    }

    func closeManagement(_ id: ChannelID) {
        change { state in
            guard state.managers.removeValue(forKey: id) != nil else { return }
            run(&state) { $0.ended(id, now: $1) }
        }
    }

    func manage(_ packet: [UInt8], from program: ChannelID) throws(RadioError) {
        try change { state throws(RadioError) in
            if let end = state.end { throw end }
            run(&state) { $0.manage(packet, from: program, now: $1) }
        }
    }

    func deliver(_ packet: ManagementPacket, to audience: ManagementAudience, _ state: inout State) {
        let bytes = packet.encoded()
        switch audience {
        case .reply(let id): if let id { state.managers[id]?.deliver(bytes) }
        case .event(let excepted): for (id, manager) in state.managers where id != excepted { manager.deliver(bytes) }
        }
    }

    /// The present security of a channel's link; none after its end.
    func security(of channel: LinkATTChannel) -> LinkSecurity {
        state.withLock { state in
            guard state.links[channel.handle] === channel else { return .none }
            return state.machine.security.links[channel.handle]?.security ?? .none
        }
    }

    /// Raises the security of a channel's link, and returns when it is encrypted. Throws `unsupported` if there is no key
    /// for the level; another error if the link has ended.
    func raiseSecurity(of channel: LinkATTChannel, to level: SecurityLevel) async throws(RadioError) {
        try await raiseSecurity(of: channel.handle, to: level, during: channel.operation) { state in
            state.links[channel.handle] === channel
        }
    }

    /// Raises the security of a link, if that is still the one that is meant.
    func raiseSecurity(
        of handle: ConnectionHandle,
        to level: SecurityLevel,
        during operation: String,
        ifIsMeant: @Sendable (borrowing State) -> Bool
    ) async throws(RadioError) {
        let id = RaisingID(rawValue: state.withLock { $0.number() })
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                change { state in
                    if let end = state.end { return continuation.resume(returning: .failure(end)) }
                    guard !Task.isCancelled else {
                        return continuation.resume(returning: .failure(error(.cancelled, during: operation)))
                    }
                    guard ifIsMeant(state) else {
                        return continuation.resume(returning: .failure(error(.closedLocally, during: operation)))
                    }
                    state.raisings[id] = (operation, continuation)
                    run(&state) { $0.raise(handle, to: level, id, now: $1) }
                }
            }
        } onCancel: {
            let raising = state.withLock { state in
                state.machine.security.forget(id)
                return state.raisings.removeValue(forKey: id)
            }
            raising?.continuation.resume(returning: .failure(error(.cancelled, during: operation)))
        }
        try result.get()
    }

    /// Tells whoever has raised the security of a link how that has ended.
    func raised(_ id: RaisingID, _ cause: RadioError.Cause?, _ state: inout State) {
        guard let raising = state.raisings.removeValue(forKey: id) else { return }
        let failure = cause.map { error($0, during: raising.operation) }
        state.wake(raising.continuation, failure.map { .failure($0) } ?? .success(()))
    }
}
