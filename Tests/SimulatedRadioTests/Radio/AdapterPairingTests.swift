// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Synchronization
import Testing

@testable import SimulatedRadio

@Suite("Two adapters of a world pair")
struct AdapterPairingTests {
    /// A person at a machine, who also sees the digits that the other machine shows.
    private struct Person: PairingDelegate {
        let time: VirtualTime
        let shown: Box<UInt32?>
        let others: Box<UInt32?>
        var agrees = true
        /// What is entered in the place of the digits that the other machine shows.
        var passkey: UInt32?
        let prompts = Box<[PairingPrompt]>([])

        func answer(_ prompt: PairingPrompt) async -> PairingAnswer {
            prompts.set(prompts.value + [prompt])
            try? await time.sleep(for: .seconds(1))
            guard agrees else { return .no }
            guard prompt == .enterPasskey else { return .yes }
            guard let digits = passkey ?? others.value else { return .no }
            return .passkey(digits)
        }

        func took(_ step: PairingStep) async { if case .showPasskey(let digits) = step { shown.set(digits) } }
    }

    private struct Machine: Sendable {
        let system: SimulatedRadioSystem
        let manager: AdapterManager
        let time: VirtualTime
        let scope: TaskScope

        var address: DeviceAddress { DeviceAddress(system.radio.adapter.address, .public) }
        var setup: PairingSetup { PairingSetup(manager, on: ManagementIndex(0)) }

        func prepare(_ wish: PairingSetup.Wish) async throws {
            #expect(try await setup.prepare(wish, mayPowerCycle: false) == false)
        }

        func connect(_ other: Machine) async throws -> any ATTChannel {
            try await system.radio(named: nil).connectATT(to: other.address, deadline: time.now + .seconds(5))
        }

        func pair(_ other: Machine, _ capability: IOCapability, _ person: Person) async throws -> Pairing {
            let pairer = Pairer(manager, on: ManagementIndex(0), scope: scope, time: time)
            return try await pairer.pair(other.address, Pairer.Request(capability: capability), delegate: person)
        }

        func bond(_ pairing: Pairing) throws -> Bond {
            try #require(pairing.bond(of: address.address, name: nil, since: time.wallClock))
        }
    }

    private typealias Report = (central: DeviceAddress, result: Result<Pairing, PairingError>)

    /// A world with two machines: one that pairs as a central, and one that advertises, listens and answers.
    private struct Pair: Sendable {
        let central: Machine
        let peripheral: Machine
        let listener: any ATTListener
        let responder: PairingResponder
        let reports: Box<[Report]>
        let people: (central: Person, peripheral: Person)

        /// Lets the peripheral advertise, which the last link has ended.
        func advertise() async throws { try await peripheral.system.perform(try AdvertisedSet().commands()) }

        /// The only report of the peripheral.
        func report() async throws -> Result<Pairing, PairingError> {
            try await central.time.sleep(for: .seconds(1))
            #expect(reports.value.count == 1 && reports.value.first?.central == central.address)
            return try #require(reports.value.first).result
        }
    }

    private func world(
        _ wish: PairingSetup.Wish?,
        observes: Bool = false,
        central: (inout Person) -> Void = { _ in },
        peripheral: (inout Person) -> Void = { _ in },
        _ body: @escaping @Sendable (Pair) async throws -> Void
    ) throws {
        let digits = (Box<UInt32?>(nil), Box<UInt32?>(nil))
        let clock = VirtualTime()
        var people = (
            Person(time: clock, shown: digits.0, others: digits.1),
            Person(time: clock, shown: digits.1, others: digits.0)
        )
        central(&people.0)
        peripheral(&people.1)
        try clock.run { [people] () async throws in
            try await withTaskScope { scope in
                let world = RunningWorld(SimulatedWorld(devices: []), time: clock, scope: scope)
                func machine() throws -> Machine {
                    let system = world.join()
                    let manager = try AdapterManager.open(system, scope: scope, time: clock)
                    return Machine(system: system, manager: manager, time: clock, scope: scope)
                }
                let (peripheral, central) = (try machine(), try machine())
                try await central.prepare(.init())
                if let wish { try await peripheral.prepare(wish) }
                let listener = try peripheral.system.radio(named: nil).listenATT()
                try await peripheral.system.perform(try AdvertisedSet().commands())
                let radio = try peripheral.system.radio(named: nil)
                let responder = PairingResponder(
                    peripheral.manager,
                    on: ManagementIndex(0),
                    timeout: .seconds(4),
                    displayTime: .zero,
                    observing: observes ? SecurityObserver(radio, scope: scope) : nil,
                    scope: scope,
                    time: clock
                )
                let reports = Box<[Report]>([])
                scope.spawn {
                    await responder.run { _ in
                        people.1
                    } report: { central, result in
                        reports.set(reports.value + [(central, result)])
                    }
                }
                try await clock.sleep(for: .milliseconds(1))
                try await body(
                    Pair(
                        central: central,
                        peripheral: peripheral,
                        listener: listener,
                        responder: responder,
                        reports: reports,
                        people: people
                    )
                )
            }
        }
    }

    /// A method of authentication, and the questions that it leads to.
    struct Way: Sendable, CustomTestStringConvertible {
        let central: IOCapability
        let peripheral: IOCapability
        var secureConnections = SetSecureConnections.Mode.on
        let method: String
        let level: SecurityLevel
        var isAskedToEnter: (central: Bool, peripheral: Bool) = (false, false)
        var testDescription: String { "\(central) \(peripheral) \(secureConnections)" }
    }

    static let ways = [
        Way(central: .noInputNoOutput, peripheral: .displayYesNo, method: "just works", level: .medium),
        Way(
            central: .noInputNoOutput,
            peripheral: .noInputNoOutput,
            secureConnections: .off,
            method: "just works",
            level: .medium
        ),
        Way(central: .displayYesNo, peripheral: .displayYesNo, method: "numeric comparison", level: .fips),
        Way(
            central: .keyboardOnly,
            peripheral: .displayOnly,
            method: "passkey entry",
            level: .fips,
            isAskedToEnter: (true, false)
        ),
        Way(
            central: .displayOnly,
            peripheral: .keyboardOnly,
            method: "passkey entry",
            level: .fips,
            isAskedToEnter: (false, true)
        ),
        Way(
            central: .displayYesNo,
            peripheral: .keyboardOnly,
            secureConnections: .off,
            method: "passkey entry",
            level: .high,
            isAskedToEnter: (false, true)
        ),
    ]

    @Test(arguments: ways)
    func `both users are asked, both kernels get the keys, and the next link is encrypted with them`(_ way: Way)
        throws
    {
        let wish = PairingSetup.Wish(capability: way.peripheral, secureConnections: way.secureConnections)
        try world(wish) { pair in
            let (central, peripheral) = (pair.central, pair.peripheral)
            var channel = try await central.connect(peripheral)
            let far = try await pair.listener.accept()
            let pairing = try await central.pair(peripheral, way.central, pair.people.central)
            #expect(far.security.isEncrypted && channel.security == far.security)
            let answer = try await pair.report().get()
            let bonds = (try central.bond(pairing), try peripheral.bond(answer))
            #expect(pairing.method?.description == way.method && answer.method?.description == way.method)
            #expect(bonds.0.level == way.level && bonds.1.level == way.level)
            #expect(bonds.0.device == peripheral.address && bonds.1.device == central.address)
            let entered = [pair.people.central, pair.people.peripheral].map { $0.prompts.value == [.enterPasskey] }
            #expect(entered == [way.isAskedToEnter.central, way.isAskedToEnter.peripheral])
            // One end signs with the key that the other one checks with.
            for (one, other) in [(bonds.0, bonds.1), (bonds.1, bonds.0)] {
                let own = one.signing.first { $0.key.kind.isLocal }?.key.value
                #expect(own != nil && own == other.signing.first { !$0.key.kind.isLocal }?.key.value)
            }
            channel.close()
            try await central.time.sleep(for: .seconds(1))
            // Kernels that have forgotten get the keys from the files of bonds.
            try await central.setup.load([])
            try await peripheral.setup.load([])
            try await central.setup.load([bonds.0])
            try await peripheral.setup.load([bonds.1])
            try await pair.advertise()
            channel = try await central.connect(peripheral)
            #expect(!channel.security.isEncrypted && channel.security.hasBond)
            try await channel.raiseSecurity(to: way.level)
            #expect(channel.security.isEncrypted && channel.security.isAuthenticated == (way.level > .medium))
        }
    }

    @Test func `a wrong passkey and a rejection are failures at both ends, and leave no keys`() throws {
        let cases: [(IOCapability, IOCapability, isWrong: Bool)] = [
            (.keyboardOnly, .displayOnly, true), (.displayYesNo, .displayYesNo, false),
        ]
        for (central, peripheral, isWrong) in cases {
            try world(.init(capability: peripheral)) { person in
                if isWrong { person.passkey = 1 }
            } peripheral: { person in
                person.agrees = isWrong
            } _: { pair in
                _ = try await pair.central.connect(pair.peripheral)
                await #expect(throws: PairingError(pair.peripheral.address, .rejected(.authenticationFailed))) {
                    _ = try await pair.central.pair(pair.peripheral, central, pair.people.central)
                }
                let problem: PairingError.Problem = isWrong ? .rejected(.authenticationFailed) : .declined
                let result = try await pair.report()
                #expect(throws: PairingError(pair.central.address, problem)) { try result.get() }
                let kernels = pair.central.system.adapter.world.state.withLock { $0.adapters.values.map(\.kernel) }
                #expect(kernels.allSatisfy { $0.keys.longTermKeys.isEmpty && $0.askedBy.isEmpty && $0.pairing == nil })
            }
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `a side with data of the other compares them, and no user is asked`(
        isPeripheral: Bool,
        isRight: Bool
    ) throws {
        try world(.init(), observes: true) { pair in
            let (giver, taker) = isPeripheral ? (pair.central, pair.peripheral) : (pair.peripheral, pair.central)
            var data = try #require(try await giver.setup.outOfBandData())
            if !isRight { data.hash = data.randomizer }
            try await taker.setup.give(data, of: giver.address)
            _ = try await pair.central.connect(pair.peripheral)
            let handle = ConnectionHandle(rawValue: try #require(try await pair.listener.accept().connectionHandle))
            pair.responder.connected(pair.central.address, over: handle)
            let pairing = try? await pair.central.pair(pair.peripheral, .noInputNoOutput, pair.people.central)
            let result = try await pair.report()
            #expect(pair.people.central.prompts.value.isEmpty && pair.people.peripheral.prompts.value.isEmpty)
            guard isRight else {
                let problem = PairingError.Problem.failed(.confirmValueFailed)
                #expect(throws: PairingError(pair.central.address, problem)) { try result.get() }
                return
            }
            let bonds = (try pair.central.bond(try #require(pairing)), try pair.peripheral.bond(try result.get()))
            #expect(bonds.0.level == .fips && bonds.1.level == .fips)
            #expect(pairing?.method == .outOfBand)
            #expect(try result.get().method == .outOfBand)
        }
    }

    /// The reason of a refusal in the Security Manager's packets.
    private func refusal(_ wish: PairingSetup.Wish?, _ capability: IOCapability = .noInputNoOutput) throws
        -> PairingFailure?
    {
        let found = Box<PairingFailure?>(nil)
        try world(wish) { pair in
            let channel = try await pair.central.connect(pair.peripheral)
            let handle = try #require(channel.connectionHandle)
            let radio = try pair.central.system.radio(named: nil)
            let observer = SecurityObserver(radio, link: ConnectionHandle(rawValue: handle), scope: pair.central.scope)
            let pairer = Pairer(
                pair.central.manager,
                on: ManagementIndex(0),
                scope: pair.central.scope,
                time: pair.central.time
            )
            do {
                _ = try await pairer.pair(
                    pair.peripheral.address,
                    Pairer.Request(capability: capability),
                    observing: observer,
                    delegate: pair.people.central
                )
            } catch let error as PairingError {
                if case .failed(let reason) = error.problem { found.set(reason) }
            }
        }
        return found.value
    }

    @Test func `an unprepared adapter, one that keeps no keys, and one that requires more refuse`() throws {
        #expect(try refusal(nil) == .pairingNotSupported)
        #expect(try refusal(.init(capability: .noInputNoOutput, isBondable: false)) == .pairingNotSupported)
        #expect(try refusal(.init(capability: .displayOnly), .displayOnly) == .authenticationRequirements)
        #expect(try refusal(.init(capability: .noInputNoOutput)) == nil)
    }

    @Test func `the responder learns why it failed, whether its link is known before or afterwards`() throws {
        for isLate in [false, true] {
            try world(.init(capability: .displayOnly), observes: true) { person in
                person.passkey = 1
            } _: { pair in
                _ = try await pair.central.connect(pair.peripheral)
                let handle = try #require(try await pair.listener.accept().connectionHandle)
                let known = { pair.responder.connected(pair.central.address, over: ConnectionHandle(rawValue: handle)) }
                if !isLate { known() }
                pair.central.scope.spawn {
                    _ = try? await pair.central.pair(pair.peripheral, .keyboardOnly, pair.people.central)
                }
                try await pair.central.time.sleep(for: .milliseconds(500))
                if isLate { known() }
                try await pair.central.time.sleep(for: .seconds(3))
                let result = try await pair.report()
                let problem = PairingError.Problem.failed(.confirmValueFailed)
                #expect(throws: PairingError(pair.central.address, problem)) { try result.get() }
            }
        }
    }

    @Test func `a central that falls silent after its request times out, and is reported once`() throws {
        try world(.init(capability: .keyboardOnly), observes: true) { pair in
            _ = try await pair.central.connect(pair.peripheral)
            let handle = ConnectionHandle(rawValue: try #require(try await pair.listener.accept().connectionHandle))
            pair.responder.connected(pair.central.address, over: handle)
            let features = PairingFeatures(ioCapability: .noInputNoOutput, requirements: [.bonding])
            pair.peripheral.system.adapter.world.state.withLock { state in
                state.adapters[0]?.show(.pairingRequest(features), on: handle, isFromHost: false)
            }
            try await pair.central.time.sleep(for: .seconds(4) - .milliseconds(1))
            #expect(pair.reports.value.isEmpty)
            let result = try await pair.report()
            #expect(throws: PairingError(pair.central.address, .timedOut(.seconds(4)))) { try result.get() }
            try await pair.central.time.sleep(for: .seconds(60))
            #expect(pair.reports.value.count == 1)
        }
    }

    @Test func `a lost key and another key end the link, before anything is sent`() throws {
        try world(.init()) { pair in
            _ = try await pair.central.connect(pair.peripheral)
            let pairing = try await pair.central.pair(pair.peripheral, .noInputNoOutput, pair.people.central)
            var bond = try pair.peripheral.bond(try await pair.report().get())
            bond.longTermKeys[0].value = SecurityKey(7)
            #expect(try pair.central.bond(pairing).longTermKeys.count == 1)
            for (kept, cause) in [
                ([], RadioError.Cause.authenticationFailed),
                ([bond], .closedByPeer(.connectionTerminatedDueToMICFailure)),
            ] as [([Bond], RadioError.Cause)] {
                try await pair.peripheral.setup.load(kept)
                try? await pair.central.time.sleep(for: .seconds(1))
                pair.central.system.adapter.world.state.withLock { state in
                    for adapter in state.adapters.values { for end in adapter.links { end.close() } }
                }
                try await pair.central.time.sleep(for: .seconds(1))
                try await pair.advertise()
                let channel = try await pair.central.connect(pair.peripheral)
                #expect(channel.security == .none)
                let expected = RadioError(cause, during: "link to \(pair.peripheral.address.address)")
                await #expect(throws: expected) { try await channel.raiseSecurity(to: .medium) }
            }
        }
    }

    @Test func `a central that is asked for security pairs, or encrypts with the key that it has`() throws {
        try world(.init()) { pair in
            let channel = try await pair.central.connect(pair.peripheral)
            let (central, time) = (pair.central, pair.central.time)
            let own = Box<[Report]>([])
            let responder = PairingResponder(central.manager, on: ManagementIndex(0), scope: central.scope, time: time)
            central.scope.spawn {
                await responder.run { _ in
                    pair.people.central
                } report: { peripheral, result in
                    own.set(own.value + [(peripheral, result)])
                }
            }
            try await time.sleep(for: .milliseconds(1))
            pair.responder.ask(central.address, capability: .noInputNoOutput)
            try await time.sleep(for: .seconds(5))
            #expect(channel.security.isEncrypted)
            _ = try await pair.report().get()
            let pairing = try #require(own.value.first).result.get()
            #expect(own.value.count == 1 && pairing.device == pair.peripheral.address)
            channel.close()
            try await time.sleep(for: .seconds(1))
            // The central still has the key. The peripheral has lost its own, and requests security.
            try await pair.peripheral.setup.load([])
            try await pair.advertise()
            let next = try await central.connect(pair.peripheral)
            pair.responder.ask(central.address, capability: .noInputNoOutput)
            await #expect(throws: RadioError.self) { while true { _ = try await next.receive() } }
            try await time.sleep(for: .seconds(1))
            #expect(pair.reports.value.count == 2)
            let requests = central.system.adapter.world.state.withLock { $0.adapters.values.map(\.requests.count) }
            #expect(requests == [0, 0])
        }
    }

    @Test func `a link that ends during the pairing ends it at both ends`() throws {
        try world(.init(capability: .displayYesNo)) { pair in
            let channel = try await pair.central.connect(pair.peripheral)
            let time = pair.central.time
            pair.central.scope.spawn {
                try? await time.sleep(for: .milliseconds(500))
                channel.close()
            }
            await #expect(throws: PairingError.self) {
                _ = try await pair.central.pair(pair.peripheral, .displayYesNo, pair.people.central)
            }
            let result = try await pair.report()
            #expect(throws: PairingError.self) { try result.get() }
            let kernels = pair.central.system.adapter.world.state.withLock { $0.adapters.values.map(\.kernel) }
            #expect(kernels.allSatisfy { $0.keys.longTermKeys.isEmpty && $0.askedBy.isEmpty && $0.pairing == nil })
        }
    }
}
