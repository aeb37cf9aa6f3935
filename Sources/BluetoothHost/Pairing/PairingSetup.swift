// SPDX-License-Identifier: MIT

package import Bluetooth

/// Prepares an adapter for pairings, and gives the kernel the keys of bonds.
///
/// An adapter that another program manages stays as it is: that program has switched pairing on, and keeps the keys.
package struct PairingSetup: Sendable {
    package struct Wish: Hashable, Sendable {
        /// The input and output that a pairing started by a device uses.
        package var capability: IOCapability
        package var isBondable: Bool
        /// Whether Secure Connections is used; `nil` uses it if the adapter can.
        package var secureConnections: SetSecureConnections.Mode?

        package init(
            capability: IOCapability = .noInputNoOutput,
            isBondable: Bool = true,
            secureConnections: SetSecureConnections.Mode? = nil
        ) {
            self.capability = capability
            self.isBondable = isBondable
            self.secureConnections = secureConnections
        }
    }

    private let manager: AdapterManager
    private let adapter: ManagementIndex

    /// Creates a preparation of an adapter that no other program manages.
    package init(_ manager: AdapterManager, on adapter: ManagementIndex) {
        self.manager = manager
        self.adapter = adapter
    }

    /// Whether the adapter can be prepared without being switched off, which would end its links.
    package var isPrepared: Bool {
        get async throws(RadioError) {
            Self.isPrepared(try await manager.perform(ReadControllerInformation(), on: adapter).currentSettings)
        }
    }

    private static func isPrepared(_ settings: ManagementSettings) -> Bool {
        // An adapter that is off has no links to lose.
        settings.contains(.bondable) || !settings.contains(.powered)
    }

    /// Prepares the adapter. Returns whether it was switched off and on for that.
    ///
    /// Linux offers the Security Manager only on an adapter that was powered on after a program had managed it, and no
    /// setting shows that. The bondable setting stands in for it: it is off until a program manages the adapter, and
    /// this function leaves it on. An adapter that is bondable was therefore prepared before.
    ///
    /// - Parameters:
    ///   - mayPowerCycle: Whether the adapter may be switched off, which ends its links.
    package func prepare(_ wish: Wish, mayPowerCycle: Bool) async throws -> Bool {
        let before = try await manager.perform(ReadControllerInformation(), on: adapter)
        let settings = before.currentSettings
        let isReady = Self.isPrepared(settings)
        if !isReady {
            guard mayPowerCycle else { throw NotPrepared() }
            try await manager.perform(SetPowered(false), on: adapter)
        }
        do throws(RadioError) {
            if !settings.contains(.lowEnergy) { try await manager.perform(SetLowEnergy(true), on: adapter) }
            try await secure(wish, before)
            try await manager.perform(SetIOCapability(wish.capability), on: adapter)
            if settings.contains(.bondable) != wish.isBondable {
                try await manager.perform(SetBondable(wish.isBondable), on: adapter)
            }
        } catch {
            // A refused setting must not leave the adapter off.
            if !isReady { try await manager.perform(SetPowered(true), on: adapter) }
            throw error
        }
        if !isReady || !settings.contains(.powered) { try await manager.perform(SetPowered(true), on: adapter) }
        return !isReady
    }

    /// The adapter is not prepared, and was not to be switched off.
    package struct NotPrepared: Error, Sendable {}

    private func secure(
        _ wish: Wish,
        _ information: ReadControllerInformation.ReturnParameters
    ) async throws(RadioError) {
        let (current, supported) = (information.currentSettings, information.supportedSettings)
        if wish.secureConnections != .off, supported.subtracting(current).contains(.secureSimplePairing) {
            // A dual-mode controller has Secure Connections only together with it. With Basic Rate off, this is
            // refused.
            _ = try? await manager.perform(SetSecureSimplePairing(true), on: adapter)
        }
        let isOn = current.contains(.secureConnections)
        switch wish.secureConnections {
        // Without Secure Simple Pairing, Linux would refuse that, too.
        case .off? where !isOn: break
        case let mode?: try await manager.perform(SetSecureConnections(mode), on: adapter)
        case nil where !isOn && supported.contains(.secureConnections):
            // A dual-mode adapter may refuse it, and pairs without it then.
            _ = try? await manager.perform(SetSecureConnections(.on), on: adapter)
        case nil: break
        }
    }

    /// Undoes what would disturb later pairings: the refusal of bonds, and a choice about Secure Connections.
    package func restore(after wish: Wish) async {
        if !wish.isBondable { _ = try? await manager.perform(SetBondable(true), on: adapter) }
        if let mode = wish.secureConnections, mode != .on {
            _ = try? await manager.perform(SetSecureConnections(.on), on: adapter)
        }
    }

    /// Lets the kernel know whether centrals will see a private address, because pairing computes with the address.
    ///
    /// Linux takes the type of the address from its own extended commands, and not from those of a program. This
    /// therefore advertises connectably for a moment; advertising that is not connectable would use a private address
    /// in any case. If it fails, the type stays as it was.
    ///
    /// Spec: Linux, net/bluetooth/hci_sync.c, hci_set_ext_adv_params_sync
    package func settleAdvertisedAddress() async {
        guard (try? await manager.perform(SetAdvertising(.connectable), on: adapter)) != nil else { return }
        _ = try? await manager.perform(SetAdvertising(.off), on: adapter)
    }

    /// Gives the kernel the out-of-band data of a device, for its next pairing.
    package func give(_ data: OutOfBandData.Pair, of device: DeviceAddress) async throws(RadioError) {
        let command = AddRemoteOutOfBandData(ManagementAddress(device), OutOfBandData(p256: data))
        _ = try await manager.perform(command, on: adapter)
    }

    /// Takes the out-of-band data of all devices from the kernel. Linux cannot remove those of one Low Energy device.
    package func withdrawOutOfBandData() async {
        let allDevices = ManagementAddress(BluetoothAddress(rawValue: 0), .basicRate)
        _ = try? await manager.perform(RemoveRemoteOutOfBandData(allDevices), on: adapter)
    }

    /// The out-of-band data of the adapter, for another device; `nil` without Secure Connections. The one of an earlier
    /// call is not valid any more.
    package func outOfBandData() async throws(RadioError) -> OutOfBandData.Pair? {
        try await manager.perform(ReadLocalOutOfBandExtendedData(), on: adapter).pair
    }

    /// Takes the keys of a device from the kernel, and ends its links.
    package func expel(_ device: DeviceAddress) async throws(RadioError) {
        _ = try await manager.perform(UnpairDevice(ManagementAddress(device), disconnects: true), on: adapter)
    }

    /// Loads the keys of bonds into the kernel, in place of all its keys.
    package func load(_ bonds: [Bond]) async throws(RadioError) {
        let bonds = bonds.filter(\.isLoadable)
        // In this order, because a program that connects meanwhile needs the identities first.
        let identities = bonds.compactMap { bond in
            bond.identityKey.map { IdentityResolvingKey(device: ManagementAddress(bond.device), value: $0) }
        }
        try await manager.perform(LoadIdentityResolvingKeys(identities), on: adapter)
        let keys = bonds.flatMap { bond in
            bond.longTermKeys.map { key in
                var key = key
                key.device = ManagementAddress(bond.device)
                return key
            }
        }
        try await manager.perform(LoadLongTermKeys(keys), on: adapter)
    }
}
