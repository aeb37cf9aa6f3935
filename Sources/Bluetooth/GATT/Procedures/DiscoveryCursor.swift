// SPDX-License-Identifier: MIT

/// The number of requests that a discovery sends.
public enum DiscoveryExtent: Hashable, Sendable {
    /// As many as it takes to reach the end of the range.
    case all
    /// One. A caller that needs no more than the first findings saves the other round trips.
    case firstAnswer
}

/// The progress of a discovery through its range of handles. Each answer must move it forward, so that no server can
/// keep a discovery going.
struct DiscoveryCursor: Sendable {
    /// The range of the whole discovery.
    let range: HandleRange
    /// The first handle of the next request; `nil` at the end.
    private(set) var next: Handle?
    /// Whether a server that does not support the request is assumed to have nothing to find.
    let isOptional: Bool
    /// Whether a group has ended at 0xFFFF. Others in the same answer count, but no more are asked for.
    private var hasReachedEnd = false
    private var count = 0

    /// Whether any answer contained a finding.
    var hasMoved: Bool { count > 0 }

    init(_ range: HandleRange, isOptional: Bool = false) {
        self.range = range
        self.isOptional = isOptional
        next = range.isValid ? range.start : nil
    }

    var remaining: HandleRange? { hasReachedEnd ? nil : next.map { HandleRange($0, range.end) } }

    /// Moves past a finding, from its first to its last handle. Throws if the position would not advance.
    ///
    /// A group that begins in the range may end after it. Some servers end every group at 0xFFFF, although others
    /// follow in the same answer.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.3.4; Vol 3, Part G, 4.4.1
    mutating func advance(over found: HandleRange) throws(GATTError) {
        guard found.start <= found.end else { throw .invalidResponse(.rangeBackwards(found)) }
        guard let next, range.contains(found.start) else {
            throw .invalidResponse(.handleOutOfRange(found.start, asked: range))
        }
        guard found.start >= next else {
            throw .invalidResponse(.handleNotRising(found.start, after: next.previous ?? .invalid))
        }
        count += 1
        guard count <= GATTLimits.maximumDiscoveredEntries else { throw .invalidResponse(.tooManyEntries) }
        // A request after the end would have an invalid range, and 0xFFFF has no successor.
        if found.end == .last { hasReachedEnd = true }
        let end = found.provenEnd
        self.next = end < range.end ? end.next : nil
    }

    /// Moves past one attribute.
    mutating func advance(over handle: Handle) throws(GATTError) {
        try advance(over: HandleRange(handle, handle))
    }

    /// Whether the error means that nothing more exists. Some devices use the code 0x00 for that.
    func isEnd(_ error: ATTErrorResponse) -> Bool {
        switch error.code {
        case .attributeNotFound, ATTErrorCode(0x00): true
        case .requestNotSupported, .unsupportedGroupType: isOptional
        default: false
        }
    }
}

/// A discovery that asks for one part of a range after the other and gets a list each time.
protocol DiscoveryProcedure: GATTProcedure where Output == [Found] {
    /// The kind of entry in the lists.
    associatedtype Found: Sendable

    var extent: DiscoveryExtent { get }

    var cursor: DiscoveryCursor { get }

    /// All entries found so far.
    var result: [Found] { get }

    /// Whether the discovery can stop before the end of the range.
    var isSatisfied: Bool { get }

    func request(_ range: HandleRange) -> ATTRequest

    /// Takes a list and moves the cursor past it.
    mutating func take(_ response: ATTResponse) throws(GATTError)
}

extension DiscoveryProcedure {
    var isSatisfied: Bool { extent == .firstAnswer && cursor.hasMoved }

    /// The first request; an empty result if the range is empty.
    public mutating func start(mtu: UInt16) -> GATTStep<Output> { step() }

    /// The next request, or the result.
    public mutating func received(_ answer: ATTAnswer, mtu: UInt16) -> GATTStep<Output> {
        switch answer {
        case .failure(let error):
            return cursor.isEnd(error) ? .done(result) : .failed(.refused(error))
        case .success(let response):
            do throws(GATTError) {
                try take(response)
                return step()
            } catch {
                return .failed(error)
            }
        }
    }

    func step() -> GATTStep<Output> {
        guard !isSatisfied, let remaining = cursor.remaining else { return .done(result) }
        return .send(request(remaining))
    }
}

extension HandleRange {
    /// The last handle of a group that its end proves to belong to it: all of them, but only the first one if the end
    /// is 0xFFFF, which some servers give to each of their services.
    var provenEnd: Handle { end == .last ? start : end }
}
