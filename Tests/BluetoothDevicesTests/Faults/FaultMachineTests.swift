// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@Suite("FaultMachine")
struct FaultMachineTests {
    private static let (first, second) = (GATTServer.ClientID(1), GATTServer.ClientID(2))

    /// Which of that many events meet the fault.
    private static func met(
        _ rule: FaultRule,
        _ operation: FaultRule.Operation = .read,
        events: Int = 10,
        seed: UInt64 = 1,
        client: (Int) -> GATTServer.ClientID? = { _ in first },
        at moment: (Int) -> Duration = { .seconds($0) }
    ) -> [Int] {
        var machine = FaultMachine([rule], random: SeededGenerator(seed: seed))
        return (1...events).filter { number in
            machine.decide(operation, of: client(number), now: .zero + moment(number)) != nil
        }
    }

    private static func rule(
        numbers: ClosedRange<Int>? = nil,
        every: Int? = nil,
        times: Int? = nil,
        probability: Double? = nil,
        window: FaultRule.Window? = nil,
        isPerConnection: Bool = false
    ) -> FaultRule {
        FaultRule(
            .read,
            nil,
            .noAnswer,
            numbers: numbers,
            every: every,
            times: times,
            probability: probability,
            window: window,
            isPerConnection: isPerConnection
        )
    }

    @Test func `each condition selects events, and all conditions must match`() {
        let cases: [(FaultRule, [Int])] = [
            (Self.rule(), Array(1...10)),
            (Self.rule(numbers: 3...3), [3]),
            (Self.rule(numbers: 3...5), [3, 4, 5]),
            (Self.rule(numbers: 8...Int.max), [8, 9, 10]),
            (Self.rule(every: 3), [3, 6, 9]),
            (Self.rule(times: 2), [1, 2]),
            (Self.rule(probability: 0), []),
            (Self.rule(probability: 1), Array(1...10)),
            (Self.rule(window: .init(from: .seconds(4), until: .seconds(7))), [4, 5, 6]),
            (Self.rule(window: .init(from: .seconds(9))), [9, 10]),
            (Self.rule(numbers: 2...9, every: 2, times: 3), [2, 4, 6]),
            // Only what is in the window is counted.
            (Self.rule(numbers: 2...2, window: .init(from: .seconds(4))), [5]),
        ]
        for (rule, expected) in cases { #expect(Self.met(rule) == expected, "\(rule)") }
    }

    @Test func `counts are those of all connections, or of each one`() {
        let alternating: (Int) -> GATTServer.ClientID? = { $0 % 2 == 0 ? Self.second : Self.first }
        #expect(Self.met(Self.rule(numbers: 2...2), client: alternating) == [2])
        #expect(Self.met(Self.rule(numbers: 2...2, isPerConnection: true), client: alternating) == [3, 4])
        #expect(Self.met(Self.rule(times: 1, isPerConnection: true), client: alternating) == [1, 2])
    }

    @Test func `each connection starts a new count`() {
        var machine = FaultMachine(
            [Self.rule(numbers: 1...1, isPerConnection: true)],
            random: SeededGenerator(seed: 1)
        )
        for _ in 0..<3 {
            #expect(machine.decide(.read, of: Self.first, now: .zero) != nil)
            #expect(machine.decide(.read, of: Self.first, now: .zero) == nil)
            machine.disconnected(Self.first)
        }
    }

    @Test func `an operation that stands for several matches all of them and no others`() {
        let updates: Set<FaultRule.Operation> = [.notify, .indicate]
        let requests: Set<FaultRule.Operation> = [
            .discoverServices, .discoverCharacteristics, .read, .write, .subscribe, .mtu,
        ]
        for operation in FaultRule.Operation.allCases where operation != .update && operation != .request {
            let isRequest = !Self.met(FaultRule(.request, nil, .lose), operation).isEmpty
            #expect(isRequest == requests.contains(operation))
            let isUpdate = !Self.met(FaultRule(.update, nil, .lose), operation).isEmpty
            #expect(isUpdate == updates.contains(operation))
            for other in FaultRule.Operation.allCases where other != .update && other != .request {
                #expect(Self.met(FaultRule(other, nil, .lose), operation).isEmpty == (other != operation))
            }
        }
    }

    @Test func `a target selects events before they are counted`() {
        let battery = CharacteristicReference.uuid(0x2A19, service: nil)
        var machine = FaultMachine(
            [FaultRule(.read, battery, .noAnswer, numbers: 2...2)],
            random: SeededGenerator(seed: 1)
        )
        var decisions: [Bool] = []
        for isBattery in [true, false, false, true, true] {
            decisions.append(machine.decide(.read, now: .zero) { isBattery && $0 == battery } != nil)
        }
        #expect(decisions == [false, false, false, true, false])
    }

    @Test func `each of several rules counts, and the first that is due acts`() {
        let rules = [
            FaultRule(.read, nil, .noAnswer, every: 2),
            FaultRule(.request, nil, .lose, numbers: 2...4),
        ]
        var machine = FaultMachine(rules, random: SeededGenerator(seed: 1))
        #expect(machine.unmet == rules)
        let effects = (1...4).map { _ in machine.decide(.read, now: .zero)?.effect }
        #expect(effects == [nil, .noAnswer, .lose, .noAnswer])
        #expect(machine.unmet.isEmpty)
    }

    @Test func `a rule that was never due is reported`() {
        let rules = [Self.rule(numbers: 11...11), Self.rule(numbers: 10...10)]
        var machine = FaultMachine(rules, random: SeededGenerator(seed: 1))
        for _ in 1...10 { _ = machine.decide(.read, now: .zero) }
        #expect(machine.unmet == [rules[0]])
    }

    @Test func `chance has the stated probability, follows the seed, and ignores other rules`() {
        let rule = Self.rule(probability: 0.1)
        let met = Self.met(rule, events: 10_000)
        #expect((900...1_100).contains(met.count))
        #expect(Self.met(rule, events: 10_000) == met)
        #expect(Self.met(rule, events: 10_000, seed: 2) != met)
        var machine = FaultMachine([rule, Self.rule(probability: 0.5)], random: SeededGenerator(seed: 1))
        let both = (1...10_000).filter { _ in machine.decide(.read, now: .zero)?.rule == rule }
        #expect(both == met)
    }

    @Test func `a timed pause ends at one moment for all that it holds, and may begin again`() {
        var machine = FaultMachine([FaultRule(.read, nil, .pause(.seconds(5)))], random: SeededGenerator(seed: 1))
        let ends = [1, 2, 5, 6, 7].map { machine.decide(.read, now: .zero + .seconds($0))?.pauseEnd }
        #expect(ends == [6, 6, 6, 11, 11].map { .zero + .seconds($0) })
    }

    @Test func `a released pause holds nothing any more`() {
        var machine = FaultMachine(
            [FaultRule(.read, nil, .pause(nil)), FaultRule(.read, nil, .noAnswer)],
            random: SeededGenerator(seed: 1)
        )
        #expect(machine.decide(.read, now: .zero)?.effect == .pause(nil))
        machine.release()
        #expect(machine.decide(.read, now: .zero)?.effect == .noAnswer)
    }

    @Test func `each operation has its effects, and another effect is an error`() {
        let samples: [FaultEffect] = [
            .delay(.seconds(1)), .error(code: nil, after: .zero), .noAnswer, .wrongOpcode(0xFF), .truncate(1),
            .oversize(30),
            .drop(.init()), .duplicate, .reorder, .lose, .pause(nil), .report(0),
        ]
        #expect(Set(samples.map(\.kind)) == Set(FaultEffect.Kind.allCases))
        for operation in FaultRule.Operation.allCases {
            #expect(!operation.effects.isEmpty)
            for effect in samples {
                let problem = FaultRule(operation, nil, effect).problem
                #expect((problem == nil) == operation.effects.contains(effect.kind), "\(operation) \(effect)")
            }
        }
        for rule in [
            Self.rule(numbers: 0...1), Self.rule(every: 0), Self.rule(times: 0), Self.rule(probability: 1.1),
            Self.rule(probability: .nan), Self.rule(window: .init(from: .seconds(2), until: .seconds(2))),
            FaultRule(.mtu, .label("x"), .noAnswer), FaultRule(.read, nil, .truncate(0)),
            FaultRule(.read, nil, .oversize(65_536)), FaultRule(.read, nil, .error(code: 0, after: .zero)),
        ] {
            #expect(rule.problem != nil, "\(rule)")
        }
    }
}
