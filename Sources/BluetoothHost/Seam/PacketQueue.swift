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
        /// The producer stops until there is room again. What is pushed nevertheless is kept.
        case pauseProducer
        /// The oldest element is dropped and counted.
        case dropOldest
        /// The producer stops where it can. What it has to push nevertheless is kept up to so many times the limit; beyond
        /// that the oldest element is dropped and counted.
        case pauseThenDrop(reserve: Int)
    }

    /// A consumer that waits for news: `false` where it was cancelled.
    private typealias Waiter = CheckedContinuation<Bool, Never>

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

        /// Takes out the first element.
        mutating func pop() -> Element {
            let element = elements[head]
            discard(1)
            return element
        }

        /// Takes out so many of the first elements.
        mutating func pop(_ number: Int) -> ArraySlice<Element> {
            if number == count {
                // The consumer gets the array itself.
                defer {
                    elements = []
                    head = 0
                }
                return elements[head...]
            }
            let popped = ArraySlice(Array(elements[head..<head + number]))
            discard(number)
            return popped
        }

        /// Drops the first element that may be dropped, as far as that can be seen from the head.
        mutating func drop(where isDroppable: (Element) -> Bool) {
            let seen = min(count, BoundedQueue.searchedForDroppable)
            if let place = (head..<head + seen).first(where: { isDroppable(elements[$0]) }), place > head {
                elements.swapAt(head, place)
                // What stood before it keeps its order.
                for index in stride(from: place, to: head + 1, by: -1) { elements.swapAt(index, index - 1) }
            }
            discard(1)
            dropped += 1
        }

        private mutating func discard(_ number: Int) {
            head += number
            if head >= 64, head * 2 >= elements.count {
                elements.removeFirst(head)
                head = 0
            }
        }

        /// There may be room now: what is to be called then, outside the lock.
        mutating func roomMade(limit: Int) -> [@Sendable () -> Void] {
            guard isPaused, count * 2 <= limit else { return [] }
            return unpaused() + (onSpace.map { [$0] } ?? [])
        }

        /// Nobody has to wait any more: who is to be told that.
        mutating func unpaused() -> [@Sendable () -> Void] {
            isPaused = false
            defer { spaceWaiters = [] }
            return spaceWaiters
        }
    }

    /// Among how many of the oldest elements one is looked for that may be dropped.
    private static var searchedForDroppable: Int { 64 }

    private let state = Mutex(State())
    private let limit: Int
    private let overflow: Overflow
    private let isDroppable: @Sendable (Element) -> Bool

    /// A queue for at most `limit` elements, of which those that are `droppable` are dropped first.
    public init(
        limit: Int,
        overflow: Overflow,
        droppable isDroppable: @escaping @Sendable (Element) -> Bool = { _ in true }
    ) {
        self.limit = max(1, limit)
        self.overflow = overflow
        self.isDroppable = isDroppable
    }

    /// How many elements wait.
    public var count: Int { state.withLock { $0.count } }

    /// How many elements were dropped because the consumer was slow.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Counts elements that were dropped before they came here.
    func countDropped(_ number: Int) { state.withLock { $0.dropped += number } }

    /// Called, outside all locks, when a paused producer may go on. Set once, before the first element.
    public func setOnSpace(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.onSpace = action }
    }

    /// Hands over an element. `false`: the queue is full and the producer is asked to pause.
    ///
    /// - Parameter overflow: What to do when the queue is full, where that depends on the producer.
    @discardableResult
    public func push(_ element: Element, overflow: Overflow? = nil) -> Bool {
        push(overflow) { $0.append(element) }
    }

    /// Hands over several elements at once, which wakes the consumer once.
    @discardableResult
    public func push(contentsOf new: [Element], overflow: Overflow? = nil) -> Bool {
        new.isEmpty || push(overflow) { $0.append(contentsOf: new) }
    }

    private func push(_ overflow: Overflow?, _ append: (inout [Element]) -> Void) -> Bool {
        let (waiter, mayContinue) = state.withLock { state -> (Waiter?, Bool) in
            guard !state.isEnded else { return (nil, true) }
            append(&state.elements)
            if let waiter = state.waiter {
                // They are as good as taken.
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

    /// Ends the queue: what is in it can still be read, then the consumer gets the error. Only the first end counts.
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

    /// The next element; throws the reason of the end, or `cancelled` when the task was cancelled.
    public func next() async throws(RadioError) -> Element {
        try await taken { $0.pop() }
    }

    /// The elements that wait, `limit` at most, or else the next one; throws as `next` does.
    public func next(atMost limit: Int) async throws(RadioError) -> ArraySlice<Element> {
        try await taken { $0.pop(min($0.count, limit)) }
    }

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

    /// Waits until there is an element, or the end. `false`: the task was cancelled.
    private func hasNews() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                let (answer, previous) = state.withLock { state -> (Bool?, Waiter?) in
                    if Task.isCancelled { return (false, nil) }
                    if state.count > 0 || state.isEnded { return (true, nil) }
                    // A second consumer is a programming error; it takes the place, and the first is told.
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

// MARK: - For producers that wait

extension BoundedQueue: Room {
    var isFull: Bool { state.withLock { $0.isPaused } }

    func whenRoom(_ action: @escaping @Sendable () -> Void) {
        let isFull = state.withLock { state in
            if state.isPaused { state.spaceWaiters.append(action) }
            return state.isPaused
        }
        if !isFull { action() }
    }
}

/// What a producer may have to wait for: a queue, whatever its elements are.
protocol Room: AnyObject, Sendable {
    /// Whether the producer was asked to pause, and there was no room since.
    var isFull: Bool { get }

    /// Calls the action once, outside all locks, as soon as there is room.
    func whenRoom(_ action: @escaping @Sendable () -> Void)
}
