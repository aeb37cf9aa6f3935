// SPDX-License-Identifier: MIT

/// Decides which PDUs depend on the security of a link, so that the caller queries that security only for these.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.2.5
extension GATTServer {
    /// Whether the outcome of a PDU depends on the present security of the client's link: it concerns a protected
    /// attribute, or changes the state that is kept of a bonded client.
    public func dependsOnSecurity(_ pdu: ATTClientPDU, from client: ClientID) -> Bool {
        switch pdu {
        case .request(let request):
            // Each of these requests may change what the client learns about the database or its subscriptions.
            isUnaware(client) || awaitsProof(of: client) || dependsOnSecurity(request, from: client)
        case .command(.write(let write)): writeDependsOnSecurity(write.handle)
        case .confirmation: isUnaware(client)
        case .command(.signedWrite), .unknown: false
        }
    }

    /// Whether a client does not know the database. If it is bonded, it is remembered when it does.
    private func isUnaware(_ client: ClientID) -> Bool { clients[client]?.isChangeAware == false }

    /// Whether a client has the address of a bonded one, and its link was not seen encrypted yet.
    private func awaitsProof(of client: ClientID) -> Bool {
        clients[client].map { $0.identity != nil && $0.security.hasBond && !$0.isProven } ?? false
    }

    private func dependsOnSecurity(_ request: ATTRequest, from client: ClientID) -> Bool {
        switch request {
        case .exchangeMTU, .findInformation: false
        case .findByTypeValue(let request):
            readDependsOnSecurity(request.range, BluetoothUUID(request.attributeType))
        case .readByType(let request): readDependsOnSecurity(request.range, request.attributeType)
        case .readByGroupType(let request): readDependsOnSecurity(request.range, request.groupType)
        case .read(let request): readDependsOnSecurity(request.handle)
        case .readBlob(let request): readDependsOnSecurity(request.handle)
        case .readMultiple(let request): request.handles.contains { readDependsOnSecurity($0) }
        case .readMultipleVariable(let request): request.handles.contains { readDependsOnSecurity($0) }
        case .write(let request): writeDependsOnSecurity(request.handle)
        case .prepareWrite(let request): writeDependsOnSecurity(request.handle)
        case .executeWrite:
            clients[client]?.prepared.parts.contains { writeDependsOnSecurity($0.handle) } ?? false
        }
    }

    private func readDependsOnSecurity(_ handle: Handle) -> Bool {
        database[handle]?.permissions.read?.isOpen == false
    }

    private func readDependsOnSecurity(_ range: HandleRange, _ type: BluetoothUUID) -> Bool {
        database.attributes(in: range).contains { $0.type == type && $0.permissions.read?.isOpen == false }
    }

    private func writeDependsOnSecurity(_ handle: Handle) -> Bool {
        guard let attribute = database[handle] else { return false }
        switch attribute.storage {
        case .clientConfiguration, .clientSupportedFeatures: return true
        case .fixed, .stored, .handler, .databaseHash: return attribute.permissions.write?.isOpen == false
        }
    }

    /// The subscribers whose security has to be known: those that may get a value only while their links have the
    /// security that subscribing required, and those that have not proven yet that they are bonded.
    public func guardedSubscribers(of valueHandle: Handle) -> [ClientID] {
        guard let descriptor = configurationHandle(of: valueHandle) else { return [] }
        let isOpen = database[descriptor]?.permissions.write?.isOpen != false
        return clients.keys
            .filter { clients[$0]?.configurations[descriptor] != nil && (!isOpen || awaitsProof(of: $0)) }
            .sorted()
    }

    /// The last known security of a client's link.
    public func security(of client: ClientID) -> LinkSecurity { clients[client]?.security ?? .none }
}
