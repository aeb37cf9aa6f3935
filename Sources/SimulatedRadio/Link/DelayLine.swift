// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// One direction of a link. Frames are handed over at once, and come out in order, each at its connection event.
final class DelayLine: FrameLine {
    private struct State {
        /// Computes the arrival of each PDU.
        var events: ConnectionEvents
        /// The number of PDUs that were handed over and have not arrived.
        var inFlight = 0
        /// Whether the line accepts no more PDUs.
        var isClosed = false
        /// Senders that wait until fewer than `buffers` PDUs are on their way.
        var drainWaiters: [AsyncStream<Never>.Continuation] = []
    }

    /// The number of PDUs that the sender's controller holds, as LE Read Buffer Size reports it. With fewer on their
    /// way, a sender does not wait.
    private static let buffers = 8

    /// The state, which is changed before a frame is handed over and after it has arrived.
    private let state: Mutex<State>
    /// The frames on their way, in the order of their arrival.
    private let frames: AsyncStream<(arrival: Instant, frame: L2CAPFrame)>
    /// The sending end of `frames`.
    private let input: AsyncStream<(arrival: Instant, frame: L2CAPFrame)>.Continuation

    init(_ events: ConnectionEvents) {
        state = Mutex(State(events: events))
        // Unbounded, unlike a kernel's queue: senders of many PDUs, programs as well as devices, wait for `drained`.
        (frames, input) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    func change(_ change: (inout ConnectionEvents) -> Void) {
        state.withLock { change(&$0.events) }
    }

    func send(_ frame: L2CAPFrame, now: @autoclosure () -> Instant) {
        state.withLock { state in
            state.inFlight += 1
            // Under the lock, so that the PDUs of two senders are queued in the order of their arrivals.
            input.yield((state.events.arrival(ofPDU: frame.payload.count, now: now()), frame))
        }
    }

    /// Delivers PDUs at their times, until the line is closed or the task is cancelled.
    func run(_ time: any TimeSource, deliver: @Sendable (L2CAPFrame) async -> Void) async {
        for await (arrival, frame) in frames {
            guard (try? await time.sleep(until: arrival)) != nil else { return }
            // The receiver is awaited, so that PDUs stay in order however long it takes for one of them.
            await deliver(frame)
            let waiters = state.withLock { state -> [AsyncStream<Never>.Continuation] in
                state.inFlight -= 1
                guard state.inFlight < Self.buffers else { return [] }
                defer { state.drainWaiters = [] }
                return state.drainWaiters
            }
            for waiter in waiters { waiter.finish() }
        }
    }

    /// Suspends until the sender's controller has room. Returns at once if it has, or if the line is closed.
    func drained() async {
        let (signal, continuation) = AsyncStream<Never>.makeStream()
        state.withLock { state in
            if state.isClosed || state.inFlight < Self.buffers {
                continuation.finish()
            } else {
                state.drainWaiters.append(continuation)
            }
        }
        for await _ in signal {}
    }

    /// Delivers the PDUs that are on their way, accepts no more, and ends all waits for room.
    func close() {
        input.finish()
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.drainWaiters = [] }
            return state.drainWaiters
        }
        for waiter in waiters { waiter.finish() }
    }
}
