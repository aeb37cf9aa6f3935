// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import Commands
@testable import Toolkit

@Suite("Pairing while a device is served")
struct ServedPairingsTests {
    private struct DamagedBonds: BondStore {
        func bonds() throws -> [Bond] { throw KeyFileFailure(.bonds, .damaged, "bonds", "it is not JSON") }

        func update(_ change: @Sendable ([Bond]) -> [Bond]) async throws {}
    }

    /// Whether the adapter keeps keys and uses Secure Connections, as later pairings expect it.
    private static func isRestored(_ bench: PairingBench) async throws -> Bool {
        let context = bench.context
        let manager = try AdapterManager.open(context.system, scope: context.scope, time: context.time)
        let index = ManagementIndex(bench.radio.adapter.index)
        let settings = try await manager.perform(ReadControllerInformation(), on: index).currentSettings
        await manager.close()
        return settings.contains(.bondable) && settings.contains(.secureConnections)
    }

    @Test func `an error between the preparation and the service leaves no setting`() throws {
        try PairingBench.run { bench in
            var options = PairOptions()
            options.wantsBond = false
            options.secureConnections = .off
            // Without Secure Connections there are no such data.
            options.outOfBandOutput = "/dev/null"
            let known = ServedBonds([])
            let pairings = try await ServedPairings(options, asks: false, known: known, on: bench.radio, bench.context)
            let error = await #expect(throws: BlectlError.self) {
                try await pairings.run(nil, onKeys: { _, _ in }) { _ in Issue.record("nothing is served") }
            }
            #expect(error?.message.contains("it has no Secure Connections") == true, "\(String(describing: error))")
            #expect(try await Self.isRestored(bench))
        }
    }

    @Test func `an error in the preparation leaves no setting`() throws {
        try PairingBench.run { bench in
            let context = bench.context
            let manager = try AdapterManager.open(context.system, scope: context.scope, time: context.time)
            let setup = PairingSetup(manager, on: ManagementIndex(bench.radio.adapter.index))
            let wish = PairingSetup.Wish(isBondable: false, secureConnections: .off)
            await #expect(throws: KeyFileFailure.self) {
                try await context.prepare(setup, wish, bench.radio, DamagedBonds(), "pair")
            }
            await manager.close()
            #expect(try await Self.isRestored(bench))
        }
    }
}
