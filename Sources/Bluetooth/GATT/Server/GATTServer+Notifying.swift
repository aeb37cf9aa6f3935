// SPDX-License-Identifier: GPL-2.0-or-later

/// Values that the server sends by itself.
extension GATTServer {
    /// Sends a value to every client that has subscribed to it, by notification where the client wants that, by indication
    /// otherwise, cut to what the client's MTU carries.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 4.10.1 and 4.11.1
    public mutating func notify(_ value: [UInt8], of handle: Handle) -> [Action] {
        clients.keys.sorted().flatMap { notify(value, of: handle, to: $0) }
    }

    /// Sends a value to one client, if it has subscribed.
    public mutating func notify(_ value: [UInt8], of handle: Handle, to client: ClientID) -> [Action] {
        let wanted = currentSubscription(of: client, to: handle)
        let part = Array(value.prefix(mtu(of: client) - 3))
        if wanted.contains(.notification) {
            return [.notify(client, HandleValueNotification(handle: handle, value: part))]
        }
        return wanted.contains(.indication) ? indicate(part, of: handle, to: client) : []
    }

    /// Sends several values at once: in one PDU to the clients that have said they understand it and have subscribed to
    /// notifications of several, one by one otherwise.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 4.10.2
    public mutating func notify(_ values: [HandleValue]) -> [Action] {
        var actions: [Action] = []
        for client in clients.keys.sorted() {
            let notified = values.filter { currentSubscription(of: client, to: $0.handle).contains(.notification) }
            let octets = notified.reduce(1) { $0 + 4 + $1.value.count }
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

    /// What the client has subscribed to and may have now: nothing while it does not know the database, or while its link
    /// is not secured as subscribing required.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 2.5.2.1; Vol 3, Part C, 10.3.2.2
    private func currentSubscription(of client: ClientID, to valueHandle: Handle) -> ClientConfiguration {
        guard let state = clients[client], !isBarred(state),
            let descriptor = configurationHandle(of: valueHandle),
            database[descriptor]?.permissions.writeRefusal(of: state.security) == nil
        else { return [] }
        return state.configurations[descriptor] ?? []
    }

    /// Sends an indication, unless too many wait for their confirmations.
    ///
    /// - Parameter change: What it tells of, where it is Service Changed.
    mutating func indicate(
        _ value: [UInt8],
        of handle: Handle,
        to client: ClientID,
        change: HandleRange? = nil
    ) -> [Action] {
        guard hasRoomForIndication(to: client) else { return [.indicationDropped(client, handle)] }
        clients[client]?.indicated.append(.init(handle: handle, change: change))
        return [.indicate(client, HandleValueIndication(handle: handle, value: value))]
    }

    func hasRoomForIndication(to client: ClientID) -> Bool {
        guard let state = clients[client] else { return false }
        return state.indicated.count < configuration.waitingIndications
    }

    /// The client has confirmed the oldest of its indications. A confirmation of nothing changes nothing.
    ///
    /// Of several changes of the database the client has to know the last one: it is not aware as long as one of them is
    /// still to be confirmed, or even to be told.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.7.3; Vol 3, Part G, 2.5.2.1
    public mutating func confirmationReceived(from client: ClientID) -> [Action] {
        guard let confirmed = takeOldestIndication(of: client), let state = clients[client] else { return [] }
        let isToldAgain = state.untold != nil || state.indicated.contains { $0.change != nil }
        if confirmed.change != nil, !isToldAgain { becomeAware(client) }
        return [.indicationConfirmed(client, confirmed.handle)] + tellTheUntold(to: client)
    }

    /// The client will never have the oldest of its indications. Changes of the database that it told of have to be told by
    /// the next one.
    public mutating func indicationFailed(to client: ClientID) -> [Action] {
        guard let failed = takeOldestIndication(of: client) else { return [] }
        if let change = failed.change {
            let untold = clients[client]?.untold
            clients[client]?.untold = untold?.joined(with: change) ?? change
        }
        return [.indicationDropped(client, failed.handle)]
    }

    private mutating func takeOldestIndication(of client: ClientID) -> GATTServerClient.Indicated? {
        guard clients[client]?.indicated.isEmpty == false else { return nil }
        return clients[client]?.indicated.removeFirst()
    }
}
