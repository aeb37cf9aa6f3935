// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Records

/// The JSON form of the file of bonds. Keys are hexadecimal, most significant octet first, as the specification prints
/// them.
struct BondFile: Codable {
    package struct Key: Codable {
        /// The management interface's number of the type.
        package var type: UInt8
        package var central: Bool
        package var size: UInt8
        var ediv: UInt16
        var rand: UInt64
        package var key: String
    }

    package struct Signing: Codable {
        package var type: UInt8
        package var counter: UInt32
        package var key: String
    }

    /// The server's memory of the device as a client.
    struct Served: Codable {
        package var database: String
        /// Whether it knows that database.
        var aware: Bool
        package var features: UInt8
        package var subscriptions: [Subscription]
    }

    struct Subscription: Codable {
        /// The handles of the descriptor and of the value.
        package var descriptor: UInt16
        package var handle: UInt16
        /// The UUIDs around it.
        package var service: String?
        package var characteristic: String
        package var value: UInt16
    }

    package struct Entry: Codable {
        package var adapter: String
        package var address: String
        /// `public` or `random`
        package var type: String
        package var name: String?
        /// Nanoseconds since 1970.
        package var since: Int64
        var ltk: [Key]
        var irk: String?
        package var csrk: [Signing]
        package var served: Served?
    }

    /// A file that blectl has not written, or that was changed since.
    struct Damage: Error {
        package let text: String
    }

    private static let schema = "blectl-bonds/1"
    /// The maximum number of bonds, and of the keys of one.
    private static let limit = (bonds: 4_096, keys: 16)
    /// The maximum number of subscriptions of one bond. A file with more was not written by blectl.
    fileprivate static let subscriptionLimit = PersistedClients.subscriptionLimit

    /// The longest name that a Device Name characteristic can hold, in octets.
    fileprivate static let nameLimit = 248

    package var schema = BondFile.schema
    package var bonds: [Entry]

    init(_ bonds: [Bond]) { self.bonds = bonds.map { Entry($0) } }

    /// The bonds in the octets of a file. Throws `Damage` if one of them cannot be read: keys are never dropped
    /// silently.
    package static func bonds(in bytes: [UInt8]) throws(Damage) -> [Bond] {
        let file: BondFile
        do {
            file = try JSONCoding.decode(BondFile.self, from: bytes)
        } catch {
            // The decoder's own words may contain the text of a key.
            throw Damage(text: "it is not JSON with the members of a bond file")
        }
        guard file.schema == schema else { throw Damage(text: "its schema is not \(schema)") }
        guard file.bonds.count <= limit.bonds else { throw Damage(text: "it has more than \(limit.bonds) bonds") }
        var bonds: [Bond] = []
        for (index, entry) in file.bonds.enumerated() {
            guard entry.ltk.count <= limit.keys, entry.csrk.count <= limit.keys, let bond = entry.bond else {
                throw Damage(text: "bond \(index + 1) of \(file.bonds.count) is not valid")
            }
            bonds.append(bond)
        }
        return bonds
    }

    /// The octets of the file. Throws `StateFolder.Failure` for more bonds than are read.
    package func encoded() throws -> [UInt8] {
        // A file with more bonds is refused as damaged when it is read, and then no bond can be used.
        guard bonds.count <= Self.limit.bonds else {
            throw StateFolder.Failure("it has room for \(Self.limit.bonds) bonds; 'blectl unpair' makes some")
        }
        return try JSONCoding.encodeForPeople(self)
    }
}

extension BondFile.Entry {
    fileprivate init(_ bond: Bond) {
        adapter = bond.adapter.description
        address = bond.device.address.description
        type = bond.device.type.connectionType.description
        // A longer name would be damage when the file is read, and cost all bonds.
        name = bond.name.flatMap { $0.utf8.count <= BondFile.nameLimit ? $0 : nil }
        since = bond.since.nanoseconds
        ltk = bond.longTermKeys.map { key in
            BondFile.Key(
                type: key.kind.rawValue,
                central: key.isCentral,
                size: key.encryptionSize,
                ediv: key.diversifier,
                rand: key.randomNumber,
                key: Hex.string(key.value.octets)
            )
        }
        irk = bond.identityKey.map { Hex.string($0.octets) }
        csrk = bond.signing.map {
            BondFile.Signing(type: $0.key.kind.rawValue, counter: $0.counter, key: Hex.string($0.key.value.octets))
        }
        served = bond.memory.map { BondFile.Served($0) }
    }

    /// `nil` if a part of it is not valid.
    fileprivate var bond: Bond? {
        guard let adapter = BluetoothAddress(adapter), let address = BluetoothAddress(address),
            let type = AddressType(name: type), (name?.utf8.count ?? 0) <= BondFile.nameLimit
        else { return nil }
        let device = DeviceAddress(address, type)
        let keys = ltk.compactMap { key -> LongTermKey? in
            guard LongTermKey.Kind.known.contains(key.type), (7...16).contains(key.size),
                let value = SecurityKey(hex: key.key)
            else { return nil }
            return LongTermKey(
                device: ManagementAddress(device),
                kind: LongTermKey.Kind(rawValue: key.type),
                isCentral: key.central,
                encryptionSize: key.size,
                diversifier: key.ediv,
                randomNumber: key.rand,
                value: value
            )
        }
        let signing = csrk.compactMap { signing -> Bond.Signing? in
            guard SignatureResolvingKey.Kind.known.contains(signing.type), let value = SecurityKey(hex: signing.key)
            else { return nil }
            let kind = SignatureResolvingKey.Kind(rawValue: signing.type)
            let key = SignatureResolvingKey(device: ManagementAddress(device), kind: kind, value: value)
            return Bond.Signing(key: key, counter: signing.counter)
        }
        let identity = irk.flatMap { SecurityKey(hex: $0) }
        let memory = served.flatMap(\.memory)
        // A key that cannot be read is damage, and not the same as a missing one.
        guard keys.count == ltk.count, signing.count == csrk.count, (identity == nil) == (irk == nil),
            (memory == nil) == (served == nil)
        else { return nil }
        return Bond(
            adapter: adapter,
            device: device,
            name: name,
            longTermKeys: keys,
            identityKey: identity,
            signing: signing,
            since: WallTime(nanosecondsSince1970: since),
            memory: memory
        )
    }
}

extension LongTermKey.Kind {
    /// The kinds that exist. Another one in a file is damage: the kernel would refuse all keys because of it.
    fileprivate static let known = unauthenticatedLegacy.rawValue...debugP256.rawValue
}

extension SignatureResolvingKey.Kind {
    fileprivate static let known: ClosedRange<UInt8> = 0...3
}

extension BondFile.Served {
    fileprivate init(_ memory: GATTServer.ClientState) {
        database = Hex.string(memory.databaseHash)
        aware = memory.isChangeAware
        features = memory.features.rawValue
        subscriptions = memory.subscriptions.prefix(BondFile.subscriptionLimit).map { kept in
            BondFile.Subscription(
                descriptor: kept.descriptor.rawValue,
                handle: kept.value.rawValue,
                service: kept.service?.description,
                characteristic: kept.characteristic.description,
                value: kept.configuration.rawValue
            )
        }
    }

    /// `nil` if a part of it is not valid.
    fileprivate var memory: GATTServer.ClientState? {
        guard database.utf8.count == 32, let hash = Hex.bytes(database),
            subscriptions.count <= BondFile.subscriptionLimit
        else { return nil }
        let kept = subscriptions.compactMap { kept -> GATTServer.KeptSubscription? in
            guard let characteristic = BluetoothUUID(kept.characteristic) else { return nil }
            let service = kept.service.flatMap { BluetoothUUID($0) }
            guard (service == nil) == (kept.service == nil) else { return nil }
            return GATTServer.KeptSubscription(
                descriptor: Handle(kept.descriptor),
                value: Handle(kept.handle),
                service: service,
                characteristic: characteristic,
                configuration: ClientConfiguration(rawValue: kept.value)
            )
        }
        guard kept.count == subscriptions.count else { return nil }
        return GATTServer.ClientState(
            databaseHash: hash,
            subscriptions: kept,
            features: ClientFeatures(rawValue: features),
            isChangeAware: aware
        )
    }
}

extension SecurityKey {
    /// A key in 32 hexadecimal digits, most significant first.
    package init?(hex: String) {
        guard hex.utf8.count == 32, let octets = Hex.bytes(hex) else { return nil }
        self.init(octets: octets)
    }
}
