// SPDX-License-Identifier: GPL-2.0-or-later

/// How far a discovery looks.
public enum DiscoveryExtent: Hashable, Sendable {
    /// To the end of the range.
    case all
    /// What one answer brings: whoever wants no more than that saves the other round trips.
    case firstAnswer
}

/// How far a discovery has come through its range of handles. Whatever a server answers, each answer moves it forward.
struct DiscoveryCursor: Sendable {
    /// What was asked for at first.
    let range: HandleRange
    /// Where the next request begins; `nil` when the end is reached.
    private(set) var next: Handle?
    /// Whether a server that does not know the request is taken to have nothing to find.
    let isOptional: Bool
    private var count = 0

    /// Whether any answer has brought something.
    var hasMoved: Bool { count > 0 }

    init(_ range: HandleRange, isOptional: Bool = false) {
        self.range = range
        self.isOptional = isOptional
        next = range.isValid ? range.start : nil
    }

    /// What is still to be asked for.
    var remaining: HandleRange? { next.map { HandleRange($0, range.end) } }

    /// Moves behind what was found, from its first to its last handle. Throws where that is no progress.
    mutating func advance(over found: HandleRange) throws(GATTError) {
        guard found.start <= found.end else { throw .invalidResponse(.rangeBackwards(found)) }
        guard let next, range.contains(found.start), found.end <= range.end else {
            throw .invalidResponse(.handleOutOfRange(found.start, asked: range))
        }
        guard found.start >= next else {
            throw .invalidResponse(.handleNotRising(found.start, after: next.previous ?? .invalid))
        }
        count += 1
        guard count <= GATTLimits.maximumDiscoveredEntries else { throw .invalidResponse(.tooManyEntries) }
        self.next = found.end < range.end ? found.end.next : nil
    }

    /// Moves behind one attribute.
    mutating func advance(over handle: Handle) throws(GATTError) {
        try advance(over: HandleRange(handle, handle))
    }

    /// Whether the error says that there is nothing more. Some devices say so with the code 0x00.
    func isEnd(_ error: ATTErrorResponse) -> Bool {
        switch error.code {
        case .attributeNotFound, ATTErrorCode(0x00): true
        case .requestNotSupported, .unsupportedGroupType: isOptional
        default: false
        }
    }
}

/// A discovery: one request after the other over a range, each answer a list that is taken in.
protocol DiscoveryProcedure: GATTProcedure where Output == [Found] {
    /// What is found.
    associatedtype Found: Sendable

    /// How far it looks.
    var extent: DiscoveryExtent { get }

    /// How far it has come.
    var cursor: DiscoveryCursor { get }

    /// All that was found.
    var result: [Found] { get }

    /// Whether enough was found before the end of the range.
    var isSatisfied: Bool { get }

    /// The request for the rest of the range.
    func request(_ range: HandleRange) -> ATTRequest

    /// Takes a list in, and moves the cursor behind it.
    mutating func take(_ response: ATTResponse) throws(GATTError)
}

extension DiscoveryProcedure {
    var isSatisfied: Bool { extent == .firstAnswer && cursor.hasMoved }

    /// The first request; nothing where the range is empty.
    public mutating func start(mtu: UInt16) -> GATTStep<Output> { step() }

    /// The next request, or what was found.
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
