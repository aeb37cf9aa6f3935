// SPDX-License-Identifier: MIT

import Synchronization

/// A bounded queue between one producer (the I/O thread, a simulated device) and one consumer.
///
/// Packets pass through its specialized functions, because those for any element look up metadata for each one.
public final class BoundedQueue<Element: Sendable>: Sendable {
    /// The behaviour of a full queue.
    public enum Overflow: Sendable {
        /// The producer pauses until there is room. Elements that it pushes nevertheless are kept.
        case pauseProducer
        /// The oldest element is dropped and counted.
        case dropOldest
        /// The producer pauses if it can. Elements that it pushes nevertheless are kept up to `reserve` times the
        /// limit. Beyond that the oldest element is dropped and counted.
        case pauseThenDrop(reserve: Int)
    }

    /// A consumer that waits for news; resumed with `false` if it was cancelled. Unchecked: a check is an allocation for each
    /// packet.
    private typealias Waiter = UnsafeContinuation<Bool, Never>

    private struct State {
        var elements: [Element] = []
        var head = 0
        var end: RadioError?
        var isEnded = false
        var waiter: Waiter?
        var dropped = 0
        var isPaused = false
        var onSpace: (@Sendable () -> Void)?
        var spaceWaiters: [@Sendable () -> Void] = []

        var count: Int { elements.count - head }

        mutating func pop() -> Element {
            let element = elements[head]
            discard(1)
            return element
        }

        mutating func pop(_ number: Int) -> ArraySlice<Element> {
            if number == count {
                // The consumer gets the array itself, so that nothing is copied.
                defer {
                    elements = []
                    head = 0
                }
                return elements[head...]
            }
            // A copy, because a slice would keep the whole array, and the next change would have to copy that.
            let popped = ArraySlice(Array(elements[head..<head + number]))
            discard(number)
            return popped
        }

        /// Drops the first droppable element among those near the head.
        mutating func drop(where isDroppable: (Element) -> Bool) {
            let seen = min(count, BoundedQueue.searchedForDroppable)
            if let place = (head..<head + seen).first(where: { isDroppable(elements[$0]) }), place > head {
                elements.swapAt(head, place)
                // The elements before it keep their order.
                for index in stride(from: place, to: head + 1, by: -1) { elements.swapAt(index, index - 1) }
            }
            discard(1)
            dropped += 1
        }

        private mutating func discard(_ number: Int) {
            head += number
            // The rest is moved only when it is the smaller half, so that an element costs constant time on average.
            if head >= 64, head * 2 >= elements.count {
                elements.removeFirst(head)
                head = 0
            }
        }

        /// The actions to call, without the lock, because there is room; empty if there is not.
        mutating func roomMade(limit: Int) -> [@Sendable () -> Void] {
            // Half empty, so that the producer is not paused and resumed for every element.
            guard isPaused, count * 2 <= limit else { return [] }
            return unpaused() + (onSpace.map { [$0] } ?? [])
        }

        /// Ends the pause. Returns the actions of the waiting producers.
        mutating func unpaused() -> [@Sendable () -> Void] {
            isPaused = false
            defer { spaceWaiters = [] }
            return spaceWaiters
        }
    }

    /// The number of oldest elements among which a droppable one is searched. Bounded, so that dropping takes constant
    /// time.
    private static var searchedForDroppable: Int { 64 }

    private let state = Mutex(State())
    private let limit: Int
    private let overflow: Overflow
    private let isDroppable: @Sendable (Element) -> Bool

    /// Creates a queue for at most `limit` elements. Those that `isDroppable` accepts are dropped first.
    public init(
        limit: Int,
        overflow: Overflow,
        droppable isDroppable: @escaping @Sendable (Element) -> Bool = { _ in true }
    ) {
        self.limit = max(1, limit)
        self.overflow = overflow
        self.isDroppable = isDroppable
    }

    /// The number of elements in the queue.
    public var count: Int { state.withLock { $0.count } }

    /// The number of elements that were dropped because the consumer was slow.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Why the queue has ended; `nil` while it has not.
    package var endReason: RadioError? { state.withLock { $0.end } }

    /// Counts elements that were dropped before they reached the queue.
    package func countDropped(_ number: Int) { state.withLock { $0.dropped += number } }

    /// Sets the action that resumes a paused producer. Called without locks. Must be set once, before the first
    /// element.
    public func setOnSpace(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.onSpace = action }
    }

    /// Appends an element. Returns `false` if the queue is full and the producer should pause.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - overflow: The behaviour of a full queue, if the producer needs another one than the queue's.
    @discardableResult
    @specialized(where Element == [UInt8])
    public func push(_ element: Element, overflow: Overflow? = nil) -> Bool {
        push(overflow) { $0.append(element) }
    }

    /// Appends several elements, and wakes the consumer once.
    @discardableResult
    public func push(contentsOf new: [Element], overflow: Overflow? = nil) -> Bool {
        new.isEmpty || push(overflow) { $0.append(contentsOf: new) }
    }

    private func push(_ overflow: Overflow?, _ append: (inout [Element]) -> Void) -> Bool {
        let (waiter, mayContinue) = state.withLock { state -> (Waiter?, Bool) in
            guard !state.isEnded else { return (nil, true) }
            append(&state.elements)
            if let waiter = state.waiter {
                // The consumer takes them at once, so they do not count as waiting.
                state.waiter = nil
                return (waiter, true)
            }
            guard state.count >= limit else { return (nil, true) }
            switch overflow ?? self.overflow {
            case .pauseProducer:
                state.isPaused = true
                return (nil, false)
            case .pauseThenDrop(let reserve):
                while state.count > limit * max(1, reserve) { state.drop(where: isDroppable) }
                state.isPaused = true
                return (nil, false)
            case .dropOldest:
                while state.count > limit { state.drop(where: isDroppable) }
                return (nil, true)
            }
        }
        waiter?.resume(returning: true)
        return mayContinue
    }

    /// Ends the queue. The consumer gets the remaining elements, then the error. Only the first call has an effect.
    public func finish(_ error: RadioError) {
        let (waiter, roomWaiters) = state.withLock { state -> (Waiter?, [@Sendable () -> Void]) in
            guard !state.isEnded else { return (nil, []) }
            state.isEnded = true
            state.end = error
            defer { state.waiter = nil }
            return (state.waiter, state.unpaused())
        }
        waiter?.resume(returning: true)
        for action in roomWaiters { action() }
    }

    /// The next element. Throws the reason of the end, or `cancelled` if the task was cancelled.
    @specialized(where Element == [UInt8])
    public func next() async throws(RadioError) -> Element {
        try await taken { $0.pop() }
    }

    /// All waiting elements, at most `limit`, or else the next one. Throws like `next`.
    @specialized(where Element == [UInt8])
    public func next(atMost limit: Int) async throws(RadioError) -> ArraySlice<Element> {
        try await taken { $0.pop(min($0.count, limit)) }
    }

    /// All waiting elements, without waiting for more: for the end of the queue. A cancelled task gets them as well.
    func takeRemaining() -> ArraySlice<Element> { state.withLock { $0.pop($0.count) } }

    private func taken<Taken: Sendable>(_ pop: @Sendable (inout State) -> Taken) async throws(RadioError) -> Taken {
        while true {
            let cancelled = RadioError(.cancelled, during: "receive")
            guard !Task.isCancelled else { throw cancelled }
            let (taken, end, actions) = state.withLock { state -> (Taken?, RadioError?, [@Sendable () -> Void]) in
                guard state.count > 0 else { return (nil, state.end, []) }
                return (pop(&state), nil, state.roomMade(limit: limit))
            }
            for action in actions { action() }
            if let taken { return taken }
            if let end { throw end }
            guard await hasNews() else { throw cancelled }
        }
    }

    /// Waits for an element or the end. Returns `false` if the task was cancelled.
    private func hasNews() async -> Bool {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: Waiter) in
                let (answer, previous) = state.withLock { state -> (Bool?, Waiter?) in
                    if Task.isCancelled { return (false, nil) }
                    if state.count > 0 || state.isEnded { return (true, nil) }
                    // A second consumer is a programming error. It replaces the first, which is resumed so that it does
                    // not hang.
                    defer { state.waiter = continuation }
                    return (nil, state.waiter)
                }
                previous?.resume(returning: false)
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: false)
        }
    }
}

extension BoundedQueue: BackpressureSource {
    package var isFull: Bool { state.withLock { $0.isPaused } }

    package func whenRoom(_ action: @escaping @Sendable () -> Void) {
        let isFull = state.withLock { state in
            if state.isPaused { state.spaceWaiters.append(action) }
            return state.isPaused
        }
        if !isFull { action() }
    }
}

/// The received packets of a channel.
///
/// ATT pauses the producer when the queue is full, because the oldest PDU may be a response that a task waits for. A
/// link has no flow control that would hold the peer back, so the kernel then drops and counts what exceeds its own
/// buffer. HCI drops and counts the oldest packet, because advertisements never stop.
public typealias PacketQueue = BoundedQueue<[UInt8]>
