// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
import BluetoothDevices
import BluetoothHost

extension SimulatedDevice {
    /// A device that changes its database during connections, as a firmware update does. Cached knowledge is then
    /// wrong, and the device announces that by Service Changed and by its Database Hash. It has a random static
    /// address.
    ///
    /// A write to its control point selects the shape and the time: see `ShapeshifterFirmware`.
    public static func shapeshifter() throws(GATTDatabaseError) -> SimulatedDevice {
        SimulatedDevice(
            name: "shapeshifter",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xF1_5A_9E_5B_1F_7E), .random),
            rssi: -66,
            advertising: [
                DeviceAdvertising(
                    .connectable,
                    interval: .microseconds(285_000),
                    data: AdvertisingFields.flags.name("Shapeshifter").bytes,
                    scanResponse: AdvertisingFields().services(ShapeshifterUUID.control).bytes
                )
            ],
            database: try ShapeshifterFirmware.Shape.plain.database(),
            firmware: ShapeshifterFirmware(shape: .plain),
            link: Link(interval: .milliseconds(15), maximumConnections: 2)
        )
    }
}

/// The shapeshifter's UUIDs, from the workbench's range.
enum ShapeshifterUUID {
    static let control = WorkbenchUUID.numbered(0x0500)
    /// Selects a shape.
    static let controlPoint = WorkbenchUUID.numbered(0x0501)
    /// The present shape.
    static let shape = WorkbenchUUID.numbered(0x0502)

    static let level = WorkbenchUUID.numbered(0x0510)
    /// The shape and a counter of seconds.
    static let reading = WorkbenchUUID.numbered(0x0511)
    /// The name of the shape.
    static let label = WorkbenchUUID.numbered(0x0512)

    static let extra = WorkbenchUUID.numbered(0x0520)
    static let padding = WorkbenchUUID.numbered(0x0521)
}

/// Takes the shape that a client writes to the control point: one octet for the shape, and optionally one for the delay
/// in seconds. If 0x80 is added to the shape, the device restarts, and therefore disconnects, when it takes it.
///
/// The control service and those before it never move, so that a client can always write again; the readings do.
struct ShapeshifterFirmware: DeviceFirmware {
    /// The form of the database.
    enum Shape: UInt8, CaseIterable, Sendable {
        /// The initial form.
        case plain
        /// An additional service before the readings gives them other handles.
        case pushed
        /// The readings occupy the last handles, up to 0xFFFF.
        case outermost
        /// The readings are removed.
        case bare
    }

    /// A change that has been ordered.
    private struct Change: Hashable, Sendable {
        let shape: Shape
        let restarts: Bool
        let due: Instant
    }

    /// The time between the last answer and a restart.
    static let restartDelay = Duration.milliseconds(200)
    private static let restart: UInt8 = 0x80

    private var shape: Shape
    private var change: Change?
    private var seconds: UInt8 = 0
    private var nextReading: Instant?
    private var listeners: Set<GATTServer.ClientID> = []

    init(shape: Shape) { self.shape = shape }

    mutating func read(_ request: GATTServer.ReadContext, _ device: inout DeviceContext) -> DeviceAnswer<[UInt8]> {
        switch request.type {
        case ShapeshifterUUID.shape: .answer([shape.rawValue])
        case ShapeshifterUUID.reading: .answer(reading)
        default: .refuse(.unlikelyError)
        }
    }

    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
        guard (1...2).contains(request.value.count) else { return .refuse(.invalidAttributeValueLength) }
        guard let wanted = Shape(rawValue: request.value[0] & ~Self.restart) else { return .refuse(.valueNotAllowed) }
        let restarts = request.value[0] & Self.restart != 0
        let delay = Duration.seconds(request.value.count > 1 ? Int(request.value[1]) : 0)
        // The answer must be sent before a restart.
        let due = device.now + (restarts ? max(delay, Self.restartDelay) : delay)
        change = Change(shape: wanted, restarts: restarts, due: due)
        carryOutWhatIsDue(&device)
        return .accept
    }

    mutating func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    ) {
        guard handle == device.valueHandle(of: ShapeshifterUUID.reading) else { return }
        if configuration.isEmpty { listeners.remove(client) } else { listeners.insert(client) }
        if listeners.isEmpty {
            nextReading = nil
        } else if nextReading == nil {
            nextReading = device.now + .seconds(1)
        }
        setTimer(&device)
    }

    mutating func timerFired(_ device: inout DeviceContext) {
        if let moment = nextReading, moment <= device.now {
            seconds &+= 1
            if let handle = device.valueHandle(of: ShapeshifterUUID.reading) { device.notify(reading, of: handle) }
            nextReading = moment + .seconds(1)
        }
        carryOutWhatIsDue(&device)
    }

    private var reading: [UInt8] { [shape.rawValue, seconds] }

    private mutating func carryOutWhatIsDue(_ device: inout DeviceContext) {
        defer { setTimer(&device) }
        guard let due = change, due.due <= device.now else { return }
        change = nil
        // A device that restarts sends nothing more; bonded clients get Service Changed when they return.
        if due.restarts { device.hangUp() }
        if due.shape != shape, let database = try? due.shape.database() {
            shape = due.shape
            // Clients must subscribe again, because the descriptor has another handle.
            listeners = []
            nextReading = nil
            device.replaceDatabase(with: database)
            if let handle = device.valueHandle(of: ShapeshifterUUID.shape) {
                device.notify([shape.rawValue], of: handle)
            }
        }
    }

    private func setTimer(_ device: inout DeviceContext) {
        device.timer = [nextReading, change?.due].compactMap { $0 }.min()
    }
}

extension ShapeshifterFirmware.Shape {
    /// The database of the shape.
    func database() throws(GATTDatabaseError) -> GATTDatabase {
        try GATTDatabase(services: [.genericAccess(name: "Shapeshifter"), .genericAttribute(), Self.control] + moving)
    }

    private var moving: [ServiceDefinition] {
        switch self {
        case .plain: [level(at: nil)]
        case .pushed: [Self.extra, level(at: nil)]
        case .outermost: [level(at: 0xFFF9)]
        case .bare: []
        }
    }

    private static let control = ServiceDefinition(
        ShapeshifterUUID.control,
        characteristics: [
            CharacteristicDefinition(ShapeshifterUUID.controlPoint, .write, value: .handler(maximumLength: 2)),
            CharacteristicDefinition(ShapeshifterUUID.shape, [.read, .notify], value: .handler(maximumLength: 1)),
        ]
    )

    /// Enough attributes to give the readings' old handles another meaning.
    private static let extra = ServiceDefinition(
        ShapeshifterUUID.extra,
        characteristics: [
            CharacteristicDefinition(
                ShapeshifterUUID.padding,
                [.read, .write, .notify],
                value: .variable(Array("padding".utf8))
            )
        ]
    )

    /// The readings. The last attribute is the value of a characteristic: at 0xFFFF if the service begins at 0xFFF9.
    private func level(at handle: Handle?) -> ServiceDefinition {
        ServiceDefinition(
            ShapeshifterUUID.level,
            characteristics: [
                CharacteristicDefinition(
                    ShapeshifterUUID.reading,
                    [.read, .notify],
                    value: .handler(maximumLength: 2),
                    descriptors: [.clientConfiguration(), .userDescription("shape, seconds")]
                ),
                CharacteristicDefinition(
                    ShapeshifterUUID.label,
                    .read,
                    value: .fixed(Array("\(self)".utf8))
                ),
            ],
            handle: handle
        )
    }
}
