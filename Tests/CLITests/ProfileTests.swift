// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Watch: every profile", .startsPrograms())
struct ProfileTests {
    /// The texts of the measurements, by the names of their characteristics.
    private static func texts(_ run: BlectlRun) throws -> [String: [String]] {
        var texts: [String: [String]] = [:]
        for record in try run.records() where record["type"] == .string("measurement") {
            guard case .string(let name)? = record["characteristic_name"], case .string(let text)? = record["text"]
            else { continue }
            texts[name, default: []].append(text)
        }
        return texts
    }

    private static func number(_ value: JSON) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    @Test func `device information is a table, and missing values are reported`() async throws {
        let run = try await Blectl.simulate("watch device-info -d 'Pulse HR'")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(
            run.stdout == """
                manufacturer   blectl simulation
                model          Pulse HR 2
                serial-number  PHR-000117
                firmware       2.4.1

                """
        )
        #expect(run.stderr.contains("no hardware, software, system-id, certification or pnp-id"))
        let json = try await Blectl.simulate("watch device-info -d 'Pulse HR' --json")
        #expect(try json.records().map { $0["sequence"] } == (1...4).map { .integer($0) })
    }

    @Test func `device information without -d uses a device that advertises the service`() async throws {
        let run = try await Blectl.simulate("watch device-info")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(
            run.stdout == """
                manufacturer   blectl simulation
                model          Cuff 1
                serial-number  C1-20417
                hardware       C
                firmware       2.3.1
                software       2.3.1
                system-id      00:11:22:00:00:00:4F:C1
                pnp-id         no company: reserved for tests, product 0x0001, version 1.0.0

                """
        )
        #expect(run.stderr == "blectl: the device has no certification\n")
    }

    @Test func `the environment is subscribed to where the device sends it, and read elsewhere`() async throws {
        let run = try await Blectl.simulate("watch environment --count 5 --period 3 --json")
        #expect(run.status == 0, "\(run.stderr)")
        // The thermometer sends its temperature every 10 s, and lets its humidity be read.
        #expect(try Self.texts(run).keys.sorted() == ["Humidity", "Temperature"])
        #expect(try Self.texts(run)["Humidity"]?.count == 4)
        let some = try await Blectl.simulate("watch environment --sensors temperature --count 2 --json")
        #expect(try Self.texts(some).keys.sorted() == ["Temperature"])
    }

    @Test func `a missing sensor is reported as not found`() async throws {
        let run = try await Blectl.simulate("watch environment --sensors wind -d 'Thermo 1'")
        #expect(run.status == 68, "\(run.stderr)")
        #expect(run.stderr.contains("the device has none of the sensors: wind"))
    }

    @Test func `a SensorTag is found by its name, switched on and calibrated`() async throws {
        let run = try await Blectl.simulate("watch sensortag --duration 12 --json")
        #expect(run.status == 0, "\(run.stderr)")
        let records = try run.records()
        let names = Set(try Self.texts(run).keys)
        #expect(names.count >= 6, "\(names)")
        let weather = try #require(
            records.first { $0["characteristic_name"] == .string("SensorTag Barometer Data") }?["decoded"]
        )
        guard case .object(let members) = weather, case .integer(let pascals)? = members["pressure_pa"] else {
            Issue.record("\(weather)")
            return
        }
        #expect((100_000...102_000).contains(pascals))
    }

    @Test func `a Thingy sends the selected measurements, and its button is one of the sources`() async throws {
        let run = try await Blectl.simulate("watch thingy --sensors temperature,pressure,button --duration 5 --json")
        #expect(run.status == 0, "\(run.stderr)")
        let texts = try Self.texts(run)
        #expect(texts.keys.sorted() == ["Thingy Button State", "Thingy Pressure", "Thingy Temperature"])
        #expect(texts["Thingy Button State"] == ["pressed", "released"])
        // The sine of 0.9 °C in 18 minutes has risen by 0.02 °C when the first value is sent, after 3 s.
        #expect(texts["Thingy Temperature"]?.first == "22.32 °C")
        #expect(texts["Thingy Pressure"]?.first == "1011.25 hPa")
        let light = try await Blectl.simulate(
            "write ef680301-9b35-4933-9b10-52ffa9740042 mode=constant red=255 green=0 blue=0 -d Thingy"
        )
        #expect(light.status == 0, "\(light.stderr)")
    }

    @Test func `the accelerometer of a SensorTag has a period, and a zero`() async throws {
        let run = try await Blectl.simulate(
            "watch sensortag --sensors accelerometer --period 100ms --zero --count 20 --json"
        )
        #expect(run.status == 0, "\(run.stderr)")
        let records = try run.records()
        #expect(records.first?["text"] == .string("x 0 g, y 0 g, z 0 g"))
        let times = records.compactMap { record -> Int? in
            if case .integer(let time)? = record["monotonic_ns"] { Int(time) } else { nil }
        }
        let first = try #require(times.first)
        let last = try #require(times.last)
        // 19 periods of 100 ms, each up to the next connection event.
        #expect((1_800_000_000...2_300_000_000).contains(last - first))
    }

    @Test(arguments: [
        ("weight", "Weight Measurement", "weight 71.8 kg, user id 1, bmi 22.4"),
        ("body-composition", "Body Composition Measurement", "body fat 17.4 %, user id 1"),
        ("blood-pressure", "Intermediate Cuff Pressure", "cuff pressure 156.3 mmHg"),
        ("glucose", "Glucose Measurement", "sequence number 17, base time 2026-11-19T07:05:00, glucose 94 mg/dl"),
        ("cgm", "CGM Measurement", "glucose 112 mg/dl, time offset 240 min"),
        ("pulse-oximeter", "PLX Continuous Measurement", "spo2 98 %, pulse rate 65 bpm"),
        ("fitness-machine", "Indoor Bike Data", "speed "),
        ("cycling-power", "Cycling Power Measurement", " W, balance 5"),
        ("cycling-speed", "CSC Measurement", "wheel revolutions 3"),
        ("running-speed", "RSC Measurement", "speed 3.102 m/s, cadence 170 /min"),
        ("location", "Position Quality", "beacons in solution 9, beacons in view 12"),
        ("current-time", "Current Time", "date time 2026-01-01T00:00:0"),
        ("thermometer", "Intermediate Temperature", "36.6 °C, body"),
        ("heart-rate", "Heart Rate Measurement", "66 bpm"),
    ])
    func `every profile has a simulated device`(_ profile: String, _ name: String, _ text: String) async throws {
        let run = try await Blectl.simulate("watch \(profile) --count 3 --json")
        #expect(run.status == 0, "\(run.stderr)")
        let first = try #require(try Self.texts(run)[name]?.first, "\(run.stdout)")
        #expect(first.contains(text), "\(first)")
    }

    @Test(arguments: ["cycling-speed", "cycling-power"])
    func `speed and cadence come from the same ride`(_ profile: String) async throws {
        let run = try await Blectl.simulate("watch \(profile) --count 10 --json --wheel 2105")
        #expect(run.status == 0, "\(run.stderr)")
        for record in try run.records().dropFirst() {
            guard case .object(let decoded)? = record["decoded"], let speed = decoded["speed_kmh"].flatMap(Self.number),
                let cadence = decoded["cadence_rpm"].flatMap(Self.number)
            else {
                Issue.record("\(record)")
                continue
            }
            // The gear is 2.6 and the wheel 2.105 m: 1 rpm is 0.3284 km/h.
            #expect(abs(speed - cadence * 0.3284) < 0.3, "\(speed) km/h at \(cadence) rpm")
        }
    }

    @Test func `stored records come whole, and the device reports their end`() async throws {
        let all = try await Blectl.simulate("watch glucose --json")
        #expect(all.status == 0, "\(all.stderr)")
        #expect(try Self.texts(all)["Glucose Measurement"]?.count == 5)
        #expect(try Self.texts(all)["Glucose Measurement Context"]?.count == 4)
        // The answers of the control point are no measurements, and have no numbers.
        let measurements = try all.records().filter { $0["type"] == .string("measurement") }
        #expect(measurements.map { $0["sequence"] } == (1...9).map { .integer($0) })
        let some = try await Blectl.simulate("watch glucose --records 20 --json")
        #expect(try Self.texts(some)["Glucose Measurement"]?.count == 2)
        let none = try await Blectl.simulate("watch glucose --records 22")
        #expect(
            none.status == 0 && none.stdout.isEmpty && none.stderr.contains("has no such records"),
            "\(none.stderr)"
        )
        let few = try await Blectl.simulate("watch glucose --count 20")
        #expect(few.status == 1 && few.stderr.contains("of 20 measurements received"), "\(few.stderr)")
        #expect(few.stderr.contains(": the device has no more such records\n"), "\(few.stderr)")
    }

    @Test func `values that are read once are too few for a count, and the reason is given`() async throws {
        let run = try await Blectl.simulate("watch device-info --count 100")
        #expect(run.status == 1 && run.stderr.contains("of 100 measurements received from "), "\(run.stderr)")
        #expect(run.stderr.contains(": each is read once\n"), "\(run.stderr)")
    }

    @Test(arguments: [
        ("current-time", "zone"), ("current-time", "reference"), ("location", "quality"),
    ])
    func `what the device never sends is read once in each period`(_ profile: String, _ source: String) async throws {
        let run = try await Blectl.simulate("watch \(profile) --sensors \(source) --period 5 --duration 22")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout.split(separator: "\n").count == 5, "\(run.stdout)")
    }

    @Test func `the period of polled values does not grow by the time of the reads`() async throws {
        let run = try await Blectl.simulate("watch environmental-sensing/humidity --count 12 --period 1 --json")
        #expect(run.status == 0, "\(run.stderr)")
        let times = try run.records().compactMap { $0["monotonic_ns"]?.integer }
        try #require(times.count == 12)
        // Ten periods, each up to the next connection event. The first value may be from before the first period.
        #expect((9_900_000_000...10_100_000_000).contains(times[11] - times[1]), "\(times)")
    }

    @Test func `characteristics are watched by name, by number, and several together`() async throws {
        let run = try await Blectl.simulate("watch battery-level 0x2A6E -d 'Thermo 1' --count 3 --json")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(try Self.texts(run).keys.sorted() == ["Battery Level", "Temperature"])
        #expect(try run.records().map { $0["profile"] }.first == .string("battery-level"))
        let humidity = try await Blectl.simulate("watch environmental-sensing/humidity --count 3 --period 1 --json")
        #expect(humidity.status == 0, "\(humidity.stderr)")
        #expect(try Self.texts(humidity)["Humidity"]?.count == 3)
    }

    @Test(arguments: [
        ("watch termometer", "did you mean 'thermometer'?"),
        ("watch battery-levl", "did you mean 'battery-level'?"),
        ("watch 0xFFF1", "its values have no known format; their octets: blectl notify 0xFFF1"),
        ("watch handle:3", "other values: blectl notify handle:3"),
        ("watch sensortag --sensors gyro", "did you mean 'gyroscope'?"),
        ("watch heart-rate --wheel 2000", "it is for cycling-speed and cycling-power"),
        ("watch heart-rate --zero", "it is for sensortag"),
        ("watch heart-rate --records last", "it is for profiles with stored records"),
        ("watch device-info --period 2", "it is for profiles that go on"),
        ("watch glucose battery", "glucose ends after its last value"),
        ("watch glucose --records lst", "did you mean 'last'?"),
    ])
    func `the error for an unwatchable name lists the watchable ones`(_ line: String, _ text: String) async throws {
        let run = try await Blectl.simulate(line)
        #expect(run.status == 64, "\(run.stderr)")
        #expect(run.stderr.contains(text), "\(run.stderr)")
    }
}
