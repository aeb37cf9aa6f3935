// SPDX-License-Identifier: MIT

public import Bluetooth

/// A device that is ready to run: a definition with handles, or attributes with firmware in Swift.
///
/// The same image runs in a simulated world and on a real adapter.
public struct DeviceImage: Sendable {
    /// The name of the definition: `pulse-strap`.
    public var name: String
    /// The device's own address, for a radio that does not provide one.
    public var address: DeviceAddress
    /// The advertising sets.
    public var advertising: [DeviceAdvertising]
    /// The attributes that it serves.
    public var database: GATTDatabase
    /// The behaviour beyond the database.
    public var firmware: any DeviceFirmware
    /// The largest ATT MTU that it accepts, in octets.
    public var maximumMTU: UInt16
    /// The services that it offers on credit-based channels.
    public var channels: [DeviceChannel] = []
    /// The number of writes that a client may have prepared.
    public var preparedWrites = 64
    /// The number of centrals that may be connected at once; `nil` for the usual number.
    public var maximumConnections: Int?
    /// The additional time that it takes for each answer.
    public var responseLatency = Duration.zero
    /// The faults that it shows.
    public var faults: [FaultRule]
    /// The characteristics to which faults may refer by a label.
    var labels: [String: DeviceLayout.Identity] = [:]
    /// The source of its random numbers.
    public var random: SeededGenerator

    /// Creates a device; an MTU below 23 counts as 23.
    public init(
        name: String,
        address: DeviceAddress,
        advertising: [DeviceAdvertising],
        database: GATTDatabase,
        firmware: any DeviceFirmware = PlainFirmware(),
        maximumMTU: UInt16 = 517,
        faults: [FaultRule] = [],
        random: SeededGenerator = SeededGenerator(seed: 1)
    ) {
        self.name = name
        self.address = address
        self.advertising = advertising
        self.database = database
        self.firmware = firmware
        // No LE link has a smaller ATT_MTU: Core 5.4, Vol 3, Part G, 5.2.1.
        self.maximumMTU = max(maximumMTU, 23)
        self.faults = faults
        self.random = random
    }

    /// The name in its advertisements; `nil` if they contain none.
    public var advertisedName: String? {
        for set in advertising {
            for data in [set.data(.start), set.response(.start)] {
                if let name = AdvertisingData(parsing: data).name?.text { return name }
            }
        }
        return nil
    }

    /// Whether faults may refer to a characteristic by that label.
    public func hasLabel(_ label: String) -> Bool { labels[label] != nil }

    /// The labels of its characteristics, in order.
    package var characteristicLabels: [String] { labels.keys.sorted() }

    /// Whether any set accepts connections.
    public var isConnectable: Bool { advertising.contains(where: \.isConnectable) }
}
