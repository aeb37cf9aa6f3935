// SPDX-License-Identifier: MIT

package import Bluetooth

/// The upload of a file to a server: which part is sent when, and what its answers mean.
///
/// Several parts are on their way at once, as many as the server has buffers for. The server decides where it goes on: each
/// answer has the offset that it wants next. After a lost link, the announcement with the hash of the file lets it say how much
/// it has. Whatever the server does, the upload ends: only progress allows further attempts.
///
/// Events come in as calls with the time, and what is to be done comes out as actions.
package struct ImageUpload: Sendable {
    /// What the server and the link allow.
    package struct Limits: Hashable, Sendable {
        /// The octets of a frame that the server takes, with its header.
        package var frame: Int
        /// The octets of one packet of the link.
        package var packet: Int
        /// How many requests may be on their way.
        package var requests: Int

        /// The octets of the smallest buffer that is believed: a first part with its hash needs nearly as many.
        private static let leastBuffer = 128

        /// Limits. Of several buffers one is for the server's responses.
        package init(buffers: MCUmgrParameters.Buffers?, packet: Int) {
            let size = buffers.flatMap { $0.size < Self.leastBuffer ? nil : $0.size } ?? packet
            self.packet = min(packet, size)
            frame = min(size, MCUmgrFrame.headerLength + MCUmgrFrame.maximumPayloadLength)
            requests = max(1, min(ImageUpload.maximumRequests, (buffers?.count ?? 1) - 1))
        }
    }

    package enum Action: Hashable, Sendable {
        case send(MCUmgrFrame)
        /// The server has that many octets.
        case progressed(Int)
        case ended(Ending)
    }

    package enum Ending: Hashable, Sendable {
        case complete
        case refused(MCUmgrRefusal)
        /// The server says nothing useful, although everything was tried several times.
        case stalled
        /// The server has all, and says that it is not what was sent.
        case damaged
        /// An answer makes no sense.
        case malformed(DecodeError)
        /// Not even a part of the file fits into a frame.
        case noRoom
    }

    /// The most requests that are on their way at once, whatever the server says.
    private static let maximumRequests = 16
    /// How often something may go wrong without progress in between.
    private static let maximumStalls = 5
    /// How long the server may take for the first part, for which it erases the slot.
    package static let announcementLimit = Duration.seconds(60)
    /// How long it may take for another part, from its last answer on.
    package static let partLimit = Duration.seconds(15)
    /// How long nothing is sent to a busy server; twice as long each time after the first.
    private static let firstPause = Duration.seconds(1)
    /// The octets of the file that a server needs in the first part, to see what it is.
    private static let imageHeader = 32

    /// A part that waits for its answer.
    private struct Part: Hashable, Sendable {
        let sequence: UInt8
        let range: Range<Int>
        /// Whether parts before it were sent anew since.
        var isStale = false
    }

    private enum Phase: Hashable, Sendable {
        case away
        /// The first part waits for its answer, and nothing else is sent.
        case announcing
        /// The first part that needs several packets waits for its answer: the server may not be able to join them.
        case trying
        /// Parts follow each other.
        case sending
        case ended
    }

    private let file: [UInt8]
    private let hash: [UInt8]
    private let image: Int?
    private var limits: Limits
    private var phase = Phase.away
    private var sequence: UInt8
    /// The parts that wait for their answers, in the order in which they were sent.
    private var waiting: [Part] = []
    /// Since when the server is silent; `nil` if nothing waits.
    private var silentSince: Instant?
    /// Until when nothing is sent, because the server is busy.
    private var pausedUntil: Instant?
    /// Where the next part begins.
    private var next = 0
    /// What the server says to have.
    private var received = 0
    /// The most that it ever said to have.
    private var best = 0
    /// What may have reached the server.
    private var sent = 0
    private var stalls = 0
    /// Whether frames of several packets are known not to work.
    private var isWithoutReassembly = false

    /// An upload that waits for its link.
    ///
    /// - Parameters:
    ///   - file: What is uploaded.
    ///   - image: The number of the program that it is; `nil` for the only one.
    ///   - limits: What the server and the link allow.
    ///   - sequence: The sequence number of the first request.
    package init(_ file: [UInt8], image: Int?, limits: Limits, sequence: UInt8 = 0) {
        self.file = file
        self.image = image
        self.limits = limits
        self.sequence = sequence
        hash = SHA256.hash(file)
    }

    package var octets: Int { received }

    package var total: Int { file.count }

    /// When `timerFired` has to be called; `nil` for never.
    package var deadline: Instant? {
        pausedUntil ?? silentSince.map { $0 + (phase == .announcing ? Self.announcementLimit : Self.partLimit) }
    }

    // MARK: - Events

    /// There is a link, the first one or another one, with its limits.
    package mutating func linkMade(_ limits: Limits? = nil, now: Instant) -> [Action] {
        guard phase == .away else { return [] }
        self.limits = limits ?? self.limits
        return announce(now)
    }

    /// The link was lost, with whatever was on its way.
    package mutating func linkLost() -> [Action] {
        guard phase != .ended, phase != .away else { return [] }
        forgetWaiting()
        phase = .away
        return stalled() ?? []
    }

    /// A frame has come. Those that are no answers to a part are ignored.
    package mutating func received(_ frame: MCUmgrFrame, now: Instant) -> [Action] {
        guard phase != .ended, phase != .away, frame.operation == MCUmgrUpload.operation.response,
            frame.group == MCUmgrUpload.group, frame.command == MCUmgrUpload.command
        else { return [] }
        // Parts are answered in their order. If an answer is missing, those after it say as much.
        let index = waiting.firstIndex { $0.sequence == frame.sequence }
        let part = index.map { waiting[$0] }
        if let index {
            waiting.removeFirst(index + 1)
            // Only an answer that was awaited is a sign of life: there are not more of them than requests.
            silentSince = waiting.isEmpty ? nil : now
        }
        let answer: MCUmgrUpload.Progress
        do {
            answer = try MCUmgrUpload(offset: 0, data: []).response(in: frame)
        } catch {
            switch error {
            case .refused(let refusal): return part == nil ? [] : refused(refusal, now)
            case .malformed(let error): return end(.malformed(error))
            }
        }
        guard let part, !part.isStale else { return late(answer, now) }
        guard answer.offset <= file.count,
            answer.offset <= max(part.range.upperBound, sent, best) || phase == .announcing
        else { return end(.malformed(DecodeError("off", .invalid(value: UInt64(answer.offset))))) }
        return continued(answer, after: part, now)
    }

    /// The time of `deadline` has come.
    package mutating func timerFired(now: Instant) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        let isPause = pausedUntil != nil
        forgetWaiting()
        if phase == .trying, !isPause {
            // That is why it was tried with one part.
            isWithoutReassembly = true
        } else if !isPause, let ending = stalled() {
            return ending
        }
        return goOn(now)
    }

    // MARK: - Answers

    private mutating func continued(_ answer: MCUmgrUpload.Progress, after part: Part, _ now: Instant) -> [Action] {
        let isExpected = answer.offset >= part.range.upperBound
        let actions = advance(to: answer.offset)
        if answer.offset == file.count {
            return actions + end(answer.isMatch == false ? .damaged : .complete)
        }
        if phase == .announcing {
            // The server says where it goes on: behind this part, or where an earlier upload has ended.
            next = answer.offset
            sent = max(sent, answer.offset)
            if answer.offset == 0, let ending = stalled() { return actions + ending }
            return actions + (answer.offset == 0 ? announce(now) : proceed(now))
        }
        if isExpected {
            next = max(next, answer.offset)
            if phase == .trying { phase = .sending }
            return actions + proceed(now)
        }
        // A part before this one did not arrive, or the server took less of it. All that is on its way is in vain.
        if let ending = stalled() { return actions + ending }
        for index in waiting.indices { waiting[index].isStale = true }
        next = answer.offset
        return actions + (next == 0 ? announce(now) : proceed(now))
    }

    /// An answer that nothing waits for any more: a repeated one, or one that came after its time. It may still say that the
    /// server has more.
    private mutating func late(_ answer: MCUmgrUpload.Progress, _ now: Instant) -> [Action] {
        guard phase != .announcing, answer.offset > received, answer.offset <= sent else { return proceed(now) }
        let actions = advance(to: answer.offset)
        if answer.offset == file.count { return actions + end(answer.isMatch == false ? .damaged : .complete) }
        next = max(next, answer.offset)
        return actions + proceed(now)
    }

    private mutating func refused(_ refusal: MCUmgrRefusal, _ now: Instant) -> [Action] {
        switch refusal.shared {
        case .busy, .noMemory, .timeout:
            guard stalled() == nil else { return end(.refused(refusal)) }
            // Too much at once. With one request at a time, the server's buffers suffice.
            limits.requests = 1
            forgetWaiting()
            pausedUntil = now + Self.firstPause * (1 << (stalls - 1))
            return []
        default:
            // A frame of several packets was on its way. A server that cannot join them sees none of a group in it.
            guard phase == .trying, !isWithoutReassembly, refusal.group == nil else { return end(.refused(refusal)) }
            isWithoutReassembly = true
            return goOn(now)
        }
    }

    private mutating func advance(to offset: Int) -> [Action] {
        guard offset != received else { return [] }
        received = offset
        if offset > best {
            best = offset
            stalls = 0
        }
        return [.progressed(offset)]
    }

    /// Counts that something went wrong. Returns the end, if it was too often.
    private mutating func stalled() -> [Action]? {
        stalls += 1
        return stalls > Self.maximumStalls ? end(.stalled) : nil
    }

    /// Forgets what is on its way. Answers to it are late then.
    private mutating func forgetWaiting() {
        waiting = []
        silentSince = nil
        pausedUntil = nil
    }

    /// Sends anew from where the server is. If it has no upload any more, it says so in its next answer.
    private mutating func goOn(_ now: Instant) -> [Action] {
        next = received
        return phase == .announcing || received == 0 ? announce(now) : proceed(now)
    }

    private mutating func end(_ ending: Ending) -> [Action] {
        phase = .ended
        forgetWaiting()
        return [.ended(ending)]
    }

    // MARK: - Parts

    /// Sends the first part, which says what follows.
    private mutating func announce(_ now: Instant) -> [Action] {
        phase = .announcing
        forgetWaiting()
        let announcement = MCUmgrUpload.Announcement(image: image, length: file.count, hash: hash)
        // One packet, if it has room for what a server has to see: whether it can join several is not known yet.
        let least = min(Self.imageHeader, file.count)
        let limits = [limits.packet, isWithoutReassembly ? 0 : limits.frame]
        let lengths = limits.map { MCUmgrUpload(offset: 0, data: [], announcement: announcement).room(within: $0) }
        guard let length = lengths.first(where: { $0 >= least }) else { return end(.noRoom) }
        return send(0..<min(length, file.count), announcement, now)
    }

    /// Sends as many parts as are allowed.
    private mutating func proceed(_ now: Instant) -> [Action] {
        guard pausedUntil == nil, phase == .sending || waiting.isEmpty else { return [] }
        if phase != .sending {
            phase = limits.frame > limits.packet && !isWithoutReassembly ? .trying : .sending
        }
        let limit = isWithoutReassembly ? limits.packet : limits.frame
        let requests = phase == .trying ? 1 : limits.requests
        var actions: [Action] = []
        while waiting.count < requests, next < file.count {
            let room = MCUmgrUpload(offset: next, data: []).room(within: limit)
            guard room > 0 else { return actions + end(.noRoom) }
            actions += send(next..<next + min(room, file.count - next), nil, now)
        }
        return actions
    }

    private mutating func send(
        _ range: Range<Int>,
        _ announcement: MCUmgrUpload.Announcement?,
        _ now: Instant
    ) -> [Action] {
        let upload = MCUmgrUpload(offset: range.lowerBound, data: Array(file[range]), announcement: announcement)
        let frame = upload.frame(sequence: sequence)
        waiting.append(Part(sequence: sequence, range: range))
        sequence &+= 1
        silentSince = silentSince ?? now
        next = range.upperBound
        sent = max(sent, next)
        return [.send(frame)]
    }
}

extension MCUmgrUpload {
    /// How many octets of data a frame has room for whose length is limited; 0 if it has none.
    func room(within limit: Int) -> Int {
        // Without data, their length takes one octet.
        let rest = limit - MCUmgrFrame.headerLength - (fields.encoded().count - 1)
        // The length takes 1 octet up to 23, 2 up to 255, and 3 up to 65,535.
        let largest = [(1, 23), (2, 0xFF), (3, 0xFFFF)].map { head, most in min(rest - head, most) }
        return max(0, largest.max() ?? 0)
    }
}
