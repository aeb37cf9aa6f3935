// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothDevices

/// A device of the simulated world: its definition and its signal.
public struct SimulatedDevice: Sendable {
    /// The properties of the device's links.
    public struct Link: Hashable, Sendable {
        /// The time between two connection events, at least 7.5 ms.
        public var interval: Duration
        /// The largest link layer payload in octets: 27, or up to 251 with data length extension.
        public var dataLength: Int
        /// The number of link layer packets in each direction per connection event on LE 1M, at least 1.
        public var packetsPerEvent: Int
        /// The largest ATT MTU in octets, at least 23.
        public var maximumMTU: UInt16
        /// The PHYs that the device supports on a link; LE 1M is always included.
        public var phys: LEPHYSet
        /// The number of simultaneous connections that the device accepts, at least 1.
        public var maximumConnections: Int
        /// The changes of a link that the device refuses.
        public var refusedSettings: Set<LinkRequest.Setting> = []
        /// The changes of a link to which the device never answers.
        public var unansweredSettings: Set<LinkRequest.Setting> = []
        /// The security of a link from its start. With a bond, the device remembers its clients.
        public var security: LinkSecurity

        /// Creates properties; values out of range are replaced by the nearest possible ones.
        public init(
            interval: Duration = .milliseconds(30),
            dataLength: Int = 251,
            packetsPerEvent: Int = 6,
            maximumMTU: UInt16 = 247,
            phys: LEPHYSet = [.le1M, .le2M],
            maximumConnections: Int = 1,
            security: LinkSecurity = .none
        ) {
            self.interval = max(interval, .microseconds(7_500))
            self.dataLength = min(max(dataLength, 27), 251)
            self.packetsPerEvent = max(packetsPerEvent, 1)
            self.maximumMTU = max(maximumMTU, 23)
            self.phys = phys.union(.le1M)
            self.maximumConnections = max(maximumConnections, 1)
            self.security = security
        }

        /// The properties that a definition states.
        public init(_ limits: DeviceLimits) {
            self.init(
                interval: limits.connectionInterval,
                dataLength: limits.dataLength,
                packetsPerEvent: limits.packetsPerEvent,
                maximumMTU: limits.maximumMTU,
                phys: limits.phys,
                maximumConnections: limits.maximumConnections ?? 1,
                security: limits.security
            )
            refusedSettings = limits.refusedLinkSettings
            unansweredSettings = limits.unansweredLinkSettings
        }
    }

    /// The device without a radio, apart from its random numbers, which the world gives it.
    private var image: DeviceImage
    /// Its signal at the adapters.
    public var signal: DeviceSignal
    /// The properties of its links.
    public var link: Link {
        // The server in the image answers requests for an MTU, and knows nothing of the link.
        didSet { image.maximumMTU = link.maximumMTU }
    }

    /// The services that it offers on credit-based channels.
    public var channels: [DeviceChannel] {
        get { image.channels }
        set { image.channels = newValue }
    }

    /// How it pairs; `nil` if it does not. Its links then have the security that their properties state.
    public var pairing: DevicePairing?

    /// A device of a definition.
    public init(_ definition: DeviceDefinition) throws(DeviceDefinitionError) {
        image = try definition.image()
        signal = definition.signal
        pairing = definition.pairing
        link = Link(definition.limits)
    }

    /// Creates a device with firmware in Swift; by default a beacon without attributes and without faults.
    public init(
        name: String,
        address: DeviceAddress,
        rssi: Int8,
        advertising: [DeviceAdvertising],
        database: GATTDatabase = .empty,
        firmware: any DeviceFirmware = PlainFirmware(),
        link: Link = Link(),
        pairing: DevicePairing? = nil,
        faults: [FaultRule] = []
    ) {
        image = DeviceImage(
            name: name,
            address: address,
            advertising: advertising,
            database: database,
            firmware: firmware,
            maximumMTU: link.maximumMTU,
            faults: faults
        )
        signal = DeviceSignal(rssi: rssi)
        self.pairing = pairing
        self.link = link
    }

    /// The name by which users refer to the device: `pulse-strap`.
    public var name: String {
        get { image.name }
        set { image.name = newValue }
    }

    /// The address in its advertisements; if it has private addresses, its identity address.
    public var address: DeviceAddress {
        get { image.address }
        set { image.address = newValue }
    }

    /// The address that it has on the air a time after the start of the world.
    public func address(after elapsed: Duration) -> DeviceAddress {
        guard let life = pairing?.addressLife else { return address }
        return SimulatedKeys.privateAddress(of: address, life: life, after: elapsed)
    }

    /// The advertising sets.
    public var advertising: [DeviceAdvertising] {
        get { image.advertising }
        set { image.advertising = newValue }
    }

    /// The attributes that it serves at its start; empty for beacons.
    public var database: GATTDatabase {
        get { image.database }
        set { image.database = newValue }
    }

    /// The behaviour beyond the database.
    public var firmware: any DeviceFirmware {
        get { image.firmware }
        set { image.firmware = newValue }
    }

    /// The faults that it shows.
    public var faults: [FaultRule] {
        get { image.faults }
        set { image.faults = newValue }
    }

    /// The name that the device advertises; `nil` for none.
    public var advertisedName: String? { image.advertisedName }

    /// Whether any set accepts connections.
    public var isConnectable: Bool { image.isConnectable }

    /// The part that is independent of the radio: everything except the signal and the links.
    public func definition(random: SeededGenerator) -> DeviceImage {
        var image = image
        image.random = random
        return image
    }

    /// The part that is independent of the radio, with its own random numbers: devices with the same seed get different
    /// ones, because their addresses differ.
    public func definition(seed: UInt64) -> DeviceImage {
        definition(random: SeededGenerator(seed: seed, stream: address.address.rawValue))
    }
}

extension SimulatedDevice {
    /// Why a built-in device cannot be simulated. It does not happen, because tests read them all.
    public enum BuiltInError: Error, Hashable, Sendable {
        /// There is no device with that label.
        case unknown(String)
        /// The file has faults.
        case file(DeviceFileErrors)
        /// The device cannot run.
        case definition(DeviceDefinitionError)
    }

    /// The devices of `--simulate` and `serve`, which differ as real ones do.
    public static func builtIn() throws(BuiltInError) -> [SimulatedDevice] {
        var devices: [SimulatedDevice] = []
        for device in BuiltInDevice.all { devices.append(try SimulatedDevice(device)) }
        return devices
    }

    /// The built-in devices that are not among the others, because they are for one purpose.
    public static func builtInApart() throws(BuiltInError) -> [SimulatedDevice] {
        var devices: [SimulatedDevice] = []
        for device in BuiltInDevice.apart { devices.append(try SimulatedDevice(device)) }
        return devices
    }

    /// The built-in device with that label.
    public static func builtIn(_ label: String) throws(BuiltInError) -> SimulatedDevice {
        guard let device = BuiltInDevice.named(label) else { throw .unknown(label) }
        return try SimulatedDevice(device)
    }

    private init(_ device: BuiltInDevice) throws(BuiltInError) {
        let definition: DeviceDefinition
        do { definition = try device.definition() } catch { throw .file(error) }
        do { self = try SimulatedDevice(definition) } catch { throw .definition(error) }
    }
}
