// SPDX-License-Identifier: MIT

/// The queue of writes that one client has prepared and not executed. It is limited in entries and octets, so that no
/// client can occupy more memory than its share.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.6
struct PreparedWrites: Sendable {
    struct Limits: Hashable, Sendable {
        var entries: Int
        var octets: Int
    }

    struct Part: Hashable, Sendable {
        var handle: Handle
        var offset: Int
        var value: [UInt8]
    }

    private(set) var parts: [Part] = []
    /// The first attribute that has changed since a part was prepared for it.
    private(set) var outdated: Handle?
    private var octets = 0

    var isEmpty: Bool { parts.isEmpty }

    /// Appends a part; returns `false` if there is no room.
    mutating func append(_ part: Part, limits: Limits) -> Bool {
        guard parts.count < limits.entries, octets + part.value.count <= limits.octets else { return false }
        parts.append(part)
        octets += part.value.count
        return true
    }

    /// Marks the parts for attributes of a range as outdated, because these attributes have changed.
    mutating func outdate(_ range: HandleRange) {
        outdated = outdated ?? parts.first { range.contains($0.handle) }?.handle
    }

    /// Empties the queue and returns its parts. Consecutive parts of one value are joined, so that the application gets
    /// each value at once.
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
    /// A stored value with this part inserted. The value ends where the part ends, unless its length is fixed. The
    /// minimum length is not checked here, because later parts may still extend the value.
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

extension GATTServer.WriteContext {
    /// The value that the write makes of the present one. A prepared write is a part of a value, any other write is a
    /// whole value, whose length is not checked here.
    ///
    /// - Parameters:
    ///   - lengths: The lengths in octets that the value may have.
    package func spliced(into old: [UInt8], lengths: ClosedRange<Int>) -> Result<[UInt8], ATTRefusal> {
        guard kind == .prepared else { return .success(value) }
        return PreparedWrites.Part(handle: handle, offset: offset, value: value).spliced(into: old, lengths: lengths)
    }
}
