// SPDX-License-Identifier: MIT

/// Values that the server sends without a request.
extension GATTServer {
    /// Sends a value to every subscribed client, cut to its largest MTU: as a notification if the client wants one, as an
    /// indication otherwise.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 4.10.1 and 4.11.1
    public mutating func notify(_ value: [UInt8], of handle: Handle) -> [Action] {
        clients.keys.sorted().flatMap { notify(value, of: handle, to: $0) }
    }

    /// Sends a value to one client if that has subscribed.
    public mutating func notify(_ value: [UInt8], of handle: Handle, to client: ClientID) -> [Action] {
        let wanted = currentSubscription(of: client, to: handle)
        // The opcode and the handle take three octets of the packet.
        let part = Array(value.prefix(mtu(of: client) - 3))
        // A client that wants both gets a notification, which costs no confirmation.
        if wanted.contains(.notification) {
            return [.notify(client, HandleValueNotification(handle: handle, value: part))]
        }
        return wanted.contains(.indication) ? indicate(part, of: handle, to: client) : []
    }

    /// Sends several values: in one PDU to clients that support it and want notifications of at least two of them, one
    /// by one otherwise.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 4.10.2
    public mutating func notify(_ values: [HandleValue]) -> [Action] {
        var actions: [Action] = []
        for client in clients.keys.sorted() {
            let notified = values.filter { currentSubscription(of: client, to: $0.handle).contains(.notification) }
            // The opcode, and for each value its handle and its length.
            let octets = notified.reduce(1) { $0 + 4 + $1.value.count }
            // The PDU is new in Core 5.2. Older clients do not understand it, so that a client has to announce it.
            if clients[client]?.features.contains(.multipleHandleValueNotifications) == true,
                notified.count >= 2, octets <= mtu(of: client),
                let pdu = MultipleHandleValueNotification(values: notified)
            {
                actions.append(.notifySeveral(client, pdu))
                let rest = values.filter { !notified.contains($0) }
                actions += rest.flatMap { notify($0.value, of: $0.handle, to: client) }
            } else {
                actions += values.flatMap { notify($0.value, of: $0.handle, to: client) }
            }
        }
        return actions
    }

    /// The subscription that may be served now: none while the client does not know the database, or while its link
    /// lacks the security that subscribing required.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 2.5.2.1; Vol 3, Part C, 10.3.2.2
    private func currentSubscription(of client: ClientID, to valueHandle: Handle) -> ClientConfiguration {
        // Values are not sent to a client that may take them for those of another attribute.
        guard let state = clients[client], !isBarred(state),
            let descriptor = configurationHandle(of: valueHandle),
            database[descriptor]?.permissions.writeRefusal(of: state.security) == nil
        else { return [] }
        return state.configurations[descriptor] ?? []
    }

    /// Sends an indication, or drops it if too many wait for their confirmations.
    ///
    /// - Parameter change: The changed range if this is Service Changed.
    mutating func indicate(
        _ value: [UInt8],
        of handle: Handle,
        to client: ClientID,
        change: HandleRange? = nil
    ) -> [Action] {
        // One indication is unconfirmed at a time, so that the others have to wait.
        guard hasRoomForIndication(to: client) else { return [.indicationDropped(client, handle)] }
        clients[client]?.indicated.append(.init(handle: handle, change: change))
        return [.indicate(client, HandleValueIndication(handle: handle, value: value))]
    }

    /// Whether another indication may wait for its confirmation.
    package func hasRoomForIndication(to client: ClientID) -> Bool {
        guard let state = clients[client] else { return false }
        return state.indicated.count < configuration.waitingIndications
    }

    /// The client has confirmed its oldest indication, or the oldest one of a value: over several bearers, only those of
    /// one value are confirmed in their order. A confirmation without an indication is ignored.
    ///
    /// A client is aware only after the last of several changes: while one is unconfirmed or has not been sent, it is
    /// not.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.7.3; Vol 3, Part G, 2.5.2.1
    public mutating func confirmationReceived(from client: ClientID, of handle: Handle? = nil) -> [Action] {
        guard let confirmed = takeOldestIndication(of: handle, to: client), let state = clients[client]
        else { return [] }
        let isChangePending = state.pendingChange != nil || state.indicated.contains { $0.change != nil }
        // Another change still has to be indicated, so the client is not change-aware yet.
        if confirmed.change != nil, !isChangePending { becomeAware(client) }
        return [.indicationConfirmed(client, confirmed.handle)] + indicatePendingChange(to: client)
    }

    /// The oldest indication, or the oldest one of a value, cannot reach the client. If it announced a change of the
    /// database, the next one repeats that.
    public mutating func indicationFailed(to client: ClientID, of handle: Handle? = nil) -> [Action] {
        guard let failed = takeOldestIndication(of: handle, to: client) else { return [] }
        if let change = failed.change {
            let pendingChange = clients[client]?.pendingChange
            clients[client]?.pendingChange = pendingChange?.joined(with: change) ?? change
        }
        return [.indicationDropped(client, failed.handle)]
    }

    private mutating func takeOldestIndication(
        of handle: Handle?,
        to client: ClientID
    ) -> GATTServerClient.Indicated? {
        let index = clients[client]?.indicated.firstIndex { handle == nil || $0.handle == handle }
        return index.flatMap { clients[client]?.indicated.remove(at: $0) }
    }
}
