// SPDX-License-Identifier: MIT

package import Bluetooth

/// A kind of key that a bond can have.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.4.1
package enum BondKey: String, Hashable, Sendable, CaseIterable {
    /// The long-term key, which encrypts the link.
    case longTerm = "ltk"
    /// The identity resolving key, by which private addresses are recognised.
    case identity = "irk"
    /// The signature resolving key of this machine.
    case ownSignature = "local-csrk"
    /// The signature resolving key of the device.
    case signature = "csrk"
}

/// The keys that a pairing of an adapter and a device has left.
///
/// No description of it contains a key, see `SecurityKey`.
package struct Bond: Hashable, Sendable {
    /// A signature key with the number of the next signature.
    package struct Signing: Hashable, Sendable {
        package var key: SignatureResolvingKey
        /// The smallest number that was not used yet.
        package var counter: UInt32

        package init(key: SignatureResolvingKey, counter: UInt32 = 0) {
            self.key = key
            self.counter = counter
        }
    }

    /// The address of the adapter. The keys belong to it: another adapter is another device.
    package var adapter: BluetoothAddress
    /// The identity address of the device.
    package var device: DeviceAddress
    package var name: String?
    /// The keys that encrypt: one of Secure Connections, or one for each role.
    package var longTermKeys: [LongTermKey]
    /// The key of the device's private addresses.
    package var identityKey: SecurityKey?
    package var signing: [Signing]
    package var since: WallTime
    /// The server's memory of the device as a client; `nil` if it never was one.
    package var memory: GATTServer.ClientState?

    package init(
        adapter: BluetoothAddress,
        device: DeviceAddress,
        name: String? = nil,
        longTermKeys: [LongTermKey],
        identityKey: SecurityKey? = nil,
        signing: [Signing] = [],
        since: WallTime,
        memory: GATTServer.ClientState? = nil
    ) {
        self.adapter = adapter
        self.device = device
        self.name = name
        self.longTermKeys = longTermKeys
        self.identityKey = identityKey
        self.signing = signing
        self.since = since
        self.memory = memory
    }

    /// Whether the keys are protected against a man in the middle.
    package var isAuthenticated: Bool { !longTermKeys.isEmpty && longTermKeys.allSatisfy(\.kind.isAuthenticated) }

    /// Whether the keys come from Secure Connections.
    package var isSecureConnections: Bool {
        !longTermKeys.isEmpty && longTermKeys.allSatisfy(\.kind.isSecureConnections)
    }

    /// The length of the shortest key that encrypts, in octets; 0 if there is none.
    package var keySize: UInt8 { longTermKeys.map(\.encryptionSize).min() ?? 0 }

    /// The level that a link with these keys has.
    package var level: SecurityLevel {
        if longTermKeys.isEmpty { return .low }
        guard isAuthenticated else { return .medium }
        // Level 4 of security mode 1 demands Secure Connections and a key of full length.
        return isSecureConnections && keySize == 16 ? .fips : .high
    }

    /// The kinds of keys, in the order of their declaration.
    package var keys: [BondKey] {
        BondKey.allCases.filter { kind in
            switch kind {
            case .longTerm: !longTermKeys.isEmpty
            case .identity: identityKey != nil
            case .ownSignature: signing.contains { $0.key.kind.isLocal }
            case .signature: signing.contains { !$0.key.kind.isLocal }
            }
        }
    }

    /// The identity, if the device has private addresses.
    package var identity: DeviceIdentity? { identityKey.map { DeviceIdentity(address: device, key: $0) } }

    /// Whether an address is that of the device: its identity address, or a private one.
    package func owns(_ address: DeviceAddress) -> Bool { device == address || identity?.owns(address) == true }

    /// Whether the kernel takes the keys: the address must be one that does not change.
    var isLoadable: Bool {
        switch device.kind {
        case .public, .randomStatic: true
        default: false
        }
    }
}

package protocol BondStore: Sendable {
    /// Whether it outlives the process.
    var isLasting: Bool { get }

    /// All bonds, of all adapters. Throws if the store is damaged or cannot be read.
    func bonds() throws -> [Bond]

    /// Throws if a bond could not be kept now. A pairing cannot be taken back, so that this comes before it.
    func checkIsWritable() throws

    /// Replaces the bonds by the result of `change`, under the lock that other processes use.
    func update(_ change: @Sendable ([Bond]) -> [Bond]) async throws
}

extension BondStore {
    package var isLasting: Bool { true }

    /// Nothing, for a store that can always be written.
    package func checkIsWritable() throws {}

    package func bonds(of adapter: BluetoothAddress) throws -> [Bond] { try bonds().filter { $0.adapter == adapter } }

    /// Adds a bond, in the place of an earlier one of the same adapter and device.
    package func keep(_ bond: Bond) async throws {
        try await update { bonds in
            bonds.filter { $0.adapter != bond.adapter || $0.device != bond.device } + [bond]
        }
    }
}
