// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothDevices

@Suite("Hooks")
struct HookedFirmwareTests {
    private static let client = GATTServer.ClientID(1)
    private static let address = DeviceAddress(BluetoothAddress(rawValue: 0xC000_0000_0001), .random)
    private static let start = Instant.zero

    /// A device with a constant at 0x000D or so, a value that changes with the time, and one that echoes what is written.
    private static func image() throws -> DeviceImage {
        let level = DeviceCharacteristic(0xFF01, [.read, .write], value: .octets([1, 2, 3]))
        let echo = DeviceCharacteristic(
            0xFF02,
            [.read, .write, .writeWithoutResponse],
            value: .octets([9]),
            onWrite: [WriteRule([.equals([0])], [.refuse(.valueNotAllowed)])]
        )
        let service = DeviceService(0xFF00, characteristics: [level, echo])
        let definition = DeviceDefinition(label: "device", address: address, services: [service])
        return try definition.image(random: SeededGenerator(seed: 1))
    }

    /// A device without behaviour that has one characteristic.
    private static func plain(_ characteristic: CharacteristicDefinition) throws -> DeviceImage {
        let service = ServiceDefinition(0xFF00, characteristics: [characteristic])
        return DeviceImage(
            name: "plain",
            address: address,
            advertising: [],
            database: try GATTDatabase(services: [service])
        )
    }

    private static func handle(_ uuid: BluetoothUUID, in image: DeviceImage) throws -> Handle {
        try #require(DeviceHooks.handles(of: .characteristic(uuid, service: nil), in: image.database).first)
    }

    /// A running device with hooks, and the handle of a characteristic.
    private static func machine(
        _ uuid: BluetoothUUID,
        _ operations: DeviceHooks.Operations
    ) throws -> (DeviceMachine, Handle) {
        let image = try image()
        let handle = try handle(uuid, in: image)
        var machine = DeviceMachine(image.hooked(DeviceHooks([.characteristic(uuid, service: nil): operations])))
        _ = machine.connected(client, now: start)
        return (machine, handle)
    }

    private static func read(_ handle: Handle) -> [UInt8] { ATTRequest.read(ReadRequest(handle: handle)).encoded() }

    private static func write(_ value: [UInt8], _ handle: Handle) -> [UInt8] {
        ATTRequest.write(WriteRequest(handle: handle, value: value)).encoded()
    }

    private static func question(_ actions: [DeviceMachine.Action]) throws -> HookQuestion {
        try #require(
            actions.compactMap { action -> HookQuestion? in
                if case .report(.asked(let question)) = action { question } else { nil }
            }.first,
            "\(actions)"
        )
    }

    private static func sent(_ actions: [DeviceMachine.Action]) -> [String] {
        actions.compactMap { action in
            if case .send(_, let bytes) = action { Hex.string(bytes) } else { nil }
        }
    }

    @Test func `places are found by handle, by characteristic, and by service`() throws {
        let image = try Self.image()
        let handle = try Self.handle(0xFF01, in: image)
        let database = image.database
        #expect(DeviceHooks.handles(of: .characteristic(0xFF01, service: 0xFF00), in: database) == [handle])
        #expect(DeviceHooks.handles(of: .characteristic(0xFF01, service: 0x1800), in: database) == [])
        #expect(DeviceHooks.handles(of: .characteristic(0xFF0F, service: nil), in: database) == [])
        #expect(DeviceHooks.handles(of: .handle(handle), in: database) == [handle])
        #expect(DeviceHooks.handles(of: .handle(0xFFFF), in: database) == [])
    }

    @Test func `a read asks the hook, whose answer is the value in all of its parts`() throws {
        var (machine, handle) = try Self.machine(0xFF01, .read)
        let asked = machine.pduReceived(Self.read(handle), from: Self.client, now: Self.start)
        let question = try Self.question(asked)
        #expect(Self.sent(asked) == [])
        #expect(question.uuid == 0xFF01 && question.service == 0xFF00 && question.written == nil)
        let value = [UInt8](repeating: 7, count: 30)
        let answered = machine.answered(question.question, .accepted(value), now: Self.start)
        #expect(Self.sent(answered) == ["0b" + Hex.string(value.prefix(22))])
        // The rest of that value needs no further question.
        let rest = ATTRequest.readBlob(ReadBlobRequest(handle: handle, offset: 22)).encoded()
        let more = machine.pduReceived(rest, from: Self.client, now: Self.start)
        #expect(Self.sent(more) == ["0d" + Hex.string(value.dropFirst(22))])
    }

    @Test func `a refused question is an ATT error, and a second answer is ignored`() throws {
        var (machine, handle) = try Self.machine(0xFF01, [.read, .write])
        for request in [Self.read(handle), Self.write([1], handle)] {
            let question = try Self.question(machine.pduReceived(request, from: Self.client, now: Self.start))
            let refused = machine.answered(question.question, .refused(ATTErrorCode(0x80)), now: Self.start)
            #expect(Self.sent(refused).count == 1 && Self.sent(refused)[0].hasSuffix("80"), "\(refused)")
            #expect(machine.answered(question.question, .accepted([]), now: Self.start) == [])
        }
    }

    @Test func `an accepted write has the effects that it has without a hook`() throws {
        var (machine, handle) = try Self.machine(0xFF02, .write)
        var question = try Self.question(
            machine.pduReceived(Self.write([5, 6], handle), from: Self.client, now: Self.start)
        )
        #expect(question.written == [5, 6])
        #expect(Self.sent(machine.answered(question.question, .accepted([]), now: Self.start)) == ["13"])
        #expect(Self.sent(machine.pduReceived(Self.read(handle), from: Self.client, now: Self.start)) == ["0b0506"])
        // The rule of the device refuses what the program accepts.
        question = try Self.question(machine.pduReceived(Self.write([0], handle), from: Self.client, now: Self.start))
        let refused = Self.sent(machine.answered(question.question, .accepted([]), now: Self.start))
        #expect(refused.count == 1 && refused[0].hasPrefix("0112"), "\(refused)")
    }

    @Test func `without a hook for it a request is answered at once`() throws {
        var (machine, handle) = try Self.machine(0xFF01, .write)
        #expect(Self.sent(machine.pduReceived(Self.read(handle), from: Self.client, now: Self.start)) == ["0b010203"])
    }

    @Test func `a client that has gone gets no answer, and other clients do not wait`() throws {
        var (machine, handle) = try Self.machine(0xFF01, .read)
        let question = try Self.question(
            machine.pduReceived(Self.read(handle), from: Self.client, now: Self.start)
        )
        let other = GATTServer.ClientID(2)
        _ = machine.connected(other, now: Self.start)
        let name = try #require(
            DeviceHooks.handles(of: .characteristic(0x2A00, service: nil), in: machine.database).first
        )
        #expect(Self.sent(machine.pduReceived(Self.read(name), from: other, now: Self.start)).count == 1)
        _ = machine.disconnected(Self.client, now: Self.start)
        #expect(machine.answered(question.question, .accepted([1]), now: Self.start) == [])
    }

    @Test func `values that a plain database holds are kept`() throws {
        let value = CharacteristicDefinition(0xFF01, [.read, .write], value: .fixedLength([1, 2]))
        let image = try Self.plain(value)
        let handle = try Self.handle(0xFF01, in: image)
        var machine = DeviceMachine(image.hooked(DeviceHooks([.handle(handle): .write])))
        _ = machine.connected(Self.client, now: Self.start)
        #expect(Self.sent(machine.pduReceived(Self.read(handle), from: Self.client, now: Self.start)) == ["0b0102"])
        for (written, answer) in [([3, 4], "13"), ([5], "0112")] as [([UInt8], String)] {
            let question = try Self.question(
                machine.pduReceived(Self.write(written, handle), from: Self.client, now: Self.start)
            )
            let sent = Self.sent(machine.answered(question.question, .accepted([]), now: Self.start))
            #expect(sent.count == 1 && sent[0].hasPrefix(answer), "\(sent)")
        }
        #expect(Self.sent(machine.pduReceived(Self.read(handle), from: Self.client, now: Self.start)) == ["0b0304"])
    }

    @Test func `a part of a value is written into the value that was accepted last`() throws {
        var (machine, handle) = try Self.machine(0xFF02, .write)
        let first = [UInt8](1...10)
        var question = try Self.question(
            machine.pduReceived(Self.write(first, handle), from: Self.client, now: Self.start)
        )
        _ = machine.answered(question.question, .accepted([]), now: Self.start)
        let prepare = ATTRequest.prepareWrite(PrepareWriteRequest(handle: handle, offset: 5, value: [0xAA, 0xBB]))
        _ = machine.pduReceived(prepare.encoded(), from: Self.client, now: Self.start)
        question = try Self.question(machine.pduReceived([0x18, 0x01], from: Self.client, now: Self.start))
        #expect(question.written == [1, 2, 3, 4, 5, 0xAA, 0xBB])
        #expect(Self.sent(machine.answered(question.question, .accepted([]), now: Self.start)) == ["19"])
        let read = Self.sent(machine.pduReceived(Self.read(handle), from: Self.client, now: Self.start))
        #expect(read == ["0b0102030405aabb"])
    }

    @Test func `a part of a value of a fixed length leaves the rest of a plain database as it is`() throws {
        let value = CharacteristicDefinition(0xFF01, [.read, .write], value: .fixedLength([1, 2, 3]))
        let image = try Self.plain(value)
        let handle = try Self.handle(0xFF01, in: image)
        var machine = DeviceMachine(image.hooked(DeviceHooks([.handle(handle): .write])))
        _ = machine.connected(Self.client, now: Self.start)
        let prepare = ATTRequest.prepareWrite(PrepareWriteRequest(handle: handle, offset: 1, value: [9]))
        _ = machine.pduReceived(prepare.encoded(), from: Self.client, now: Self.start)
        let question = try Self.question(machine.pduReceived([0x18, 0x01], from: Self.client, now: Self.start))
        #expect(question.written == [1, 9, 3])
        #expect(Self.sent(machine.answered(question.question, .accepted([]), now: Self.start)) == ["19"])
        #expect(Self.sent(machine.pduReceived(Self.read(handle), from: Self.client, now: Self.start)) == ["0b010903"])
    }

    @Test func `an accepted write that changes the database leaves the values of the new one`() throws {
        /// A device that puts another database in place when it is written.
        struct Switching: DeviceFirmware {
            let other: GATTDatabase

            mutating func valueWritten(_ handle: Handle, _ device: inout DeviceContext) {
                device.replaceDatabase(with: other)
            }
        }
        var image = try Self.plain(CharacteristicDefinition(0xFF01, [.read, .write], value: .fixedLength([1])))
        let other = try Self.plain(CharacteristicDefinition(0xFF01, [.read, .write], value: .fixedLength([7])))
        image.firmware = Switching(other: other.database)
        let handle = try Self.handle(0xFF01, in: image)
        var machine = DeviceMachine(image.hooked(DeviceHooks([.handle(handle): .write])))
        _ = machine.connected(Self.client, now: Self.start)
        let question = try Self.question(
            machine.pduReceived(Self.write([3], handle), from: Self.client, now: Self.start)
        )
        #expect(Self.sent(machine.answered(question.question, .accepted([]), now: Self.start)) == ["13"])
        #expect(Self.sent(machine.pduReceived(Self.read(handle), from: Self.client, now: Self.start)) == ["0b07"])
    }

    @Test func `without a connection a device runs only the actions of its radio, on time`() throws {
        let definition = DeviceDefinition(
            label: "device",
            address: Self.address,
            timeline: [
                TimelineEntry(at: .seconds(1), [.disconnect]),
                TimelineEntry(at: .seconds(20), [.connectable(false)]),
                TimelineEntry(at: .seconds(30), every: .seconds(60), [.leave(.seconds(3))]),
            ]
        )
        var machine = DeviceMachine(try definition.image(random: SeededGenerator(seed: 1)))
        #expect(machine.nextDeadline == nil)
        #expect(machine.start(now: Self.start) == [])
        var told: [(Duration, DeviceMachine.Action)] = []
        for _ in 0..<3 {
            let deadline = try #require(machine.nextDeadline)
            for action in machine.timerFired(now: deadline) { told.append((deadline - Self.start, action)) }
        }
        #expect(told.map(\.0) == [.seconds(20), .seconds(30), .seconds(90)])
        #expect(
            told.map(\.1) == [
                .report(.connectable(false)), .report(.left(for: .seconds(3))), .report(.left(for: .seconds(3))),
            ]
        )
        #expect(machine.start(now: Self.start) == [], "it is on already")
    }
}
