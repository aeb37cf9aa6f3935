// SPDX-License-Identifier: MIT

/// Transactions of one kind: one that was sent, and those that wait after it.
///
/// A transaction that is cancelled after it was sent stays outstanding until its answer. Answers carry no number, so
/// otherwise its late answer would be taken for that of the next transaction.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3.2 and 3.3.3
struct ATTTransactionQueue<PDU: Sendable>: Sendable {
    struct Entry: Sendable {
        let id: ATTTransactionID
        let pdu: PDU
    }

    /// The transaction that was sent and is not answered yet.
    struct Outstanding: Sendable {
        let entry: Entry
        let deadline: Instant
        var isAbandoned = false
    }

    private enum Wire: Sendable {
        case free
        case taken(Outstanding)
    }

    private var wire = Wire.free
    private var line: [Entry] = []
    private let limit: Int

    /// Creates a queue for at most `limit` waiting transactions.
    init(limit: Int) { self.limit = limit }

    var outstanding: Outstanding? {
        switch wire {
        case .free: nil
        case .taken(let outstanding): outstanding
        }
    }

    /// Whether an outstanding or waiting transaction satisfies `condition`.
    func contains(where condition: (PDU) -> Bool) -> Bool {
        outstanding.map { condition($0.entry.pdu) } ?? false || line.contains { condition($0.pdu) }
    }

    /// Queues a transaction. Returns `false` if the queue is full.
    mutating func append(_ entry: Entry) -> Bool {
        guard line.count < limit else { return false }
        line.append(entry)
        return true
    }

    /// Takes the first waiting transaction; `nil` if there is none or one is outstanding.
    mutating func popFirst() -> Entry? {
        switch wire {
        case .free: line.isEmpty ? nil : line.removeFirst()
        case .taken: nil
        }
    }

    mutating func began(_ entry: Entry, deadline: Instant) {
        wire = .taken(Outstanding(entry: entry, deadline: deadline))
    }

    mutating func finish() -> Outstanding? {
        defer { wire = .free }
        return outstanding
    }

    /// Drops a waiting transaction, or abandons the outstanding one. Returns `false` if neither has this number.
    mutating func cancel(_ id: ATTTransactionID) -> Bool {
        if let index = line.firstIndex(where: { $0.id == id }) {
            line.remove(at: index)
            return true
        }
        // A request on the wire cannot be taken back: its answer is dropped instead.
        guard case .taken(var outstanding) = wire, outstanding.entry.id == id, !outstanding.isAbandoned else {
            return false
        }
        outstanding.isAbandoned = true
        wire = .taken(outstanding)
        return true
    }

    /// Removes all transactions. Returns those that were not cancelled.
    mutating func drain() -> [ATTTransactionID] {
        let onTheWire = finish().flatMap { $0.isAbandoned ? nil : $0.entry.id }
        defer { line = [] }
        return (onTheWire.map { [$0] } ?? []) + line.map(\.id)
    }
}
