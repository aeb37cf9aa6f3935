// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@Suite("Several values, all of them or none (Vol 3, Part G, 4.9.5)")
struct ReliableWriteTests {
    /// Values 0x0003 and 0x0006 may be written together, and so may the long one at 0x0009; not so the one at 0x000C.
    private static func database() throws -> GATTDatabase {
        func characteristic(
            _ uuid: BluetoothUUID,
            _ value: [UInt8],
            isReliable: Bool = true
        ) -> CharacteristicDefinition {
            let properties: CharacteristicProperties = [.read, .write]
            var definition = CharacteristicDefinition(
                uuid,
                isReliable ? properties.union(.extendedProperties) : properties,
                value: .variable(value)
            )
            if isReliable { definition.extendedProperties = .reliableWrite }
            return definition
        }
        let characteristics = [
            characteristic(0x2A19, [1]), characteristic(0x2A1A, [2]), characteristic(ServedDatabase.long, [3]),
            characteristic(0x2A1B, [4], isReliable: false),
        ]
        return try GATTDatabase(services: [ServiceDefinition(0x180F, characteristics: characteristics)])
    }

    private typealias Writes = [(uuid: BluetoothUUID, value: [UInt8])]

    private static func write(_ writes: Writes, to peripheral: Peripheral) async throws {
        try await peripheral.writeReliably(writes.map { (peripheral.characteristic($0.uuid), $0.value) })
    }

    /// The values at the device, one behind the other.
    private static func values(_ bench: DatabaseBench) async throws -> String {
        var values: [String] = []
        for uuid in [0x2A19, 0x2A1A, ServedDatabase.long, 0x2A1B] as [BluetoothUUID] {
            let value = try await bench.peripheral.characteristic(uuid).read().value
            values.append(value.count > 4 ? "\(value.count) octets" : Hex.string(value))
        }
        _ = bench.log
        return values.joined(separator: " ")
    }

    /// What a write asks of the device and comes to, what the values are then, and what the same write comes to on an honest
    /// device.
    private static func outcome(
        of writes: Writes,
        where whim: @escaping @Sendable (String) -> ServedDevice.Whim?
    ) throws -> (log: String, error: String?, values: String, again: String) {
        try DatabaseBench.run { bench in
            bench.device.change(to: try database())
            bench.device.setWhim(whim)
            var failure: String?
            do {
                try await write(writes, to: bench.peripheral)
            } catch {
                failure = Running.name(of: error)
            }
            let log = bench.log
            bench.device.setWhim { _ in nil }
            let left = try await values(bench)
            try await write(writes, to: bench.peripheral)
            return (log, failure, left, try await values(bench))
        }
    }

    /// Answers the request of a name and a number (from 0) with something else.
    private static func answering(
        _ name: String,
        _ number: Int = 0,
        count: Int = 1,
        with answer: [UInt8]
    ) -> @Sendable (String) -> ServedDevice.Whim? {
        let asked = Mutex(0)
        return { request in
            guard request == name else { return nil }
            let place = asked.withLock { count in
                defer { count += 1 }
                return count
            }
            return number..<(number + count) ~= place ? .answers(answer) : nil
        }
    }

    private static let two: Writes = [(0x2A19, [7]), (0x2A1A, [8])]

    @Test("several values, short and long, are prepared in order and executed at once")
    func writes() throws {
        let long = [UInt8](repeating: 9, count: 60)
        let (log, values) = try DatabaseBench.run { bench in
            bench.device.change(to: try Self.database())
            bench.device.setWhim { $0 == "mtu" ? .answers([0x03, 0x20, 0x00]) : nil }
            try await Self.write([(ServedDatabase.long, long), (0x2A1A, []), (0x2A19, [7, 7])], to: bench.peripheral)
            return (bench.log, try await Self.values(bench))
        }
        // An MTU of 32 leaves room for 27 octets.
        #expect(log == "connect mtu characteristics characteristics prepare prepare prepare prepare prepare execute")
        #expect(values == "0707  60 octets 04")
    }

    @Test("an echo that differs from the request: nothing is written, and the queue is cancelled")
    func echo() throws {
        // Another value, another handle, another offset, less, more.
        for echo in ["17 0600 0000 09", "17 0300 0000 08", "17 0600 0100 08", "17 0600 0000", "17 0600 0000 08 08"] {
            let outcome = try Self.outcome(of: Self.two, where: Self.answering("prepare", 1, with: octets(echo)))
            #expect(outcome.log.hasSuffix(" prepare prepare cancel"), "\(outcome.log)")
            #expect(
                outcome.error
                    == "gatt: the device's answer is invalid: 0x0006 at offset 0 was echoed with other octets"
            )
            #expect(outcome.values == "01 02 03 04")
            #expect(outcome.again == "07 08 03 04")
        }
    }

    @Test("refused in mid-queue: nothing is written, and the queue is cancelled", arguments: ["09", "05", "03", "80"])
    func refusedOnPreparing(code: String) throws {
        let refusal = octets("01 16 0600 \(code)")
        let outcome = try Self.outcome(of: Self.two, where: Self.answering("prepare", 1, with: refusal))
        #expect(outcome.log.hasSuffix(" prepare prepare cancel"), "\(outcome.log)")
        #expect(outcome.error?.hasSuffix("(0x\(code)) at 0x0006") == true, "\(outcome.error ?? "none")")
        #expect(outcome.values == "01 02 03 04")
        #expect(outcome.again == "07 08 03 04")
    }

    @Test("a refused Execute Write ends the operation, without a retry")
    func refusedOnExecuting() throws {
        let refusal = octets("01 18 0600 0d")
        let outcome = try Self.outcome(of: Self.two, where: Self.answering("execute", with: refusal))
        #expect(outcome.log.hasSuffix(" prepare prepare execute"), "\(outcome.log)")
        #expect(outcome.error == "gatt: invalid attribute value length (0x0D) at 0x0006")
        #expect(outcome.values == "01 02 03 04")
    }

    @Test("only values that permit it are written together; a single one always may")
    func wantsTheProperty() throws {
        try DatabaseBench.run { bench in
            bench.device.change(to: try Self.database())
            await #expect(throws: GATTError.refused(.requestNotSupported(at: 0x000C))) {
                try await Self.write([(0x2A19, [7]), (0x2A1B, [8])], to: bench.peripheral)
            }
            #expect(try await Self.values(bench) == "01 02 03 04")
            try await Self.write([(0x2A1B, [8])], to: bench.peripheral)
            #expect(try await Self.values(bench) == "01 02 03 08")
        }
    }

    @Test("if one is missing, or shorter than its value, nothing is prepared")
    func missing() throws {
        try DatabaseBench.run { bench in
            bench.device.change(to: try Self.database())
            await #expect(throws: MissingAttribute.characteristic(0xFFF1, service: nil)) {
                try await Self.write([(0x2A19, [7]), (0xFFF1, [8])], to: bench.peripheral)
            }
            await #expect(throws: GATTError.valueTooLong(length: 513, maximum: 512)) {
                let tooLong = [UInt8](repeating: 0, count: 513)
                try await Self.write([(0x2A19, [7]), (ServedDatabase.long, tooLong)], to: bench.peripheral)
            }
            let log = bench.log
            #expect(!log.contains("prepare") && !log.contains("execute"), "\(log)")
        }
    }

    @Test("an empty list sends nothing")
    func none() throws {
        let log = try DatabaseBench.run { bench in
            try await Self.write([], to: bench.peripheral)
            return bench.log
        }
        #expect(log.isEmpty)
    }

    @Test("out of sync: everything is found again, and the write repeated once", arguments: ["prepare", "execute"])
    func outOfSync(name: String) throws {
        let opcode = name == "prepare" ? "16" : "18"
        let refusal = octets("01 \(opcode) 0000 12")
        let outcome = try Self.outcome(of: Self.two, where: Self.answering(name, with: refusal))
        let first = name == "prepare" ? "prepare cancel" : "prepare prepare execute"
        #expect(
            outcome.log.hasSuffix(" \(first) characteristics prepare prepare execute"),
            "\(outcome.log)"
        )
        #expect(outcome.error == nil)
        #expect(outcome.values == "07 08 03 04")
        let twice = try Self.outcome(of: Self.two, where: Self.answering(name, count: 2, with: refusal))
        #expect(twice.error == "gatt: database out of sync (0x12) at 0x0000")
        #expect(twice.values == "01 02 03 04")
    }

    @Test("a link lost in mid-queue is the failure, because the result on the device is unknown")
    func linkLost() throws {
        let (outcome, log) = try DatabaseBench.run { bench in
            bench.device.change(to: try Self.database())
            bench.device.setWhim { $0 == "execute" ? .isSilent : nil }
            let running = Running(bench.scope, bench.time) { try await Self.write(Self.two, to: bench.peripheral) }
            try await bench.time.sleep(for: .seconds(1))
            #expect(running.outcome == nil)
            bench.device.loseLink()
            try await bench.time.sleep(for: .seconds(60))
            return (running.outcome?.text, bench.log)
        }
        #expect(outcome?.hasPrefix("radio: linkLost") == true, "\(outcome ?? "none")")
        #expect(log.hasSuffix(" prepare prepare execute"), "\(log)")
        #expect(log.components("connect") == 1)
    }

    @Test("an abandoned queue is cancelled before anything else is prepared")
    func givenUp() throws {
        let (log, values) = try DatabaseBench.run { bench in
            bench.device.change(to: try Self.database())
            let prepared = Mutex(0)
            bench.device.setWhim { name in
                if name == "prepare" { prepared.withLock { $0 += 1 } }
                return nil
            }
            let running = Running(bench.scope, bench.time) { try await Self.write(Self.two, to: bench.peripheral) }
            for _ in 0..<1_000 where prepared.withLock({ $0 }) == 0 {
                try await bench.time.sleep(for: .milliseconds(1))
            }
            running.cancel()
            try await Self.write([(ServedDatabase.long, [5])], to: bench.peripheral)
            #expect(running.outcome?.text == "cancelled")
            return (bench.log, try await Self.values(bench))
        }
        #expect(log.hasSuffix(" cancel prepare execute") && log.components("prepare") == 2, "\(log)")
        #expect(values == "01 02 05 04")
    }
}

extension ATTErrorResponse {
    fileprivate static func requestNotSupported(at handle: Handle) -> ATTErrorResponse {
        ATTErrorResponse(requestOpcode: .executeWriteRequest, handle: handle, code: .requestNotSupported)
    }
}

extension String {
    fileprivate func components(_ word: String) -> Int { split(separator: " ").count { $0 == word } }
}
