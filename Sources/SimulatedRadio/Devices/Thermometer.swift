// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles

extension SimulatedDevice {
    /// A thermometer with Health Thermometer, Environmental Sensing, Battery and Device Information. The first uses
    /// indications. It has a public address.
    public static func thermometer() throws(GATTDatabaseError) -> SimulatedDevice {
        SimulatedDevice(
            name: "thermometer",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xA4_C1_38_5D_27_F1), .public),
            rssi: -67,
            advertising: [
                DeviceAdvertising(
                    .connectable,
                    interval: .microseconds(1_022_500),
                    data: AdvertisingFields.flags.services(0x1809, 0x181A).name("Thermo 1").bytes,
                    scanResponse: AdvertisingFields().appearance(0x0301).txPower(0).bytes
                )
            ],
            database: try GATTDatabase(services: [
                .genericAccess(name: "Thermo 1", appearance: 0x0301),
                .genericAttribute(),
                ThermometerFirmware.healthThermometer,
                ThermometerFirmware.environmentalSensing,
                .battery,
                .deviceInformation(model: "Thermo 1", serial: "TH1-004711", firmware: "1.0.9"),
            ]),
            firmware: ThermometerFirmware(),
            // An old radio: short packets and the smallest MTU.
            link: Link(interval: .milliseconds(50), dataLength: 27, packetsPerEvent: 4, maximumMTU: 23, phys: .le1M)
        )
    }
}

/// Temperatures that drift: a body's is indicated, the room's can be read.
///
/// Spec: Health Thermometer Service 1.0, 3; Environmental Sensing Service 1.0, 3
struct ThermometerFirmware: DeviceFirmware {
    private static let temperatureMeasurement: BluetoothUUID = 0x2A1C
    private static let temperatureType: BluetoothUUID = 0x2A1D
    private static let intermediateTemperature: BluetoothUUID = 0x2A1E
    private static let measurementInterval: BluetoothUUID = 0x2A21
    private static let validRange: BluetoothUUID = 0x2906
    private static let temperature: BluetoothUUID = 0x2A6E
    private static let humidity: BluetoothUUID = 0x2A6F
    /// The Health Thermometer Service's error: Out of Range.
    private static let outOfRange = ATTErrorCode(rawValue: 0x80)

    static let healthThermometer = ServiceDefinition(
        0x1809,
        characteristics: [
            CharacteristicDefinition(temperatureMeasurement, .indicate, value: .handler(maximumLength: 13)),
            // Body.
            CharacteristicDefinition(temperatureType, .read, value: .fixed([0x02])),
            CharacteristicDefinition(intermediateTemperature, .notify, value: .handler(maximumLength: 13)),
            CharacteristicDefinition(
                measurementInterval,
                [.read, .write],
                value: .handler(maximumLength: 2),
                // From 1 s to 1 h.
                descriptors: [DescriptorDefinition(validRange, value: .fixed([0x01, 0x00, 0x10, 0x0E]))]
            ),
        ]
    )

    static let environmentalSensing = ServiceDefinition(
        0x181A,
        characteristics: [
            CharacteristicDefinition(
                temperature,
                [.read, .notify],
                value: .handler(maximumLength: 2),
                descriptors: [
                    .presentationFormat(format: 0x0E, exponent: -2, unit: 0x272F),
                    .userDescription("Room"),
                ]
            ),
            CharacteristicDefinition(
                humidity,
                .read,
                value: .handler(maximumLength: 2),
                descriptors: [.presentationFormat(format: 0x06, exponent: -2, unit: 0x27AD)]
            ),
        ]
    )

    /// The values that are sent regularly.
    private enum Stream: CaseIterable {
        case measurement, intermediate, room
    }

    private let battery = Battery(full: 64, percentLasts: .seconds(21_600))
    private var body = 36.7
    private var room = 21.4
    private var humidity = 46.0
    private var interval: UInt16 = 5
    private var listeners: [Stream: Set<GATTServer.ClientID>] = [:]
    private var next: [Stream: Instant] = [:]

    private func period(_ stream: Stream) -> Duration {
        switch stream {
        case .measurement: .seconds(Int64(interval))
        case .intermediate: .seconds(1)
        case .room: .seconds(10)
        }
    }

    mutating func read(
        _ request: GATTServer.ReadContext,
        _ device: inout DeviceContext
    ) -> DeviceAnswer<[UInt8]> {
        drift(&device.random)
        switch request.type {
        case BluetoothUUID.batteryLevel: return .answer([battery.level(device.now)])
        case Self.measurementInterval: return .answer(Self.octets(interval))
        case Self.temperature: return .answer(roomTemperature)
        case Self.humidity: return .answer(Self.octets(UInt16((humidity * 100).rounded())))
        default: return .refuse(.unlikelyError)
        }
    }

    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
        var reader = ByteReader(request.value)
        guard request.offset == 0, request.value.count == 2, let seconds = try? reader.uint16("interval") else {
            return .refuse(.invalidAttributeValueLength)
        }
        guard 1...3_600 ~= seconds else { return .refuse(Self.outOfRange) }
        interval = seconds
        if next[.measurement] != nil { next[.measurement] = device.now + period(.measurement) }
        setTimer(&device)
        return .accept
    }

    mutating func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    ) {
        let stream: Stream
        switch device.database[handle]?.type {
        case Self.temperatureMeasurement: stream = .measurement
        case Self.intermediateTemperature: stream = .intermediate
        case Self.temperature: stream = .room
        default: return
        }
        if configuration.isEmpty {
            listeners[stream]?.remove(client)
        } else {
            listeners[stream, default: []].insert(client)
        }
        if listeners[stream]?.isEmpty ?? true {
            next[stream] = nil
        } else if next[stream] == nil {
            next[stream] = device.now + period(stream)
        }
        setTimer(&device)
    }

    mutating func timerFired(_ device: inout DeviceContext) {
        for stream in Stream.allCases {
            guard let moment = next[stream], moment <= device.now else { continue }
            next[stream] = moment + period(stream)
            drift(&device.random)
            let (type, value) = self.value(stream)
            if let handle = device.valueHandle(of: type) { device.notify(value, of: handle) }
        }
        setTimer(&device)
    }

    private func setTimer(_ device: inout DeviceContext) { device.timer = next.values.min() }

    private mutating func drift(_ random: inout SeededGenerator) {
        body = max(36.2, min(37.4, body + random.bell() * 0.03))
        room = max(17, min(27, room + random.bell() * 0.05))
        humidity = max(30, min(65, humidity + random.bell() * 0.2))
    }

    private func value(_ stream: Stream) -> (BluetoothUUID, [UInt8]) {
        switch stream {
        case .measurement: (Self.temperatureMeasurement, bodyTemperature)
        case .intermediate: (Self.intermediateTemperature, bodyTemperature)
        case .room: (Self.temperature, roomTemperature)
        }
    }

    /// In degrees Celsius, with the type "body".
    private var bodyTemperature: [UInt8] {
        var writer = ByteWriter()
        writer.uint8(0x04)
        let tenths = DecimalNumber(Int((body * 10).rounded()), exponent: -1)
        writer.uint32(MedicalFloat.float(tenths) ?? 0x007F_FFFF)
        writer.uint8(0x02)
        return writer.bytes
    }

    /// In hundredths of a degree Celsius.
    private var roomTemperature: [UInt8] {
        Self.octets(UInt16(bitPattern: Int16((room * 100).rounded())))
    }

    private static func octets(_ value: UInt16) -> [UInt8] {
        var writer = ByteWriter()
        writer.uint16(value)
        return writer.bytes
    }
}
