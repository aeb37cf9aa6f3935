// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Foundation
import Testing

@testable import BluetoothProfiles

@Suite("Typed models of characteristics")
struct ModelTests {
    static let models: [any CharacteristicModel.Type] = [
        HeartRateMeasurement.self, TemperatureMeasurement.self, BatteryLevel.self, BodySensorLocation.self,
    ]

    static let memberwise: [any MemberwiseModel.Type] = [
        BloodPressureMeasurement.self, GlucoseMeasurement.self, PulseOximeterSpotCheck.self,
        PulseOximeterContinuousMeasurement.self, WeightMeasurement.self, BodyCompositionMeasurement.self,
        CSCMeasurement.self, CyclingPowerMeasurement.self, RSCMeasurement.self, CurrentTime.self, PnPID.self,
        SystemID.self, Environmental.Temperature.self, Environmental.Humidity.self, Environmental.Pressure.self,
        Environmental.Elevation.self, Environmental.DewPoint.self, Environmental.HeatIndex.self,
        Environmental.WindChill.self, Environmental.UVIndex.self, Environmental.Irradiance.self,
        Environmental.Rainfall.self, Environmental.TrueWindSpeed.self, Environmental.TrueWindDirection.self,
        Environmental.CarbonDioxideConcentration.self, Environmental.Illuminance.self,
        SensorTag.InfraredTemperature.self, SensorTag.Hygrometer.self, SensorTag.Acceleration.self,
        SensorTag.MagneticField.self, SensorTag.Rotation.self, SensorTag.RawPressure.self,
    ]

    @Test("models have all members of their formats, by the same keys")
    func keys() throws {
        for model in Self.memberwise {
            let format = try #require(CharacteristicFormat.of(model.characteristic), "\(model)").on(model.model)
            // The name of a vendor follows from its number.
            let keys = format.fields.map(\.key).filter { $0 != "vendor_name" }
            #expect(Self.keys(of: model) == keys, "\(model)")
        }
    }

    private static func keys<Model: MemberwiseModel>(of model: Model.Type) -> [String] { model.members.map(\.key) }

    @Test("models decode and encode the values that another implementation has confirmed")
    func vectors() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Supplement/samples.txt")
        let samples = try SupplementSample.all(in: file.standardized).filter { $0.verdict == .valid }
        let byUUID = Dictionary(grouping: samples, by: \.uuid)
        var count = 0
        for model in Self.models + Self.memberwise {
            for sample in byUUID[model.characteristic] ?? [] {
                let comment: Comment = "\(model) \(Hex.string(sample.octets))"
                #expect(try Self.roundTrip(sample.octets, model) == sample.octets, comment)
                count += 1
            }
        }
        #expect(count > 120)
    }

    private static func roundTrip<Model: CharacteristicModel>(_ octets: [UInt8], _: Model.Type) throws -> [UInt8] {
        try Model(decoding: octets).encoded()
    }

    @Test("a SensorTag's readings survive encoding, to the resolution of the sensor")
    func sensorTag() throws {
        var generator = SeededGenerator(seed: 2_541)
        let models: [any MemberwiseModel.Type] = [
            SensorTag.Hygrometer.self, SensorTag.Acceleration.self, SensorTag.MagneticField.self,
            SensorTag.Rotation.self, SensorTag.RawPressure.self,
        ]
        for model in models {
            let size = try #require(CharacteristicFormat.of(model.characteristic)?.on(model.model).maximumLength)
            for _ in 0..<50 {
                // The two low bits of the hygrometer are no part of its numbers.
                let octets = (0..<size).map { index in
                    let octet = UInt8.random(in: .min ... .max, using: &generator)
                    return model == SensorTag.Hygrometer.self && index.isMultiple(of: 2) ? octet & 0xFC : octet
                }
                #expect(try Self.roundTrip(octets, model) == octets, "\(model) \(Hex.string(octets))")
            }
        }
        #expect(try SensorTag.Acceleration(decoding: [0x40, 0xC0, 0x20]).y == -1)
        #expect(try SensorTag.Sensor.gyroscope.configuration(isOn: true) == [7])
        #expect(try SensorTag.Sensor.thermometer.configuration(isOn: true) == [1])
        #expect(try SensorTag.Sensor.barometer.configuration(isOn: false) == [0])
        #expect(try SensorTag.Sensor.accelerometer.period(milliseconds: 200) == [20])
        #expect(SensorTag.Sensor.thermometer.period == nil && SensorTag.Sensor.gyroscope.isOn([4]))
        #expect(try SensorTag.Keys(decoding: [3]) == [.left, .right])
    }

    @Test("random octets never trap, and decoding is stable after encoding")
    func randomOctets() throws {
        var generator = SeededGenerator(seed: 0x30DE1)
        for model in Self.models + Self.memberwise {
            for _ in 0..<200 { try Self.check(generator.bytes(upTo: 30), model) }
        }
    }

    private static func check<Model: CharacteristicModel>(_ octets: [UInt8], _: Model.Type) throws {
        guard let value = try? Model(decoding: octets), let again = try? value.encoded() else { return }
        #expect(try Model(decoding: again) == value, "\(Model.self) \(Hex.string(octets))")
    }

    @Test("models are published from their properties")
    func publishing() throws {
        var weight = WeightMeasurement()
        weight.kilograms = 75
        #expect(try weight.encoded() == [0x00, 0x98, 0x3A])
        weight.pounds = 165
        #expect(throws: FieldError.self) { try weight.encoded() }
        var pressure = BloodPressureMeasurement()
        pressure.systolicMillimetresOfMercury = 120
        pressure.diastolicMillimetresOfMercury = 80
        pressure.meanMillimetresOfMercury = 93
        pressure.status = ["irregular pulse"]
        #expect(try pressure.encoded() == hex("10 7800 5000 5D00 0400"))
        #expect(try Environmental.Humidity(percent: 46.65).encoded() == hex("39 12"))
        #expect(try Environmental.Humidity().encoded() == hex("FF FF"))
        #expect(throws: FieldError.self) { try Environmental.Humidity(percent: 101).encoded() }
        #expect(try BodySensorLocation.chest.encoded() == [1])
        #expect(try BodySensorLocation(decoding: [99]).rawValue == 99)
        #expect(throws: DecodeError.self) { try Environmental.Pressure(decoding: [1, 2]) }
    }

    @Test("RR intervals are single 1/1024 s values")
    func intervals() throws {
        let measurement = try HeartRateMeasurement(decoding: hex("10 48 55 03 00 04"))
        #expect(measurement.rrIntervals == [853, 1_024])
        #expect(HeartRateMeasurement.milliseconds(rrInterval: 1_024) == DecimalNumber(1_000))
        #expect(HeartRateMeasurement.milliseconds(rrInterval: 853) == DecimalNumber("833.0078125"))
    }

    @Test("a device's information comes from its characteristics one by one, and is published the same way")
    func deviceInformation() throws {
        var information = DeviceInformation()
        information.manufacturer = "ACME"
        information.serialNumber = "117"
        information.systemID = SystemID()
        information.systemID?.identifier = "00:11:22:FF:FE:33:44:55"
        information.pnpID = PnPID()
        information.pnpID?.vendor = 13
        information.pnpID?.version = "1.1.0"
        information.regulatoryCertification = [1, 2]
        let values = try information.encoded()
        #expect(values.map(\.characteristic) == [0x2A23, 0x2A25, 0x2A29, 0x2A2A, 0x2A50])
        #expect(values.last?.octets == hex("01 0D00 0000 1001"))
        var received = DeviceInformation()
        for (characteristic, octets) in values { try received.receive(octets, of: characteristic) }
        #expect(received == information)
        try received.receive([1], of: 0x2A19)
        #expect(received == information)
        #expect(throws: DecodeError.self) { try received.receive([1], of: 0x2A50) }
        #expect(DeviceInformation.characteristics.count == 9)
    }
}
