// SPDX-License-Identifier: MIT

import Bluetooth
import Synchronization

/// The indications of a link that may be Service Changed, from its first packet on.
///
/// They have two consumers, each at its own pace. The observer of values subscribes again, which takes some requests.
/// The database must take a change before it answers any question that is asked after the indication.
///
/// Spec: Core 5.4, Vol 3, Part G, 7.1
final class ServiceChanges: Sendable {
    /// An indication that may be Service Changed.
    struct Event: Hashable, Sendable {
        /// The position in the order of arrival, from 1.
        let number: Int
        let handle: Handle
        /// The changed range: all handles if the value is malformed, or if an earlier indication was lost.
        var range: HandleRange
    }

    private struct State {
        var count = 0
        /// The indications that the database has not taken.
        var untaken: [Event] = []
        /// Whether `untaken` has overflowed, so that changes were lost.
        var isIncomplete = false
    }

    /// The maximum number of changes that are kept. If more come, the oldest are dropped, and the rest counts as a
    /// change of all handles.
    private static let limit = 16

    private let events = BoundedQueue<Event>(limit: limit, overflow: .dropOldest)
    private let state = Mutex(State())
    // No attribute has handle 0, which stands for none.
    private let handle = Atomic<UInt16>(0)
    private let lastNumber = Atomic(0)

    /// Every indication at this handle counts as Service Changed from now on, even if it is malformed.
    func expect(at handle: Handle) { self.handle.store(handle.rawValue, ordering: .relaxed) }

    /// A value has arrived. Service Changed has four octets; other values of that length are sorted out later, by
    /// handle.
    func received(_ event: ValueEvent) {
        guard event.kind == .indication else { return }
        guard event.value.count == 4 || event.handle.rawValue == handle.load(ordering: .relaxed) else { return }
        let change = state.withLock { state in
            state.count += 1
            let change = Event(number: state.count, handle: event.handle, range: Self.range(event.value) ?? .all)
            state.untaken.append(change)
            if state.untaken.count > Self.limit {
                state.untaken.removeFirst()
                state.isIncomplete = true
            }
            return change
        }
        events.push(change)
    }

    func finish(_ error: RadioError) { events.finish(error) }

    private static func range(_ value: [UInt8]) -> HandleRange? {
        var reader = ByteReader(value)
        guard value.count == 4, let start = try? Handle(from: &reader), let end = try? Handle(from: &reader) else {
            return nil
        }
        let range = HandleRange(start, end)
        return range.isValid ? range : nil
    }

    /// The next indication, for one caller at a time; throws when the link has ended.
    func next() async throws(RadioError) -> Event {
        var event = try await events.next()
        let last = lastNumber.exchange(event.number, ordering: .relaxed)
        // A missing number is a dropped indication, whose range is not known.
        if event.number != last + 1 { event.range = .all }
        return event
    }

    /// Takes one indication for the database. Returns `false` if the database has taken it already.
    func take(_ event: Event) -> Bool {
        state.withLock { state in
            guard let index = state.untaken.firstIndex(where: { $0.number == event.number }) else { return false }
            state.untaken.remove(at: index)
            return true
        }
    }

    /// Takes the indications at known Service Changed handles that the database has not taken. It is called at every
    /// step and hardly ever finds one, so the handles are computed only if there are any.
    func take(at handles: @autoclosure () -> Set<Handle>) -> [HandleRange] {
        state.withLock { state in
            if state.isIncomplete {
                state.isIncomplete = false
                state.untaken = []
                return [.all]
            }
            guard !state.untaken.isEmpty else { return [] }
            let handles = handles()
            let taken = state.untaken.filter { handles.contains($0.handle) }
            if !taken.isEmpty { state.untaken.removeAll { handles.contains($0.handle) } }
            return taken.map(\.range)
        }
    }
}
