// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// A bounded queue of received packets between one producer (the I/O thread, a simulated device) and one consumer.
///
/// What happens when it is full is chosen per channel: ATT pauses the producer, so that the kernel's flow control holds the
/// peer back and nothing is lost; HCI events drop the oldest packet and count it, because advertisements never stop.
public final class PacketQueue: Sendable {
    /// What to do when the queue is full.
    public enum Overflow: Sendable {
        /// The producer stops until `onSpace` is called. Packets pushed nevertheless are kept.
        case pauseProducer
        /// The oldest packet is dropped and counted.
        case dropOldest
    }

    private struct State {
        var packets: [[UInt8]] = []
        var head = 0
        var end: RadioError?
        var isEnded = false
        var waiter: CheckedContinuation<Result<[UInt8], RadioError>, Never>?
        var dropped = 0
        var isPaused = false
        var onSpace: (@Sendable () -> Void)?

        var count: Int { packets.count - head }

        mutating func pop() -> [UInt8] {
            let packet = packets[head]
            head += 1
            if head >= 64, head * 2 >= packets.count {
                packets.removeFirst(head)
                head = 0
            }
            return packet
        }
    }

    private let state = Mutex(State())
    private let limit: Int
    private let overflow: Overflow

    /// A queue for at most `limit` packets.
    public init(limit: Int, overflow: Overflow) {
        self.limit = max(1, limit)
        self.overflow = overflow
    }

    /// How many packets were dropped because the consumer was slow.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Called, outside all locks, when a paused producer may go on. Set once, before the first packet.
    public func setOnSpace(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.onSpace = action }
    }

    /// Hands over a packet. `false`: the queue is full and the producer is asked to pause.
    @discardableResult
    public func push(_ packet: [UInt8]) -> Bool {
        let (waiter, mayContinue) = state.withLock { state -> (CheckedContinuation<Result<[UInt8], RadioError>, Never>?, Bool) in
            guard !state.isEnded else { return (nil, true) }
            if let waiter = state.waiter {
                state.waiter = nil
                return (waiter, true)
            }
            state.packets.append(packet)
            guard state.count >= limit else { return (nil, true) }
            switch overflow {
            case .pauseProducer:
                state.isPaused = true
                return (nil, false)
            case .dropOldest:
                if state.count > limit {
                    _ = state.pop()
                    state.dropped += 1
                }
                return (nil, true)
            }
        }
        waiter?.resume(returning: .success(packet))
        return mayContinue
    }

    /// Ends the queue: what is in it can still be read, then the consumer gets the error. Only the first end counts.
    public func finish(_ error: RadioError) {
        let waiter = state.withLock { state -> CheckedContinuation<Result<[UInt8], RadioError>, Never>? in
            guard !state.isEnded else { return nil }
            state.isEnded = true
            state.end = error
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: .failure(error))
    }

    /// The next packet; throws the reason of the end, or `cancelled` when the task was cancelled.
    public func next() async throws(RadioError) -> [UInt8] {
        let cancelled = RadioError(.cancelled, during: "receive")
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (immediate, resume) = state.withLock { state -> (Result<[UInt8], RadioError>?, (@Sendable () -> Void)?) in
                    if Task.isCancelled { return (.failure(cancelled), nil) }
                    if state.count > 0 {
                        let packet = state.pop()
                        guard state.isPaused, state.count * 2 <= limit else { return (.success(packet), nil) }
                        state.isPaused = false
                        return (.success(packet), state.onSpace)
                    }
                    if let end = state.end { return (.failure(end), nil) }
                    // A second consumer is a programming error; it takes the place, and the first is told.
                    let previous = state.waiter
                    state.waiter = continuation
                    guard let previous else { return (nil, nil) }
                    return (nil, { previous.resume(returning: .failure(cancelled)) })
                }
                resume?()
                if let immediate { continuation.resume(returning: immediate) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: .failure(cancelled))
        }
        return try result.get()
    }
}
