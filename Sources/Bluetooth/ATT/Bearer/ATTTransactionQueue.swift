// SPDX-License-Identifier: GPL-2.0-or-later

/// Transactions of one kind: one on the wire, the others in line behind it.
///
/// One that is taken back while on the wire stays there, abandoned, until its answer: the answers carry no number, so that
/// is the only way not to take them for the next one's.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3.2 and 3.3.3
struct ATTTransactionQueue<PDU: Sendable>: Sendable {
    /// A transaction.
    struct Entry: Sendable {
        let id: ATTTransactionID
        let pdu: PDU
    }

    /// The transaction on the wire.
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

    /// A queue in which at most `limit` transactions stand in line.
    init(limit: Int) { self.limit = limit }

    /// The transaction on the wire.
    var outstanding: Outstanding? {
        switch wire {
        case .free: nil
        case .taken(let outstanding): outstanding
        }
    }

    /// Whether a transaction that satisfies `condition` is on the wire or in line.
    func contains(where condition: (PDU) -> Bool) -> Bool {
        outstanding.map { condition($0.entry.pdu) } ?? false || line.contains { condition($0.pdu) }
    }

    /// Puts a transaction at the end of the line; false where the line is full.
    mutating func append(_ entry: Entry) -> Bool {
        guard line.count < limit else { return false }
        line.append(entry)
        return true
    }

    /// Takes the first out of the line, where nothing is on the wire.
    mutating func popFirst() -> Entry? {
        switch wire {
        case .free: line.isEmpty ? nil : line.removeFirst()
        case .taken: nil
        }
    }

    /// Notes that a transaction is on the wire now.
    mutating func began(_ entry: Entry, deadline: Instant) {
        wire = .taken(Outstanding(entry: entry, deadline: deadline))
    }

    /// Takes the transaction off the wire.
    mutating func finish() -> Outstanding? {
        defer { wire = .free }
        return outstanding
    }

    /// Drops a transaction from the line, or abandons it on the wire; false where nobody waits for it.
    mutating func cancel(_ id: ATTTransactionID) -> Bool {
        if let index = line.firstIndex(where: { $0.id == id }) {
            line.remove(at: index)
            return true
        }
        guard case .taken(var outstanding) = wire, outstanding.entry.id == id, !outstanding.isAbandoned else {
            return false
        }
        outstanding.isAbandoned = true
        wire = .taken(outstanding)
        return true
    }

    /// Takes all out and says who still waits.
    mutating func drain() -> [ATTTransactionID] {
        let onTheWire = finish().flatMap { $0.isAbandoned ? nil : $0.entry.id }
        defer { line = [] }
        return (onTheWire.map { [$0] } ?? []) + line.map(\.id)
    }
}
