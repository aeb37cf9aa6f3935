// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost

/// Shows bonded devices by their identity addresses, whatever private address they have at the moment, as a controller
/// does that resolves addresses itself.
package struct BondedIdentities: Sendable {
    private var resolver: IdentityResolver

    /// The identities of bonds; by default none.
    package init(_ bonds: [Bond] = []) { resolver = IdentityResolver(bonds.compactMap(\.identity)) }

    /// The report with the identity address of its sender, if that is known.
    package mutating func resolved(_ report: ScanReport) -> ScanReport {
        guard let identity = resolver.identity(of: report.report.address)?.address else { return report }
        var advertising = report.report
        let type: AddressType = identity.type.connectionType == .public ? .publicIdentity : .randomIdentity
        advertising.address = DeviceAddress(identity.address, type)
        return ScanReport(advertising, report.instant, report.wall)
    }
}

/// The names of bonded devices. Each means only these devices, and not others with the same name.
struct BondedNames: Sendable {
    private let bonds: [Bond]

    /// The names of bonds; by default none.
    init(_ bonds: [Bond] = []) { self.bonds = bonds.filter { $0.name != nil } }

    /// The bond whose name another device uses; `nil` if the name is not that of a bond, or if the address is that of
    /// the bonded device.
    package func bond(withNameOf address: DeviceAddress, _ name: String?) -> Bond? {
        guard let name, !bonds.isEmpty else { return nil }
        // A resolved address has another type code.
        let address = DeviceAddress(address.address, address.type.connectionType)
        let namesakes = bonds.filter { bond in bond.name.map { DeviceIdentifier.isSameName($0, name) } ?? false }
        return namesakes.contains { $0.owns(address) } ? nil : namesakes.first
    }
}
