// SPDX-License-Identifier: MIT

import Bluetooth

@testable import BluetoothHost

/// The stream of values that one observer of a connection sees.
struct ValueObservation: Sendable {
    let queue: BoundedQueue<ValueEvent>
    let stop: @Sendable () -> Void

    /// The next value; throws the reason of the connection's end, or `cancelled`.
    func next() async throws(RadioError) -> ValueEvent { try await queue.next() }

    /// The number of values that were dropped because the reader was slow.
    var droppedCount: Int { queue.droppedCount }

    /// Ends the observation.
    func end() { stop() }
}

extension ATTConnection {
    /// The values of one characteristic, or of all, from now on, in a queue as the product's observers have one.
    func observe(_ handle: Handle?, limit: Int = 4_096, in scope: TaskScope) -> ValueObservation {
        let overflow: BoundedQueue<ValueEvent>.Overflow =
            hasFlowControl ? .pauseThenDrop(reserve: ObservationQueue.reserve) : .dropOldest
        let queue = BoundedQueue<ValueEvent>(limit: limit, overflow: overflow)
        let sink = ValueSink(received: { queue.push($0) }, ended: { queue.finish($0) }, room: queue)
        let id = observe(handle, sink)
        return ValueObservation(queue: queue) {
            queue.finish(RadioError(.closedLocally, during: "observation"))
            scope.spawn { await self.stopObserving(id) }
        }
    }
}
