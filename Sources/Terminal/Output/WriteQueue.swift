// SPDX-License-Identifier: GPL-2.0-or-later

/// Octets that wait to be written, in the order of their arrival.
///
/// Streams with the same destination share a lane, so that a message after a result also appears after it. Other
/// streams have a lane each, so that a stopped reader delays only its own stream.
struct WriteQueue: Sendable {
    /// Consecutive octets for one stream.
    package struct Piece: Sendable {
        package let stream: StandardStream
        package var bytes: [UInt8]
    }

    private struct Lane {
        var pieces: [Piece] = []
        /// A written buffer, for the next piece.
        var spare: [UInt8] = []
    }

    private struct Account {
        /// The number of octets that are not written yet, including those that the writer is writing.
        var count = 0
        /// The number of octets that were discarded because the reader did not accept them in time.
        var unwritten = 0
        var failure: OutputFailure?
    }

    /// The number of octets of a stream that may wait; one more record may exceed it.
    package static let limit = 1 << 20

    private var lanes: [Lane]
    private var output = Account()
    private var messages = Account()

    /// Nothing waits.
    init(sharesLane: Bool) {
        lanes = Array(repeating: Lane(), count: sharesLane ? 1 : 2)
    }

    var laneCount: Int { lanes.count }

    private func lane(of stream: StandardStream) -> Int { stream == .messages ? lanes.count - 1 : 0 }

    private subscript(stream: StandardStream) -> Account {
        get { stream == .output ? output : messages }
        set { if stream == .output { output = newValue } else { messages = newValue } }
    }

    /// The failure of a stream, after which nothing more can be written to it.
    package func failure(of stream: StandardStream) -> OutputFailure? { self[stream].failure }

    /// The number of octets that are not written yet.
    package var count: Int { output.count + messages.count }

    /// The number of octets that were discarded because the reader did not accept them in time.
    package func unwrittenCount(of stream: StandardStream) -> Int { self[stream].unwritten }

    /// Whether the limit is reached, so that nothing should be added.
    package func isFull(_ stream: StandardStream) -> Bool { self[stream].count >= Self.limit }

    /// Whether waiting tasks can continue: not at the first free octet, because they would have to wait again at once.
    func hasRoom(_ stream: StandardStream) -> Bool { self[stream].count <= Self.limit / 2 }

    package func isEmpty(_ stream: StandardStream) -> Bool { self[stream].count == 0 }

    /// Appends octets to the queue. Octets for a stream that has failed are discarded.
    package mutating func append(_ bytes: Span<UInt8>, to stream: StandardStream) {
        guard !bytes.isEmpty, self[stream].failure == nil else { return }
        self[stream].count += bytes.count
        let index = lane(of: stream)
        if let last = lanes[index].pieces.indices.last, lanes[index].pieces[last].stream == stream {
            bytes.withUnsafeBufferPointer { lanes[index].pieces[last].bytes.append(contentsOf: $0) }
            return
        }
        var buffer: [UInt8] = []
        swap(&buffer, &lanes[index].spare)
        bytes.withUnsafeBufferPointer { buffer.append(contentsOf: $0) }
        lanes[index].pieces.append(Piece(stream: stream, bytes: buffer))
    }

    func hasWork(_ lane: Int) -> Bool { !lanes[lane].pieces.isEmpty }

    var hasWork: Bool { lanes.contains { !$0.pieces.isEmpty } }

    /// Takes everything that waits in a lane; `spare` is a buffer for reuse.
    package mutating func take(_ lane: Int, spare: consuming [UInt8]) -> [Piece] {
        let pieces = lanes[lane].pieces
        lanes[lane].pieces = []
        if spare.capacity > lanes[lane].spare.capacity { lanes[lane].spare = spare }
        return pieces
    }

    package mutating func written(_ count: Int, of stream: StandardStream) {
        // The stream may have failed during the write, which sets its count to 0.
        self[stream].count = max(0, self[stream].count - count)
    }

    package mutating func failed(_ stream: StandardStream, _ failure: OutputFailure) {
        let isFirst = self[stream].failure == nil
        // After another failure nobody misses the rest: the reader has gone, or the failure itself is reported.
        if failure == .interrupted { self[stream].unwritten += self[stream].count }
        self[stream].count = 0
        if isFirst { self[stream].failure = failure }
        lanes[lane(of: stream)].pieces.removeAll { $0.stream == stream }
    }
}
