// SPDX-License-Identifier: MIT

/// Finds the bonded device of a resolvable private address.
///
/// Trying a key costs one AES block, for each bond and each address. The resolver therefore caches the results for the
/// addresses that it has seen, up to a limit.
///
/// Spec: Core 5.4, Vol 6, Part B, 1.3.2.3
public struct IdentityResolver: Sendable {
    private let identities: [DeviceIdentity]
    private let limit: Int
    /// The index of the identity for each address; -1 if no key fits.
    private var known: [BluetoothAddress: Int] = [:]

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - identities: The bonded devices.
    ///   - limit: The number of addresses that are remembered. Beyond it, all are forgotten.
    public init(_ identities: [DeviceIdentity], limit: Int = 4_096) {
        self.identities = identities
        self.limit = max(1, limit)
    }

    var rememberedCount: Int { known.count }

    /// The bonded device with a private address; `nil` if the address is not resolvable, or no key fits.
    public mutating func identity(of address: DeviceAddress) -> DeviceIdentity? {
        guard !identities.isEmpty, address.kind == .resolvable else { return nil }
        if let index = known[address.address] { return index < 0 ? nil : identities[index] }
        // Private addresses change, so that most of the forgotten ones are not in use any more.
        if known.count >= limit { known.removeAll(keepingCapacity: true) }
        let index = identities.firstIndex { $0.owns(address) }
        known[address.address] = index ?? -1
        return index.map { identities[$0] }
    }
}
