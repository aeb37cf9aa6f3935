// SPDX-License-Identifier: MIT

/// Keeps the clients' caches of the database correct: Service Changed, the Database Hash, and Database Out Of Sync.
///
/// Spec: Core 5.4, Vol 3, Part G, 2.5.2
extension GATTServer {
    /// Replaces the attributes. If their structure changes, subscribed clients get Service Changed, and clients with
    /// robust caching get Database Out Of Sync until they know the new database.
    ///
    /// A handle may have a different meaning afterwards. A subscription therefore survives only if its characteristic
    /// is unchanged, and writes prepared for changed attributes fail as out of sync.
    public mutating func replaceDatabase(with new: GATTDatabase) -> [Action] {
        let changed = Self.changedRange(from: database, to: new)
        let old = database
        database = new
        databaseHash = LazyDatabaseHash(of: new)
        // Values do not count as a change: clients cache the structure only.
        guard let changed else { return [] }
        memoryChanges &+= 1
        for (identity, record) in records {
            // Bonded clients that are away learn of the change when they come back.
            records[identity]?.isChangeAware = false
            for (handle, _) in lost(record.configurations, since: old) {
                records[identity]?.configurations[handle] = nil
            }
        }
        // In the order of the connections, so that a simulation repeats itself.
        return clients.keys.sorted().flatMap { indicateChange(to: $0, of: changed, since: old) }
    }

    /// Updates the state of a connected client and indicates the change to it.
    private mutating func indicateChange(
        to client: ClientID,
        of changed: HandleRange,
        since old: GATTDatabase
    ) -> [Action] {
        clients[client]?.isChangeAware = false
        // A hash or an error that the client got before concerns the old database.
        clients[client]?.isAwareOnNextRequest = false
        clients[client]?.prepared.outdate(changed)
        for bearer in bearers.keys where bearer.client == client { bearers[bearer]?.begunRead = nil }
        let lost = lost(clients[client]?.configurations ?? [:], since: old)
        for (handle, _) in lost { clients[client]?.configurations[handle] = nil }
        return lost.map { .subscriptionChanged(client, $0.value, []) } + indicateServiceChanged(changed, to: client)
    }

    /// The subscriptions whose characteristics have changed, each with its descriptor and its old value handle.
    private func lost(
        _ configurations: [Handle: ClientConfiguration],
        since old: GATTDatabase
    ) -> [(descriptor: Handle, value: Handle)] {
        configurations.keys.sorted().compactMap { handle in
            guard let subject = Subject(ofConfiguration: handle, in: old),
                subject != Subject(ofConfiguration: handle, in: database)
            else { return nil }
            return (handle, subject.value)
        }
    }

    /// The target of a subscription. If any field differs, it is another characteristic.
    private struct Subject: Hashable {
        let service: BluetoothUUID?
        let value: Handle
        let type: BluetoothUUID?
        let supported: ClientConfiguration

        /// `nil` if the handle has no Client Characteristic Configuration.
        init?(ofConfiguration handle: Handle, in database: GATTDatabase) {
            guard case .clientConfiguration(let value, let supported)? = database[handle]?.storage else { return nil }
            service = database.service(containing: handle)?.uuid
            self.value = value
            type = database[value]?.type
            self.supported = supported
        }
    }

    /// The range from the first to the last service with an attribute that is not in both databases, as the hash sees
    /// it; `nil` if none differs. It covers whole services, because the unchanged part of one may belong to another
    /// service now.
    private static func changedRange(from old: GATTDatabase, to new: GATTDatabase) -> HandleRange? {
        func structure(_ database: GATTDatabase) -> [GATTAttribute] {
            database.attributes.map { attribute in
                // The attributes that the Database Hash counts are the structure that clients cache.
                let isStructure = attribute.type.short16.map { 0x2800...0x2803 ~= $0 || $0 == 0x2900 } ?? false
                let value = isStructure ? attribute.value ?? [] : []
                return GATTAttribute(
                    handle: attribute.handle,
                    type: attribute.type,
                    permissions: .readOnly,
                    storage: .fixed(value)
                )
            }
        }
        let difference = Set(structure(old)).symmetricDifference(structure(new)).map(\.handle)
        guard let first = difference.min(), let last = difference.max() else { return nil }
        let services = old.services + new.services
        // Whole services are announced, because a client discovers a service as a whole.
        let start = services.filter { $0.range.contains(first) }.map(\.range.start).min() ?? first
        let end = services.filter { $0.range.contains(last) }.map(\.range.end).max() ?? last
        return HandleRange(start, end)
    }

    /// Indicates a change to a subscribed client: at once, or as soon as there is room for another indication.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 7.1
    mutating func indicateServiceChanged(_ range: HandleRange, to client: ClientID) -> [Action] {
        guard let handle = database.characteristic(.serviceChanged, in: .genericAttribute)?.valueHandle,
            subscription(of: client, to: handle).contains(.indication)
        else { return [] }
        // Changes that were not indicated yet are joined with the new one, so that one indication covers all of them.
        let change = clients[client]?.pendingChange?.joined(with: range) ?? range
        guard hasRoomForIndication(to: client) else {
            clients[client]?.pendingChange = change
            return []
        }
        clients[client]?.pendingChange = nil
        var writer = ByteWriter()
        writer.append(change.start)
        writer.append(change.end)
        return indicate(writer.bytes, of: handle, to: client, change: change)
    }

    /// Indicates the changes that were postponed because an indication was outstanding.
    mutating func indicatePendingChange(to client: ClientID) -> [Action] {
        clients[client]?.pendingChange.map { indicateServiceChanged($0, to: client) } ?? []
    }

    mutating func becomeAware(_ client: ClientID) {
        clients[client]?.isChangeAware = true
        clients[client]?.isAwareOnNextRequest = false
        memoryChanges &+= 1
    }

    /// Whether a client is excluded until it knows the database: it has robust caching and is not aware of the last
    /// change.
    func isBarred(_ client: GATTServerClient) -> Bool {
        client.features.contains(.robustCaching) && !client.isChangeAware
    }

    /// Whether commands of a client are executed. Those of a client that does not know the database are ignored,
    /// because their handles may mean something else.
    func acceptsCommands(from client: ClientID) -> Bool {
        clients[client].map { !isBarred($0) } ?? true
    }

    /// Database Out Of Sync, once after each change, for a client with robust caching that does not know the database
    /// and uses a handle. After this error, or after reading the hash, the client counts as aware from its next request
    /// on; a client with several bearers after reading the hash only, and it gets the error until then.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 2.5.2.1
    mutating func refusalOfUnawareClient(_ request: ATTRequest, from client: ClientID) -> ATTErrorResponse? {
        guard let state = clients[client], !state.isChangeAware else { return nil }
        // The client has read the hash or got the error, and this request shows that it goes on.
        guard !state.isAwareOnNextRequest else {
            becomeAware(client)
            return nil
        }
        if isBarred(state), isAtHandle(request, of: state) {
            // Over several bearers, the next request may have been sent before the error arrived.
            clients[client]?.isAwareOnNextRequest = bearers.keys.count { $0.client == client } < 2
            // The writes were prepared for the old database. As after any other error, none of them is executed.
            if case .executeWrite = request { clients[client]?.prepared = PreparedWrites() }
            return request.refused(.databaseOutOfSync)
        }
        if readsHash(request) { clients[client]?.isAwareOnNextRequest = true }
        return nil
    }

    /// Whether the request relies on handles that the client has cached. Discovery does not, nor does reading by type
    /// over the whole database; executing writes does if any are prepared.
    private func isAtHandle(_ request: ATTRequest, of state: GATTServerClient) -> Bool {
        switch request {
        case .exchangeMTU, .findInformation, .findByTypeValue, .readByGroupType: false
        case .readByType(let parameters):
            ![.include, .characteristicDeclaration].contains(parameters.attributeType) && parameters.range != .all
        case .executeWrite(let parameters): parameters.flags == .write && !state.prepared.isEmpty
        case .read, .readBlob, .readMultiple, .readMultipleVariable, .write, .prepareWrite: true
        }
    }

    /// Whether the answer to the request is the Database Hash.
    private func readsHash(_ request: ATTRequest) -> Bool {
        switch request {
        case .read(let parameters): database[parameters.handle]?.type == .databaseHash
        case .readByType(let parameters):
            parameters.attributeType == .databaseHash
                && database.attributes(in: parameters.range).contains { $0.type == .databaseHash }
        default: false
        }
    }
}
