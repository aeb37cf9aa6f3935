// SPDX-License-Identifier: MIT

/// The server side of GATT for any number of clients: requests in, actions out.
///
/// A pure state machine. It holds the attributes, the access rights and subscriptions of each client. For a value of
/// the application it returns an action with a token; the answer may come at any later time. Further requests of the
/// client wait until the previous one is answered, as the specification demands, and their number is limited.
///
/// Spec: Core 5.4, Vol 3, Part G, 2.5, 4 and 7; Vol 3, Part F, 3.3 and 3.4
public struct GATTServer: Sendable {
    /// Identifies a client while it is connected.
    public struct ClientID: Hashable, Comparable, Sendable {
        /// The number that the caller has assigned to the client.
        public let rawValue: UInt32

        /// Wraps the number that the caller has assigned.
        public init(_ rawValue: UInt32) { self.rawValue = rawValue }

        /// Compares the numbers, so that actions for several clients have a fixed order.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// Identifies a bearer of a connected client, which has its own MTU, and its own sequence of requests and answers.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.2.11
    public struct BearerID: Hashable, Comparable, Sendable {
        /// The client.
        public let client: ClientID
        /// The number that the caller has assigned to the bearer: 0 for the channel of every link.
        public let number: UInt8

        /// Names a bearer; without a number, the one that every link has.
        public init(_ client: ClientID, _ number: UInt8 = 0) {
            self.client = client
            self.number = number
        }

        /// Compares the clients, then the numbers.
        public static func < (left: Self, right: Self) -> Bool {
            (left.client, left.number) < (right.client, right.number)
        }
    }

    /// Identifies one question to the application.
    public struct Token: Hashable, Sendable {
        let rawValue: UInt64
    }

    /// The server's limits.
    public struct Configuration: Hashable, Sendable {
        /// The largest MTU that the server can receive, in octets. With 517, a Prepare Write can carry the longest
        /// value.
        public var maximumMTU: UInt16 = 517
        /// The maximum number of writes in a client's queue. Without limits, a client that prepares and never executes
        /// would fill the memory.
        public var preparedWrites = 64
        /// The maximum number of octets in a client's queue: eight of the longest values.
        public var preparedOctets = 4096
        /// The maximum number of requests that wait for an unanswered one on their bearer. A client that keeps to the
        /// rules sends none of them, so a small number suffices.
        public var waitingRequests = 8
        /// The maximum number of indications that wait for a client's confirmations. Only one can be outstanding, so
        /// the others wait as long as the client does not confirm.
        public var waitingIndications = 64

        /// The default limits.
        public init() {}
    }

    /// A question to the application for a value.
    public struct ReadContext: Hashable, Sendable {
        /// The client that reads.
        public let client: ClientID
        /// The handle of the attribute.
        public let handle: Handle
        /// The attribute's UUID.
        public let type: BluetoothUUID
        /// The offset in octets at which the client reads. The answer is the whole value nevertheless. A client that
        /// goes on to read an answered value at once gets the rest of it without a further question.
        public let offset: Int
    }

    /// A write for the application.
    public struct WriteContext: Hashable, Sendable {
        /// The kind of write.
        public enum Kind: Hashable, Sendable {
            /// The client waits for the response.
            case request
            /// There is no response; an error is ignored.
            case command
            /// A prepared write that is executed now; the client waits for the response.
            case prepared
        }

        /// The client that writes.
        public let client: ClientID
        /// The handle of the attribute.
        public let handle: Handle
        /// The attribute's UUID.
        public let type: BluetoothUUID
        /// The position of the octets in the value; 0 unless prepared.
        public let offset: Int
        /// The octets to write.
        public let value: [UInt8]
        /// Whether the client waits for a response, and whether it has prepared the write.
        public let kind: Kind
    }

    /// An effect that the caller must carry out.
    public enum Action: Hashable, Sendable {
        /// Send the answer to the request, over its bearer.
        case respond(BearerID, ATTAnswer)
        /// Send a notification.
        case notify(ClientID, HandleValueNotification)
        /// Send several values in one notification.
        case notifySeveral(ClientID, MultipleHandleValueNotification)
        /// Send an indication after the ones that wait for their confirmations.
        case indicate(ClientID, HandleValueIndication)
        /// Determine the value, then call `readAnswered`.
        case read(Token, ReadContext)
        /// Store the value, then call `writeAnswered`.
        case write(Token, WriteContext)
        /// The client has changed a value that the server stores.
        case valueWritten(ClientID, Handle)
        /// The client has subscribed to the value with that handle, or has unsubscribed from it.
        case subscriptionChanged(ClientID, Handle, ClientConfiguration)
        /// The client has confirmed the indication of that value.
        case indicationConfirmed(ClientID, Handle)
        /// An indication was dropped: too many wait for their confirmations, or it cannot be sent.
        case indicationDropped(ClientID, Handle)
    }

    /// The state of a bonded client that survives a disconnection.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 2.5.2.1, 3.3.3.3 and 7.2
    public struct ClientRecord: Hashable, Sendable {
        /// The client's subscriptions by the handle of the descriptor.
        public internal(set) var configurations: [Handle: ClientConfiguration]
        /// The features that the client has announced.
        public internal(set) var features: ClientFeatures
        /// Whether the client knows the current database.
        public internal(set) var isChangeAware: Bool
    }

    /// The attributes, including the values that the server stores.
    public internal(set) var database: GATTDatabase
    /// The server's limits.
    public let configuration: Configuration
    /// The states of bonded clients at their last disconnection, by identity address.
    public internal(set) var records: [DeviceAddress: ClientRecord] = [:]
    /// The number of possible changes to `memories` so far. The owner stores them when it differs from the last one
    /// that it has seen.
    package internal(set) var memoryChanges: UInt64 = 0
    var databaseHash: LazyDatabaseHash
    var clients: [ClientID: GATTServerClient] = [:]
    var bearers: [BearerID: GATTServerBearer] = [:]
    private var lastToken: UInt64 = 0

    /// Creates a server without clients.
    public init(database: GATTDatabase, configuration: Configuration = Configuration()) {
        self.database = database
        self.configuration = configuration
        databaseHash = LazyDatabaseHash(of: database)
    }

    mutating func makeToken() -> Token {
        lastToken += 1
        return Token(rawValue: lastToken)
    }

    // MARK: - Connections

    /// A client has connected.
    ///
    /// - Parameters:
    ///   - client: The client's identifier for the duration of the connection.
    ///   - security: The present security of the link. With a bond, the client's earlier state is restored.
    ///   - identity: The client's identity address if known. The state of a bonded client is stored under it.
    public mutating func clientConnected(
        _ client: ClientID,
        security: LinkSecurity = .none,
        identity: DeviceAddress? = nil
    ) -> [Action] {
        clients[client] = GATTServerClient(identity: identity)
        bearers[BearerID(client)] = GATTServerBearer()
        linkChanged(client, security: security)
        // Without a bond, a record of the same address may be another client's.
        guard security.hasBond, let identity, let record = record(of: identity, besides: client) else { return [] }
        clients[client]?.restore(record)
        let restored = record.configurations.sorted { $0.key < $1.key }.compactMap { handle, configuration in
            configuredValue(handle).map { Action.subscriptionChanged(client, $0, configuration) }
        }
        // The ranges that changed while the client was away are not kept, so that all handles are announced.
        return restored + (record.isChangeAware ? [] : indicateServiceChanged(.all, to: client))
    }

    /// What is kept of a bonded client. It may be back before the owner has worked through its last connection.
    private func record(of identity: DeviceAddress, besides client: ClientID) -> ClientRecord? {
        let present = clients.filter { $0.key != client && $0.value.isProven && $0.value.identity == identity }
        return present.max { $0.key < $1.key }?.value.record ?? records[identity]
    }

    /// A client has disconnected; its requests and prepared writes are dropped. Subscriptions and awareness are kept if
    /// it is bonded and the link was encrypted with the bond's key, because nothing else proves the client's identity.
    public mutating func clientDisconnected(_ client: ClientID) -> [Action] {
        bearers = bearers.filter { $0.key.client != client }
        guard let state = clients.removeValue(forKey: client) else { return [] }
        // A client that never encrypted its link has not proved that it is the one of the bond.
        if state.isProven, let identity = state.identity { records[identity] = state.record }
        // The firmware must learn that the client no longer listens.
        return state.configurations.keys.sorted().compactMap { handle in
            configuredValue(handle).map { .subscriptionChanged(client, $0, []) }
        }
    }

    /// A bearer was opened, or its MTU has changed by an exchange that it has answered. Values that are sent without a
    /// request are cut to the largest one of the client.
    package mutating func mtuChanged(_ bearer: BearerID, to mtu: UInt16) {
        // Lengths are computed by subtraction from the MTU, and a negative one would trap.
        bearers[bearer, default: GATTServerBearer()].mtu = max(mtu, ATTBearer.minimumMTU)
    }

    /// A bearer has ended, and the link has not. Its requests are dropped. A change of the database that could not be
    /// indicated over it is indicated again.
    package mutating func bearerClosed(_ bearer: BearerID) -> [Action] {
        bearers[bearer] = nil
        return indicatePendingChange(to: bearer.client)
    }

    /// The security of a client's link has changed.
    public mutating func linkChanged(_ client: ClientID, security: LinkSecurity) {
        clients[client, default: GATTServerClient()].security = security
        // Only an encrypted link proves that the client has the key of the bond.
        guard security.isEncrypted, security.hasBond, clients[client]?.isProven == false else { return }
        clients[client]?.isProven = true
        memoryChanges &+= 1
    }

    /// A client's subscription to the characteristic with that value handle.
    public func subscription(of client: ClientID, to valueHandle: Handle) -> ClientConfiguration {
        guard let state = clients[client], let descriptor = configurationHandle(of: valueHandle) else { return [] }
        return state.configurations[descriptor] ?? []
    }

    /// Changes a value that the database holds. Returns `false` if it holds none at the handle, or the new one is too
    /// long.
    @discardableResult
    public mutating func setValue(_ value: [UInt8], of handle: Handle) -> Bool {
        database.setValue(value, of: handle)
    }

    /// The value handle that belongs to a Client Characteristic Configuration descriptor; `nil` for other handles.
    private func configuredValue(_ handle: Handle) -> Handle? {
        guard case .clientConfiguration(let value, _)? = database[handle]?.storage else { return nil }
        return value
    }

    /// The handle of the Client Characteristic Configuration descriptor that belongs to a value handle.
    func configurationHandle(of valueHandle: Handle) -> Handle? {
        // The value at the last handle has no room for descriptors.
        guard let start = valueHandle.next else { return nil }
        for attribute in database.attributes(in: HandleRange(start, .last)) {
            if attribute.type == .characteristicDeclaration || attribute.declaresService { return nil }
            if case .clientConfiguration(valueHandle, _) = attribute.storage { return attribute.handle }
        }
        return nil
    }
}
