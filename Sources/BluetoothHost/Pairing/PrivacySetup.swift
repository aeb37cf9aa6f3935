// SPDX-License-Identifier: MIT

package import Bluetooth

/// Switches the privacy of an adapter: whether the kernel connects with private addresses, and sends the adapter's
/// identity in pairings.
package struct PrivacySetup: Sendable {
    package enum State: Hashable, Sendable {
        /// It has none, and can have none.
        case impossible
        case off
        case on
    }

    private let manager: AdapterManager
    private let adapter: ManagementIndex
    private let address: BluetoothAddress

    package init(_ manager: AdapterManager, of adapter: AdapterDescription) {
        self.manager = manager
        self.adapter = ManagementIndex(adapter.index)
        address = adapter.bondAddress
    }

    private var information: ReadControllerInformation.ReturnParameters {
        get async throws(RadioError) { try await manager.information(on: adapter, of: address) }
    }

    package var state: State {
        get async throws(RadioError) {
            let information = try await information
            if information.currentSettings.contains(.privacy) { return .on }
            return information.supportedSettings.contains(.privacy) ? .off : .impossible
        }
    }

    /// Tells a host of our own that this program needs the privacy that is on, too: it switches privacy off when the last
    /// of those ends. The kernel has no such list, and refuses it.
    package func join(_ key: SecurityKey) async throws(RadioError) {
        let information = try await information
        guard !information.supportedSettings.contains(.powered) else { return }
        try await manager.perform(SetPrivacy(.on, key: key), on: adapter)
    }

    /// Switches privacy on with a key, or off with `nil`. An adapter of the kernel is off meanwhile, which ends its links.
    package func set(_ key: SecurityKey?) async throws(RadioError) {
        let information = try await information
        // The kernel accepts Set Privacy only while the adapter is off; a host of our own has none that could be off.
        let isPowered = information.currentSettings.intersection(information.supportedSettings).contains(.powered)
        if isPowered { try await manager.perform(SetPowered(false), on: adapter) }
        do throws(RadioError) {
            try await manager.perform(key.map { SetPrivacy(.on, key: $0) } ?? SetPrivacy(.off), on: adapter)
        } catch {
            if isPowered { _ = try? await manager.perform(SetPowered(true), on: adapter) }
            throw error
        }
        guard isPowered else { return }
        try await manager.perform(SetPowered(true), on: adapter)
        // The kernel would otherwise use a private address in the arithmetic of later pairings, while centrals see the
        // public one.
        if key == nil { await PairingSetup(manager, on: adapter).settleAdvertisedAddress() }
    }
}

/// Where the keys of this machine's private addresses are kept.
package protocol IdentityKeyStore: Sendable {
    /// The identity resolving key of an adapter. Creates one if there is none.
    func key(of adapter: BluetoothAddress) async throws -> SecurityKey

    /// An unpredictable random number, or the next one of a seed.
    func random() -> UInt64
}

extension IdentityKeyStore {
    package func random() -> UInt64 { UInt64.random(in: 0...UInt64.max) }
}
