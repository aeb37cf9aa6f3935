// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Profiles behind watch")
struct ProfileTests {
    @Test("the registry is in order, and everything in it has a name and a format")
    func registry() {
        #expect(Profile.all.map(\.name) == Profile.all.map(\.name).sorted())
        #expect(Set(Profile.all.map(\.name)).count == Profile.all.count)
        for profile in Profile.all {
            #expect(AssignedNumber.slug(profile.name) == profile.name)
            #expect(!profile.services.isEmpty)
            for service in profile.services {
                // Numbers that nobody has assigned: TI's keys, and serial ports of cheap modules.
                let isNamed =
                    [0xFFE0, 0xFFF0, 0x18F0].contains(service) || AssignedNumbers.name(ofService: service) != nil
                #expect(isNamed, "\(profile.name)")
            }
            switch profile.mode {
            case .serialPort, .keys: #expect(profile.sources.isEmpty)
            case .stream, .snapshot, .storedRecords:
                #expect(!profile.sources.isEmpty || profile.wholeService != nil)
            }
            for sources in [profile.sources] + profile.variants.map(\.sources) {
                #expect(Set(sources.map(\.name)).count == sources.count, "\(profile.name) has unique names")
                for source in sources {
                    #expect(source.format != nil || CharacteristicValue.isKnown(source.characteristic), "\(source)")
                }
            }
        }
    }

    @Test(
        "a profile is found by name in any spelling, and by its service",
        arguments: [
            ("heart-rate", 0x180D), ("Heart Rate", 0x180D), ("HEART_RATE", 0x180D), ("heartrate", 0x180D),
            ("0x180D", 0x180D), ("180d", 0x180D), ("device-information", 0x180A), ("deviceinfo", 0x180A),
            ("health-thermometer", 0x1809), ("thermometer", 0x1809), ("environmental-sensing", 0x181A),
            ("cycling-speed-and-cadence", 0x1816), ("weight-scale", 0x181D), ("current time", 0x1805),
        ] as [(String, BluetoothUUID)]
    )
    func named(_ name: String, _ service: BluetoothUUID) {
        #expect(Profile.named(name)?.services == [service])
    }

    @Test("an unknown profile is not found", arguments: ["", "heart", "0x1234", "heart-rates"])
    func unknown(_ name: String) {
        #expect(Profile.named(name) == nil)
    }

    @Test("battery reads the level first, heart rate waits for the strap")
    func reads() {
        #expect(Profile.battery.sources.map(\.delivery) == [.readThenSent])
        #expect(Profile.heartRate.sources.map(\.delivery) == [.sent])
        #expect(Profile.heartRate.sources.map(\.characteristic) == [0x2A37])
    }

    @Test("a characteristic is a profile of its own, found by the service that it belongs to")
    func oneTarget() {
        let profile = Profile(of: 0x2A6E, in: nil, named: "temperature")
        #expect(profile.services == [0x181A])
        #expect(profile.sources.map(\.service) == [nil])
        #expect(profile.isForOneTarget)
    }

    @Test("a period is encoded as the nearest octet that the device accepts")
    func period() throws {
        let source = try #require(Profile.sensorTag.sources.first { $0.name == "accelerometer" })
        let period = try #require(source.period)
        #expect([1, 100, 104, 105, 1_000, 9_999].map { period.octet(milliseconds: $0) } == [10, 10, 10, 11, 100, 255])
    }
}

@Suite("Record Access Control Point")
struct RecordAccessTests {
    // Spec: Glucose Service 1.0.1, 3.4.1: op code, operator, and for a filter its type and its number.
    @Test("requests are encoded as the specification says")
    func requests() {
        #expect(RecordAccess.encode(.report, .all) == [1, 1])
        #expect(RecordAccess.encode(.report, .first) == [1, 5])
        #expect(RecordAccess.encode(.delete, .last) == [2, 6])
        #expect(RecordAccess.encode(.report, .since(0x1234)) == [1, 3, 1, 0x34, 0x12])
        #expect(RecordAccess.encode(.count, .all) == [4, 1])
        #expect(RecordAccess.encode(.abort, .last) == [3, 0])
    }

    @Test("answers of any length are told apart")
    func answers() {
        #expect(RecordAccess.answer([5, 0, 0x10, 0x01]) == .count(272))
        #expect(RecordAccess.answer([6, 0, 1, 1]) == .outcome(of: 1, .success))
        #expect(RecordAccess.answer([6, 0, 1, 6]) == .outcome(of: 1, .noRecords))
        for bytes in [[], [5], [5, 0, 1], [6, 0, 1], [1, 1, 1, 1]] as [[UInt8]] {
            #expect(RecordAccess.answer(bytes) == .unknown)
        }
        #expect(RecordAccess.Outcome(rawValue: 9).name == "operand not supported")
        #expect(RecordAccess.Outcome(rawValue: 77).name == "error 0x4D")
    }
}
