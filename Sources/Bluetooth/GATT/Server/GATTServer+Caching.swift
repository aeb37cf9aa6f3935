// SPDX-License-Identifier: GPL-2.0-or-later

/// What keeps a client's picture of the database right: Service Changed, the Database Hash, and Database Out Of Sync.
///
/// Spec: Core 5.4, Vol 3, Part G, 2.5.2
extension GATTServer {
    /// Replaces the attributes. Where their structure changes, clients that have asked for it are told by Service Changed,
    /// and those with robust caching get Database Out Of Sync until they know.
    public mutating func replaceDatabase(with new: GATTDatabase) -> [Action] {
        let changed = Self.changedRange(from: database, to: new)
        database = new
        databaseHash = new.hash
        guard let changed else { return [] }
        var actions: [Action] = []
        for client in clients.keys.sorted() {
            clients[client]?.isChangeAware = false
            clients[client]?.isAwareOnNextRequest = false
            for handle in clients[client]?.configurations.keys.sorted() ?? [] {
                if case .clientConfiguration? = new[handle]?.storage { continue }
                clients[client]?.configurations[handle] = nil
            }
            actions += indicateServiceChanged(changed, to: client)
        }
        return actions
    }

    /// From the first to the last attribute that is not in both, as the hash sees it; `nil` where none differs.
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
        return HandleRange(first, last)
    }

    /// Tells a client what has changed, if it wants to know.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 7.1
    mutating func indicateServiceChanged(_ range: HandleRange, to client: ClientID) -> [Action] {
        guard let handle = database.characteristic(.serviceChanged, in: .genericAttribute)?.valueHandle,
            subscription(of: client, to: handle).contains(.indication)
        else { return [] }
        var writer = ByteWriter()
        writer.append(range.start)
        writer.append(range.end)
        return indicate(writer.bytes, of: handle, to: client)
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

    /// Database Out Of Sync, where the client does not know the database and asks by handle. Having been told, or having
    /// read the hash, it is taken to know with its next request.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 2.5.2.1
    mutating func refusalOfUnawareClient(_ request: ATTRequest, from client: ClientID) -> ATTErrorResponse? {
        guard let state = clients[client], !state.isChangeAware else { return nil }
        if state.isAwareOnNextRequest { becomeAware(client) }
        guard let state = clients[client], isBarred(state) else { return nil }
        switch request {
        case .exchangeMTU, .findInformation, .findByTypeValue, .readByGroupType:
            return nil
        case .readByType(let parameters):
            if parameters.attributeType == .databaseHash {
                clients[client]?.isAwareOnNextRequest = true
                return nil
            }
            let isDiscovery = [.include, .characteristicDeclaration].contains(parameters.attributeType)
            if isDiscovery || parameters.range == .all { return nil }
        case .executeWrite(let parameters) where parameters.flags == .cancel:
            return nil
        case .read, .readBlob, .readMultiple, .readMultipleVariable, .write, .prepareWrite, .executeWrite:
            break
        }
        clients[client]?.isAwareOnNextRequest = true
        return request.refused(.databaseOutOfSync)
    }
}
