// SPDX-License-Identifier: MIT

public import Bluetooth

/// The control of a running device from outside: by a test, by a person, by the timetable of a world.
extension DeviceMachine {
    /// The attributes, with the values that the database holds.
    public var database: GATTDatabase { server.database }

    /// Whether answers are held back.
    public var isPaused: Bool { held != nil }

    /// Changes a value, and sends it to the clients that have subscribed. A value that the firmware makes stays as it
    /// is set, until a client writes it.
    ///
    /// Returns `nil` if the attribute cannot have that value: it does not exist, it is a declaration or a
    /// configuration, or the value is too long.
    public mutating func setValue(_ value: [UInt8], of handle: Handle, now: Instant) -> [Action]? {
        guard let attribute = server.database[handle], value.count <= GATTLimits.maximumValueLength else { return nil }
        switch attribute.type {
        case .primaryService, .secondaryService, .include, .characteristicDeclaration:
            return nil
        default: break
        }
        switch attribute.storage {
        case .fixed, .stored:
            server.setValue(value, of: handle)
            // Conditions and periods of streams may depend on the value.
            return reportToFirmware(valueOf: handle, now: now) + notify(value, of: handle, now: now)
        case .handler: pinned[handle] = value
        case .clientConfiguration, .clientSupportedFeatures, .databaseHash: return nil
        }
        return notify(value, of: handle, now: now)
    }

    /// Ends all links.
    public mutating func hangUp(_ reason: HCIStatus) -> [Action] {
        sessions.keys.sorted().map { client in
            // The radio ends the link some time later, and nothing may be sent on it until then.
            sessions[client]?.isSilent = true
            return .hangUp(client, reason)
        }
    }

    /// Holds all answers back from now on. Clients run into their timeouts if they are not released before.
    public mutating func pause() { held = held ?? [] }

    /// Sends the answers that were held back, and holds no more back, nor do faults that pause.
    public mutating func release(now: Instant) -> [Action] {
        let waiting = held ?? []
        // Ended first, because `respond` would hold the answers back again.
        held = nil
        var actions: [Action] = []
        for (bearer, answer) in waiting { actions += respond(answer, over: bearer, now: now) }
        return actions + releaseFaults(now: now)
    }

    /// The clients that have asked for the values of a characteristic, in the order of their connections.
    ///
    /// - Parameter valueHandle: The handle of its value.
    public func subscribers(of valueHandle: Handle) -> [GATTServer.ClientID] {
        sessions.keys.filter { !server.subscription(of: $0, to: valueHandle).isEmpty }.sorted()
    }

    /// Whether no client of a characteristic has so many unconfirmed indications that another one would be dropped.
    ///
    /// - Parameter valueHandle: The handle of its value.
    package func hasRoomForIndication(of valueHandle: Handle) -> Bool {
        sessions.keys.allSatisfy { client in
            !server.subscription(of: client, to: valueHandle).contains(.indication)
                || server.hasRoomForIndication(to: client)
        }
    }

    /// The number of requests without an answer: those that the firmware has not answered, and those that a pause or a
    /// fault holds back.
    public var waitingRequests: Int { bearers.values.count { $0.served != nil } + faults.waitingRequests }

    /// Sends a value to the clients that have subscribed, and leaves the value of the database as it is.
    public mutating func send(_ value: [UInt8], of valueHandle: Handle, now: Instant) -> [Action] {
        notify(value, of: valueHandle, now: now)
    }

    /// Ends all links and restarts the device, as after a change of its battery: with the attributes and the program of
    /// its image, and without the memory of its clients. The counts of its faults continue, and so does a pause.
    ///
    /// - Parameters:
    ///   - device: The image with which the machine was made.
    ///   - now: The moment of the start.
    public mutating func restart(as device: DeviceImage, now: Instant) -> [Action] {
        let actions = hangUp(.connectionTimeout)
        var fresh = DeviceMachine(device)
        fresh.faults = faults
        fresh.held = isPaused ? [] : nil
        if withholdsBearers { fresh.withholdEnhancedBearers() }
        // Held PDUs belong to the links that end now. The counts of all connections continue.
        for client in sessions.keys { fresh.faults.disconnected(client) }
        self = fresh
        return actions + start(now: now)
    }
}

/// The device's memory of bonded clients.
extension DeviceMachine {
    /// The states of bonded clients, by their identity addresses.
    package var memories: [DeviceAddress: GATTServer.ClientState] { server.memories }

    /// How often `memories` may have changed.
    package var memoryChanges: UInt64 { server.memoryChanges }

    /// Restores the memories of an earlier run, before the first client.
    package mutating func recall(_ memories: [DeviceAddress: GATTServer.ClientState]) { server.recall(memories) }

    /// A client that came as a stranger was recognised, as after a pairing.
    package mutating func identified(_ client: GATTServer.ClientID, as identity: DeviceAddress) {
        guard let session = sessions[client] else { return }
        server.clientIdentified(client, as: identity)
        server.linkChanged(client, security: session.security())
    }
}
