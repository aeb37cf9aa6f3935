// SPDX-License-Identifier: MIT

public import Bluetooth

/// A kind of device as data: how to find it, which of its characteristics are measurements, and what has to be written
/// before it measures.
///
/// A new profile is one value in a file next to this one, and one line in `all`.
public struct Profile: Hashable, Sendable {
    /// How a profile runs from its beginning to its end.
    public enum Mode: Hashable, Sendable {
        /// Measurements come until the user ends the command.
        case stream
        /// Everything is read once. Missing characteristics are reported.
        case snapshot
        /// The device sends the records that it has stored, and answers at a control point when it has sent all.
        case storedRecords(RecordAccess)
        /// Octets are exchanged with a serial port.
        case serialPort(SerialPort)
        /// Presses and releases of keys are reported.
        case keys([KeyPad])
    }

    /// A variant of the profile for devices that have another service.
    public struct Variant: Hashable, Sendable {
        /// The service that only devices of this variant have.
        public let service: BluetoothUUID
        /// The sources of such a device, in the place of those of the profile.
        public let sources: [ProfileSource]
    }

    /// The name on the command line: `heart-rate`.
    public let name: String
    /// The name in help texts: `Heart Rate`.
    public let title: String
    /// The services by which devices with this profile are found: one of them is enough.
    public let services: [BluetoothUUID]
    /// The names by which devices are found that do not advertise the services.
    public let deviceNames: [String]
    /// The characteristics with the measurements, in the order in which they are read and subscribed to. A device may
    /// lack some, but not all.
    public let sources: [ProfileSource]
    /// A service of which every characteristic with a known format is a source.
    public let wholeService: BluetoothUUID?
    /// The variants; the first one that fits a device is used.
    public let variants: [Variant]
    /// How it runs.
    public let mode: Mode
    /// Whether a user has named a single characteristic, so that this profile is made for that.
    public let isForOneTarget: Bool

    /// Creates a profile.
    public init(
        name: String,
        title: String,
        services: [BluetoothUUID],
        deviceNames: [String] = [],
        sources: [ProfileSource],
        wholeService: BluetoothUUID? = nil,
        variants: [Variant] = [],
        mode: Mode = .stream
    ) {
        self.init(
            name: name,
            title: title,
            services: services,
            deviceNames: deviceNames,
            sources: sources,
            wholeService: wholeService,
            variants: variants,
            mode: mode,
            isForOneTarget: false
        )
    }

    private init(
        name: String,
        title: String,
        services: [BluetoothUUID],
        deviceNames: [String],
        sources: [ProfileSource],
        wholeService: BluetoothUUID?,
        variants: [Variant],
        mode: Mode,
        isForOneTarget: Bool
    ) {
        self.name = name
        self.title = title
        self.services = services
        self.deviceNames = deviceNames
        self.sources = sources
        self.wholeService = wholeService
        self.variants = variants
        self.mode = mode
        self.isForOneTarget = isForOneTarget
    }

    /// The profile of a single characteristic, which is read once if that is possible, and then sent, or read again and
    /// again.
    ///
    /// - Parameters:
    ///   - characteristic: The characteristic.
    ///   - service: The service that it is in; `nil` for any.
    ///   - name: The characteristic as the user has named it.
    public init(of characteristic: BluetoothUUID, in service: BluetoothUUID?, named name: String) {
        // The usual service finds the device, but the characteristic may be in another one.
        let likely = service ?? AssignedNumbers.service(ofCharacteristic: characteristic)
        self.init(
            name: name,
            title: AssignedNumbers.name(ofCharacteristic: characteristic) ?? name,
            services: likely.map { [$0] } ?? [],
            deviceNames: [],
            sources: [
                ProfileSource(characteristic, in: service, as: "", .readThenSent)
            ],
            wholeService: nil,
            variants: [],
            mode: .stream,
            isForOneTarget: true
        )
    }

    /// The names of the sources, by which users choose some of them.
    public var sourceNames: [String] {
        var names: [String] = []
        for source in sources + variants.flatMap(\.sources) where !names.contains(source.name) {
            names.append(source.name)
        }
        return names
    }
}

extension Profile {
    /// Every profile, in alphabetical order.
    public static let all: [Profile] = [
        .battery, .bloodPressure, .bodyComposition, .continuousGlucose, .currentTime, .cyclingPower, .cyclingSpeed,
        .deviceInformation, .environment, .fitnessMachine, .glucose, .heartRate, .keys, .location, .pulseOximeter,
        .runningSpeed, .sensorTag, .thermometer, .thingy, .uart, .weight,
    ]

    /// The profile with that name or title in any spelling, `heart-rate`, `Heart Rate` or `heartrate`, or with that
    /// UUID or name of one of its services; `nil` if there is none.
    public static func named(_ name: some StringProtocol) -> Profile? {
        let wanted = NameKey(name.utf8)
        if let profile = all.first(where: { [$0.name, $0.title].contains { NameKey($0.utf8) == wanted } }) {
            return profile
        }
        if let uuid = BluetoothUUID(name) { return all.first { $0.services.contains(uuid) } }
        return all.first { profile in
            profile.services.contains { service in
                AssignedNumbers.name(ofService: service).map { NameKey($0.utf8) } == wanted
            }
        }
    }
}
