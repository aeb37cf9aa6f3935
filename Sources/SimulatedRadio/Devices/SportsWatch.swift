// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles

extension SimulatedDevice {
    /// A sports watch with twelve services, as many as large devices have, most of them short. It shows the cost of
    /// discovery. Two of the services contain Alert Level. It has a random static address.
    public static func sportsWatch() throws(GATTDatabaseError) -> SimulatedDevice {
        SimulatedDevice(
            name: "sports-watch",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xE7_5A_90_41_D6_2B), .random),
            rssi: -76,
            advertising: [
                DeviceAdvertising(
                    .connectable,
                    interval: .microseconds(852_500),
                    data: AdvertisingFields.flags.appearance(0x00C1).name("Sports Watch").bytes,
                    scanResponse: AdvertisingFields().services(SportsWatchUUID.tracks).bytes
                )
            ],
            database: try GATTDatabase(services: [
                .genericAccess(name: "Sports Watch", appearance: 0x00C1),
                .genericAttribute(),
                .deviceInformation(model: "SW-12", serial: "SW12-000451", firmware: "5.1.0"),
                .battery,
                SportsWatchFirmware.heartRate,
                SportsWatchFirmware.running,
                SportsWatchFirmware.navigation,
                SportsWatchFirmware.alerts,
                SportsWatchFirmware.immediateAlert,
                SportsWatchFirmware.linkLoss,
                SportsWatchFirmware.txPower,
                SportsWatchFirmware.tracks,
            ]),
            firmware: SportsWatchFirmware(),
            link: Link(maximumMTU: 247, maximumConnections: 2)
        )
    }
}

/// The UUIDs of the watch's own service.
enum SportsWatchUUID {
    static let tracks = numbered(0)
    /// The track of the last run, which is longer than a packet.
    static let track = numbered(1)
    /// Selects the track to show.
    static let selection = numbered(2)
    /// The track that is shown.
    static let selected = numbered(3)

    private static func numbered(_ number: UInt16) -> BluetoothUUID {
        BluetoothUUID(bits128: 0x5AFE_0000_72C4_4E0B_8A31_7D06_52B9_1C44 | UInt128(number) << 96)
    }
}

/// Measures the wearer's heart while a client is subscribed. All other values are constant.
///
/// Spec: Heart Rate Service 1.0, 3; Running Speed and Cadence Service 1.0, 3; Location and Navigation Service 1.0, 3;
/// Alert Notification Service 1.0, 3; Immediate Alert Service 1.0, 3; Link Loss Service 1.0.1, 3; Tx Power Service 1.0, 3
struct SportsWatchFirmware: DeviceFirmware {
    private static let heartRateMeasurement: BluetoothUUID = 0x2A37
    /// 400 octets that are not periodic, so that a lost or repeated part is noticed.
    private static let run = (0..<400).map { UInt8(truncatingIfNeeded: $0 * 7 ^ $0 >> 8) }

    static let heartRate = ServiceDefinition(
        0x180D,
        characteristics: [
            CharacteristicDefinition(heartRateMeasurement, .notify, value: .handler(maximumLength: 20)),
            // Wrist.
            CharacteristicDefinition(0x2A38, .read, value: .fixed([0x02])),
        ]
    )

    static let running = ServiceDefinition(
        0x1814,
        characteristics: [
            CharacteristicDefinition(0x2A53, .notify, value: .application),
            // Stride length, total distance, walking or running.
            CharacteristicDefinition(0x2A54, .read, value: .fixed([0x07, 0x00])),
        ]
    )

    static let navigation = ServiceDefinition(
        0x1819,
        characteristics: [
            // Speed, distance, location and elevation.
            CharacteristicDefinition(0x2A6A, .read, value: .fixed([0x0F, 0x00, 0x00, 0x00])),
            CharacteristicDefinition(0x2A67, .notify, value: .application),
            // No position yet.
            CharacteristicDefinition(0x2A69, .read, value: .fixed([0x00, 0x00, 0x00, 0x04])),
        ]
    )

    static let alerts = ServiceDefinition(
        0x1811,
        characteristics: [
            // Calls and messages.
            CharacteristicDefinition(0x2A47, .read, value: .fixed([0x28])),
            CharacteristicDefinition(0x2A46, .notify, value: .application),
            CharacteristicDefinition(0x2A48, .read, value: .fixed([0x28])),
            CharacteristicDefinition(0x2A45, .notify, value: .application),
            CharacteristicDefinition(0x2A44, .write, value: .application),
        ]
    )

    static let immediateAlert = ServiceDefinition(
        0x1802,
        characteristics: [CharacteristicDefinition(alertLevel, .writeWithoutResponse, value: .application)]
    )

    static let linkLoss = ServiceDefinition(
        0x1803,
        characteristics: [CharacteristicDefinition(alertLevel, [.read, .write], value: .fixedLength([0x00]))]
    )

    static let txPower = ServiceDefinition(
        0x1804,
        characteristics: [CharacteristicDefinition(0x2A07, .read, value: .fixed([0x00]))]
    )

    static let tracks = ServiceDefinition(
        SportsWatchUUID.tracks,
        characteristics: [
            CharacteristicDefinition(
                SportsWatchUUID.track,
                .read,
                value: .fixed(run),
                descriptors: [.userDescription("Last run")]
            ),
            CharacteristicDefinition(SportsWatchUUID.selection, .write, value: .application),
            CharacteristicDefinition(SportsWatchUUID.selected, .indicate, value: .application),
        ]
    )

    private static let alertLevel: BluetoothUUID = 0x2A06

    private let battery = Battery(full: 58, percentLasts: .seconds(1_800))
    private var heart = Heart()
    private var listeners: Set<GATTServer.ClientID> = []

    mutating func read(
        _ request: GATTServer.ReadContext,
        _ device: inout DeviceContext
    ) -> DeviceAnswer<[UInt8]> {
        guard request.type == .batteryLevel else { return .refuse(.unlikelyError) }
        return .answer([battery.level(device.now)])
    }

    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
        if request.type == SportsWatchUUID.selection, let handle = device.valueHandle(of: SportsWatchUUID.selected) {
            device.notify(request.value, of: handle)
        }
        return .accept
    }

    mutating func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    ) {
        guard device.database[handle]?.type == Self.heartRateMeasurement else { return }
        if configuration.isEmpty { listeners.remove(client) } else { listeners.insert(client) }
        if listeners.isEmpty {
            device.timer = nil
        } else if device.timer == nil {
            heart.wake(device.now)
            device.timer = device.now + .seconds(1)
        }
    }

    mutating func timerFired(_ device: inout DeviceContext) {
        let beats = heart.beats(until: device.now, &device.random)
        if let handle = device.valueHandle(of: Self.heartRateMeasurement) {
            let measurement = HeartRateMeasurement(
                heartRate: heart.rate,
                contact: beats.hasContact ? .detected : .notDetected
            )
            device.notify(measurement.encoded(), of: handle)
        }
        device.timer = device.now + .seconds(1)
    }
}
