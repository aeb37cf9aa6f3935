// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@testable import BluetoothDevices

/// A sensor of the SensorTag: its characteristics, and how it is switched on.
private struct Sensor: CustomTestStringConvertible, Sendable {
    let name: String
    let data: BluetoothUUID
    let configuration: BluetoothUUID
    let on: String
    let zero: String
    /// The values in ten seconds.
    let rate: Int

    init(_ name: String, _ data: UInt16, on: String = "01", octets: Int, rate: Int = 10) {
        self.name = name
        self.data = SensorTag.uuid(data)
        configuration = SensorTag.uuid(data + 1)
        self.on = on
        zero = String(repeating: "00", count: octets)
        self.rate = rate
    }

    var testDescription: String { name }

    static let all = [
        Sensor("thermometer", 0xAA01, octets: 4), Sensor("accelerometer", 0xAA11, octets: 3),
        Sensor("hygrometer", 0xAA21, octets: 4), Sensor("magnetometer", 0xAA31, octets: 6, rate: 5),
        Sensor("gyroscope", 0xAA51, on: "07", octets: 6),
    ]
}

@Suite("SensorTag")
struct SensorTagTests {
    private static func bench() throws -> DeviceBench {
        try DeviceBench(try #require(BuiltInDevice.named("sensor-tag")).definition())
    }

    /// The numbers of a value by their keys.
    private static func numbers(_ uuid: BluetoothUUID, _ hex: String) throws -> [String: Double] {
        let format = try #require(CharacteristicFormat.of(uuid)).on(.cc2541)
        guard case .object(let members) = try format.decode(octets(hex)).content else { return [:] }
        return members.reduce(into: [:]) { numbers, member in
            if case .number(let number) = member.value { numbers[member.key] = number.double }
        }
    }

    /// What a sensor sends in that many seconds after it was switched on.
    private static func samples(_ short: UInt16, on: String = "01", seconds: Int) throws -> [[String: Double]] {
        var bench = try bench()
        try bench.subscribe(SensorTag.uuid(short))
        #expect(try bench.write(SensorTag.uuid(short + 1), on) == "ok")
        return try bench.run(for: .seconds(seconds)).map { try numbers(SensorTag.uuid(short), $0.what) }
    }

    @Test(arguments: Sensor.all)
    fileprivate func `a sensor measures while its configuration says so`(_ sensor: Sensor) throws {
        var bench = try Self.bench()
        #expect(try bench.read(sensor.configuration) == "00")
        #expect(try bench.read(sensor.data) == sensor.zero)
        try bench.subscribe(sensor.data)
        #expect(bench.run(for: .seconds(10)).isEmpty)
        #expect(try bench.write(sensor.configuration, "08") == "error 80")
        #expect(try bench.write(sensor.configuration, "0101") == "error 0d")
        #expect(try bench.write(sensor.configuration, sensor.on) == "ok")
        #expect(try bench.read(sensor.configuration) == sensor.on)
        let sent = bench.run(for: .milliseconds(10_500))
        #expect(sent.count == sensor.rate)
        #expect(Set(sent.map(\.what)).count > 1)
        #expect(try bench.read(sensor.data) != sensor.zero)
        #expect(try bench.write(sensor.configuration, "00") == "ok")
        #expect(try bench.read(sensor.data) == sensor.zero)
        #expect(bench.run(for: .seconds(10)).isEmpty)
    }

    @Test func `gravity acts on one axis, and the table rocks`() throws {
        let samples = try Self.samples(0xAA11, seconds: 200)
        #expect(samples.count == 200)
        for sample in samples {
            let (x, y, z) = (try #require(sample["x_g"]), try #require(sample["y_g"]), try #require(sample["z_g"]))
            #expect((0.9...1.1).contains(z))
            #expect(abs(x) < 0.21 && abs(y) < 0.08)
            #expect(abs((x * x + y * y + z * z).squareRoot() - 1) < 0.1)
        }
        #expect(samples.contains { abs($0["x_g"] ?? 0) > 0.15 })
    }

    @Test func `temperature and humidity are those of a room, and both thermometers agree`() throws {
        let air = try Self.samples(0xAA21, seconds: 3_600)
        let chip = try Self.samples(0xAA01, seconds: 3_600)
        #expect(air.count == 3_600 && chip.count == 3_600)
        for (air, chip) in zip(air, chip) {
            let temperature = try #require(air["temperature_c"])
            #expect((22.5...23.9).contains(temperature))
            #expect((42.9...47.1).contains(try #require(air["humidity_percent"])))
            #expect(abs(try #require(chip["ambient_c"]) - temperature) < 0.05)
            #expect((23.9...31.1).contains(try #require(chip["object_c"])))
        }
    }

    @Test func `the field is that of the earth`() throws {
        for sample in try Self.samples(0xAA31, seconds: 200) {
            let (x, y, z) = (try #require(sample["x_ut"]), try #require(sample["y_ut"]), try #require(sample["z_ut"]))
            #expect((45.0...52).contains((x * x + y * y + z * z).squareRoot()))
        }
    }

    @Test func `the gyroscope turns as the accelerometer tilts`() throws {
        let samples = try Self.samples(0xAA51, on: "07", seconds: 100)
        #expect(samples.allSatisfy { abs($0["x_degrees_per_s"] ?? 99) < 1.6 && abs($0["z_degrees_per_s"] ?? 99) < 1.6 })
        #expect(
            samples.contains { $0["y_degrees_per_s"] ?? 0 > 10 }
                && samples.contains { $0["y_degrees_per_s"] ?? 0 < -10 }
        )
    }

    @Test func `the barometer measures after its calibration is requested`() throws {
        var bench = try Self.bench()
        let (data, configuration, calibration) = (
            SensorTag.uuid(0xAA41), SensorTag.uuid(0xAA42), SensorTag.uuid(0xAA43)
        )
        try bench.subscribe(data)
        #expect(try bench.read(calibration) == String(repeating: "00", count: 16))
        #expect(try bench.write(configuration, "01") == "ok")
        #expect(bench.run(for: .seconds(5)).isEmpty)
        #expect(try bench.read(data) == "00000000")
        #expect(try bench.write(configuration, "02") == "ok")
        var reader = ByteReader(octets(try bench.read(calibration)))
        let barometer = try SensorTagBarometer(from: &reader)
        #expect(reader.isAtEnd)
        let sent = bench.run(for: .milliseconds(5_500))
        #expect(sent.count == 5)
        for value in sent {
            var reader = ByteReader(octets(value.what))
            let temperature = try reader.int16("temperature")
            let pressure = try reader.uint16("pressure")
            #expect((2_290...2_390).contains(barometer.centicelsius(rawTemperature: temperature)))
            let pascals = barometer.pascals(rawTemperature: temperature, rawPressure: pressure)
            #expect((100_500...102_000).contains(pascals))
        }
        #expect(try bench.write(configuration, "00") == "ok")
        #expect(try bench.read(data) == "00000000")
        #expect(try bench.write(configuration, "03") == "error 80")
    }

    @Test func `the periods are in units of 10 ms`() throws {
        var bench = try Self.bench()
        let period = SensorTag.uuid(0xAA13)
        try bench.subscribe(SensorTag.uuid(0xAA11))
        #expect(try bench.write(SensorTag.uuid(0xAA12), "01") == "ok")
        #expect(try bench.read(period) == "64")
        #expect(try bench.write(period, "0a") == "ok")
        #expect(bench.run(for: .milliseconds(1_050)).count == 10)
        #expect(try bench.write(period, "09") == "error 80")
        #expect(try bench.read(period) == "0a")
    }

    @Test func `the keys are pressed now and then`() throws {
        var bench = try Self.bench()
        try bench.subscribe(0xFFE1)
        let keys = bench.run(for: .seconds(20))
        #expect(keys.count == 14)
        #expect(
            keys.map(\.what) == ["01", "00", "02", "00", "01", "03", "00", "01", "00", "02", "00", "01", "03", "00"]
        )
    }
}
