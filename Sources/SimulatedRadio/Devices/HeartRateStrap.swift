// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles

extension SimulatedDevice {
    /// A chest strap with Heart Rate, Battery and Device Information, and a random static address.
    public static func heartRateStrap() throws(GATTDatabaseError) -> SimulatedDevice {
        let advertising = AdvertisingFields.flags.services(0x180D, 0x180F).appearance(0x0341)
        return SimulatedDevice(
            name: "pulse-strap",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC8_4B_1D_3A_90_5E), .random),
            rssi: -58,
            advertising: [
                DeviceAdvertising(
                    .connectable,
                    interval: .microseconds(211_250),
                    data: advertising.bytes,
                    scanResponse: AdvertisingFields().name("Pulse HR").txPower(4).bytes
                )
            ],
            database: try GATTDatabase(services: [
                .genericAccess(name: "Pulse HR", appearance: 0x0341),
                .genericAttribute(),
                HeartRateFirmware.service,
                .battery,
                .deviceInformation(model: "Pulse HR 2", serial: "PHR-000117", firmware: "2.4.1"),
            ]),
            firmware: HeartRateFirmware()
        )
    }
}

/// A strap that sends one measurement a second while a client is subscribed.
///
/// Spec: Heart Rate Service 1.0, 3
struct HeartRateFirmware: DeviceFirmware {
    private static let measurement: BluetoothUUID = 0x2A37
    private static let bodySensorLocation: BluetoothUUID = 0x2A38
    private static let controlPoint: BluetoothUUID = 0x2A39
    /// The Heart Rate Service's error: Control Point Not Supported.
    private static let controlPointNotSupported = ATTErrorCode(rawValue: 0x80)

    static let service = ServiceDefinition(
        0x180D,
        characteristics: [
            CharacteristicDefinition(measurement, .notify, value: .handler(maximumLength: 20)),
            // Chest.
            CharacteristicDefinition(bodySensorLocation, .read, value: .fixed([0x01])),
            CharacteristicDefinition(controlPoint, .write, value: .handler(maximumLength: 1)),
        ]
    )

    private let battery = Battery(full: 87, percentLasts: .seconds(2_880))
    private var heart = Heart()
    private var listeners: Set<GATTServer.ClientID> = []
    private var batteryListeners: Set<GATTServer.ClientID> = []
    private var nextMeasurement: Instant?
    private var measurements = 0

    mutating func read(
        _ request: GATTServer.ReadContext,
        _ device: inout DeviceContext
    ) -> DeviceAnswer<[UInt8]> {
        guard request.type == .batteryLevel else { return .refuse(.unlikelyError) }
        return .answer([battery.level(device.now)])
    }

    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
        guard request.value.count == 1 else { return .refuse(.invalidAttributeValueLength) }
        guard request.value == [0x01] else { return .refuse(Self.controlPointNotSupported) }
        heart.resetEnergy()
        return .accept
    }

    mutating func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    ) {
        let isWanted = !configuration.isEmpty
        switch device.database[handle]?.type {
        case Self.measurement:
            if isWanted { listeners.insert(client) } else { listeners.remove(client) }
            if listeners.isEmpty {
                nextMeasurement = nil
            } else if nextMeasurement == nil {
                nextMeasurement = device.now + .seconds(1)
                heart.wake(device.now)
            }
        case BluetoothUUID.batteryLevel:
            if isWanted { batteryListeners.insert(client) } else { batteryListeners.remove(client) }
        default:
            break
        }
        setTimer(&device)
    }

    mutating func timerFired(_ device: inout DeviceContext) {
        if let moment = nextMeasurement, moment <= device.now {
            if let handle = device.valueHandle(of: Self.measurement) {
                device.notify(measure(device.now, &device.random).encoded(), of: handle)
            }
            nextMeasurement = moment + .seconds(1)
        }
        if !batteryListeners.isEmpty, let handle = device.valueHandle(of: .batteryLevel) {
            let level = battery.level(device.now)
            if level != lastBatteryLevel { device.notify([level], of: handle) }
            lastBatteryLevel = level
        }
        setTimer(&device)
    }

    private var lastBatteryLevel: UInt8?

    private func setTimer(_ device: inout DeviceContext) {
        let change = batteryListeners.isEmpty ? nil : battery.nextChange(device.now)
        device.timer = [nextMeasurement, change].compactMap { $0 }.min()
    }

    /// Every tenth measurement contains the energy, as the service recommends.
    private mutating func measure(_ now: Instant, _ random: inout SeededGenerator) -> HeartRateMeasurement {
        let beats = heart.beats(until: now, &random)
        defer { measurements += 1 }
        return HeartRateMeasurement(
            heartRate: heart.rate,
            contact: beats.hasContact ? .detected : .notDetected,
            energyExpended: measurements.isMultiple(of: 10) ? heart.energy : nil,
            rrIntervals: beats.intervals
        )
    }
}
