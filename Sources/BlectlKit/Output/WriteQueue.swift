// SPDX-License-Identifier: GPL-2.0-or-later

/// What waits to be written, in the order in which it came.
///
/// Streams that lead to the same place share a lane, so that a message after a result stands after it. Others have a lane
/// each, so that a reader that has stopped holds up nobody else's stream.
struct WriteQueue: Sendable {
    /// Octets for one stream that came one after the other.
    struct Piece: Sendable {
        let stream: StandardStream
        var bytes: [UInt8]
    }

    private struct Lane {
        var pieces: [Piece] = []
        /// A buffer that was written, for the next piece.
        var spare: [UInt8] = []
    }

    private struct Account {
        /// How many octets are not written yet, those that the writer has in hand included.
        var count = 0
        var failure: OutputFailure?
    }

    /// So many octets of a stream may wait, and one record more.
    static let limit = 1 << 20

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

    /// Why nothing more can be written to a stream.
    func failure(of stream: StandardStream) -> OutputFailure? { self[stream].failure }

    /// How many octets are not written yet.
    var count: Int { output.count + messages.count }

    /// Whether so much waits that nothing should be added.
    func isFull(_ stream: StandardStream) -> Bool { self[stream].count >= Self.limit }

    /// Whether there is room again for those who waited for it: not at the first octet, for they would wait again at once.
    func hasRoom(_ stream: StandardStream) -> Bool { self[stream].count <= Self.limit / 2 }

    /// Whether all is written.
    func isEmpty(_ stream: StandardStream) -> Bool { self[stream].count == 0 }

    /// Puts octets behind what waits already. What is for a stream that has failed is forgotten.
    mutating func append(_ bytes: Span<UInt8>, to stream: StandardStream) {
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

    /// Whether something waits in a lane.
    func hasWork(_ lane: Int) -> Bool { !lanes[lane].pieces.isEmpty }

    /// Takes all that waits in a lane; `spare` is a buffer to be used again.
    mutating func take(_ lane: Int, spare: consuming [UInt8]) -> [Piece] {
        let pieces = lanes[lane].pieces
        lanes[lane].pieces = []
        if spare.capacity > lanes[lane].spare.capacity { lanes[lane].spare = spare }
        return pieces
    }

    /// So many octets of what was taken are written.
    mutating func written(_ count: Int, of stream: StandardStream) {
        self[stream].count = max(0, self[stream].count - count)
    }

    /// A stream takes nothing any more: what waits for it is forgotten.
    mutating func failed(_ stream: StandardStream, _ failure: OutputFailure) {
        self[stream] = Account(count: 0, failure: self[stream].failure ?? failure)
        lanes[lane(of: stream)].pieces.removeAll { $0.stream == stream }
    }
}
