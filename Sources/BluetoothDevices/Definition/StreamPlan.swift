// SPDX-License-Identifier: MIT

import Bluetooth

/// The plan for sending a characteristic's value, with the handles of one database.
struct StreamPlan: Sendable {
    enum Period: Sendable {
        case fixed(Duration)
        /// The number in the value with that handle times a unit; no value is sent if the database does not contain it.
        case value(Handle?, unit: Duration)
        /// At the times of a recording.
        case replay(ValueReplay)
    }

    /// A state in which the stream runs; one without a handle never occurs in this database.
    struct Condition: Sendable {
        /// The value that counts; `nil` if this database lacks it.
        let handle: Handle?
        let value: [UInt8]
    }

    let period: Period
    let conditions: [Condition]
    /// Whether a value that equals the last one is left out.
    let sendsOnlyChanges: Bool
    /// The value while the conditions are not met; `nil` for the usual one.
    let idleValue: [UInt8]?

    /// A period below this one counts as this one, so that no file and no client makes a device occupy the machine.
    static let shortestPeriod = Duration.milliseconds(1)

    /// The plan of a characteristic; `nil` if it has no stream.
    init?(_ characteristic: DeviceCharacteristic, handle: (CharacteristicReference) -> Handle?) {
        let stream = characteristic.stream
        switch (stream?.period, characteristic.value) {
        case (.fixed(let period)?, _): self.period = .fixed(max(period, Self.shortestPeriod))
        case (.value(let reference, let unit)?, _): period = .value(handle(reference), unit: unit)
        case (nil, .replay(let replay)?) where !replay.samples.isEmpty: period = .replay(replay)
        case (nil, _): return nil
        }
        conditions = (stream?.conditions ?? []).map { Condition(handle: handle($0.characteristic), value: $0.value) }
        sendsOnlyChanges = stream?.onlyChanges ?? false
        idleValue = stream?.idleValue
    }

    /// The handles of the values on which the stream depends.
    var sources: Set<Handle> {
        var sources = Set(conditions.compactMap(\.handle))
        if case .value(let handle?, _) = period { sources.insert(handle) }
        return sources
    }

    /// The period for a number of units, little-endian and unsigned; zero counts as one.
    static func period(of value: [UInt8], unit: Duration) -> Duration {
        // Four octets are enough for any period, and the shifts cannot overflow.
        let units = value.prefix(4).reversed().reduce(0 as Int64) { $0 << 8 | Int64($1) }
        let (nanoseconds, overflow) = max(units, 1).multipliedReportingOverflow(by: unit.clampedNanoseconds)
        return max(shortestPeriod, .nanoseconds(overflow ? .max : nanoseconds))
    }
}

/// A stream that runs, because a client is subscribed and its conditions are met.
struct RunningStream: Sendable {
    let started: Instant
    /// The moment of the next value; `nil` if none follows.
    var next: Instant?
    /// The value that was sent last.
    var last: [UInt8]?
    /// The number of values of a replay that were sent.
    var samples = 0
}

/// The subscribers of a device, and its running streams, by value handle.
struct StreamTable: Sendable {
    private var subscribers: [Handle: Set<GATTServer.ClientID>] = [:]
    private var running: [Handle: RunningStream] = [:]

    var next: Instant? { running.values.lazy.compactMap(\.next).min() }

    var subscribed: [Handle] { subscribers.keys.sorted() }

    func isSubscribed(_ handle: Handle) -> Bool { subscribers[handle] != nil }

    subscript(handle: Handle) -> RunningStream? {
        get { running[handle] }
        set { running[handle] = newValue }
    }

    /// Enters a client's subscription or its end. Returns whether the first client came or the last one went.
    mutating func setSubscription(of client: GATTServer.ClientID, to handle: Handle, _ isWanted: Bool) -> Bool {
        var clients = subscribers.removeValue(forKey: handle) ?? []
        let before = clients.isEmpty
        if isWanted { clients.insert(client) } else { clients.remove(client) }
        // An entry without clients would count as a subscription.
        if !clients.isEmpty { subscribers[handle] = clients }
        return clients.isEmpty != before
    }

    /// The handles of the streams with a value that is due, in ascending order.
    func due(at now: Instant) -> [Handle] {
        running.filter { $0.value.next.map { $0 <= now } ?? false }.keys.sorted()
    }

    /// Ends all streams. The subscriptions remain.
    mutating func stop() { running = [:] }
}

extension ValueReplay {
    /// The time of a value, counted from the start of the stream; `nil` if the replay has ended before it.
    func time(ofSample number: Int) -> Duration? {
        guard !samples.isEmpty else { return nil }
        let (rounds, index) = number.quotientAndRemainder(dividingBy: samples.count)
        if rounds == 0 { return samples[index].at }
        return round.map { $0 * rounds + samples[index].at }
    }

    /// The number of the last value at or before a time, counted from the start of the stream; 0 if there is none.
    func sample(at time: Duration) -> Int {
        var (rounds, rest) = (0 as Int64, time)
        if let round {
            rounds = max(0, time.clampedNanoseconds) / round.clampedNanoseconds
            rest = time - round * rounds
        }
        let next = samples.firstIndex { $0.at > rest } ?? samples.count
        return max(0, Int(rounds) * samples.count + next - 1)
    }

    /// The time from one repetition to the next; `nil` if the replay does not repeat.
    private var round: Duration? {
        guard let period, let last = samples.last else { return nil }
        // A period that is too short for the values would turn time back.
        return max(period, last.at, StreamPlan.shortestPeriod)
    }
}
