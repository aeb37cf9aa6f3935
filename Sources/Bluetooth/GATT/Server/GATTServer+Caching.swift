// SPDX-License-Identifier: GPL-2.0-or-later

/// What keeps a client's picture of the database right: Service Changed, the Database Hash, and Database Out Of Sync.
///
/// Spec: Core 5.4, Vol 3, Part G, 2.5.2
extension GATTServer {
    /// Replaces the attributes. Where their structure changes, clients that have asked for it are told by Service Changed,
    /// and those with robust caching get Database Out Of Sync until they know.
    ///
    /// Handles may mean something else from now on: a subscription stays only where its characteristic is what it was, and
    /// what was prepared for the attributes that changed is out of sync.
    public mutating func replaceDatabase(with new: GATTDatabase) -> [Action] {
        let changed = Self.changedRange(from: database, to: new)
        let old = database
        database = new
        databaseHash = new.hash
        guard let changed else { return [] }
        for (identity, record) in records {
            records[identity]?.isChangeAware = false
            for (handle, _) in lost(record.configurations, since: old) {
                records[identity]?.configurations[handle] = nil
            }
        }
        return clients.keys.sorted().flatMap { tell($0, of: changed, since: old) }
    }

    /// Tells a client that is there.
    private mutating func tell(_ client: ClientID, of changed: HandleRange, since old: GATTDatabase) -> [Action] {
        clients[client]?.isChangeAware = false
        clients[client]?.isAwareOnNextRequest = false
        clients[client]?.prepared.outdate(changed)
        let lost = lost(clients[client]?.configurations ?? [:], since: old)
        for (handle, _) in lost { clients[client]?.configurations[handle] = nil }
        return lost.map { .subscriptionChanged(client, $0.value, []) } + indicateServiceChanged(changed, to: client)
    }

    /// The subscriptions, by the handles of their descriptors, whose characteristics are not what they were, and the values
    /// that they were to.
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

    /// What a subscription is to: where any of it differs, it is another characteristic.
    private struct Subject: Hashable {
        let service: BluetoothUUID?
        let value: Handle
        let type: BluetoothUUID?
        let supported: ClientConfiguration

        /// `nil` where there is no Client Characteristic Configuration at the handle.
        init?(ofConfiguration handle: Handle, in database: GATTDatabase) {
            guard case .clientConfiguration(let value, let supported)? = database[handle]?.storage else { return nil }
            service = database.service(containing: handle)?.uuid
            self.value = value
            type = database[value]?.type
            self.supported = supported
        }
    }

    /// From the first to the last service with an attribute that is not in both, as the hash sees it; `nil` where none
    /// differs. Whole services, as what has not changed of one may belong to something else now.
    private static func changedRange(from old: GATTDatabase, to new: GATTDatabase) -> HandleRange? {
        func structure(_ database: GATTDatabase) -> [GATTAttribute] {
            database.attributes.map { attribute in
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
        let start = services.filter { $0.range.contains(first) }.map(\.range.start).min() ?? first
        let end = services.filter { $0.range.contains(last) }.map(\.range.end).max() ?? last
        return HandleRange(start, end)
    }

    /// Tells a client what has changed, if it wants to know: at once, or when there is room for one more indication.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 7.1
    mutating func indicateServiceChanged(_ range: HandleRange, to client: ClientID) -> [Action] {
        guard let handle = database.characteristic(.serviceChanged, in: .genericAttribute)?.valueHandle,
            subscription(of: client, to: handle).contains(.indication)
        else { return [] }
        let change = clients[client]?.untold?.joined(with: range) ?? range
        guard hasRoomForIndication(to: client) else {
            clients[client]?.untold = change
            return []
        }
        clients[client]?.untold = nil
        var writer = ByteWriter()
        writer.append(change.start)
        writer.append(change.end)
        return indicate(writer.bytes, of: handle, to: client, change: change)
    }

    /// Tells a client of the changes that had to wait.
    mutating func tellTheUntold(to client: ClientID) -> [Action] {
        clients[client]?.untold.map { indicateServiceChanged($0, to: client) } ?? []
    }

    mutating func becomeAware(_ client: ClientID) {
        clients[client]?.isChangeAware = true
        clients[client]?.isAwareOnNextRequest = false
    }

    /// Whether a client is cut off until it knows the database: it has robust caching and does not.
    func isBarred(_ client: GATTServerClient) -> Bool {
        client.features.contains(.robustCaching) && !client.isChangeAware
    }

    /// Commands of a client that does not know the database are ignored.
    func acceptsCommands(from client: ClientID) -> Bool {
        clients[client].map { !isBarred($0) } ?? true
    }

    /// Database Out Of Sync, once after each change, where the client has robust caching, does not know the database and
    /// asks for something at a handle. Having been told, or having read the hash, it knows from its next request on.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 2.5.2.1
    mutating func refusalOfUnawareClient(_ request: ATTRequest, from client: ClientID) -> ATTErrorResponse? {
        guard let state = clients[client], !state.isChangeAware else { return nil }
        guard !state.isAwareOnNextRequest else {
            becomeAware(client)
            return nil
        }
        if isBarred(state), isAtHandle(request, of: state) {
            clients[client]?.isAwareOnNextRequest = true
            // What was prepared was meant for what the client knew; as after any other error, none of it is written.
            if case .executeWrite = request { clients[client]?.prepared = PreparedWrites() }
            return request.refused(.databaseOutOfSync)
        }
        if readsHash(request) { clients[client]?.isAwareOnNextRequest = true }
        return nil
    }

    /// Whether the request relies on handles that the client believes to know. Discovery does not, nor does reading by type
    /// in all that there is; executing writes does where some are prepared.
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
