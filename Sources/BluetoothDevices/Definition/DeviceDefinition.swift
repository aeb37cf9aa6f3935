// SPDX-License-Identifier: MIT

public import Bluetooth
package import BluetoothProfiles
package import FirmwareUpdate

/// A device in the peripheral role as data: its advertising, its attributes and its behaviour.
///
/// A definition can be compared, written to a device file and read from one. It is independent of the radio: the same
/// definition is simulated in memory and served by a real adapter. `image(random:)` makes it ready to run.
public struct DeviceDefinition: Hashable, Sendable {
    /// The word by which users choose the device: `pulse-strap`.
    public var label: String
    /// A description of the device in a few words; may be empty.
    public var summary: String
    /// The value of Device Name in Generic Access; `nil` for the label.
    public var name: String?
    /// The value of Appearance in Generic Access; `nil` for "unknown".
    public var appearance: UInt16?
    /// The device's own address, for a radio that does not provide one.
    public var address: DeviceAddress
    /// The advertising sets.
    public var advertising: [DeviceAdvertising]
    /// The services of the device from its start.
    ///
    /// A device with services also gets Generic Access and Generic Attribute before them, unless they are among them
    /// or `hasStandardServices` is `false`.
    public var services: [DeviceService]
    /// Whether missing Generic Access and Generic Attribute services are added.
    public var hasStandardServices: Bool
    /// Further databases, which actions can put in place of the services, by name.
    public var databases: [String: [DeviceService]]
    /// The services that it offers on credit-based channels.
    public var channels: [DeviceChannel]
    /// The server by which it is updated (MCUmgr), whose service is added unless it is among the services; `nil` if it has none.
    package var updateServer: MCUmgrServer.Configuration?
    /// The boot loader of Nordic's by which it is updated (DFU), as the server of MCUmgr; `nil` if it has none.
    package var dfuServer: DFUServer.Configuration?
    /// The scheduled actions.
    public var timeline: [TimelineEntry]
    /// The limits of the device and its links.
    public var limits: DeviceLimits
    /// How it pairs where it is simulated; `nil` if it does not.
    public var pairing: DevicePairing?
    /// The strength of its signal where it is simulated.
    public var signal: DeviceSignal
    /// The faults that it shows.
    public var faults: [FaultRule]

    package var labels: [AssignedNumber] {
        services.flatMap { service in
            let characteristics = service.characteristics.map { characteristic in
                characteristic.label.map { AssignedNumber(uuid: characteristic.uuid, kind: .characteristic, name: $0) }
            }
            let own = service.label.map { AssignedNumber(uuid: service.uuid, kind: .service, name: $0) }
            return ([own] + characteristics).compactMap(\.self)
        }
    }

    /// Creates a definition; everything but the label and the address has a default.
    public init(
        label: String,
        summary: String = "",
        name: String? = nil,
        appearance: UInt16? = nil,
        address: DeviceAddress,
        advertising: [DeviceAdvertising] = [],
        services: [DeviceService] = [],
        hasStandardServices: Bool = true,
        databases: [String: [DeviceService]] = [:],
        channels: [DeviceChannel] = [],
        timeline: [TimelineEntry] = [],
        limits: DeviceLimits = DeviceLimits(),
        pairing: DevicePairing? = nil,
        signal: DeviceSignal = DeviceSignal(),
        faults: [FaultRule] = []
    ) {
        self.label = label
        self.summary = summary
        self.name = name
        self.appearance = appearance
        self.address = address
        self.advertising = advertising
        self.services = services
        self.hasStandardServices = hasStandardServices
        self.databases = databases
        self.channels = channels
        self.timeline = timeline
        self.limits = limits
        self.pairing = pairing
        self.signal = signal
        self.faults = faults
    }
}

/// The limits of a device and its links.
public struct DeviceLimits: Hashable, Sendable {
    /// The largest ATT MTU in octets, 23 to 517.
    public var maximumMTU: UInt16 = 247
    /// How many writes a client may have prepared.
    public var preparedWrites = 64
    /// How many centrals may be connected at once, at least 1; `nil` for the usual number, which is 1 for a simulated
    /// device, and that of `serve` for a served one.
    public var maximumConnections: Int?
    /// The additional time that the device takes for each answer.
    public var responseLatency = Duration.zero
    /// The time between two connection events, 7.5 ms to 4 s, for a simulated link.
    public var connectionInterval = Duration.milliseconds(30)
    /// The largest link layer payload in octets, 27 to 251, for a simulated link.
    public var dataLength = 251
    /// The link layer packets in each direction per connection event on LE 1M, at least 1, for a simulated link.
    public var packetsPerEvent = 6
    /// The PHYs of a simulated link besides LE 1M.
    public var phys: LEPHYSet = [.le1M, .le2M]
    /// The changes of a simulated link that the device refuses.
    public var refusedLinkSettings: Set<LinkRequest.Setting> = []
    /// The changes of a simulated link to which the device never answers.
    public var unansweredLinkSettings: Set<LinkRequest.Setting> = []
    /// The security that a simulated link has from its start.
    public var security = LinkSecurity.none

    /// The usual limits.
    public init() {}
}

/// The strength of a device's signal at a simulated adapter.
public struct DeviceSignal: Hashable, Sendable {
    /// How the mean strength changes.
    public enum Movement: Hashable, Sendable {
        /// Not at all; each packet fades a little.
        case still
        /// People move about: the strength wanders slowly around its mean.
        case wandering
        /// The device moves: the mean changes evenly to another strength in dBm, and back if it `returns`.
        case path(to: Int8, over: Duration, returns: Bool)
    }

    /// A time during which the device is out of range: it is not heard, and its links are lost.
    public struct Absence: Hashable, Sendable {
        /// The beginning, after the start of the device.
        public var from: Duration
        /// The end; `nil` if the device does not come back.
        public var until: Duration?
        /// The time after which it happens again; `nil` if it happens once.
        public var every: Duration?

        /// Creates an absence.
        public init(from: Duration, until: Duration? = nil, every: Duration? = nil) {
            self.from = from
            self.until = until
            self.every = every
        }
    }

    /// The mean strength of its packets at the adapter, in dBm.
    public var rssi: Int8
    /// The same at the second adapter of a machine that has two; `nil` for a strength that depends on the address.
    public var secondRSSI: Int8?
    /// How it changes.
    public var movement: Movement
    /// The times during which the device is out of range.
    public var absences: [Absence]

    /// Creates a signal.
    public init(rssi: Int8 = -60, movement: Movement = .wandering, absences: [Absence] = []) {
        self.rssi = rssi
        self.movement = movement
        self.absences = absences
    }
}
