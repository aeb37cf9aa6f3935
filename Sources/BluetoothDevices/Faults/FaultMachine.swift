// SPDX-License-Identifier: MIT

public import Bluetooth

/// Decides which fault an event meets: counts events, and draws random numbers. A pure machine.
public struct FaultMachine: Sendable {
    /// A fault that acts.
    public struct Verdict: Hashable, Sendable {
        /// The rule that acts.
        public let rule: FaultRule
        /// The end of the pause, for `FaultEffect.pause` with a time.
        public let pauseEnd: Instant?

        /// The effect of the rule.
        public var effect: FaultEffect { rule.effect }
    }

    fileprivate struct Counter: Sendable {
        var seen = 0
        var acted = 0
    }

    fileprivate struct Entry: Sendable {
        let rule: FaultRule
        var random: SeededGenerator
        var isMet = false
        var total = Counter()
        var links: [GATTServer.ClientID: Counter] = [:]
        var pauseEnd: Instant?
    }

    private var entries: [Entry] = []
    private var seeds: SeededGenerator

    /// Creates a machine that has seen no events.
    ///
    /// - Parameters:
    ///   - rules: The rules, the first of which has precedence.
    ///   - random: The source of a stream of random numbers for each rule.
    public init(_ rules: [FaultRule], random: SeededGenerator) {
        var random = random
        // A stream of its own, so that a rule changes neither the values of the device nor the chances of another rule.
        seeds = SeededGenerator(seed: random.next(), stream: 0xFA17)
        for rule in rules { add(rule) }
    }

    /// Whether there are no rules.
    public var isEmpty: Bool { entries.isEmpty }

    /// The rules that never acted.
    public var unmet: [FaultRule] { entries.filter { !$0.isMet }.map(\.rule) }

    /// The rules in the order of their precedence, and whether each has acted.
    public var rules: [(rule: FaultRule, hasActed: Bool)] { entries.map { ($0.rule, $0.isMet) } }

    /// Takes the last of the equal rules away; `nil` for all rules of the machine. Returns those that were there, and whether
    /// each had acted.
    public mutating func remove(_ rule: FaultRule?) -> [(rule: FaultRule, hasActed: Bool)] {
        guard let rule else {
            defer { entries = [] }
            return rules
        }
        guard let index = entries.lastIndex(where: { $0.rule == rule }) else { return [] }
        return [(rule, entries.remove(at: index).isMet)]
    }

    /// Adds a rule after the others.
    public mutating func add(_ rule: FaultRule) {
        entries.append(Entry(rule: rule, random: SeededGenerator(seed: seeds.next())))
    }

    /// Ends all pauses: takes away the rules that pause.
    public mutating func release() {
        entries.removeAll { $0.rule.effect.kind == .pause }
    }

    /// A client's link has ended: its counts do not matter any more.
    public mutating func disconnected(_ client: GATTServer.ClientID) {
        for index in entries.indices { entries[index].links[client] = nil }
    }

    /// Processes an event.
    ///
    /// - Parameters:
    ///   - operation: The event; not one of the combined ones.
    ///   - client: The client, for the counts of its connection; `nil` if there is no connection.
    ///   - now: The time, on a clock that begins with the device or its world.
    ///   - concerns: Whether the event concerns a characteristic.
    /// - Returns: The fault that it meets; `nil` if it meets none.
    public mutating func decide(
        _ operation: FaultRule.Operation,
        of client: GATTServer.ClientID? = nil,
        now: Instant,
        concerns: (CharacteristicReference) -> Bool = { _ in false }
    ) -> Verdict? {
        decide(operation, of: client, now: now, isAnswered: true, concerns: concerns)
    }

    /// Processes an event.
    ///
    /// - Parameters:
    ///   - operation: The event; not one of the combined ones.
    ///   - client: The client, for the counts of its connection; `nil` if there is no connection.
    ///   - now: The time, on a clock that begins with the device or its world.
    ///   - isAnswered: Whether there is an answer, on which a fault can act. A command has none.
    ///   - concerns: Whether the event concerns a characteristic.
    /// - Returns: The fault that it meets; `nil` if it meets none.
    mutating func decide(
        _ operation: FaultRule.Operation,
        of client: GATTServer.ClientID?,
        now: Instant,
        isAnswered: Bool,
        concerns: (CharacteristicReference) -> Bool
    ) -> Verdict? {
        var verdict: Verdict?
        for index in entries.indices {
            let rule = entries[index].rule
            guard
                operation.isCovered(by: rule.operation),
                rule.window?.contains(now - .zero) ?? true,
                rule.target.map(concerns) ?? true
            else { continue }
            // Counted before the other conditions, so that an earlier rule that acts does not shift the numbers of a
            // later one.
            entries[index].count(client)
            // A fault that cannot act on the event must not be reported as one that has acted: a test that relies on it
            // would pass.
            guard verdict == nil, isAnswered || rule.effect.actsOnCommands,
                entries[index].checkConditions(for: client)
            else { continue }
            entries[index].act(client)
            verdict = Verdict(rule: rule, pauseEnd: entries[index].pause(now))
        }
        return verdict
    }
}

extension FaultMachine.Entry {
    private func counter(_ client: GATTServer.ClientID?) -> FaultMachine.Counter {
        guard rule.isPerConnection, let client else { return total }
        return links[client] ?? FaultMachine.Counter()
    }

    private mutating func change(_ client: GATTServer.ClientID?, _ change: (inout FaultMachine.Counter) -> Void) {
        guard rule.isPerConnection, let client else { return change(&total) }
        change(&links[client, default: FaultMachine.Counter()])
    }

    fileprivate mutating func count(_ client: GATTServer.ClientID?) {
        change(client) { $0.seen += 1 }
    }

    /// Whether the event that was counted last meets all conditions. Draws a number only if all others are met.
    fileprivate mutating func checkConditions(for client: GATTServer.ClientID?) -> Bool {
        let counter = counter(client)
        guard
            rule.numbers?.contains(counter.seen) ?? true,
            rule.every.map({ $0 > 0 && counter.seen % $0 == 0 }) ?? true,
            rule.times.map({ counter.acted < $0 }) ?? true
        else { return false }
        guard let probability = rule.probability else { return true }
        return random.happens(probability)
    }

    fileprivate mutating func act(_ client: GATTServer.ClientID?) {
        isMet = true
        change(client) { $0.acted += 1 }
    }

    /// The end of the present pause, which begins now if there is none.
    fileprivate mutating func pause(_ now: Instant) -> Instant? {
        guard case .pause(let duration?) = rule.effect else { return nil }
        if let pauseEnd, pauseEnd > now { return pauseEnd }
        pauseEnd = now + duration
        return pauseEnd
    }
}
