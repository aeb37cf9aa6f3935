// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import CommandLineInterface

/// Keeps the keys of a pairing that this machine has asked for, unless they would take the place of a bond that they
/// must not replace.
package struct PairedKeys: Sendable {
    package let bonds: any BondStore
    /// The adapter, with the program that manages it.
    package let adapter: AdapterDescription
    package let setup: PairingSetup
    package let scope: TaskScope
    package let time: any TimeSource

    package init(
        bonds: any BondStore,
        adapter: AdapterDescription,
        setup: PairingSetup,
        scope: TaskScope,
        time: any TimeSource
    ) {
        self.bonds = bonds
        self.adapter = adapter
        self.setup = setup
        self.scope = scope
        self.time = time
    }

    /// Stores the keys of a pairing, and returns the bond; `nil` if no bond is wanted.
    ///
    /// Any device can send the identity address of a bonded device among the keys, and the kernel then replaces the old
    /// keys by them. If the bond does not admit the new keys, this restores the old ones in the kernel, and throws a
    /// `BlectlError`.
    package func keep(_ pairing: Pairing, of device: DeviceReference, doing action: String) async throws -> Bond? {
        let now = time.wallClock
        let bond = pairing.bond(of: adapter.bondAddress, name: device.name, since: now)
        // The manager of an adapter keeps the keys, and decides about them.
        guard adapter.manager == nil else { return bond }
        do {
            let known = try bonds.bonds(of: adapter.bondAddress)
            let keys = bond ?? Bond(pairing, of: adapter.bondAddress, since: now)
            if let old = known.first(where: { $0.device == keys.device }), !ServedBonds(known).admits(keys) {
                await withdraw(keys.device, known)
                throw usurpation(by: keys, of: old, device, action)
            }
            guard let bond else { return nil }
            // To the end, also if the user interrupts the command: the device has its half of the bond now.
            _ = try await scope.shielded { [bonds] in try await bonds.keep(bond) }
            return bond
        } catch let error as KeyFileFailure {
            throw BlectlError(error, doing: "keep the keys of \(device.text)").with(
                hint: "the device has its half of the bond: remove that there, then pair again"
            )
        }
    }

    /// Gives the kernel the keys that it had before.
    private func withdraw(_ device: DeviceAddress, _ known: [Bond]) async {
        _ = try? await scope.shielded { [setup] in
            // First, because loading does not end the link that the new keys have encrypted.
            _ = try? await setup.expel(device)
            try await setup.load(known)
        }
    }

    private func usurpation(
        by new: Bond,
        of old: Bond,
        _ device: DeviceReference,
        _ action: String
    ) -> BlectlError {
        let identity = DeviceReference(address: old.device, name: old.name)
        let claim =
            device.address.address == old.device.address ? "there is" : "it claims to be \(identity.text), and there is"
        let isShorter = new.isAuthenticated && new.level >= old.level
        let comparison =
            isShorter
            ? "a bond with keys of \(old.keySize) octets, which keys of \(new.keySize) octets do not replace"
            : "a bond of level '\(old.level)', which keys of level '\(new.level)' do not replace"
        return BlectlError(
            .protocolError,
            cannot: action,
            "\(claim) \(comparison); the new keys were discarded",
            hint: "if it has lost its keys: blectl unpair \(old.device.address)"
        )
        .about(device: device)
    }
}

extension Bond {
    /// The keys of a pairing, whether they are kept or not.
    package init(_ pairing: Pairing, of adapter: BluetoothAddress, since: WallTime) {
        self.init(
            adapter: adapter,
            device: pairing.device,
            longTermKeys: pairing.longTermKeys,
            identityKey: pairing.identityKey,
            signing: pairing.signatureKeys.map { Bond.Signing(key: $0) },
            since: since
        )
    }
}
