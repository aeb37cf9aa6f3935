// SPDX-License-Identifier: GPL-2.0-or-later

/// The server side of GATT for any number of clients: requests in, actions out.
///
/// A pure state machine. It knows the attributes, what each client may do with them and what each client has subscribed
/// to. Values that belong to the application are asked for by an action with a token; the answer may come at any later
/// time. A client's further requests wait until the one before them is answered, as the specification wants it, and only
/// so many of them are kept.
///
/// Spec: Core 5.4, Vol 3, Part G, 2.5, 4 and 7; Vol 3, Part F, 3.3 and 3.4
public struct GATTServer: Sendable {
    /// Names one client, as long as it is connected.
    public struct ClientID: Hashable, Comparable, Sendable {
        /// The number that whoever runs the server has given the client.
        public let rawValue: UInt32

        /// Names a client by number.
        public init(_ rawValue: UInt32) { self.rawValue = rawValue }

        /// In the order of their numbers.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// Names one question to the application.
    public struct Token: Hashable, Sendable {
        let rawValue: UInt64
    }

    /// What the server may use.
    public struct Configuration: Hashable, Sendable {
        /// The largest MTU that the server can receive.
        public var maximumMTU: UInt16 = 517
        /// How many prepared writes a client may queue.
        public var preparedWrites = 64
        /// How many octets the prepared writes of a client may hold.
        public var preparedOctets = 4096
        /// How many requests of a client wait behind one that is not answered yet.
        public var waitingRequests = 8
        /// How many indications to a client may wait for their confirmations.
        public var waitingIndications = 64

        /// The usual limits.
        public init() {}
    }

    /// A question to the application for a value.
    public struct ReadContext: Hashable, Sendable {
        /// Who asks.
        public let client: ClientID
        /// What is asked for.
        public let handle: Handle
        /// The attribute's UUID.
        public let type: BluetoothUUID
        /// From where on the client wants it. The answer is the whole value nevertheless.
        public let offset: Int
    }

    /// A value for the application.
    public struct WriteContext: Hashable, Sendable {
        /// How the client writes.
        public enum Kind: Hashable, Sendable {
            /// It waits for the answer.
            case request
            /// It expects no answer; one is ignored.
            case command
            /// It had prepared the write and waits for the answer.
            case prepared
        }

        /// Who writes.
        public let client: ClientID
        /// What is written.
        public let handle: Handle
        /// The attribute's UUID.
        public let type: BluetoothUUID
        /// Where in the value the octets go; 0 unless prepared.
        public let offset: Int
        /// The octets.
        public let value: [UInt8]
        /// How the client writes.
        public let kind: Kind
    }

    /// What is to be done now.
    public enum Action: Hashable, Sendable {
        /// Send the answer to the client's request.
        case respond(ClientID, ATTAnswer)
        /// Send a notification.
        case notify(ClientID, HandleValueNotification)
        /// Send several values in one notification.
        case notifySeveral(ClientID, MultipleHandleValueNotification)
        /// Send an indication, behind those whose confirmations are still to come.
        case indicate(ClientID, HandleValueIndication)
        /// Find the value, then call `readAnswered`.
        case read(Token, ReadContext)
        /// Take the value, then call `writeAnswered`.
        case write(Token, WriteContext)
        /// The client has changed a value that the server keeps.
        case valueWritten(ClientID, Handle)
        /// The client has subscribed to the characteristic with that value handle, or no longer wants it.
        case subscriptionChanged(ClientID, Handle, ClientConfiguration)
        /// The client has confirmed the indication of that value.
        case indicationConfirmed(ClientID, Handle)
        /// The client does not get an indication: too many wait for its confirmation, or it cannot be sent.
        case indicationDropped(ClientID, Handle)
    }

    /// What is kept of a bonded client between connections.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 2.5.2.1, 3.3.3.3 and 7.2
    public struct ClientRecord: Hashable, Sendable {
        /// What the client has subscribed to, by the handle of the descriptor.
        public internal(set) var configurations: [Handle: ClientConfiguration]
        /// The features that the client has told.
        public internal(set) var features: ClientFeatures
        /// Whether the client knows the database as it is.
        public internal(set) var isChangeAware: Bool
    }

    /// The attributes, with the values that the server keeps.
    public internal(set) var database: GATTDatabase
    /// What the server may use.
    public let configuration: Configuration
    /// What was kept of the bonded clients when they went, by their identity addresses.
    public internal(set) var records: [DeviceAddress: ClientRecord] = [:]
    var databaseHash: [UInt8]
    var clients: [ClientID: GATTServerClient] = [:]
    private var lastToken: UInt64 = 0

    /// Serves a database.
    public init(database: GATTDatabase, configuration: Configuration = Configuration()) {
        self.database = database
        self.configuration = configuration
        databaseHash = database.hash
    }

    mutating func makeToken() -> Token {
        lastToken += 1
        return Token(rawValue: lastToken)
    }

    // MARK: - Connections

    /// A client has connected.
    ///
    /// - Parameters:
    ///   - client: The number by which it is called as long as it is there.
    ///   - security: What its link has now. Where that says that there is a bond, all is as the client has left it.
    ///   - identity: Its identity address, where it has one: under that is kept what a bonded client leaves.
    public mutating func clientConnected(
        _ client: ClientID,
        security: LinkSecurity = .none,
        identity: DeviceAddress? = nil
    ) -> [Action] {
        clients[client] = GATTServerClient(identity: identity)
        linkChanged(client, mtu: 23, security: security)
        guard security.hasBond, let identity, let record = records[identity] else { return [] }
        clients[client]?.restore(record)
        let restored = record.configurations.sorted { $0.key < $1.key }.compactMap { handle, configuration in
            configuredValue(handle).map { Action.subscriptionChanged(client, $0, configuration) }
        }
        return restored + (record.isChangeAware ? [] : indicateServiceChanged(.all, to: client))
    }

    /// A client's connection is gone, and with it all that it had asked for and prepared. What it has subscribed to and
    /// knows is kept where it is bonded and its link was encrypted with the bond's key: only then is it certain who it was.
    public mutating func clientDisconnected(_ client: ClientID) -> [Action] {
        guard let state = clients.removeValue(forKey: client) else { return [] }
        if state.isProven, let identity = state.identity { records[identity] = state.record }
        return state.configurations.keys.sorted().compactMap { handle in
            configuredValue(handle).map { .subscriptionChanged(client, $0, []) }
        }
    }

    /// The MTU or the security of a client's link has changed.
    public mutating func linkChanged(_ client: ClientID, mtu: UInt16, security: LinkSecurity) {
        clients[client, default: GATTServerClient()].mtu = mtu
        clients[client]?.security = security
        if security.isEncrypted, security.hasBond { clients[client]?.isProven = true }
    }

    /// What a client has subscribed to of the characteristic with that value handle.
    public func subscription(of client: ClientID, to valueHandle: Handle) -> ClientConfiguration {
        guard let state = clients[client], let descriptor = configurationHandle(of: valueHandle) else { return [] }
        return state.configurations[descriptor] ?? []
    }

    /// Changes a value that the server keeps; whether there was one to change.
    @discardableResult
    public mutating func setValue(_ value: [UInt8], of handle: Handle) -> Bool {
        database.setValue(value, of: handle)
    }

    /// The value that the Client Characteristic Configuration descriptor of that handle is about.
    private func configuredValue(_ handle: Handle) -> Handle? {
        guard case .clientConfiguration(let value, _)? = database[handle]?.storage else { return nil }
        return value
    }

    /// The Client Characteristic Configuration descriptor of the characteristic with that value handle.
    func configurationHandle(of valueHandle: Handle) -> Handle? {
        guard let start = valueHandle.next else { return nil }
        for attribute in database.attributes(in: HandleRange(start, .last)) {
            if attribute.type == .characteristicDeclaration || attribute.declaresService { return nil }
            if case .clientConfiguration(valueHandle, _) = attribute.storage { return attribute.handle }
        }
        return nil
    }
}
