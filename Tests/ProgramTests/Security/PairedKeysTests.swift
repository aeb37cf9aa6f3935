// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Testing

@testable import Toolkit

@Suite("The keys of a pairing")
struct PairedKeysTests {
    private struct Consent: PairingDelegate {
        func answer(_ prompt: PairingPrompt) async -> PairingAnswer { .yes }
        func took(_ step: PairingStep) async {}
    }

    /// A store whose file is damaged when keys are to be written.
    private struct DamagedBonds: BondStore {
        func bonds() throws -> [Bond] { [] }

        func update(_ change: @Sendable ([Bond]) -> [Bond]) async throws {
            throw KeyFileFailure(.bonds, .damaged, "/state/bonds", "it is no JSON")
        }
    }

    /// Pairs with a device, and keeps the keys.
    private static func pair(
        _ bench: PairingBench,
        wantsBond: Bool = true,
        manager name: String? = nil,
        in store: (any BondStore)? = nil
    ) async throws -> Bond? {
        var adapter = bench.radio.adapter
        adapter.manager = name
        let (scope, time) = (bench.context.scope, bench.context.time)
        let manager = try AdapterManager.open(bench.context.system, scope: scope, time: time)
        return try await withCleanup { [adapter] in
            try await bench.connected(to: .justWorks) { device, link in
                let setup = PairingSetup(manager, on: ManagementIndex(adapter.index))
                let pairer = Pairer(manager, on: ManagementIndex(adapter.index), scope: scope, time: time)
                let request = Pairer.Request(capability: .noInputNoOutput, wantsBond: wantsBond)
                let address = PairingBench.Partner.justWorks.address
                let pairing = try await pairer.pair(address, request, on: link, delegate: Consent())
                let keys = PairedKeys(
                    bonds: store ?? bench.bonds,
                    adapter: adapter,
                    setup: setup,
                    scope: scope,
                    time: time
                )
                return try await keys.keep(pairing, of: device, doing: "pair with it")
            }
        } cleanup: {
            await manager.close()
        }
    }

    @Test func `they are kept`() throws {
        try PairingBench.run { bench in
            let bond = try #require(try await Self.pair(bench))
            #expect(try bench.bonds.bonds() == [bond])
            #expect(bond.device == PairingBench.Partner.justWorks.address && bond.level == .medium)
        }
    }

    @Test func `the manager of the adapter keeps them`() throws {
        try PairingBench.run { bench in
            let bond = try await Self.pair(bench, manager: "bluetoothd")
            let kept = try bench.bonds.bonds()
            #expect(bond != nil && kept.isEmpty)
        }
    }

    @Test func `a pairing without a bond leaves none`() throws {
        try PairingBench.run { bench in
            let bond = try await Self.pair(bench, wantsBond: false)
            let kept = try bench.bonds.bonds()
            #expect(bond == nil && kept.isEmpty)
        }
    }

    @Test func `keys without proof do not replace a bond`() throws {
        try PairingBench.run { bench in
            let old = bench.bond(with: .justWorks, .authenticatedP256)
            try await bench.bonds.keep(old)
            let error = try #require(await #expect(throws: BlectlError.self) { _ = try await Self.pair(bench) })
            #expect(
                error.message.contains("there is a bond of level 'fips', which keys of level 'medium' do not replace"),
                "\(error.message)"
            )
            #expect(error.hint == "if it has lost its keys: blectl unpair C5:EC:00:00:00:01")
            #expect(try bench.bonds.bonds() == [old])
        }
    }

    @Test func `the error of a file that takes no keys names the remedy for the other half`() throws {
        try PairingBench.run { bench in
            let error = try #require(
                await #expect(throws: BlectlError.self) { _ = try await Self.pair(bench, in: DamagedBonds()) }
            )
            #expect(error.status == .badData && error.message.contains("/state/bonds"), "\(error.message)")
            #expect(error.hint?.hasPrefix("the device has its half of the bond") == true)
        }
    }
}
