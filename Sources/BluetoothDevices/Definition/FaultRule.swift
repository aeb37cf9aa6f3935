// SPDX-License-Identifier: MIT

/// A fault of a device as data: the events that it affects, its conditions, and its effect.
///
/// A rule counts the events of its operation, target and window. It acts if all its conditions are met. An event is
/// counted by every rule that it matches, and the first of these whose conditions are met acts.
///
/// `FaultRule.Operation.effects` lists the possible effects; `problem` describes the mistake in a rule.
public struct FaultRule: Hashable, Sendable {
    /// An event that a rule meets.
    public enum Operation: String, Hashable, Sendable, CaseIterable {
        /// An advertisement of the device.
        case scan
        /// A central connects.
        case connect
        /// A central disconnects.
        case disconnect
        /// A central's controller asks for the strength of the signal.
        case rssi
        /// A request of the discovery of services: Read By Group Type, Find By Type Value, or Read By Type for
        /// inclusions.
        case discoverServices = "discover-services"
        /// A request of the discovery of characteristics and descriptors: Read By Type for declarations, or Find
        /// Information.
        case discoverCharacteristics = "discover-characteristics"
        /// Any other request that reads.
        case read
        /// A request or a command that writes, except to a Client Characteristic Configuration.
        case write
        /// A write to a Client Characteristic Configuration.
        case subscribe
        /// An Exchange MTU Request.
        case mtu
        /// Any request of a client.
        case request
        /// A notification.
        case notify
        /// An indication.
        case indicate
        /// A notification or an indication.
        case update
    }

    /// A time after the start of the device, or of the simulated world.
    public struct Window: Hashable, Sendable {
        /// The first moment.
        public var from: Duration
        /// The moment at which it is over; `nil` if it has no end.
        public var until: Duration?

        /// Creates a window.
        public init(from: Duration = .zero, until: Duration? = nil) {
            self.from = from
            self.until = until
        }

        func contains(_ moment: Duration) -> Bool {
            moment >= from && until.map { moment < $0 } ?? true
        }
    }

    /// The event that the rule meets.
    public var operation: Operation
    /// The characteristic, or the descriptor, that the event must concern; `nil` for any.
    public var target: CharacteristicReference?
    /// The effect on the operation.
    public var effect: FaultEffect
    /// The numbers of the events, from 1 on; `nil` for all.
    public var numbers: ClosedRange<Int>?
    /// Only every n-th event; 1 is each one.
    public var every: Int?
    /// How often the rule acts; `nil` for no limit.
    public var times: Int?
    /// The probability, from 0 to 1, that it acts when all other conditions are met; `nil` for certainty. The numbers
    /// are the rule's own, drawn from the device's seed.
    public var probability: Double?
    /// The time of the events; those outside are not counted. `nil` for always.
    public var window: Window?
    /// Whether events are counted for each connection. Otherwise there is one count for all connections.
    public var isPerConnection: Bool

    /// Creates a rule; without conditions it always acts.
    public init(
        _ operation: Operation,
        _ target: CharacteristicReference? = nil,
        _ effect: FaultEffect,
        numbers: ClosedRange<Int>? = nil,
        every: Int? = nil,
        times: Int? = nil,
        probability: Double? = nil,
        window: Window? = nil,
        isPerConnection: Bool = false
    ) {
        self.operation = operation
        self.target = target
        self.effect = effect
        self.numbers = numbers
        self.every = every
        self.times = times
        self.probability = probability
        self.window = window
        self.isPerConnection = isPerConnection
    }
}

extension FaultRule.Operation {
    /// Whether an event of this operation is one of `other`, too.
    func isCovered(by other: Self) -> Bool {
        switch other {
        case self: true
        case .request: Self.requests.contains(self)
        case .update: self == .notify || self == .indicate
        default: false
        }
    }

    private static let requests: Set<Self> = [
        .discoverServices, .discoverCharacteristics, .read, .write, .subscribe, .mtu,
    ]

    /// The effects that are possible.
    public var effects: Set<FaultEffect.Kind> {
        switch self {
        case .scan: [.delay, .truncate, .duplicate, .lose, .pause, .report]
        case .connect: [.delay, .error, .noAnswer, .drop, .pause]
        case .disconnect: [.delay, .error]
        case .rssi: [.delay, .error, .noAnswer, .report]
        case .discoverServices, .discoverCharacteristics, .read, .write, .subscribe, .mtu, .request:
            Set(FaultEffect.Kind.allCases).subtracting([.report])
        case .notify, .indicate, .update:
            Set(FaultEffect.Kind.allCases).subtracting([.report, .error, .noAnswer])
        }
    }

    /// Whether its events can concern a characteristic.
    public var hasTarget: Bool {
        switch self {
        case .read, .write, .subscribe, .request, .notify, .indicate, .update: true
        case .scan, .connect, .disconnect, .rssi, .discoverServices, .discoverCharacteristics, .mtu: false
        }
    }
}

extension FaultRule {
    /// The problem of the rule, as a sentence without its end; `nil` if the rule is valid.
    public var problem: String? {
        if !operation.effects.contains(effect.kind) {
            let possible = FaultEffect.Kind.allCases.filter(operation.effects.contains).map(\.rawValue)
            return "\(operation.rawValue) cannot have the effect \(effect.kind.rawValue); "
                + "it can have \(possible.joined(separator: ", "))"
        }
        if target != nil, !operation.hasTarget { return "\(operation.rawValue) concerns no characteristic" }
        if let numbers, numbers.lowerBound < 1 { return "events are counted from 1 on" }
        if let every, every < 1 { return "every first event is the most" }
        if let times, times < 1 { return "a fault happens once at least" }
        if let probability, !(0...1).contains(probability) { return "a probability is from 0 to 1" }
        if let window, let until = window.until, until <= window.from { return "the window ends before it begins" }
        return effect.problem
    }

    /// Whether a simulated radio carries it out, and not the device itself.
    public var isOfRadio: Bool {
        switch operation {
        case .scan, .disconnect, .rssi: true
        // The device itself ends a link.
        case .connect: effect.kind != .drop
        default: false
        }
    }
}
