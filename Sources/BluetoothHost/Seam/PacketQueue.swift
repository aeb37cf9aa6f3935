// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// Received packets of a channel.
///
/// ATT pauses the producer when the queue is full: the oldest PDU may be the response that someone waits for. On a link
/// nothing holds the peer back then (the channel has no flow control), and the kernel drops, and counts, what its own
/// buffer does not take. HCI events drop the oldest packet and count it, because advertisements never stop.
public typealias PacketQueue = BoundedQueue<[UInt8]>

/// A bounded queue between one producer (the I/O thread, a simulated device) and one consumer.
public final class BoundedQueue<Element: Sendable>: Sendable {
    /// What to do when the queue is full.
    public enum Overflow: Sendable {
        /// The producer stops until `onSpace` is called. What is pushed nevertheless is kept.
        case pauseProducer
        /// The oldest element is dropped and counted.
        case dropOldest
    }

    private typealias Waiter = CheckedContinuation<Result<Element, RadioError>, Never>

    private struct State {
        var elements: [Element] = []
        var head = 0
        var end: RadioError?
        var isEnded = false
        var waiter: Waiter?
        var dropped = 0
        var isPaused = false
        var onSpace: (@Sendable () -> Void)?

        var count: Int { elements.count - head }

        mutating func pop() -> Element {
            let element = elements[head]
            head += 1
            if head >= 64, head * 2 >= elements.count {
                elements.removeFirst(head)
                head = 0
            }
            return element
        }
    }

    private let state = Mutex(State())
    private let limit: Int
    private let overflow: Overflow

    /// A queue for at most `limit` elements.
    public init(limit: Int, overflow: Overflow) {
        self.limit = max(1, limit)
        self.overflow = overflow
    }

    /// How many elements were dropped because the consumer was slow.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Counts an element that was dropped before it came here.
    func countDropped() { state.withLock { $0.dropped += 1 } }

    /// Called, outside all locks, when a paused producer may go on. Set once, before the first element.
    public func setOnSpace(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.onSpace = action }
    }

    /// Hands over an element. `false`: the queue is full and the producer is asked to pause.
    @discardableResult
    public func push(_ element: Element) -> Bool {
        let (waiter, mayContinue) = state.withLock { state -> (Waiter?, Bool) in
            guard !state.isEnded else { return (nil, true) }
            if let waiter = state.waiter {
                state.waiter = nil
                return (waiter, true)
            }
            state.elements.append(element)
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
        waiter?.resume(returning: .success(element))
        return mayContinue
    }

    /// Ends the queue: what is in it can still be read, then the consumer gets the error. Only the first end counts.
    public func finish(_ error: RadioError) {
        let waiter = state.withLock { state -> Waiter? in
            guard !state.isEnded else { return nil }
            state.isEnded = true
            state.end = error
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: .failure(error))
    }

    /// The next element; throws the reason of the end, or `cancelled` when the task was cancelled.
    public func next() async throws(RadioError) -> Element {
        let cancelled = RadioError(.cancelled, during: "receive")
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (immediate, resume) = state.withLock {
                    state -> (Result<Element, RadioError>?, (@Sendable () -> Void)?) in
                    if Task.isCancelled { return (.failure(cancelled), nil) }
                    if state.count > 0 {
                        let element = state.pop()
                        guard state.isPaused, state.count * 2 <= limit else { return (.success(element), nil) }
                        state.isPaused = false
                        return (.success(element), state.onSpace)
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
