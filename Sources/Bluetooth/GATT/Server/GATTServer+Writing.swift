// SPDX-License-Identifier: MIT

/// Requests and commands that write values.
extension GATTServer {
    /// A write with or without a response.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.5.1 and 3.4.5.3
    mutating func write(
        _ value: [UInt8],
        to handle: Handle,
        _ kind: WriteContext.Kind,
        _ request: ATTRequest?,
        from bearer: BearerID
    ) -> [Action] {
        var plan = WritePlan(kind, answering: request)
        let part = PreparedWrites.Part(handle: handle, offset: 0, value: value)
        let client = bearer.client
        if let error = plan.add(part, in: self, from: client) ?? plan.refusal(in: self, from: client)?.1 {
            // A command that fails is ignored.
            guard let request else { return [] }
            return [.respond(bearer, .failure(request.refused(error, at: handle)))]
        }
        return advance(plan, for: bearer)
    }

    /// A write whose signature was checked, over the channel that every link has. Without a response, and only to a
    /// characteristic that takes signed writes.
    ///
    /// The signature proves who the client is, as encryption would.
    ///
    /// Spec: Core 5.4, Vol 3, Part C, 10.2.2; Vol 3, Part F, 3.4.5.4
    ///
    /// - Parameters:
    ///   - write: The write.
    ///   - client: The client.
    ///   - mtu: The present MTU of its link.
    ///   - security: The present security of its link.
    ///   - isAuthenticated: Whether the key of the signature is protected against a man in the middle.
    public mutating func signedWriteReceived(
        _ write: SignedWriteCommand,
        from client: ClientID,
        mtu: UInt16,
        security: LinkSecurity,
        isAuthenticated: Bool
    ) -> [Action] {
        linkChanged(client, security: security)
        mtuChanged(BearerID(client), to: mtu)
        guard acceptsCommands(from: client), database.permitsSignedWrites(to: write.handle) else { return [] }
        // For the checks of this write the signature counts like a link that is encrypted with a key of 16 octets.
        clients[client]?.security = LinkSecurity(
            isEncrypted: true,
            isAuthenticated: isAuthenticated || security.isAuthenticated,
            isSecureConnections: security.isSecureConnections,
            isAuthorized: security.isAuthorized,
            keySize: max(security.keySize, 16),
            hasBond: security.hasBond
        )
        let actions = self.write(write.value, to: write.handle, .command, nil, from: BearerID(client))
        // The signature is for one write. The link is as it was.
        clients[client]?.security = security
        return actions
    }

    /// Queues a part of a value. Only access is checked here; offset and length are checked on execution.
    ///
    /// A part whose echo would be longer than the MTU is refused. It must not enter the queue, because a client that
    /// got an error does not expect the part to be written on execution.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.6.1
    mutating func prepare(
        _ parameters: PrepareWriteRequest,
        _ request: ATTRequest,
        from bearer: BearerID
    ) -> ATTAnswer {
        if let error = writeRefusal(of: parameters.handle, from: bearer.client) {
            return .failure(request.refused(error))
        }
        let response = PrepareWriteResponse(
            handle: parameters.handle,
            offset: parameters.offset,
            value: parameters.value
        )
        // The response echoes the part, so that it must fit as the request did.
        guard response.encoded().count <= mtu(of: bearer) else { return .failure(request.refused(.invalidPDU)) }
        let part = PreparedWrites.Part(
            handle: parameters.handle,
            offset: Int(parameters.offset),
            value: parameters.value
        )
        let limits = PreparedWrites.Limits(entries: configuration.preparedWrites, octets: configuration.preparedOctets)
        guard clients[bearer.client]?.prepared.append(part, limits: limits) == true else {
            return .failure(request.refused(.prepareQueueFull))
        }
        return .success(.prepareWrite(response))
    }

    /// Executes or discards the queue. If one part cannot be written, nothing is.
    ///
    /// Several values in one queue are a reliable write. Every attribute must permit it.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.6.3; Vol 3, Part G, 3.3.3.1 and 4.9.5
    mutating func execute(
        _ flags: ExecuteWriteRequest.Flags,
        _ request: ATTRequest,
        from bearer: BearerID
    ) -> [Action] {
        let client = bearer.client
        // Taken in any case: the queue is empty after an Execute Write.
        let outdated = clients[client]?.prepared.outdated
        let parts = clients[client]?.prepared.takeJoined() ?? []
        var plan = WritePlan(.prepared, answering: request)
        switch flags {
        case .cancel:
            break
        case .write:
            if let outdated { return [.respond(bearer, .failure(request.refused(.databaseOutOfSync, at: outdated)))] }
            let handles = Set(parts.map(\.handle))
            // Several characteristics at once are a reliable write, which each of them has to permit.
            if handles.count > 1,
                let handle = handles.sorted().first(where: { !database.permitsReliableWrites(to: $0) })
            {
                return [.respond(bearer, .failure(request.refused(.requestNotSupported, at: handle)))]
            }
            for part in parts {
                if let error = plan.add(part, in: self, from: client) {
                    return [.respond(bearer, .failure(request.refused(error, at: part.handle)))]
                }
            }
            // Everything is checked before anything is written, so that no write is done by half.
            if let (handle, error) = plan.refusal(in: self, from: client) {
                return [.respond(bearer, .failure(request.refused(error, at: handle)))]
            }
        }
        return advance(plan, for: bearer)
    }

    /// The error for a client that may not write the attribute; `nil` if it may.
    func writeRefusal(of handle: Handle, from client: ClientID) -> ATTErrorCode? {
        guard let attribute = database[handle] else { return .invalidHandle }
        return attribute.permissions.writeRefusal(of: clients[client]?.security ?? .none)
    }

    /// Passes the parts to the application one by one. After it has accepted all, stores the server's own values, so
    /// that a refusal leaves them unchanged.
    mutating func advance(_ plan: WritePlan, for bearer: BearerID) -> [Action] {
        guard let part = plan.remaining.first else {
            // The attributes may have changed while the application had the values.
            if let lost = plan.commits.first(where: { !isCurrent($0) }) {
                return finish(bearer, plan, .databaseOutOfSync, at: lost.attribute.handle)
            }
            var effects: [Action] = []
            for commit in plan.commits { effects += put(commit, from: bearer.client) }
            guard plan.request != nil else { return effects }
            // The response comes before the PDUs that the application may send because of the write.
            var actions = finish(bearer, .success(plan.success))
            actions.insert(contentsOf: effects, at: 1)
            return actions
        }
        // The database may have changed while the application was asked for the previous part.
        guard let attribute = database[part.handle], attribute.isHandled else {
            return finish(bearer, plan, .databaseOutOfSync, at: part.handle)
        }
        if let refusal = writeRefusal(of: part.handle, from: bearer.client) {
            return finish(bearer, plan, refusal, at: part.handle)
        }
        let token = makeToken()
        if plan.request != nil { bearers[bearer]?.pending = .writing(token, plan) }
        let context = WriteContext(
            client: bearer.client,
            handle: part.handle,
            type: attribute.type,
            offset: part.offset,
            value: part.value,
            kind: plan.kind
        )
        return [.write(token, context)]
    }

    /// Ends a write with an error; a command ends silently, because it has no response.
    private mutating func finish(
        _ bearer: BearerID,
        _ plan: WritePlan,
        _ code: ATTErrorCode,
        at handle: Handle
    ) -> [Action] {
        guard let request = plan.request else { return [] }
        return finish(bearer, .failure(request.refused(code, at: handle)))
    }

    /// Whether an attribute is still the one for which the write was admitted: the database may have changed while the
    /// application was asked.
    private func isCurrent(_ commit: WritePlan.Commit) -> Bool {
        guard let now = database[commit.attribute.handle] else { return false }
        return now.type == commit.attribute.type && now.permissions == commit.attribute.permissions
            && now.lengths == commit.attribute.lengths
    }

    private mutating func put(_ commit: WritePlan.Commit, from client: ClientID) -> [Action] {
        let handle = commit.attribute.handle
        switch commit.attribute.storage {
        case .stored:
            database.setValue(commit.value, of: handle)
            return [.valueWritten(client, handle)]
        case .clientConfiguration(let value, _):
            let new = ClientConfiguration(decoding: commit.value)
            let old = clients[client]?.configurations[handle] ?? []
            // No entry means not subscribed, so that an empty configuration is not kept.
            clients[client]?.configurations[handle] = new.isEmpty ? nil : new
            memoryChanges &+= 1
            // The firmware sees only changes, so writing the same value is not reported.
            return new == old ? [] : [.subscriptionChanged(client, value, new)]
        case .clientSupportedFeatures:
            clients[client]?.features = ClientFeatures(decoding: commit.value)
            memoryChanges &+= 1
            return []
        case .fixed, .handler, .databaseHash:
            return []
        }
    }
}
