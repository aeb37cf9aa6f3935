// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothDevices
@testable import FirmwareUpdate

@Suite("A device whose firmware is updated")
struct UpdatableFirmwareTests {
    private static func device(_ smp: String) throws -> DeviceDefinition {
        let text = #"""
            { "schema": "blectl-device/1", "smp": \#(smp), "services": [{ "uuid": "device-information", "characteristics": [
              { "uuid": "firmware-revision-string", "properties": ["read"], "value": "text:0" }] }] }
            """#
        return try DeviceFile.read(Array(text.utf8), named: "x")
    }

    /// An image that the boot loader takes: a header, a program, and its hash.
    private static func image(_ version: UInt8) throws -> MCUbootImage {
        var octets: [UInt8] = [0x3D, 0xB8, 0xF3, 0x96, 0, 0, 0, 0, 32, 0, 0, 0, 0x00, 0x04, 0, 0, 0, 0, 0, 0]
        octets += [version, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0x5A, count: 1_024)
        octets += [0x07, 0x69, 40, 0, 0x10, 0, 32, 0] + SHA256.hash(octets)
        return try MCUbootImage(octets)
    }

    /// A client of such a device, without I/O.
    private struct Client {
        private static let id = GATTServer.ClientID(1)
        var machine: DeviceMachine
        private(set) var now = Instant.zero
        private let database: GATTDatabase
        private let handle: Handle
        private var reassembler = MCUmgrReassembler()
        private(set) var frames: [MCUmgrFrame] = []
        /// For how long the device was away, each time.
        private(set) var absences: [Duration] = []
        private(set) var hangUps = 0
        private var sequence: UInt8 = 0

        init(_ definition: DeviceDefinition) throws {
            let image = try definition.image()
            database = image.database
            machine = DeviceMachine(image)
            handle = try #require(image.database.characteristic(.mcumgrData)?.valueHandle)
            try connect()
        }

        mutating func connect() throws {
            try note(machine.connected(Self.id, now: now))
            let configuration = try #require(handle.next)
            var writer = ByteWriter()
            writer.uint8(0x12)
            writer.append(configuration)
            writer.uint16(1)
            try note(machine.pduReceived([0x02, 100, 0], from: Self.id, now: now))
            try note(machine.pduReceived(writer.bytes, from: Self.id, now: now))
        }

        mutating func disconnect() throws { try note(machine.disconnected(Self.id, now: now)) }

        private mutating func note(_ actions: [DeviceMachine.Action]) throws {
            for action in actions {
                switch action {
                case .send(_, let pdu) where pdu.first == 0x1B:
                    #expect(pdu.count <= 100)
                    if let frame = try reassembler.received(Array(pdu.dropFirst(3))) { frames.append(frame) }
                case .hangUp: hangUps += 1
                case .report(.left(let time)): absences.append(time)
                case .send, .close, .report: break
                }
            }
        }

        mutating func run(for duration: Duration) throws {
            let end = now + duration
            while let deadline = machine.nextDeadline, deadline <= end {
                now = max(now, deadline)
                try note(machine.timerFired(now: now))
            }
            now = end
        }

        /// Sends a request in as many packets as it needs; `nil` if it is not answered within a minute.
        mutating func perform<Request: MCUmgrRequest>(_ request: Request) throws -> Request.Response? {
            sequence += 1
            let frame = request.frame(sequence: sequence)
            let octets = frame.encoded()
            frames = []
            for start in stride(from: 0, to: octets.count, by: 97) {
                var writer = ByteWriter()
                writer.uint8(0x52)
                writer.append(handle)
                writer.append(octets[start..<min(start + 97, octets.count)])
                try note(machine.pduReceived(writer.bytes, from: Self.id, now: now))
            }
            for _ in 0..<600 where frames.isEmpty { try run(for: .milliseconds(100)) }
            guard let answer = frames.first else { return nil }
            #expect(answer.answers(frame))
            return try request.response(in: answer)
        }

        mutating func upload(_ image: MCUbootImage) throws {
            var offset = 0
            while offset < image.octets.count {
                let data = Array(image.octets[offset...].prefix(300))
                let whole = MCUmgrUpload.Announcement(
                    image: nil,
                    length: image.octets.count,
                    hash: SHA256.hash(image.octets)
                )
                let part = MCUmgrUpload(offset: offset, data: data, announcement: offset == 0 ? whole : nil)
                offset = try #require(try perform(part)).offset
            }
        }

        /// The value of Firmware Revision String.
        mutating func revision() throws -> String {
            let handle = try #require(database.characteristic(0x2A26)?.valueHandle)
            var writer = ByteWriter()
            writer.uint8(0x0A)
            writer.append(handle)
            for action in machine.pduReceived(writer.bytes, from: Self.id, now: now) {
                if case .send(_, let pdu) = action, pdu.first == 0x0B {
                    return String(decoding: pdu.dropFirst(), as: UTF8.self)
                }
            }
            return ""
        }
    }

    @Test func `each member is read, and written as it was`() throws {
        let device = try Self.device(
            #"""
            { "version": "1.2.3+4", "slot_size": 2048, "buffers": 2, "buffer_size": 400, "reassembly": false,
              "erase_time": "30 s", "write_time": "1 ms", "start_time": "5 s", "starts": false,
              "faults": [{ "at": 0, "do": "refuse" }, { "at": 100, "do": "restart" }] }
            """#
        )
        var expected = MCUmgrServer.Configuration()
        expected.version = FirmwareVersion(1, 2, 3, build: 4)
        expected.slotSize = 2_048
        expected.buffers = .init(size: 400, count: 2)
        expected.joinsPackets = false
        (expected.eraseTime, expected.writeTime, expected.startTime) = (.seconds(30), .milliseconds(1), .seconds(5))
        expected.startsNewImages = false
        expected.faults = [.init(offset: 0, effect: .refuse), .init(offset: 100, effect: .restart)]
        #expect(device.updateServer == expected)
        let again = try DeviceFile.read(Array(DeviceFile.text(of: device).utf8), named: "x")
        #expect(again == device)
        #expect(try Self.device("{}").updateServer == MCUmgrServer.Configuration())
    }

    @Test(arguments: [
        #"{ "version": "1.2" }"#, #"{ "version": "1.2.300000" }"#, #"{ "version": "-1.2.3" }"#,
        #"{ "version": "1.2.3+" }"#,
        #"{ "slot_size": 16777217 }"#, #"{ "buffers": 0 }"#, #"{ "buffer_size": 63 }"#,
        #"{ "faults": [{ "at": 1 }] }"#, #"{ "faults": [{ "at": 1, "do": "explode" }] }"#, #"{ "slots": 2 }"#,
    ])
    func `wrong members are refused`(_ smp: String) {
        #expect(throws: DeviceFileErrors.self) { try Self.device(smp) }
    }

    @Test func `the service is added unless it is there`() throws {
        let device = try Self.device("{}")
        #expect(device.complete(device.services).contains { $0.uuid == .mcumgrService })
        var own = device
        own.services.append(.mcumgr)
        #expect(own.complete(own.services).count { $0.uuid == .mcumgrService } == 1)
        var plain = device
        plain.updateServer = nil
        #expect(!plain.complete(plain.services).contains { $0.uuid == .mcumgrService })
    }

    @Test func `an update changes the revision, and one that is not confirmed is put back`() throws {
        var client = try Client(try Self.device(#"{ "version": "1.0.0", "start_time": "2 s" }"#))
        #expect(try client.revision() == "1.0.0")
        let image = try Self.image(7)
        try client.upload(image)
        _ = try client.perform(MCUmgrSetImage(hash: image.hash, isConfirmed: false))
        #expect(try client.revision() == "1.0.0")
        _ = try client.perform(MCUmgrReset())
        try client.run(for: .seconds(1))
        #expect(client.absences == [.seconds(2)] && client.hangUps > 0)
        try client.disconnect()
        try client.connect()
        #expect(try client.revision() == "7.0.0")
        _ = try client.perform(MCUmgrReset())
        // The reset comes also if the client does not wait for it.
        try client.disconnect()
        try client.run(for: .seconds(1))
        #expect(client.absences.count == 2)
        try client.connect()
        #expect(try client.revision() == "1.0.0")
    }

    @Test func `responses come in parts that fit into the link, and the times are kept`() throws {
        var client = try Client(try Self.device(#"{ "erase_time": "7 s" }"#))
        let text = String(repeating: "a", count: 500)
        #expect(try client.perform(MCUmgrEcho(text)) == text)
        let start = client.now
        _ = try client.perform(MCUmgrErase(slot: 1))
        #expect(client.now - start >= .seconds(7))
    }

    @Test func `a device with DFU is read and written as it was, and is not updated in two ways`() throws {
        func device(_ dfu: String, _ more: String = "") throws -> DeviceDefinition {
            let text = #"{ "schema": "blectl-device/1", "dfu": \#(dfu)\#(more) }"#
            return try DeviceFile.read(Array(text.utf8), named: "x")
        }
        let members = #"""
            { "kind": "secure", "buttonless": true, "bonds": true, "address_shift": true, "version": "1.2", "size": 2048,
              "object_size": 512, "two_banks": true, "erase_time": "30 s", "write_time": "1 ms", "start_time": "5 s",
              "starts": false, "faults": [{ "at": 100, "do": "damage" }] }
            """#
        let whole = try device(members)
        var expected = DFUServer.Configuration()
        (expected.format, expected.sharesBonds, expected.shiftsAddress) = (.secure, true, true)
        (expected.version, expected.size, expected.objectSize, expected.hasTwoBanks) = ("1.2", 2_048, 512, true)
        (expected.eraseTime, expected.writeTime, expected.startTime) = (.seconds(30), .milliseconds(1), .seconds(5))
        (expected.startsNewFirmware, expected.faults) = (false, [UploadFault(offset: 100, effect: .damage)])
        #expect(whole.dfuServer == expected)
        #expect(try DeviceFile.read(Array(DeviceFile.text(of: whole).utf8), named: "x") == whole)
        #expect(throws: DeviceFileErrors.self) { try device("{}", #", "smp": {}"#) }
        #expect(throws: DeviceFileErrors.self) { try device(#"{ "kind": "other" }"#) }
        for kind in ["legacy", "secure"] {
            let definition = try device(#"{ "kind": "\#(kind)" }"#)
            let service: BluetoothUUID = kind == "legacy" ? .legacyDFUService : .secureDFUService
            #expect(definition.complete(definition.services).contains { $0.uuid == service })
        }
    }

    @Test func `rules and timers of the device go on beside the server`() throws {
        var definition = try Self.device(#"{ "erase_time": "5 s" }"#)
        definition.timeline = [
            TimelineEntry(at: .seconds(2), [.set(.uuid(0xFF01, service: nil), .value(.octets([2])))])
        ]
        definition.services.append(
            DeviceService(0xFF00, characteristics: [DeviceCharacteristic(0xFF01, .read, value: .octets([1]))])
        )
        var client = try Client(definition)
        let handle = try #require(client.machine.server.database.characteristic(0xFF01)?.valueHandle)
        _ = try client.perform(MCUmgrErase(slot: 1))
        #expect(client.machine.server.database[handle]?.value == [2])
    }
}
