// SPDX-License-Identifier: MIT

/// The state of bonded clients that outlives the server. The database may differ when it is restored.
///
/// Spec: Core 5.4, Vol 3, Part G, 2.5.2 and 3.3.3.3
extension GATTServer {
    /// A subscription of a bonded client, with what it was for: a handle alone may have another meaning later.
    package struct KeptSubscription: Hashable, Sendable {
        /// The handle of the Client Characteristic Configuration descriptor.
        package var descriptor: Handle
        /// The handle of the characteristic's value.
        package var value: Handle
        /// The UUID of the service around it; `nil` if there was none.
        package var service: BluetoothUUID?
        package var characteristic: BluetoothUUID
        package var configuration: ClientConfiguration

        package init(
            descriptor: Handle,
            value: Handle,
            service: BluetoothUUID?,
            characteristic: BluetoothUUID,
            configuration: ClientConfiguration
        ) {
            self.descriptor = descriptor
            self.value = value
            self.service = service
            self.characteristic = characteristic
            self.configuration = configuration
        }
    }

    /// The state of a bonded client, in a form that outlasts the server.
    package struct ClientState: Hashable, Sendable {
        package var databaseHash: [UInt8]
        /// The subscriptions, in the order of their descriptors.
        package var subscriptions: [KeptSubscription]
        package var features: ClientFeatures
        /// Whether the client knows that database.
        package var isChangeAware: Bool

        package init(
            databaseHash: [UInt8],
            subscriptions: [KeptSubscription] = [],
            features: ClientFeatures = [],
            isChangeAware: Bool = true
        ) {
            self.databaseHash = databaseHash
            self.subscriptions = subscriptions
            self.features = features
            self.isChangeAware = isChangeAware
        }
    }

    /// The states of all bonded clients that have left any, whether they are connected or not.
    package var memories: [DeviceAddress: ClientState] {
        var kept = records
        for client in clients.keys.sorted() {
            // Any device can use the address of a bonded client. Its record is replaced only after a proof by
            // encryption.
            guard let state = clients[client], state.isProven, let identity = state.identity else { continue }
            kept[identity] = state.record
        }
        return kept.mapValues { memory(of: $0) }
    }

    private func memory(of record: ClientRecord) -> ClientState {
        let subscriptions = record.configurations.sorted { $0.key < $1.key }.compactMap { descriptor, configuration in
            subject(of: descriptor).map { subject in
                KeptSubscription(
                    descriptor: descriptor,
                    value: subject.value,
                    service: subject.service,
                    characteristic: subject.characteristic,
                    configuration: configuration
                )
            }
        }
        return ClientState(
            databaseHash: databaseHash.value,
            subscriptions: subscriptions,
            features: record.features,
            isChangeAware: record.isChangeAware
        )
    }

    /// Takes the states that another server has left, before any client has connected. If the database is another one,
    /// the clients do not know it, and only subscriptions to unchanged characteristics remain.
    package mutating func recall(_ memories: [DeviceAddress: ClientState]) {
        for (identity, memory) in memories {
            var configurations: [Handle: ClientConfiguration] = [:]
            // A handle may mean another characteristic after an update of the device.
            for kept in memory.subscriptions where isCurrent(kept) {
                configurations[kept.descriptor] = kept.configuration
            }
            records[identity] = ClientRecord(
                configurations: configurations,
                features: memory.features.intersection(.known),
                // A client that was away during a change of the database missed it.
                isChangeAware: memory.isChangeAware && memory.databaseHash == databaseHash.value
            )
        }
    }

    private func isCurrent(_ kept: KeptSubscription) -> Bool {
        guard let subject = subject(of: kept.descriptor), !kept.configuration.isEmpty else { return false }
        return subject.value == kept.value && subject.service == kept.service
            && subject.characteristic == kept.characteristic && subject.supported.isSuperset(of: kept.configuration)
    }

    private typealias Subject = (
        value: Handle, service: BluetoothUUID?, characteristic: BluetoothUUID, supported: ClientConfiguration
    )

    /// The configurable property of a descriptor; `nil` if the descriptor configures nothing.
    private func subject(of descriptor: Handle) -> Subject? {
        guard case .clientConfiguration(let value, let supported)? = database[descriptor]?.storage,
            let characteristic = database[value]?.type
        else { return nil }
        return (value, database.service(containing: descriptor)?.uuid, characteristic, supported)
    }

    /// A client without a bond was identified, as after a pairing. Any state kept for it belongs to an earlier bond.
    package mutating func clientIdentified(_ client: ClientID, as identity: DeviceAddress) {
        guard clients[client]?.identity != identity, clients[client] != nil else { return }
        clients[client]?.identity = identity
        memoryChanges &+= 1
    }
}
