// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@testable import BluetoothDevices

@Suite("Changes of the database")
struct DatabaseSwitchTests {
    /// A control service that stays, a service with streams that moves if another one is put before it.
    private static func definition() throws -> DeviceDefinition {
        let control = DeviceService(
            0xFF00,
            characteristics: [
                DeviceCharacteristic(
                    0xFF01,
                    [.read, .write],
                    onWrite: [
                        WriteRule([.equals([1])], [.database("pushed")]),
                        WriteRule([.equals([2])], [.database("bare")]),
                        WriteRule([.equals([3])], [.after(.seconds(1), .store), .database("bare")]),
                        WriteRule([.equals([0])], [.database(nil)]),
                    ]
                ),
                DeviceCharacteristic(
                    0xFF02,
                    [.read, .notify],
                    value: .number(
                        .generated(.counter(from: DecimalNumber(1), step: DecimalNumber(1), limit: nil)),
                        try ValueFormat("u8")
                    ),
                    stream: .init(every: .fixed(.seconds(1)))
                ),
                DeviceCharacteristic(0xFF03, [.read, .write], value: .octets([3])),
            ]
        )
        let readings = DeviceService(
            0xFF10,
            characteristics: [
                DeviceCharacteristic(
                    0xFF11,
                    [.read, .write, .notify],
                    label: "reading",
                    value: .octets([0x11]),
                    stream: .init(every: .fixed(.milliseconds(700)))
                )
            ]
        )
        let extra = DeviceService(
            0xFF20,
            characteristics: [
                DeviceCharacteristic(0xFF21, .notify, value: .octets([0x21]), stream: .init(every: .fixed(.seconds(1))))
            ]
        )
        return DeviceDefinition(
            label: "switch",
            address: .scripted,
            services: [control, readings],
            hasStandardServices: false,
            databases: ["pushed": [control, extra, readings], "bare": [control]]
        )
    }

    @Test func `subscriptions to unchanged characteristics continue, the others end`() throws {
        var bench = try DeviceBench(Self.definition())
        try bench.subscribe(0xFF02)
        try bench.subscribe(0xFF11)
        #expect(bench.run(for: .milliseconds(1_500)).map(\.what) == ["11", "01", "11"])
        #expect(try bench.write(0xFF01, "01") == "ok")
        // The extra service has taken the handle of the reading, but nobody has subscribed to it.
        #expect(bench.run(for: .seconds(2)).map(\.what) == ["02", "03"])
        try bench.look(in: "pushed")
        try bench.subscribe(0xFF11)
        #expect(bench.run(for: .milliseconds(800)).map(\.what) == ["04", "11"])
    }

    @Test func `values survive the change at any handles`() throws {
        var bench = try DeviceBench(Self.definition())
        #expect(try bench.write(0xFF11, "77") == "ok")
        #expect(try bench.write(0xFF03, "33") == "ok")
        #expect(try bench.write(0xFF01, "01") == "ok")
        try bench.look(in: "pushed")
        #expect(try bench.read(0xFF11) == "77")
        #expect(try bench.read(0xFF03) == "33")
        #expect(try bench.write(0xFF11, "78") == "ok")
        #expect(try bench.write(0xFF01, "02") == "ok")
        #expect(try bench.write(0xFF01, "00") == "ok")
        try bench.look(in: nil)
        #expect(try bench.read(0xFF11) == "78")
    }

    @Test func `a later action finds its characteristic, or does nothing`() throws {
        var bench = try DeviceBench(Self.definition())
        #expect(try bench.write(0xFF01, "03") == "ok")
        bench.run(for: .seconds(2))
        #expect(try bench.read(0xFF01) == "03")
    }

    @Test func `the definition's references and constants are checked`() throws {
        func error(_ characteristic: DeviceCharacteristic, _ timeline: [TimelineEntry] = []) -> DeviceDefinitionError? {
            do {
                _ = try DeviceDefinition.bench([characteristic], timeline: timeline).image()
                return nil
            } catch { return error }
        }
        let nowhere = CharacteristicReference.label("nowhere")
        #expect(error(.init(0xFF01, .read, value: .octets([1]))) == nil)
        #expect(
            error(.init(0xFF01, .write, onWrite: [WriteRule([], [.after(.zero, .send(nowhere, .written))])]))
                == .unknownCharacteristic(nowhere)
        )
        #expect(
            error(.init(0xFF01, .notify, stream: .init(every: .fixed(.seconds(1)), while: [.init(nowhere, is: [])])))
                == .unknownCharacteristic(nowhere)
        )
        #expect(
            error(.init(0xFF01, .notify, stream: .init(every: .value(of: nowhere, unit: .seconds(1)))))
                == .unknownCharacteristic(nowhere)
        )
        let entry = TimelineEntry(at: .zero, since: .subscription(nowhere), [])
        #expect(error(.init(0xFF01, .notify), [entry]) == .unknownCharacteristic(nowhere))
        #expect(error(.init(0xFF01, .read), [.init(at: .zero, [.database("x")])]) == .unknownDatabase("x"))
        let member = ProgramReference("heart", "colour")
        #expect(error(.init(0xFF01, .read, value: .sequence([.program(member)]))) == .unknownProgram(member))
        #expect(error(.init(0xFF01, .write, onWrite: [WriteRule([], [.run(member)])])) == .unknownProgram(member))
        let long = DeviceValue.octets([UInt8](repeating: 0, count: 513))
        #expect(error(.init(0xFF01, .read, value: long)) == .database(nil, .valueTooLong(3, length: 513)))
    }

    @Test func `constant numbers are held by the server`() throws {
        let value = DeviceValue.sequence([
            .number(.constant(DecimalNumber(500)), try ValueFormat("u16")), .octets([9]),
        ])
        let image = try DeviceDefinition.bench([DeviceCharacteristic(0xFF01, .read, value: value)]).image()
        #expect(image.database[3]?.value == [0xF4, 0x01, 9])
    }

    @Test func `writes of wrong lengths and offsets are refused`() throws {
        var bench = try DeviceBench(
            DeviceCharacteristic(
                0xFF01,
                [.read, .write],
                value: .octets([1, 2, 3]),
                lengths: 2...4,
                onWrite: [
                    WriteRule([.starts([0xEE])], [.refuse(.valueNotAllowed)])
                ]
            ),
            DeviceCharacteristic(0xFF02, [.read, .write], onWrite: [WriteRule([.starts([0xEE])], [])])
        )
        #expect(try bench.write(0xFF01, "01") == "error 0d")
        #expect(try bench.write(0xFF01, "0102030405") == "error 0d")
        #expect(try bench.write(0xFF01, "eeee") == "error 13")
        func prepare(_ uuid: BluetoothUUID, _ offset: String, _ hex: String) throws -> String {
            _ = bench.exchange("16" + (try bench.handle(uuid)) + offset + hex)
            return bench.exchange("1801")
        }
        // An offset replaces the end of the present value.
        #expect(try prepare(0xFF01, "0200", "0909") == "19")
        #expect(try bench.read(0xFF01) == "01020909")
        #expect(try prepare(0xFF01, "0400", "09") == "0118030" + "00d")
        #expect(try prepare(0xFF01, "0500", "09") == "0118030" + "007")
        #expect(try prepare(0xFF01, "ffff", "09") == "0118030" + "007")
        #expect(try bench.read(0xFF01) == "01020909")
        #expect(try prepare(0xFF02, "0100", "09") == "0118050" + "007")
        #expect(try prepare(0xFF02, "0000", "09") == "19")
        #expect(try prepare(0xFF02, "0100", "0a") == "19")
        #expect(try bench.read(0xFF02) == "090a")
    }
}
