// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Synchronization

/// The indications of a link that may be Service Changed, from its first packet on.
///
/// Two want to know of them, each in its own time: who observes values subscribes again, after some requests; and what is
/// known of the database must not answer any question that is put after the device has said that it is another one.
///
/// Spec: Core 5.4, Vol 3, Part G, 7.1
final class ServiceChanges: Sendable {
    /// What the device has said.
    struct Event: Hashable, Sendable {
        /// The place in the order in which they came, from 1.
        let number: Int
        let handle: Handle
        /// Everything, where it cannot be understood, or where another one before it was missed.
        var range: HandleRange
    }

    private struct State {
        var count = 0
        /// What the database has not heard of.
        var unheard: [Event] = []
        /// Whether there was more of that than is kept.
        var isIncomplete = false
    }

    private static let limit = 16

    private let events = BoundedQueue<Event>(limit: limit, overflow: .dropOldest)
    private let state = Mutex(State())
    private let handle = Atomic<UInt16>(0)
    private let lastNumber = Atomic(0)

    /// From now on whatever is indicated at a handle is Service Changed, be it well-formed or not.
    func expect(at handle: Handle) { self.handle.store(handle.rawValue, ordering: .relaxed) }

    // MARK: - What comes

    /// A value came. Service Changed has four octets; what else has them is told apart later.
    func received(_ event: ValueEvent) {
        guard event.kind == .indication else { return }
        guard event.value.count == 4 || event.handle.rawValue == handle.load(ordering: .relaxed) else { return }
        let change = state.withLock { state in
            state.count += 1
            let change = Event(number: state.count, handle: event.handle, range: Self.range(event.value) ?? .all)
            state.unheard.append(change)
            if state.unheard.count > Self.limit {
                state.unheard.removeFirst()
                state.isIncomplete = true
            }
            return change
        }
        events.push(change)
    }

    /// The link has ended.
    func finish(_ error: RadioError) { events.finish(error) }

    private static func range(_ value: [UInt8]) -> HandleRange? {
        var reader = ByteReader(value)
        guard value.count == 4, let start = try? Handle(from: &reader), let end = try? Handle(from: &reader) else {
            return nil
        }
        let range = HandleRange(start, end)
        return range.isValid ? range : nil
    }

    // MARK: - For who subscribes again

    /// The next indication, for one caller at a time; throws when the link has ended.
    func next() async throws(RadioError) -> Event {
        var event = try await events.next()
        let last = lastNumber.exchange(event.number, ordering: .relaxed)
        if event.number != last + 1 { event.range = .all }
        return event
    }

    // MARK: - For the database

    /// Takes one indication. `false`: the database has heard of it.
    func take(_ event: Event) -> Bool {
        state.withLock { state in
            guard let index = state.unheard.firstIndex(where: { $0.number == event.number }) else { return false }
            state.unheard.remove(at: index)
            return true
        }
    }

    /// Takes what was indicated at handles that are known to be Service Changed, and has not been heard of. It is asked for
    /// at every step, and there hardly ever is anything: only then is it found out which handles they are.
    func take(at handles: @autoclosure () -> Set<Handle>) -> [HandleRange] {
        state.withLock { state in
            if state.isIncomplete {
                state.isIncomplete = false
                state.unheard = []
                return [.all]
            }
            guard !state.unheard.isEmpty else { return [] }
            let handles = handles()
            let taken = state.unheard.filter { handles.contains($0.handle) }
            if !taken.isEmpty { state.unheard.removeAll { handles.contains($0.handle) } }
            return taken.map(\.range)
        }
    }
}
