// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// What runs on a device beside its GATT server: it owns the values that the database leaves to the application, and does
/// things as time goes by.
///
/// A value: a device starts with a copy of its own, so that two worlds never share one. All that firmware learns of time
/// and chance comes from the context, and all that it does goes through it.
public protocol DeviceFirmware: Sendable {
    /// The device was switched on.
    mutating func started(_ device: inout DeviceContext)

    /// A client reads a value that the database leaves to the application.
    mutating func read(_ request: GATTServer.ReadContext, _ device: inout DeviceContext) -> DeviceAnswer<[UInt8]>

    /// A client writes a value that the database leaves to the application.
    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void>

    /// A client has changed a value that the database keeps.
    mutating func valueWritten(_ handle: Handle, _ device: inout DeviceContext)

    /// A client has subscribed to a value, or no longer wants it.
    mutating func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    )

    /// The moment came that the firmware had asked for. While nobody is connected it may come late.
    mutating func timerFired(_ device: inout DeviceContext)
}

extension DeviceFirmware {
    /// Nothing to prepare.
    public mutating func started(_ device: inout DeviceContext) {}

    /// Refuses: a database that asks needs firmware that knows.
    public mutating func read(
        _ request: GATTServer.ReadContext,
        _ device: inout DeviceContext
    ) -> DeviceAnswer<[UInt8]> { .refuse(.unlikelyError) }

    /// Refuses: a database that asks needs firmware that knows.
    public mutating func write(
        _ request: GATTServer.WriteContext,
        _ device: inout DeviceContext
    ) -> DeviceAnswer<Void> { .refuse(.unlikelyError) }

    /// Nothing follows.
    public mutating func valueWritten(_ handle: Handle, _ device: inout DeviceContext) {}

    /// Nothing follows.
    public mutating func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    ) {}

    /// Nothing follows.
    public mutating func timerFired(_ device: inout DeviceContext) {}
}

/// The firmware of a device that does nothing beyond its database.
public struct PlainFirmware: DeviceFirmware {
    /// Nothing.
    public init() {}
}

/// How firmware answers a client.
public enum DeviceAnswer<Value: Sendable>: Sendable {
    /// By this value.
    case answer(Value)
    /// By an error.
    case refuse(ATTErrorCode)
    /// Later, by one of the context's methods that answer. The client's next requests wait so long, others' do not; should
    /// it go first, the answer is nobody's.
    case later
    /// Not at all: the client waits in vain, as it does for broken devices.
    case silence
}

extension DeviceAnswer where Value == Void {
    /// The value is taken.
    public static var accept: Self { .answer(()) }
}

/// What firmware sees of its device, and by which it acts.
public struct DeviceContext: Sendable {
    enum Effect: Sendable {
        case notify([UInt8], of: Handle)
        case setValue([UInt8], of: Handle)
        case replaceDatabase(GATTDatabase)
        case reply(Reply)
        case hangUp
    }

    /// An answer that comes after the question.
    struct Reply: Sendable {
        enum Content: Sendable {
            case value([UInt8])
            case accepted
            case refused(ATTErrorCode)
        }

        let question: GATTServer.Token
        let content: Content
        let due: Instant
    }

    /// The moment.
    public let now: Instant
    /// The question that is being asked, where one is: names it for an answer that comes later.
    public let question: GATTServer.Token?
    /// The attributes, with the values that the database keeps.
    public private(set) var database: GATTDatabase
    /// Random numbers of this device.
    public var random: SeededGenerator
    /// When `timerFired` is to be called next; never where `nil`.
    public var timer: Instant?
    private(set) var effects: [Effect] = []

    init(
        now: Instant,
        question: GATTServer.Token? = nil,
        database: GATTDatabase,
        random: SeededGenerator,
        timer: Instant?
    ) {
        self.now = now
        self.question = question
        self.database = database
        self.random = random
        self.timer = timer
    }

    /// The value handle of the first characteristic of that UUID, in a service where one is given.
    public func valueHandle(of characteristic: BluetoothUUID, in service: BluetoothUUID? = nil) -> Handle? {
        database.characteristic(characteristic, in: service)?.valueHandle
    }

    /// Sends a value to all who have subscribed to it.
    public mutating func notify(_ value: [UInt8], of handle: Handle) {
        effects.append(.notify(value, of: handle))
    }

    /// Changes a value that the database keeps.
    public mutating func setValue(_ value: [UInt8], of handle: Handle) {
        effects.append(.setValue(value, of: handle))
    }

    /// Replaces all attributes, as a firmware update does: whoever asked for it is told by Service Changed. Subscriptions
    /// stay only to characteristics that are the same in both.
    public mutating func replaceDatabase(with new: GATTDatabase) {
        database = new
        effects.append(.replaceDatabase(new))
    }

    /// Gives the value that a client had asked for, now or after a while. A question that nobody waits for any more needs no
    /// answer, and one that is answered twice gets the first.
    public mutating func answer(_ question: GATTServer.Token?, by value: [UInt8], after delay: Duration = .zero) {
        reply(question, .value(value), delay)
    }

    /// Takes the value that a client had written, now or after a while.
    public mutating func accept(_ question: GATTServer.Token?, after delay: Duration = .zero) {
        reply(question, .accepted, delay)
    }

    /// Refuses what a client had asked for or written, now or after a while.
    public mutating func refuse(_ question: GATTServer.Token?, _ code: ATTErrorCode, after delay: Duration = .zero) {
        reply(question, .refused(code), delay)
    }

    private mutating func reply(_ question: GATTServer.Token?, _ content: Reply.Content, _ delay: Duration) {
        guard let question else { return }
        effects.append(.reply(Reply(question: question, content: content, due: now + delay)))
    }

    /// Closes all links; nothing more is sent on them.
    public mutating func hangUp() { effects.append(.hangUp) }
}
