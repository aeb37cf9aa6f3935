// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@testable import Toolkit

/// The turn at searches, which another program ends when it is connected to a device.
final class SearchTurn: Turn {
    private struct State {
        var subjects: [TurnSubject] = []
        var ends: [Duration] = []
    }

    let time: any TimeSource
    private let state = Mutex(State())

    init(_ time: any TimeSource) { self.time = time }

    var subjects: [TurnSubject] { state.withLock { $0.subjects } }
    /// When it was ended, from the beginning.
    var ends: [Duration] { state.withLock { $0.ends } }

    func take(_ subject: TurnSubject) { state.withLock { $0.subjects.append(subject) } }
    func end() { state.withLock { $0.ends.append(time.now - .zero) } }
}

struct SearchedRadio: ForwardingRadio {
    let base: any Radio
    let turn: SearchTurn
    /// The device that the program before has connected to.
    var found: DeviceAddress?
    var isBusy = false

    func takeTurn(
        _ subject: TurnSubject,
        by deadline: Instant,
        onWait: @escaping @Sendable (ProcessReference?) -> Void
    ) async throws(RadioError) -> any Turn {
        turn.take(subject)
        guard !isBusy else { throw subject.busyError(nil, during: "search") }
        return turn
    }

    func connectedDevice(_ address: BluetoothAddress) -> DeviceAddress? {
        turn.subjects.isEmpty || found?.address != address ? nil : found
    }
}

@Suite("The turn at searches")
struct SearchTurnTests {
    private static let lamp = DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_11), .random)

    private struct Outcome: Sendable {
        var address: DeviceAddress?
        var duration = Duration.zero
        var subjects: [TurnSubject] = []
        /// When the search has ended the turn, if it has.
        var ends: [Duration] = []
        var isKept = false
    }

    private func find(_ selector: DeviceSelector, found: DeviceAddress? = nil, isBusy: Bool = false) throws -> Outcome {
        let time = VirtualTime()
        return try time.run { () async throws -> Outcome in
            try await withTaskScope { scope in
                let system = SimulatedRadioSystem(try .builtIn(), time: time, scope: scope)
                let turn = SearchTurn(time)
                let radio = SearchedRadio(
                    base: try system.radio(named: nil),
                    turn: turn,
                    found: found,
                    isBusy: isBusy
                )
                let finder = DeviceFinder(
                    selector: selector,
                    mustBeOnlyOne: false,
                    central: Central(radio, scope: scope, time: time),
                    timeout: .seconds(10),
                    state: nil,
                    databases: nil,
                    notes: OperationLog()
                )
                var outcome = Outcome()
                var kept: (any Turn)?
                outcome.address = try? await finder.find(&kept).address
                outcome.duration = time.now - .zero
                (outcome.subjects, outcome.ends, outcome.isKept) = (turn.subjects, turn.ends, kept != nil)
                return outcome
            }
        }
    }

    @Test func `a search takes it, and leaves it to the caller, who makes the link`() throws {
        let outcome = try find(.name("Thermo 1"))
        #expect(try outcome.address == SimulatedDevice.builtIn("thermometer").address)
        #expect(outcome.subjects == [.search] && outcome.ends.isEmpty && outcome.isKept)
    }

    @Test func `a device that the program before was connected to is not searched for`() throws {
        let outcome = try find(.address(Self.lamp.address, nil), found: Self.lamp)
        #expect(outcome.address == Self.lamp && outcome.duration == .zero)
        #expect(outcome.subjects == [.search] && outcome.ends == [.zero])
    }

    @Test func `a search in vain lets others search after a second`() throws {
        let outcome = try find(.name("Nobody"))
        #expect(outcome.address == nil && outcome.duration == .seconds(10))
        #expect(outcome.ends == [.seconds(1)])
    }

    @Test func `a device whose type is known takes none`() throws {
        let outcome = try find(.address(Self.lamp.address, .random))
        #expect(outcome.address == Self.lamp && outcome.subjects.isEmpty && !outcome.isKept)
    }

    @Test func `whoever has waited too long searches all the same`() throws {
        let outcome = try find(.name("Thermo 1"), isBusy: true)
        #expect(try outcome.address == SimulatedDevice.builtIn("thermometer").address)
        #expect(!outcome.isKept)
    }
}
