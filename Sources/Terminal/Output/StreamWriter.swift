// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Synchronization

/// The writer of standard output and standard error: one thread, so that no task waits in write(2).
///
/// Output is queued up to a limit, and the thread writes all of the queue at once. A task that has filled the queue of
/// standard output waits for room; a message that does not fit is dropped and counted. While there is nothing to write,
/// the thread watches standard output, so that it notices when the reader goes away.
///
/// A poll(2) that runs keeps the pipe open, also when another thread closes its descriptors. A process that leaves its
/// standard streams therefore does not watch them: otherwise its reader would not see their end.
///
/// A single result is written at once. Results that follow within a millisecond are gathered and written together:
/// waking a thread for each of 100,000 results a second costs more than rendering them. What the tasks of an event loop
/// print, the loop itself writes before it waits (`settle`), and only what a reader does not take is left to the thread,
/// which starts when there is such a thing.
package final class StreamWriter: StandardWriter {
    /// The condition that a task waits for.
    private enum Need {
        case room
        case everything
    }

    private struct Waiter {
        let id: Int
        let stream: StandardStream
        let need: Need
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// The state of the thread while there is nothing to write.
    private enum Rest {
        /// It looks into the queue before it rests.
        case none
        /// It lets results gather for a moment, and must be woken if there are many or if a task waits for them.
        case gathering
        /// It must be woken when something is added.
        case asleep
    }

    private struct Hurry {
        let start: ContinuousClock.Instant
        let policy: DrainPolicy

        func end(_ blocked: ContinuousClock.Instant) -> ContinuousClock.Instant {
            policy.end(since: start, blocked: blocked)
        }
    }

    private struct State {
        var queue: WriteQueue
        /// A socket pair: an octet sent to `caller` wakes the thread, which waits at `thread`.
        var ends: (caller: Int32, thread: Int32) = (-1, -1)
        var waiters: [Waiter] = []
        var lastWaiter = 0
        var rest = Rest.none
        /// The moment of the first `hurry`, and how long readers are waited for since.
        var hurry: Hurry?
        var isStopping = false
        var hasThread = false
        /// The number of messages that were dropped since the last report of dropped messages.
        var dropped = 0

        /// Whether the queued octets may wait a moment longer.
        var maySettle: Bool {
            !isStopping && hurry == nil && waiters.isEmpty && queue.count < StreamWriter.gatheringLimit
        }

        func isMet(_ need: Need, _ stream: StandardStream) -> Bool {
            if queue.failure(of: stream) != nil { return true }
            return need == .room ? queue.hasRoom(stream) : queue.isEmpty(stream)
        }
    }

    /// The time for results to gather after a write, in milliseconds.
    private static let gatheringTime: Int32 = 1
    /// The number of octets that are written without gathering more.
    private static let gatheringLimit = 1 << 16

    private let output: WritableDescriptor
    private let messages: WritableDescriptor
    private let watchesReader: Bool
    /// Whether the calling thread is that of the event loop which calls `settle`.
    private let isOnLoop: @Sendable () -> Bool
    /// What is being written, by the thread or by `settle`.
    private let lanes: Mutex<[Lane]>
    private let state: Mutex<State>
    /// Finishes when standard output accepts nothing any more.
    private let ended: AsyncStream<Void>
    private let ending: AsyncStream<Void>.Continuation

    /// The caller keeps the descriptors open.
    ///
    /// - Parameters:
    ///   - watchesReader: Whether the end of standard output's reader is noticed before the next result.
    ///   - startsThread: Whether the thread starts now. Otherwise it does so when it is needed, and an event loop has to
    ///     notice the end of the reader.
    ///   - isOnLoop: Whether the calling thread is that of an event loop which calls `settle` before it waits.
    package init(
        output: Int32 = 1,
        messages: Int32 = 2,
        watchesReader: Bool = true,
        startsThread: Bool = true,
        isOnLoop: @escaping @Sendable () -> Bool = { false }
    ) {
        (self.output, self.messages) = (WritableDescriptor(output), WritableDescriptor(messages))
        self.watchesReader = watchesReader
        self.isOnLoop = isOnLoop
        let sharesLane = WritableDescriptor.leadToOnePlace(output, messages)
        lanes = Mutex(Array(repeating: Lane(), count: sharesLane ? 1 : 2))
        state = Mutex(State(queue: WriteQueue(sharesLane: sharesLane), rest: startsThread ? .none : .asleep))
        (ended, ending) = AsyncStream<Void>.makeStream()
        if startsThread { start() }
    }

    /// Starts the thread and the pair of sockets by which it is woken, once. Without them both streams fail, so that no
    /// caller waits for room.
    package func start() {
        let isFirst = state.withLock { state in
            defer { state.hasThread = true }
            return !state.hasThread
        }
        guard isFirst else { return }
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let isConnected = socketpair(AF_UNIX, type, 0, &pair) == 0
        let why = String(cString: strerror(errno))
        let ends = (caller: pair[0], thread: pair[1])
        state.withLock { $0.ends = ends }
        guard isConnected, WorkThread.tryStart({ [self] in run(ends.thread) }) else {
            for stream in [StandardStream.output, .messages] {
                fail(stream, .failed(isConnected ? "no thread can be started" : why))
            }
            return
        }
    }

    deinit {
        // The thread keeps the writer: it has ended.
        let ends = state.withLock { $0.ends }
        for end in [ends.caller, ends.thread] where end >= 0 { close(end) }
        ending.finish()
    }

    /// Lets an event loop notice the end of standard output's reader.
    ///
    /// - Parameter watch: Calls a function when the other end of a descriptor is gone.
    package func watchReader(by watch: (Int32, @escaping @Sendable () -> Void) -> Void) {
        guard watchesReader else { return }
        watch(output.number) { [weak self] in self?.fail(.output, .brokenPipe) }
    }

    package func sink(_ stream: StandardStream) -> any ByteSink { StandardSink(writer: self, stream: stream) }

    /// Ends the thread after it has written as much as is possible without waiting. For tests; a process just ends.
    package func stop() {
        state.withLock { $0.isStopping = true }
        wakeThread()
    }

    // MARK: - From any thread

    /// Puts results into the queue.
    fileprivate func write(_ bytes: Span<UInt8>) throws(OutputFailure) {
        let wakes = try state.withLock { state throws(OutputFailure) in
            if let failure = state.queue.failure(of: .output) { throw failure }
            // A command that has to end must not be delayed by its own further output.
            if state.hurry != nil, state.queue.isFull(.output) { throw .interrupted }
            state.queue.append(bytes, to: .output)
            return self.wakes(&state)
        }
        if wakes { wakeThread() }
    }

    /// Queues a message if there is room, preceded by the number of messages that were dropped before.
    fileprivate func queueMessage(_ bytes: Span<UInt8>) {
        let wakes = state.withLock { state in
            guard state.queue.failure(of: .messages) == nil else { return false }
            guard !state.queue.isFull(.messages) else {
                state.dropped += 1
                return false
            }
            if state.dropped > 0 {
                let note = Array("blectl: \(state.dropped) messages dropped\n".utf8)
                state.queue.append(note.span, to: .messages)
                state.dropped = 0
            }
            state.queue.append(bytes, to: .messages)
            return self.wakes(&state)
        }
        if wakes { wakeThread() }
    }

    fileprivate func isBehind(_ stream: StandardStream) -> Bool {
        state.withLock { !$0.queue.isEmpty(stream) }
    }

    fileprivate func room(_ stream: StandardStream) async throws(OutputFailure) {
        let isFull = try state.withLock { state throws(OutputFailure) in
            if let failure = state.queue.failure(of: stream) { throw failure }
            return state.queue.isFull(stream)
        }
        if isFull { try await wait(for: .room, stream) }
    }

    fileprivate func flush(_ stream: StandardStream) async throws(OutputFailure) {
        try await wait(for: .everything, stream)
    }

    fileprivate func drain(_ stream: StandardStream) async {
        _ = await withCheckedContinuation { enroll($0, stream, .everything, id: nil) }
    }

    package func hurry(_ policy: DrainPolicy) {
        let wakes = state.withLock { state in
            // A later one counts only if it is shorter.
            if state.hurry == nil || policy == .overdue { state.hurry = Hurry(start: .now, policy: policy) }
            return state.hasThread || state.queue.hasWork
        }
        if wakes { wakeThread() }
    }

    fileprivate func unwrittenCount(of stream: StandardStream) -> Int {
        state.withLock { $0.queue.unwrittenCount(of: stream) }
    }

    fileprivate func failure(of stream: StandardStream) -> OutputFailure? {
        state.withLock { $0.queue.failure(of: stream) }
    }

    fileprivate func obstacle(of stream: StandardStream) -> OutputFailure? {
        (stream == .output ? output : messages).obstacle
    }

    fileprivate func outputEnded() async {
        for await _ in ended {}
    }

    // MARK: - Waiting for the reader

    private func wait(for need: Need, _ stream: StandardStream) async throws(OutputFailure) {
        let isMet = await suspend(until: need, stream)
        if let failure = state.withLock({ $0.queue.failure(of: stream) }) { throw failure }
        if !isMet { throw .interrupted }
    }

    /// Suspends the task; `false` if it was cancelled before.
    private func suspend(until need: Need, _ stream: StandardStream) async -> Bool {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { enroll($0, stream, need, id: id) }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
                return state.waiters.remove(at: index)
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    /// - Parameter id: `nil` if the caller waits even in a cancelled task.
    private func enroll(
        _ continuation: CheckedContinuation<Bool, Never>,
        _ stream: StandardStream,
        _ need: Need,
        id: Int?
    ) {
        let (answer, wakes) = state.withLock { state -> (Bool?, Bool) in
            if state.isMet(need, stream) { return (true, false) }
            // Checked under the lock that the cancellation handler takes: either the handler finds the waiter, or this
            // sees the cancellation.
            if id != nil, Task.isCancelled { return (false, false) }
            state.waiters.append(Waiter(id: id ?? 0, stream: stream, need: need, continuation: continuation))
            return (nil, self.wakes(&state))
        }
        if wakes { wakeThread() }
        if let answer { continuation.resume(returning: answer) }
    }

    // MARK: - Waking

    /// Whether the thread must be woken for the latest addition. Further additions need not wake it again.
    private func wakes(_ state: inout State) -> Bool {
        switch state.rest {
        case .none: return false
        case .gathering: guard !state.maySettle else { return false }
        case .asleep where state.hurry == nil && state.queue.count < Self.gatheringLimit:
            // The loop settles it soon, also if a task waits for that.
            if isOnLoop() { return false }
        case .asleep: break
        }
        state.rest = .none
        return true
    }

    private func wakeThread() {
        let (caller, hasThread) = state.withLock { ($0.ends.caller, $0.hasThread) }
        guard hasThread else { return start() }
        guard caller >= 0 else { return }
        var octet: UInt8 = 0
        // If the socket is full, the thread is about to wake anyway.
        _ = send(caller, &octet, 1, Int32(MSG_NOSIGNAL))
    }

    /// Resumes tasks whose condition is met, or can no longer be met, after a change.
    private func progress(_ change: (inout State) -> Void) {
        let ready = state.withLock { state in
            change(&state)
            guard !state.waiters.isEmpty else { return [Waiter]() }
            let current = state
            let ready = state.waiters.filter { current.isMet($0.need, $0.stream) }
            state.waiters.removeAll { current.isMet($0.need, $0.stream) }
            return ready
        }
        for waiter in ready { waiter.continuation.resume(returning: true) }
    }

    private func fail(_ stream: StandardStream, _ failure: OutputFailure) {
        progress { $0.queue.failed(stream, failure) }
        if stream == .output { ending.finish() }
    }

    // MARK: - The thread

    private func emptySocket(_ end: Int32) {
        var octets = [UInt8](repeating: 0, count: 64)
        while read(end, &octets, octets.count) == octets.count {}
    }

    /// The part of a lane that is being written.
    private struct Lane {
        var pieces: ArraySlice<WriteQueue.Piece> = []
        /// The number of octets of the first piece that are written.
        var start = 0
        /// Since when the reader takes nothing.
        var blocked: ContinuousClock.Instant?
        var spare: [UInt8] = []

        var isResting: Bool { blocked != nil || pieces.isEmpty }
    }

    /// Writes until everything is written and no more can come. Rests only when each lane is empty or blocked.
    private func run(_ end: Int32) {
        var hasWritten = false
        while true {
            let turn = lanes.withLock { lanes -> (isResting: Bool, hasWritten: Bool)? in
                guard take(&lanes) else { return nil }
                let hasWritten = write(&lanes)
                return (lanes.allSatisfy(\.isResting), hasWritten)
            }
            guard let turn else { break }
            hasWritten = hasWritten || turn.hasWritten
            guard turn.isResting else { continue }
            if mayRest(hasWritten ? .gathering : .asleep) { rest(end, isGathering: hasWritten) }
            hasWritten = false
        }
        for descriptor in [output, messages] { descriptor.close() }
    }

    /// Writes what has been queued, as far as the readers take it at once, on the thread of an event loop that is about to
    /// wait. Does nothing while the writer's own thread writes.
    package func settle() {
        guard state.withLock({ $0.rest == .asleep && $0.queue.hasWork }) else { return }
        let isBlocked = lanes.withLockIfAvailable { lanes in
            let blocked = lanes.map { $0.blocked != nil }
            guard take(&lanes) else { return true }
            _ = write(&lanes)
            return zip(lanes, blocked).contains { $0.blocked != nil && !$1 }
        }
        // It waits for the reader.
        if isBlocked ?? true { wakeThread() }
    }

    /// Takes the queue of each lane whose work is done; `false` if the thread must end.
    private func take(_ lanes: inout [Lane]) -> Bool {
        state.withLock { state in
            for index in lanes.indices where lanes[index].pieces.isEmpty {
                lanes[index].pieces = state.queue.take(index, spare: lanes[index].spare)[...]
                lanes[index].spare = []
            }
            return !state.isStopping || lanes.contains { $0.blocked == nil && !$0.pieces.isEmpty }
        }
    }

    /// Writes the lanes that are not blocked. Returns whether there was anything to write.
    private func write(_ lanes: inout [Lane]) -> Bool {
        var hasWritten = false
        for index in lanes.indices where !lanes[index].isResting {
            write(&lanes[index])
            hasWritten = true
        }
        return hasWritten
    }

    private func descriptor(_ stream: StandardStream) -> WritableDescriptor { stream == .output ? output : messages }

    /// Writes until everything is written or the reader accepts no more.
    private func write(_ lane: inout Lane) {
        while let piece = lane.pieces.first {
            if lane.start < piece.bytes.count, state.withLock({ $0.queue.failure(of: piece.stream) }) == nil {
                let outcome = piece.bytes.withUnsafeBytes {
                    descriptor(piece.stream).write(UnsafeRawBufferPointer(rebasing: $0[lane.start...]))
                }
                switch outcome {
                case .written(let count):
                    lane.start += count
                    progress { $0.queue.written(count, of: piece.stream) }
                    continue
                case .full:
                    lane.blocked = .now
                    return
                case .failed(let failure):
                    fail(piece.stream, failure)
                }
            }
            var done = lane.pieces.removeFirst().bytes
            lane.start = 0
            done.removeAll(keepingCapacity: true)
            lane.spare = done
        }
    }

    /// Whether the thread may rest in that way. It may not sleep if there are octets for a lane that can be written
    /// now.
    private func mayRest(_ rest: Rest) -> Bool {
        lanes.withLock { lanes in
            state.withLock { state in
                let mayRest =
                    rest == .gathering
                    ? state.maySettle
                    : !state.isStopping
                        && !lanes.indices.contains { lanes[$0].blocked == nil && state.queue.hasWork($0) }
                state.rest = mayRest ? rest : .none
                return mayRest
            }
        }
    }

    /// Waits for octets to write, for readers that accept octets again, and for the end of the reader.
    private func rest(_ end: Int32, isGathering: Bool) {
        let (hurry, isWatched) = state.withLock { ($0.hurry, watchesReader && $0.queue.failure(of: .output) == nil) }
        // What blocks here is unblocked here.
        let blocked = lanes.withLock { lanes in
            lanes.map { lane in lane.blocked.flatMap { since in lane.pieces.first.map { (since, $0.stream) } } }
        }
        var entries = [pollfd(fd: end, events: Int16(POLLIN), revents: 0)]
        // A negative number is passed over.
        entries.append(pollfd(fd: isWatched ? output.number : -1, events: 0, revents: 0))
        for lane in blocked {
            entries.append(pollfd(fd: lane.map { descriptor($0.1).number } ?? -1, events: Int16(POLLOUT), revents: 0))
        }
        var limit: Int32 = isGathering ? Self.gatheringTime : -1
        if let hurry, let first = blocked.compactMap({ $0?.0 }).min() {
            let rest = hurry.end(first) - .now
            let milliseconds = Int32(max(0, rest / .milliseconds(1)) + 1)
            limit = isGathering ? min(limit, milliseconds) : milliseconds
        }
        let count = poll(&entries, nfds_t(entries.count), limit)
        state.withLock { $0.rest = .none }
        guard count >= 0 else { return }
        if entries[0].revents != 0 { emptySocket(end) }
        let hasEnded = Int32(entries[1].revents) & (POLLERR | POLLHUP | POLLNVAL) != 0
        if hasEnded { fail(.output, .brokenPipe) }
        for (index, lane) in blocked.enumerated() {
            guard let (since, stream) = lane else { continue }
            if entries[index + 2].revents == 0 {
                guard let hurry, hurry.end(since) <= .now else { continue }
                fail(stream, .interrupted)
            }
            lanes.withLock { $0[index].blocked = nil }
        }
    }
}

private struct StandardSink: ByteSink {
    let writer: StreamWriter
    let stream: StandardStream

    func write(_ bytes: Span<UInt8>) throws(OutputFailure) {
        switch stream {
        case .output: try writer.write(bytes)
        case .messages: writer.queueMessage(bytes)
        }
    }

    var isBehind: Bool { writer.isBehind(stream) }
    func room() async throws(OutputFailure) { try await writer.room(stream) }
    func flush() async throws(OutputFailure) { try await writer.flush(stream) }
    func drain() async { await writer.drain(stream) }
    func hurry(_ policy: DrainPolicy) { writer.hurry(policy) }
    var unwrittenCount: Int { writer.unwrittenCount(of: stream) }
    var failure: OutputFailure? { writer.failure(of: stream) }
    var obstacle: OutputFailure? { writer.obstacle(of: stream) }
    func end() async { await writer.outputEnded() }
}
