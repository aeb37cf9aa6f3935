// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothDevices

/// A wish to the process that keeps a simulated world alive.
public enum WorldRequest: Hashable, Sendable {
    /// An attribute of a device.
    public enum Target: Hashable, Sendable {
        /// The value of a characteristic, in a given service or in any.
        case characteristic(BluetoothUUID, service: BluetoothUUID?)
        /// A descriptor under a characteristic.
        case descriptor(BluetoothUUID, characteristic: BluetoothUUID, service: BluetoothUUID?)
        /// The attribute with that handle.
        case handle(Handle)
    }

    /// A change of a device's signal.
    public enum Signal: Hashable, Sendable {
        /// The mean strength at the adapters, in dBm.
        case strength(Int8)
        /// Out of range: scanners do not receive it, and its links are lost.
        case outOfRange
        /// In range again.
        case inRange
    }

    /// List the devices and the adapters.
    case list
    /// Change a value, and send it to those that have subscribed.
    case set([UInt8], of: Target, on: String)
    /// End the links of a device.
    case disconnect(String)
    /// Let a device accept connections, or none.
    case connectable(String, Bool)
    /// Change the signal of a device.
    case signal(String, Signal)
    /// Power the adapters on or off.
    case power(Bool)
    /// Hold the answers of a device back.
    case pause(String)
    /// Send the answers that were held back, and hold no more back.
    case release(String)
    /// Put one of a device's databases in place of the present one; `nil` for that of its start.
    case database(String, name: String?)
    /// Add a fault to the device that it names, or else to all.
    case addFault(FaultText)
    /// List the faults of a device; `nil` for all devices.
    case faults(of: String?)
    /// Take the last fault of a device away that is equal, or all of its faults; `nil` as the device for all devices.
    case removeFaults(FaultRule?, of: String?)
    /// End the world.
    case stop

    /// The device that the request is about; `nil` if it is about the whole world.
    public var device: String? {
        switch self {
        case .list, .power, .stop: nil
        case .addFault(let fault): fault.device
        case .faults(let device), .removeFaults(_, let device): device
        case .set(_, _, let device), .disconnect(let device), .connectable(let device, _), .signal(let device, _),
            .pause(let device), .release(let device), .database(let device, _):
            device
        }
    }
}

/// An answer to a `WorldRequest`. A list is an answer for each device and each adapter, and then `done`.
public enum WorldAnswer: Hashable, Sendable {
    /// A device.
    case device(WorldDevice)
    /// An adapter.
    case adapter(WorldAdapter)
    /// A fault of a device.
    case fault(WorldFault)
    /// The request was carried out. This is the last packet.
    case done
    /// The request failed without effect. This is the last packet.
    case failed(WorldProblem)
}

/// A device of a running world.
public struct WorldDevice: Hashable, Sendable {
    /// The name by which users refer to it: `pulse-strap`.
    public var name: String
    /// The name in its advertisements; `nil` if there is none.
    public var advertisedName: String?
    /// The address in its advertisements.
    public var address: DeviceAddress
    /// Whether it accepts connections, if it has room.
    public var isConnectable: Bool
    /// Whether it is in range.
    public var isInRange: Bool
    /// Whether its answers are held back.
    public var isPaused: Bool
    /// The mean strength of its signal now, in dBm.
    public var rssi: Int8
    /// The number of its links.
    public var connections: Int
    /// The number of requests and commands that it has served.
    public var requests: Int

    /// Creates a description.
    public init(
        name: String,
        advertisedName: String?,
        address: DeviceAddress,
        isConnectable: Bool,
        isInRange: Bool,
        isPaused: Bool,
        rssi: Int8,
        connections: Int,
        requests: Int
    ) {
        self.name = name
        self.advertisedName = advertisedName
        self.address = address
        self.isConnectable = isConnectable
        self.isInRange = isInRange
        self.isPaused = isPaused
        self.rssi = rssi
        self.connections = connections
        self.requests = requests
    }
}

/// An adapter in a running world.
public struct WorldAdapter: Hashable, Sendable {
    /// Its public address.
    public var address: BluetoothAddress
    /// Whether it can be used.
    public var isPowered: Bool
    /// Whether it scans.
    public var isScanning: Bool
    /// Whether it advertises connectably.
    public var isAdvertising: Bool
    /// The number of its links.
    public var connections: Int

    /// Creates a description.
    public init(
        address: BluetoothAddress,
        isPowered: Bool,
        isScanning: Bool,
        isAdvertising: Bool,
        connections: Int
    ) {
        self.address = address
        self.isPowered = isPowered
        self.isScanning = isScanning
        self.isAdvertising = isAdvertising
        self.connections = connections
    }
}

/// A fault of a device in a running world.
public struct WorldFault: Hashable, Sendable {
    /// The name of the device: `pulse-strap`.
    public var device: String
    /// What goes wrong, and when.
    public var rule: FaultRule
    /// Whether any event has met it.
    public var hasActed: Bool

    /// Creates a description.
    public init(device: String, rule: FaultRule, hasActed: Bool) {
        self.device = device
        self.rule = rule
        self.hasActed = hasActed
    }
}

/// The reason why a request to a world was refused.
public enum WorldProblem: Error, Hashable, Sendable {
    /// No device has that name or address; these are the names that there are, the first of them if there are many.
    case noDevice(String, among: [String])
    /// Several devices have that name.
    case severalDevices(String, [String])
    /// The device has no such attribute.
    case noAttribute
    /// The attribute cannot have that value: it is a declaration or a configuration, no client can see it, or the
    /// value is too long.
    case notSettable
    /// The device has no database of that name; these are the names that there are.
    case noDatabase(String, among: [String])
    /// The request was not understood.
    case malformed
}
