// SPDX-License-Identifier: MIT

public import Bluetooth

/// The program of a device beside its GATT server. It owns the values that the database leaves to the application, and
/// acts on timers.
///
/// Firmware is a value: each device starts with its own copy, so that two worlds never share one. It gets time and
/// random numbers only from the context and acts only through it, so that a simulation is reproducible.
public protocol DeviceFirmware: Sendable {
    /// The device has been switched on.
    mutating func started(_ device: inout DeviceContext)

    /// A client has connected.
    mutating func connected(_ client: GATTServer.ClientID, _ device: inout DeviceContext)

    /// A client has disconnected.
    mutating func disconnected(_ client: GATTServer.ClientID, _ device: inout DeviceContext)

    /// A client reads a value of the application.
    mutating func read(_ request: GATTServer.ReadContext, _ device: inout DeviceContext) -> DeviceAnswer<[UInt8]>

    /// A client writes a value of the application.
    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void>

    /// A client has changed a value that the database holds.
    mutating func valueWritten(_ handle: Handle, _ device: inout DeviceContext)

    /// A client has subscribed to a value, or has unsubscribed.
    mutating func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    )

    /// The program beside the device has answered a question of the firmware.
    mutating func answered(_ question: GATTServer.Token, _ answer: HookAnswer, _ device: inout DeviceContext)

    /// Whether the firmware answers for the value at a handle, also if the database could hold it.
    func answers(for handle: Handle) -> Bool

    /// The requested moment has come. Without a connection the call may come late.
    mutating func timerFired(_ device: inout DeviceContext)

    /// The names of the databases that the device can have besides the one of its start, in alphabetical order.
    var databaseNames: [String] { get }

    /// Puts the database of that name in place of the present one; `nil` for that of the start. Returns `false` if
    /// there is none.
    mutating func switchDatabase(to name: String?, _ device: inout DeviceContext) -> Bool
}

extension DeviceFirmware {
    /// Does nothing.
    public mutating func started(_ device: inout DeviceContext) {}

    /// Does nothing.
    public mutating func connected(_ client: GATTServer.ClientID, _ device: inout DeviceContext) {}

    /// Does nothing.
    public mutating func disconnected(_ client: GATTServer.ClientID, _ device: inout DeviceContext) {}

    /// Refuses with Unlikely Error: a database with values of the application needs firmware for them.
    public mutating func read(
        _ request: GATTServer.ReadContext,
        _ device: inout DeviceContext
    ) -> DeviceAnswer<[UInt8]> { .refuse(.unlikelyError) }

    /// Refuses with Unlikely Error: a database with values of the application needs firmware for them.
    public mutating func write(
        _ request: GATTServer.WriteContext,
        _ device: inout DeviceContext
    ) -> DeviceAnswer<Void> { .refuse(.unlikelyError) }

    /// Does nothing.
    public mutating func valueWritten(_ handle: Handle, _ device: inout DeviceContext) {}

    /// Does nothing.
    public mutating func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    ) {}

    /// Does nothing: most firmware has no program beside the device to ask.
    public mutating func answered(
        _ question: GATTServer.Token,
        _ answer: HookAnswer,
        _ device: inout DeviceContext
    ) {}

    /// `false`: the database holds all values.
    public func answers(for handle: Handle) -> Bool { false }

    /// Does nothing.
    public mutating func timerFired(_ device: inout DeviceContext) {}

    /// None.
    public var databaseNames: [String] { [] }

    /// Knows none.
    public mutating func switchDatabase(to name: String?, _ device: inout DeviceContext) -> Bool { false }
}

/// The firmware of a device that only serves its database.
public struct PlainFirmware: DeviceFirmware {
    /// Creates firmware without state.
    public init() {}
}

/// The firmware's answer to a client.
public enum DeviceAnswer<Value: Sendable>: Sendable {
    /// Succeeds with this value.
    case answer(Value)
    /// Fails with this error.
    case refuse(ATTErrorCode)
    /// The answer comes later, through one of the context's methods. Until then this client's next requests wait, but
    /// not those of others. If the client disconnects first, the answer is dropped.
    case later
    /// There is no answer: the client runs into its timeout, as with a broken device.
    case silence
}

extension DeviceAnswer where Value == Void {
    /// Accepts the written value.
    public static var accept: Self { .answer(()) }
}

/// The firmware's view of its device, and its means to act.
public struct DeviceContext: Sendable {
    /// An action of the firmware during one call. The machine carries the actions out afterwards, in order.
    enum Effect: Sendable {
        /// Send a value to the subscribed clients.
        case notify([UInt8], of: Handle)
        /// Send octets to the subscribed clients in as many values as their links need.
        case notifyInParts([UInt8], of: Handle)
        case setValue([UInt8], of: Handle)
        case replaceDatabase(GATTDatabase)
        /// Answer a question that was left open.
        case reply(Reply)
        /// End all links.
        case hangUp
        /// Go out of range for a time.
        case leave(Duration)
        /// Be another device on the air.
        case appear(DeviceGuise)
        case setConnectable(Bool)
        /// Ask the program beside the device.
        case ask(HookQuestion)
    }

    /// An answer that comes later than the question.
    struct Reply: Sendable {
        enum Content: Sendable {
            case value([UInt8])
            /// The success of a write.
            case accepted
            case refused(ATTErrorCode)
        }

        let question: GATTServer.Token
        let content: Content
        let due: Instant
    }

    /// The present moment.
    public let now: Instant
    /// The question that is being asked, so that it can be answered later; `nil` if there is none.
    public let question: GATTServer.Token?
    /// The attributes, with the values that the database holds.
    public private(set) var database: GATTDatabase
    /// The device's random numbers.
    public var random: SeededGenerator
    /// The moment of the next call of `timerFired`; `nil` for none.
    public var timer: Instant?
    /// The moment at which `timerFired` is called even if no client is connected, because the radio has to do
    /// something; not before `timer`. `nil` for none.
    public var radioTimer: Instant?
    private(set) var effects: [Effect] = []

    /// A view for one call of the firmware.
    init(
        now: Instant,
        question: GATTServer.Token? = nil,
        database: GATTDatabase,
        random: SeededGenerator,
        timer: Instant?,
        radioTimer: Instant? = nil
    ) {
        self.now = now
        self.question = question
        self.database = database
        self.random = random
        self.timer = timer
        self.radioTimer = radioTimer
    }

    /// The value handle of the first characteristic of that UUID, in all services or in those of a UUID.
    public func valueHandle(of characteristic: BluetoothUUID, in service: BluetoothUUID? = nil) -> Handle? {
        database.characteristic(characteristic, in: service)?.valueHandle
    }

    /// Sends a value to all subscribed clients.
    public mutating func notify(_ value: [UInt8], of handle: Handle) {
        effects.append(.notify(value, of: handle))
    }

    /// Sends octets to all subscribed clients, in as many values as the smallest MTU among their links demands.
    mutating func notifyInParts(_ octets: [UInt8], of handle: Handle) {
        effects.append(.notifyInParts(octets, of: handle))
    }

    /// Changes a value that the database holds.
    public mutating func setValue(_ value: [UInt8], of handle: Handle) {
        effects.append(.setValue(value, of: handle))
    }

    /// Replaces all attributes, as a firmware update does. Subscribed clients get Service Changed. Other subscriptions
    /// survive only to characteristics that are the same in both databases.
    public mutating func replaceDatabase(with new: GATTDatabase) {
        // Later steps of the same call already look up handles in the new database.
        database = new
        effects.append(.replaceDatabase(new))
    }

    /// Provides the value that a client has asked for, after a delay. The answer is dropped if the client has gone, or
    /// if the question has been answered already.
    public mutating func answer(_ question: GATTServer.Token?, by value: [UInt8], after delay: Duration = .zero) {
        reply(question, .value(value), delay)
    }

    /// Accepts the value that a client has written, after a delay.
    public mutating func accept(_ question: GATTServer.Token?, after delay: Duration = .zero) {
        reply(question, .accepted, delay)
    }

    /// Refuses a read or a write of a client, after a delay.
    public mutating func refuse(_ question: GATTServer.Token?, _ code: ATTErrorCode, after delay: Duration = .zero) {
        reply(question, .refused(code), delay)
    }

    /// Orders an answer. Without a question no answer is needed.
    private mutating func reply(_ question: GATTServer.Token?, _ content: Reply.Content, _ delay: Duration) {
        guard let question else { return }
        effects.append(.reply(Reply(question: question, content: content, due: now + delay)))
    }

    /// Asks the program beside the device. Its answer comes with `answered`.
    mutating func ask(_ question: HookQuestion) { effects.append(.ask(question)) }

    /// Removes changes of values that somebody else carries out.
    ///
    /// - Parameters:
    ///   - first: The number of effects that stay as they are.
    ///   - take: Whether the change of a value is carried out.
    mutating func takeValues(from first: Int, _ take: (Handle, [UInt8]) -> Bool) {
        let new = effects[first...].filter { effect in
            if case .setValue(let value, let handle) = effect { !take(handle, value) } else { true }
        }
        effects.replaceSubrange(first..., with: new)
    }

    /// Replaces values that are to be sent. Those that `value` sends itself stay as they are.
    ///
    /// - Parameters:
    ///   - first: The number of effects that stay as they are.
    ///   - value: The new value for a handle; `nil` to leave the value.
    mutating func replaceNotifications(from first: Int, by value: (Handle, inout DeviceContext) -> [UInt8]?) {
        for index in effects.indices.dropFirst(first) {
            guard case .notify(_, let handle) = effects[index], let value = value(handle, &self) else { continue }
            effects[index] = .notify(value, of: handle)
        }
    }

    var hasReplacedDatabase: Bool {
        effects.contains { if case .replaceDatabase = $0 { true } else { false } }
    }

    /// Changes the databases that were put in place in this call.
    mutating func mapDatabase(_ transform: (GATTDatabase) -> GATTDatabase) {
        database = transform(database)
        effects = effects.map { effect in
            if case .replaceDatabase(let new) = effect { .replaceDatabase(transform(new)) } else { effect }
        }
    }

    /// Closes all links. Nothing more is sent on them.
    public mutating func hangUp() { effects.append(.hangUp) }

    /// Goes out of range for a time: all links are lost, and nothing is advertised.
    public mutating func leave(for time: Duration) { effects.append(.leave(time)) }

    /// Has another address and other advertisements from now on.
    mutating func appear(as guise: DeviceGuise) { effects.append(.appear(guise)) }

    /// Accepts connections, or no more of them.
    public mutating func setConnectable(_ isConnectable: Bool) { effects.append(.setConnectable(isConnectable)) }
}

/// Firmware that keeps the values of its characteristics itself, so that it alone knows what a part of a value makes of
/// the whole one.
protocol ValueKeepingFirmware: DeviceFirmware {
    /// The whole value that a write would make. The failure is the error that the write would get for its offset or its
    /// length.
    func whole(_ request: GATTServer.WriteContext, _ device: DeviceContext) -> Result<[UInt8], ATTRefusal>
}
