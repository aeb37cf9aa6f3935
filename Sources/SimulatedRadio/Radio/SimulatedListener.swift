// SPDX-License-Identifier: MIT

import BluetoothHost
import Synchronization

/// The listener that hands the channels of centrals to the host.
final class SimulatedListener: ATTListener {
    private let adapter: SimulatedAdapter
    /// The channels that the host has not taken yet.
    private let channels = BoundedQueue<any ATTChannel>(limit: 16, overflow: .pauseProducer)

    init(_ adapter: SimulatedAdapter) { self.adapter = adapter }

    func push(_ channel: any ATTChannel) { channels.push(channel) }

    /// The next channel; suspends until a central connects.
    func accept() async throws(RadioError) -> any ATTChannel { try await channels.next() }

    /// Ends the listener because the adapter is gone or down.
    func end(_ error: RadioError) { channels.finish(error) }

    /// Ends the listener. Channels that were accepted stay open.
    func close() {
        adapter.stopListening(self)
        channels.finish(RadioError(.closedLocally, during: adapter.description.name))
    }
}

extension SimulatedAdapter {
    /// Listens for centrals. Throws if another listener exists, because an adapter serves one database at a time.
    func listen() throws(RadioError) -> SimulatedListener {
        try checkUse()
        let listener = SimulatedListener(self)
        let isFree = world.state.withLock { state in
            // A daemon that manages the adapters serves attributes on them, and so listens already.
            guard let adapter = state.adapters[number], adapter.listener == nil,
                !adapter.kernel.traits.contains(.managed)
            else { return false }
            state.adapters[number]?.listener = listener
            invite(&state)
            return true
        }
        guard isFree else { throw RadioError(.attributesServedElsewhere, during: description.name) }
        return listener
    }

    /// Removes a listener, unless another one has taken its place.
    func stopListening(_ listener: SimulatedListener) {
        world.state.withLock { state in
            if state.adapters[number]?.listener === listener { state.adapters[number]?.listener = nil }
        }
    }
}
