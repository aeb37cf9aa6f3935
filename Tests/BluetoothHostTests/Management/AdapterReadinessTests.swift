// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import BluetoothTesting
import SimulatedRadio
import Synchronization
import Testing

@Suite("An adapter that is made ready")
struct AdapterReadinessTests {
    fileprivate struct Outcome: Equatable, Sendable {
        var cause: RadioError.Cause?
        var notes: [AdapterReadiness.Note] = []
        var milliseconds: Int64 = 0
    }

    private func outcome(
        _ traits: Set<AdapterTrait>,
        timeout: Duration? = nil,
        isForLinks: Bool = true
    ) async throws -> Outcome {
        try await withSimulation(SimulatedWorld(adapter: traits, devices: [])) { simulation in
            let notes = Mutex<[AdapterReadiness.Note]>([])
            let (system, time) = (simulation.system, simulation.time)
            let readiness = AdapterReadiness(system, scope: simulation.scope, time: time) { note in
                notes.withLock { $0.append(note) }
            }
            var outcome = Outcome()
            do throws(RadioError) {
                _ = try await readiness.radio(named: nil, timeout: timeout, isForLinks: isForLinks)
            } catch {
                outcome.cause = error.cause
            }
            outcome.notes = notes.withLock { $0 }
            outcome.milliseconds = time.now.nanoseconds / 1_000_000
            return outcome
        }
    }

    @Test("A usable adapter is taken without a question or a message")
    func ready() async throws {
        #expect(try await outcome([]) == Outcome())
        #expect(try await outcome([], timeout: .seconds(5)) == Outcome())
    }

    @Test("Low Energy that is off is switched on and reported, for links only")
    func lowEnergy() async throws {
        #expect(try await outcome([.lowEnergyOff]) == Outcome(notes: [.switchedOnLowEnergy("hci0")]))
        #expect(try await outcome([.lowEnergyOff], isForLinks: false) == Outcome())
        #expect(try await outcome([.lowEnergyOff, .unauthorized]) == Outcome(cause: .lowEnergyOff))
    }

    @Test("An adapter that is off, blocked or missing is an error at once")
    func notUsable() async throws {
        #expect(try await outcome([.off]) == Outcome(cause: .adapterDown))
        #expect(try await outcome([.blocked]) == Outcome(cause: .radioBlocked(byHardware: false)))
        #expect(try await outcome([.gone]) == Outcome(cause: .noAdapter))
    }

    @Test("With a wait, an adapter that is off, blocked or missing is awaited, within a limit")
    func timeout() async throws {
        for (trait, cause) in [
            (AdapterTrait.off, RadioError.Cause.adapterDown), (.blocked, .radioBlocked(byHardware: false)),
            (.gone, .noAdapter),
        ] {
            let waited = try await outcome([trait], timeout: .seconds(5))
            #expect(waited.cause == cause)
            #expect(waited.milliseconds == 5_000)
            #expect(waited.notes == [.waiting(RadioError(cause, during: waited.operation, on: waited.adapter))])
        }
    }

    @Test("An adapter that is coming up is awaited without being asked, only until it is powered")
    func coming() async throws {
        let waited = try await outcome([.coming])
        #expect(waited.cause == nil)
        #expect(waited.milliseconds == 1_000)
        #expect(waited.notes.count == 1)
        let both = try await outcome([.coming, .lowEnergyOff])
        #expect(both.notes.last == .switchedOnLowEnergy("hci0"))
    }
}

extension AdapterReadinessTests.Outcome {
    private var noted: RadioError? {
        guard case .waiting(let error)? = notes.first else { return nil }
        return error
    }

    fileprivate var operation: String { noted?.operation ?? "" }
    fileprivate var adapter: String? { noted?.adapter }
}
