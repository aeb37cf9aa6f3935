// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
import CommandLineInterface
import Terminal

extension CommandContext {
    /// Prepares an adapter for pairing, and gives the kernel the keys of bonds.
    package func prepare(
        _ setup: PairingSetup,
        _ wish: PairingSetup.Wish,
        _ radio: any Radio,
        _ bonds: any BondStore,
        _ action: String
    ) async throws {
        let adapter = radio.adapter
        do {
            let wasSwitched = try await switched(setup, wish, radio)
            if wasSwitched {
                diagnostics.note("\(adapter.name) was switched off and on, because the kernel pairs only then")
            }
            // The kernel asks a device for its identity only after it was given identities, even if there were none.
            try await setup.load(try bonds.bonds(of: adapter.bondAddress))
        } catch is PairingSetup.NotPrepared {
            throw BlectlError(
                .temporaryFailure,
                cannot: action,
                "\(adapter.name) has to be switched off and on once, and that would end the links of other programs",
                hint: "end them, or: \(AdapterHint.commandLine("reset", adapter: adapter.name))"
            )
        } catch {
            // Some of the settings may have been made.
            _ = try? await scope.shielded { await setup.restore(after: wish) }
            guard let error = error as? RadioError else { throw error }
            throw BlectlError(error, doing: action).about(adapter: adapter.name)
        }
    }

    /// Prepares an adapter. Returns whether it was switched off and on for that.
    private func switched(_ setup: PairingSetup, _ wish: PairingSetup.Wish, _ radio: any Radio) async throws -> Bool {
        do {
            return try await setup.prepare(wish, mayPowerCycle: radio.connectedAddresses().isEmpty)
        } catch let refusal as PairingSetup.NotPrepared {
            // Linux keeps a link for two seconds after its last socket was closed, so it may be one of an earlier
            // command.
            guard try await radio.awaitEndOfLinks(time) else { throw refusal }
            return try await setup.prepare(wish, mayPowerCycle: true)
        }
    }
}

extension CommandContext {
    /// The bonds of an adapter; none if they cannot be read, because the commands that need them report that.
    package func knownBonds(of adapter: AdapterDescription) -> [Bond] {
        (try? stores.bonds?.bonds(of: adapter.bondAddress)) ?? []
    }
}
