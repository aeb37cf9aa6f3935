// SPDX-License-Identifier: GPL-2.0-or-later

/// The queue of writes that one client has prepared and not executed: bounded in entries and in octets, so that no client
/// can hold more memory than its share.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.6
struct PreparedWrites: Sendable {
    /// What a queue may hold.
    struct Limits: Hashable, Sendable {
        var entries: Int
        var octets: Int
    }

    /// A part of a value, and where it goes.
    struct Part: Hashable, Sendable {
        var handle: Handle
        var offset: Int
        var value: [UInt8]
    }

    private(set) var parts: [Part] = []
    /// The first attribute that is not what it was when a part for it was prepared.
    private(set) var outdated: Handle?
    private var octets = 0

    var isEmpty: Bool { parts.isEmpty }

    /// Adds a part at the end; whether there was room.
    mutating func append(_ part: Part, limits: Limits) -> Bool {
        guard parts.count < limits.entries, octets + part.value.count <= limits.octets else { return false }
        parts.append(part)
        octets += part.value.count
        return true
    }

    /// The attributes of that range have changed.
    mutating func outdate(_ range: HandleRange) {
        outdated = outdated ?? parts.first { range.contains($0.handle) }?.handle
    }

    /// Empties the queue and hands out what was in it, each run of parts that continue one another joined into one.
    mutating func takeJoined() -> [Part] {
        var joined: [Part] = []
        for part in parts {
            if let last = joined.last, last.handle == part.handle, last.offset + last.value.count == part.offset {
                joined[joined.count - 1].value += part.value
            } else {
                joined.append(part)
            }
        }
        self = PreparedWrites()
        return joined
    }
}

extension PreparedWrites.Part {
    /// A value that the server keeps, with this part in it. The value ends where the part ends, unless its length is fixed.
    /// Whether it is long enough can be judged only when all parts are in.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.6.3
    func spliced(into old: [UInt8], lengths: ClosedRange<Int>) -> Result<[UInt8], ATTRefusal> {
        guard offset <= old.count else { return .failure(ATTRefusal(.invalidOffset)) }
        let end = offset + value.count
        guard end <= lengths.upperBound else { return .failure(ATTRefusal(.invalidAttributeValueLength)) }
        let isFixed = lengths.lowerBound == lengths.upperBound
        return .success(Array(old[..<offset] + value + (isFixed ? old.dropFirst(end) : [])))
    }
}
