// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// Shows the frames of credit-based channels that another process has to an observer of this one.
///
/// They come over a connection of their own. A channel may therefore end here before its last frames have come, and
/// `afterLast` tells when they have.
final class RemoteFrames: Sendable {
    private struct State {
        /// The channels that this process has and whose last frame has not come.
        var open: Set<UInt32> = []
        /// The channels whose last frame has come before this process has them.
        var early: Set<UInt32> = []
        /// The number of the last channel that this process had; `nil` before the first.
        var last: UInt32?
        /// The actions that wait for the last frame of a channel.
        var waiting: [UInt32: [@Sendable () -> Void]] = [:]
        /// Whether no further channels open.
        var isComplete = false
        /// Whether no frame comes any more.
        var hasEnded = false
        /// Whether the observer is to see nothing more.
        var isMuted = false
    }

    /// The number by which a request names this observer.
    let number: UInt32
    private let channel: RemoteChannel
    private let onFrame: FrameObserver
    /// Counts the actions that wait.
    private let observers: RemoteObservers
    /// Behind a lock, because frames come in a task of their own.
    private let state = Mutex(State())

    init(_ number: UInt32, _ channel: RemoteChannel, _ observers: RemoteObservers, onFrame: @escaping FrameObserver) {
        self.number = number
        self.channel = channel
        self.observers = observers
        self.onFrame = onFrame
    }

    /// Passes frames on until the connection ends.
    func read() async {
        while let packet = try? await channel.next() {
            switch packet {
            case .frame(let frame): if !state.withLock({ $0.isMuted }) { onFrame(frame) }
            case .finished(let number): finish(number)
            default: break
            }
        }
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = [:] }
            return state.waiting.values.flatMap(\.self)
        }
        for action in waiting { run(action) }
        channel.close()
    }

    /// This process has a channel whose frames are shown; 0 stands for one that it has opened itself.
    func begin(_ number: UInt32) {
        state.withLock { state in
            // The last frame may have come before the channel, because the two use different connections.
            if state.early.remove(number) == nil { state.open.insert(number) }
            state.last = number
            // The channels come in the order of their numbers, so that those before it could not be taken over.
            state.early = state.early.filter { $0 > number }
        }
    }

    /// No further channels open: the connection ends with the last of the present ones.
    func complete() {
        let isOver = state.withLock { state in
            state.isComplete = true
            return state.open.isEmpty
        }
        if isOver { channel.close() }
    }

    /// Shows nothing more.
    func close() {
        state.withLock { $0.isMuted = true }
        channel.close()
    }

    /// Calls `action` when the last frame of a channel has been shown, or when it is certain that no more come.
    func afterLast(_ number: UInt32, _ action: @escaping @Sendable () -> Void) {
        let isNow = state.withLock { state in
            if state.hasEnded || !state.open.contains(number) { return true }
            // Counted under the lock, so that the end of the count cannot come before its beginning.
            observers.began()
            state.waiting[number, default: []].append(action)
            return false
        }
        if isNow { action() }
    }

    /// Returns when the last frame of a channel has been shown, or when the task is cancelled.
    func untilLast(_ number: UInt32) async {
        let (signal, continuation) = AsyncStream<Never>.makeStream()
        afterLast(number) { continuation.finish() }
        for await _ in signal {}
    }

    private func finish(_ number: UInt32) {
        let (waiting, isOver) = state.withLock { state in
            // Nothing is kept for a channel that this process had, even if the last frame is announced again.
            if state.open.remove(number) == nil, state.last.map({ number > $0 }) ?? true { state.early.insert(number) }
            return (state.waiting.removeValue(forKey: number) ?? [], state.isComplete && state.open.isEmpty)
        }
        for action in waiting { run(action) }
        if isOver { channel.close() }
    }

    private func run(_ action: @Sendable () -> Void) {
        action()
        observers.ended()
    }
}

/// The observers of the frames that a machine in another process sees.
final class RemoteObservers: Sendable {
    private struct State {
        var last: UInt32 = 0
        /// The number of actions that wait for the last frame of a channel.
        var waiting = 0
        /// The tasks that wait until there are none.
        var waiters: [AsyncStream<Never>.Continuation] = []
    }

    private let scope: TaskScope
    private let state = Mutex(State())

    init(scope: TaskScope) { self.scope = scope }

    /// Opens the connection on which frames come. Nothing is received yet.
    func open(_ machine: RemoteMachine, onFrame: @escaping FrameObserver) throws(RadioError) -> (
        frames: RemoteFrames, channel: RemoteChannel
    ) {
        let number = state.withLock { state in
            state.last &+= 1
            return state.last
        }
        let channel = try machine.open(.observe(machine.member, observer: number), during: "frames of a channel")
        return (RemoteFrames(number, channel, self, onFrame: onFrame), channel)
    }

    /// Receives frames until the end of the connection.
    func read(_ frames: RemoteFrames) { scope.spawn { await frames.read() } }

    fileprivate func began() { state.withLock { $0.waiting += 1 } }

    fileprivate func ended() {
        let waiters = state.withLock { state in
            state.waiting -= 1
            guard state.waiting <= 0 else { return [AsyncStream<Never>.Continuation]() }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.finish() }
    }

    /// Returns when the frames of all channels that have ended here have been shown.
    func untilAllShown() async {
        let (signal, continuation) = AsyncStream<Never>.makeStream()
        state.withLock { state in
            if state.waiting > 0 { state.waiters.append(continuation) } else { continuation.finish() }
        }
        for await _ in signal {}
    }
}

extension RemoteMachine {
    /// The observer of a channel that this process opens, when the other one is ready to show its frames; `nil` if it
    /// shows none, or is not ready in a short time.
    func frames(of onFrame: FrameObserver?, by deadline: Instant, _ time: any TimeSource) async -> RemoteFrames? {
        guard let onFrame, let observers, let opened = try? observers.open(self, onFrame: onFrame) else { return nil }
        let limit = min(deadline, time.now + RemoteRadioServer.farewellTimeout)
        let answer = try? await untilDeadline(limit, time) { try await opened.channel.next() }
        guard case .opened? = answer else {
            opened.channel.close()
            return nil
        }
        observers.read(opened.frames)
        opened.frames.begin(0)
        opened.frames.complete()
        return opened.frames
    }

    /// The observer of the channels that devices open; `nil` if the other process shows none.
    func arrivingFrames(of onFrame: FrameObserver?) -> RemoteFrames? {
        guard let onFrame, let observers, let opened = try? observers.open(self, onFrame: onFrame) else { return nil }
        observers.read(opened.frames)
        return opened.frames
    }
}
