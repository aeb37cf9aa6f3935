// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothProfiles
import BluetoothTesting
import Foundation
import Testing

/// A strap as a test describes it.
func strap(_ faults: String...) throws -> DeviceDefinition {
    try DeviceDefinition("strap", name: "Test HR") {
        DeviceAdvertising(name: "Test HR", services: [0x180D, 0x180F])
        try DeviceService(0x180D) {
            DeviceCharacteristic(HeartRateMeasurement.self, .notify)
            try DeviceCharacteristic(BodySensorLocation.chest)
            DeviceCharacteristic(0x2A39, .write)
                .onWrite(.equals([0x01]), .send(.uuid(0x2A37, service: nil), .value(.octets([0x00, 0x3C]))))
                .onWrite(nil, .refuse(ATTErrorCode(rawValue: 0x80)))
        }
        try DeviceService(0x180F) {
            try DeviceCharacteristic(BatteryLevel(percent: 87), [.read, .notify])
        }
        try faults.map { .fault(try FaultRule($0)) }
    }
}

@Suite("A device on the bench")
struct DeviceBenchTests {
    @Test("a value is read, written, refused and sent")
    func values() throws {
        var bench = try DeviceBench(strap())
        let phone = bench.connect()
        #expect(try bench.read(0x2A19, phone) == [87])
        try bench.subscribe(phone, to: 0x2A37)
        try bench.write([0x01], to: 0x2A39, phone)
        #expect(bench.takeValues(of: 0x2A37, for: phone) == [[0x00, 0x3C]])
        #expect(throws: DeviceBench.Failure.refused(ATTErrorCode(rawValue: 0x80))) {
            try bench.write([0x02], to: 0x2A39, phone)
        }
        #expect(throws: DeviceBench.Failure.noAttribute) { try bench.read(0x2A6E, phone) }
    }

    @Test("a value that the test sets is sent to subscribers, and read by the others")
    func set() throws {
        var bench = try DeviceBench(strap())
        let (phone, watch) = (bench.connect(), bench.connect())
        try bench.subscribe(phone, to: 0x2A19)
        try bench.set(BatteryLevel(percent: 12))
        #expect(bench.takeValues(of: 0x2A19, for: phone) == [[12]])
        #expect(bench.takeValues(of: 0x2A19, for: watch).isEmpty)
        #expect(try bench.read(0x2A19, watch) == [12])
    }

    @Test("a built-in device sends values while time passes")
    func streams() throws {
        var bench = try DeviceBench(.builtIn("pulse-strap"))
        let phone = bench.connect()
        try bench.subscribe(phone, to: 0x2A37)
        bench.advance(by: .milliseconds(10_500))
        let values = bench.takeValues(of: 0x2A37, for: phone)
        #expect(values.count == 10)
        for value in values { #expect(try HeartRateMeasurement(decoding: value).heartRate > 30) }
    }

    @Test("an indication is confirmed when it is received, and the next one comes after that")
    func indications() throws {
        var bench = try DeviceBench(
            DeviceDefinition("cuff") {
                DeviceService(0x1810) { DeviceCharacteristic(0x2A35, .indicate, value: .octets([0])) }
            }
        )
        let phone = bench.connect()
        try bench.subscribe(phone, to: 0x2A35)
        try bench.set([1], of: 0x2A35)
        try bench.set([2], of: 0x2A35)
        #expect(bench.takeSent().map(\.pdu.last) == [1])
        bench.disconnect(phone)
        let other = bench.connect()
        try bench.subscribe(other, to: 0x2A35)
        try bench.set([3], of: 0x2A35)
        try bench.set([4], of: 0x2A35)
        #expect(bench.takeValues(of: 0x2A35, for: other) == [[3], [4]])
    }

    @Test("a device that hangs up ends the link")
    func hangUp() throws {
        var bench = try DeviceBench(strap("connect: drop after 10s"))
        let phone = bench.connect()
        bench.advance(by: .seconds(9))
        #expect(bench.endedLinks.isEmpty)
        bench.advance(by: .seconds(2))
        #expect(bench.endedLinks[phone] != nil)
        #expect(throws: DeviceBench.Failure.noAnswer) { try bench.read(0x2A19, phone) }
    }

    @Test("octets that are not a PDU get the answer of the specification")
    func malformed() throws {
        var bench = try DeviceBench(strap())
        let phone = bench.connect()
        // An unknown request: Error Response, Request Not Supported.
        #expect(bench.exchange([0x3F], phone) == [[0x01, 0x3F, 0x00, 0x00, 0x06]])
    }

    @Test("a fault that never acts is reported")
    func faults() throws {
        var bench = try DeviceBench(strap("read battery-level: error 0x0e once"))
        #expect(bench.unmetFaults.count == 1)
        let phone = bench.connect()
        #expect(throws: DeviceBench.Failure.refused(.unlikelyError)) { try bench.read(0x2A19, phone) }
        #expect(bench.unmetFaults.isEmpty)
        #expect(try bench.read(0x2A19, phone) == [87])
    }
}

@Suite("A device in Swift")
struct DeviceBuildingTests {
    @Test("it equals the definition of the device file with the same content")
    func sameAsFile() throws {
        let file = """
            {
              "schema": "blectl-device/1", "label": "strap", "name": "Test HR",
              "advertising": [{"data": {"services": ["heart-rate", "battery"], "name": "Test HR"}}],
              "services": [
                {"uuid": "heart-rate", "characteristics": [
                  {"uuid": "heart-rate-measurement", "properties": ["notify"]},
                  {"uuid": "body-sensor-location", "properties": ["read"], "value": "0x01"},
                  {"uuid": "heart-rate-control-point", "properties": ["write"], "on_write": [
                    {"is": "0x01", "do": {"send": "heart-rate-measurement", "value": "0x003c"}},
                    {"else": true, "do": {"error": "0x80"}}
                  ]}
                ]},
                {"uuid": "battery", "characteristics": [
                  {"uuid": "battery-level", "properties": ["read", "notify"], "value": "0x57"}
                ]}
              ]
            }
            """
        let read = try DeviceFile.read(Array(file.utf8), named: "strap.json")
        let written = try strap()
        #expect(written.services == read.services)
        #expect(written.advertising == read.advertising)
        #expect(written == read)
    }

    @Test("a device file is read by its path, and its tables from its folder")
    func file() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "device-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = try #require(BuiltInDevice.named("thermometer")).text
        let file = folder.appending(path: "thermometer.json")
        try text.write(to: file, atomically: true, encoding: .utf8)
        #expect(try DeviceDefinition.file(file.path()) == DeviceDefinition.builtIn("thermometer"))
    }

    @Test("a name that does not fit goes into the scan response")
    func longName() throws {
        let set = DeviceAdvertising(name: "A name of twenty-six octets", services: [0x180D])
        #expect(set.data(.start).count == 7)
        #expect(AdvertisingData(parsing: set.response(.start)).name?.text == "A name of twenty-six octets")
    }

    @Test("a value that does not fit its characteristic is refused")
    func badValue() {
        #expect(throws: (any Error).self) {
            var measurement = CSCMeasurement()
            measurement.wheelRevolutions = -1
            _ = try DeviceCharacteristic(measurement)
        }
    }

    @Test("an unknown built-in device and a missing file are reported")
    func sources() {
        #expect(throws: DeviceSourceError.self) { try DeviceDefinition.builtIn("pulse-strapp") }
        #expect(throws: DeviceSourceError.unreadable("/nonexistent/x.json")) {
            try DeviceDefinition.file("/nonexistent/x.json")
        }
    }
}

@Suite("Faults as sentences")
struct FaultSentenceTests {
    @Test(
        "the sentences of the documentation are faults",
        arguments: [
            "connect: error", "rssi: report -90", "discover-services: error 0x0a", "read: delay 1s",
            "write 0x2A39: error 0x80", "subscribe: error", "read battery-level: error 0x0e once", "notify: lose",
            "discover-characteristics: no-answer", "read battery-level: error 0x0e #3",
            "read battery-level: error 0x0e 10%", "read: error from 10s", "read: error per connection",
            "read battery-level: pause", "request: delay 1s",
        ]
    )
    func sentences(_ sentence: String) throws {
        #expect(try FaultRule(sentence).problem == nil)
    }
}

@Suite("Requests that wait")
struct WaitingRequestTests {
    @Test("a request waits for its delayed answer, and not for the later end of the link")
    func delayed() throws {
        var bench = try DeviceBench(strap("read battery-level: delay 2s once", "connect: drop after 10s"))
        let phone = bench.connect()
        #expect(bench.waitingRequests == 0)
        #expect(throws: DeviceBench.Failure.noAnswer) { try bench.read(0x2A19, phone) }
        #expect(bench.waitingRequests == 1)
        bench.advance(by: .seconds(3))
        #expect(bench.waitingRequests == 0)
        #expect(bench.takeSent().map(\.pdu) == [[0x0B, 87]])
    }
}
