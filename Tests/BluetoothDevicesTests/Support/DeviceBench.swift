// SPDX-License-Identifier: MIT

import Bluetooth

@testable import BluetoothDevices

/// A device on a bench: a definition in its machine, without I/O. Requests are answered at once, and time passes when
/// the test says so.
struct DeviceBench {
    /// A PDU that the device has sent by itself, or another action of it.
    struct Event: Hashable, CustomStringConvertible {
        /// Milliseconds since the start.
        let time: Int64
        let what: String

        var description: String { "\(time): \(what)" }
    }

    static let client = GATTServer.ClientID(1)

    private(set) var machine: DeviceMachine
    private(set) var now = Instant.zero
    private var database: GATTDatabase
    private let databases: [String?: GATTDatabase]
    /// Everything but the answers to requests, in order.
    private(set) var events: [Event] = []

    /// Starts a device with one client.
    init(_ definition: DeviceDefinition, seed: UInt64 = 1, programs: DevicePrograms = .builtIn) throws {
        let image = try definition.image(random: SeededGenerator(seed: seed), programs: programs)
        machine = DeviceMachine(image)
        database = image.database
        var databases: [String?: GATTDatabase] = [nil: image.database]
        for (name, services) in definition.databases {
            var other = definition
            other.services = services
            other.databases[name] = definition.services
            databases[name] = try other.image(programs: programs).database
        }
        self.databases = databases
        connect()
    }

    /// Starts a device that consists of characteristics 0xFF01, 0xFF02, … in one service.
    init(_ characteristics: DeviceCharacteristic..., timeline: [TimelineEntry] = [], seed: UInt64 = 1) throws {
        try self.init(.bench(characteristics, timeline: timeline), seed: seed)
    }

    mutating func connect(_ client: GATTServer.ClientID = Self.client) {
        note(machine.connected(client, now: now))
        _ = exchange("02 0502", client)
    }

    mutating func disconnect(_ client: GATTServer.ClientID = Self.client) {
        note(machine.disconnected(client, now: now))
    }

    /// Sends a PDU, and returns the answer in hex; empty if there is none at once.
    mutating func exchange(_ pdu: String, _ client: GATTServer.ClientID = Self.client) -> String {
        let actions = machine.pduReceived(octets(pdu), from: client, now: now)
        var answer = ""
        var rest: [DeviceMachine.Action] = []
        for action in actions {
            if case .send(let receiver, let bytes) = action, receiver.client == client, answer.isEmpty,
                ![0x1B, 0x1D, 0x23].contains(bytes[0])
            {
                answer = Hex.string(bytes)
            } else {
                rest.append(action)
            }
        }
        note(rest)
        return answer
    }

    /// From now on characteristics are looked up in a database of the definition.
    mutating func look(in database: String?) throws {
        guard let known = databases[database] else { throw DeviceDefinitionError.unknownDatabase(database ?? "") }
        self.database = known
    }

    func handle(_ uuid: BluetoothUUID, plus offset: UInt16 = 0) throws -> String {
        guard let value = database.characteristic(uuid)?.valueHandle else {
            throw DeviceDefinitionError.unknownCharacteristic(.uuid(uuid, service: nil))
        }
        let raw = value.rawValue + offset
        return Hex.string([UInt8(raw & 0xFF), UInt8(raw >> 8)])
    }

    /// The value of a characteristic in hex, or the error response.
    mutating func read(_ uuid: BluetoothUUID, _ client: GATTServer.ClientID = Self.client) throws -> String {
        let answer = exchange("0a" + (try handle(uuid)), client)
        return answer.hasPrefix("0b") ? String(answer.dropFirst(2)) : answer.isEmpty ? "nothing" : Self.error(answer)
    }

    /// Writes a value, and returns `ok`, an error code, or `nothing`.
    mutating func write(_ uuid: BluetoothUUID, _ hex: String, _ client: GATTServer.ClientID = Self.client) throws
        -> String
    {
        let answer = exchange("12" + (try handle(uuid)) + hex, client)
        return answer == "13" ? "ok" : answer.isEmpty ? "nothing" : Self.error(answer)
    }

    /// The configuration follows the value.
    mutating func subscribe(
        _ uuid: BluetoothUUID,
        _ isWanted: Bool = true,
        _ client: GATTServer.ClientID = Self.client
    ) throws {
        _ = exchange("12" + (try handle(uuid, plus: 1)) + (isWanted ? "0100" : "0000"), client)
    }

    /// Acts on the device from outside. Returns `false` if that was refused.
    @discardableResult
    mutating func control(_ act: (inout DeviceMachine, Instant) -> [DeviceMachine.Action]?) -> Bool {
        guard let actions = act(&machine, now) else { return false }
        note(actions)
        return true
    }

    /// Lets time pass, and returns what happened.
    @discardableResult
    mutating func run(for duration: Duration) -> [Event] {
        let first = events.count
        let end = now + duration
        var rounds = 0
        while let deadline = machine.nextDeadline, max(deadline, now) <= end {
            rounds += 1
            precondition(rounds < 100_000, "the device never rests")
            now = max(now, deadline)
            note(machine.timerFired(now: now))
        }
        now = end
        return Array(events[first...])
    }

    /// Lets time pass without waking the device.
    mutating func standStill(for duration: Duration) { now = now + duration }

    private static func error(_ pdu: String) -> String { "error " + pdu.suffix(2) }

    private mutating func note(_ actions: [DeviceMachine.Action]) {
        for action in actions {
            let time = now.nanoseconds / 1_000_000
            switch action {
            case .send(_, let bytes):
                // Opcode and handle of a notification are those of the value.
                let isValue = bytes[0] == 0x1B || bytes[0] == 0x1D
                events.append(Event(time: time, what: Hex.string(isValue ? bytes[3...] : bytes[...])))
            case .hangUp(_, let reason): events.append(Event(time: time, what: "hangs up \(reason.rawValue)"))
            case .report(.left(let duration)): events.append(Event(time: time, what: "leaves for \(duration)"))
            case .report(.connectable(let value)): events.append(Event(time: time, what: "connectable \(value)"))
            case .close, .report: break
            }
        }
    }
}

extension DeviceMachine {
    /// Processes a PDU that came over the bearer of every link.
    mutating func pduReceived(
        _ bytes: [UInt8],
        from client: GATTServer.ClientID,
        signature: SignatureVerdict? = nil,
        now: Instant
    ) -> [Action] {
        pduReceived(bytes, from: GATTServer.BearerID(client), signature: signature, now: now)
    }
}

extension DeviceDefinition {
    /// A device that consists of characteristics in one service.
    static func bench(_ characteristics: [DeviceCharacteristic], timeline: [TimelineEntry] = []) -> DeviceDefinition {
        DeviceDefinition(
            label: "bench",
            address: .scripted,
            services: [DeviceService(0xFF00, characteristics: characteristics)],
            hasStandardServices: false,
            timeline: timeline
        )
    }
}

extension CharacteristicReference {
    /// The first characteristic of a UUID.
    static func any(_ uuid: BluetoothUUID) -> CharacteristicReference { .uuid(uuid, service: nil) }
}
