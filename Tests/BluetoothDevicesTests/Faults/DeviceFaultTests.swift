// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothDevices

@Suite("Faults of a device")
struct DeviceFaultTests {
    private static let client = GATTServer.ClientID(1)

    /// A device with these values: number 0x0003 with its configuration 0x0004, text 0x0006 with its configuration 0x0007,
    /// and labelled `first` and `second`, two of the same UUID at 0x0009 and 0x000B. A write to the text sends the number.
    private static func machine(_ faults: [String], latency: Duration = .zero) throws -> DeviceMachine {
        var definition = DeviceDefinition(label: "faulty", address: .scripted, hasStandardServices: false)
        definition.limits.responseLatency = latency
        let send = DeviceAction.send(.uuid(0xFF01, service: nil), .value(.octets([7])))
        let indicate = DeviceAction.send(.uuid(0xFF02, service: nil), .value(.octets([8])))
        definition.services = [
            DeviceService(
                0xFF00,
                characteristics: [
                    DeviceCharacteristic(0xFF01, [.read, .notify], value: .octets([1, 2])),
                    DeviceCharacteristic(
                        0xFF02,
                        [.read, .write, .writeWithoutResponse, .indicate],
                        value: .octets([3]),
                        onWrite: [
                            WriteRule([.equals([1])], [send]), WriteRule([.equals([2])], [indicate]),
                            WriteRule([], [.store]),
                        ]
                    ),
                    DeviceCharacteristic(0xFF03, .read, label: "first", value: .octets([4])),
                    DeviceCharacteristic(0xFF03, .read, label: "second", value: .octets([5])),
                ]
            )
        ]
        definition.faults = try faults.map { try FaultText(parsing: $0).rule }
        var machine = DeviceMachine(try definition.image())
        _ = machine.connected(client, now: .zero)
        return machine
    }

    private static func said(_ actions: [DeviceMachine.Action]) -> [String] {
        actions.compactMap { action in
            switch action {
            case .send(_, let bytes): Hex.string(bytes)
            case .hangUp(_, let reason): "end 0x\(Hex.string(reason.rawValue, minimumDigits: 2))"
            case .close, .report: nil
            }
        }
    }

    private static func tellsOfFaults(_ actions: [DeviceMachine.Action]) -> [String] {
        actions.compactMap { if case .report(.fault(_, let rule)) = $0 { rule.description } else { nil } }
    }

    /// What the device sends, each with the moment in seconds if that is not the start.
    private static func run(
        _ faults: [String],
        _ requests: [String],
        until end: Duration = .seconds(60)
    ) throws -> [String] {
        var machine = try machine(faults)
        var said: [String] = []
        for request in requests {
            said += self.said(machine.pduReceived(octets(request), from: client, now: .zero))
        }
        while let moment = machine.nextDeadline, moment - .zero <= end {
            let tenths = (moment - .zero).clampedNanoseconds / 100_000_000
            said += self.said(machine.timerFired(now: moment)).map { "\(tenths)ds \($0)" }
        }
        return said
    }

    private struct Example: CustomTestStringConvertible {
        let faults: [String]
        let requests: [String]
        let answers: [String]

        init(_ faults: String..., asks requests: [String], gets answers: [String]) {
            self.faults = faults
            self.requests = requests
            self.answers = answers
        }

        var testDescription: String { faults.joined(separator: "; ") }
    }

    private static let subscribe = ["120400 0100", "120700 0200"]

    /// Every effect on every kind of PDU.
    private static let examples = [
        Example(asks: ["0a0300"], gets: ["0b0102"]),
        // Requests.
        Example("read: delay 2s", asks: ["0a0300"], gets: ["20ds 0b0102"]),
        Example("read: error 0x80", asks: ["0a0300"], gets: ["010a030080"]),
        Example("read: error", asks: ["0a0300"], gets: ["010a03000e"]),
        Example(
            "read: error 0x80 after 2s",
            asks: ["0a0300", "0a0600"],
            gets: ["20ds 010a030080", "20ds 010a060080"]
        ),
        Example("read: no answer once", asks: ["0a0300"], gets: []),
        Example("read: lose once", asks: ["0a0300", "0a0300"], gets: ["0b0102"]),
        Example("read: wrong opcode 0x0d", asks: ["0a0300"], gets: ["0d0102"]),
        Example("read: truncate to 1", asks: ["0a0300"], gets: ["0b"]),
        Example("read: oversize to 6", asks: ["0a0300"], gets: ["0b0102000000"]),
        Example("read: oversize to 2", asks: ["0a0300"], gets: ["0b0102"]),
        Example("read: drop", asks: ["0a0300", "0a0300"], gets: ["end 0x13"]),
        Example("read: drop before 1s", asks: ["0a0300"], gets: ["10ds end 0x13"]),
        Example("read: drop after", asks: ["0a0300"], gets: ["0b0102", "1ds end 0x13"]),
        Example("read: drop after 2s with connection-timeout", asks: ["0a0300"], gets: ["0b0102", "20ds end 0x08"]),
        Example("read: duplicate", asks: ["0a0300"], gets: ["0b0102", "0b0102"]),
        Example("read 0xff01: reorder", asks: ["0a0300", "0a0600"], gets: ["0b03", "0b0102"]),
        Example("read: pause", asks: ["0a0300", "0a0600"], gets: []),
        Example("read: pause for 3s", asks: ["0a0300", "0a0600"], gets: ["30ds 0b0102", "30ds 0b03"]),
        // Which requests.
        Example(
            "read 0xff02: error",
            asks: ["0a0300", "0a0600", "0c06000000"],
            gets: ["0b0102", "010a06000e", "010c06000e"]
        ),
        // The error names the attribute that it is about.
        Example("read 0xff02: error", asks: ["080100ffff02ff", "080700ffff02ff"], gets: ["010806000e", "010807000a"]),
        Example("read 0xff00/0xff01: error", asks: ["0a0300"], gets: ["010a03000e"]),
        Example("read 0xff09/0xff01: error", asks: ["0a0300"], gets: ["0b0102"]),
        Example("read second: error", asks: ["0a0900", "0a0b00"], gets: ["0b04", "010a0b000e"]),
        Example("read 0x2902: error", asks: ["0a0400", "0a0300"], gets: ["010a04000e", "0b0102"]),
        Example("read 0xff02: error", asks: ["0e03000600", "2003000600"], gets: ["010e03000e", "012003000e"]),
        Example("mtu: error", asks: ["021700", "0a0300"], gets: ["010200000e", "0b0102"]),
        Example("mtu: truncate to 2", asks: ["021700"], gets: ["03f7"]),
        Example(
            "discover-services: error",
            asks: ["100100ffff0028", "080100ffff0228", "0a0300"],
            gets: ["011001000e", "010801000e", "0b0102"]
        ),
        Example(
            "discover-characteristics: error",
            asks: ["080100ffff0328", "040400 0400"],
            gets: ["010801000e", "010404000e"]
        ),
        Example("write: error 0x80", asks: ["120600 09", "120400 0100"], gets: ["0112060080", "13"]),
        Example("subscribe: error 0x80", asks: ["120600 09", "120400 0100"], gets: ["13", "0112040080"]),
        Example("subscribe 0xff01: error 0x80", asks: subscribe, gets: ["0112040080", "13"]),
        Example(
            "request: error",
            asks: ["0a0300", "120600 09", "021700"],
            gets: ["010a03000e", "011206000e", "010200000e"]
        ),
        Example("request 0xff02: error", asks: ["0a0300", "120600 09"], gets: ["0b0102", "011206000e"]),
        Example("request #2: no answer", asks: ["0a0300", "0a0300", "0a0300"], gets: ["0b0102", "0b0102"]),
        // Commands.
        Example("write: lose once", asks: ["520600 09", "0a0600"], gets: ["0b03"]),
        Example("write: error once", asks: ["520600 09", "0a0600"], gets: ["0b03"]),
        Example("write: no answer once", asks: ["520600 09", "0a0600"], gets: ["0b09"]),
        Example("write: drop after", asks: ["520600 09", "0a0600"], gets: ["end 0x13"]),
        Example(
            "write: delay 1s",
            asks: [subscribe[0], "520600 01", "0a0600"],
            gets: ["13", "0b03", "10ds 1b030007"]
        ),
        Example("write: duplicate", asks: [subscribe[0], "520600 01"], gets: ["13", "1b030007", "1b030007"]),
        // Notifications.
        Example("notify: lose", asks: [subscribe[0], "120600 01"], gets: ["13", "13"]),
        Example("notify: delay 1s", asks: [subscribe[0], "120600 01"], gets: ["13", "13", "10ds 1b030007"]),
        Example("notify: duplicate", asks: [subscribe[0], "120600 01"], gets: ["13", "13", "1b030007", "1b030007"]),
        Example(
            "notify: reorder",
            asks: [subscribe[0], "120600 01", "0a0300"],
            gets: ["13", "13", "0b0102", "1b030007"]
        ),
        Example("notify: truncate to 2", asks: [subscribe[0], "120600 01"], gets: ["13", "13", "1b03"]),
        Example("notify: oversize to 6", asks: [subscribe[0], "120600 01"], gets: ["13", "13", "1b0300070000"]),
        Example("notify: wrong opcode 0x1c", asks: [subscribe[0], "120600 01"], gets: ["13", "13", "1c030007"]),
        Example("notify: drop", asks: [subscribe[0], "120600 01"], gets: ["13", "13", "end 0x13"]),
        Example(
            "notify: drop after",
            asks: [subscribe[0], "120600 01"],
            gets: ["13", "13", "1b030007", "1ds end 0x13"]
        ),
        Example("notify: pause", asks: [subscribe[0], "120600 01"], gets: ["13", "13"]),
        Example("notify 0xff02: lose", asks: [subscribe[0], "120600 01"], gets: ["13", "13", "1b030007"]),
        Example("update 0xff01: lose", asks: [subscribe[0], "120600 01"], gets: ["13", "13"]),
        // Indications. The device hangs up if none is confirmed for 30 s.
        Example("indicate: lose", asks: [subscribe[1], "120600 02"], gets: ["13", "13", "300ds end 0x13"]),
        Example(
            "indicate: delay 1s",
            asks: [subscribe[1], "120600 02"],
            gets: ["13", "13", "10ds 1d060008", "300ds end 0x13"]
        ),
        Example("notify: lose", asks: [subscribe[1], "120600 02", "1e"], gets: ["13", "13", "1d060008"]),
        Example(
            "indicate: duplicate",
            asks: [subscribe[1], "120600 02", "1e"],
            gets: ["13", "13", "1d060008", "1d060008"]
        ),
        // Connections.
        Example("connect: drop after 7s with connection-timeout", asks: ["0a0300"], gets: ["0b0102", "70ds end 0x08"]),
    ]

    @Test(arguments: examples) private func effect(_ example: Example) throws {
        #expect(try Self.run(example.faults, example.requests) == example.answers)
    }

    @Test func `each effect that an operation can have is in an example`() throws {
        let rules = try Self.examples.flatMap(\.faults).map { try FaultText(parsing: $0).rule }
        let covered = Set(rules.map { "\($0.operation.isUpdate ? "update" : "request"): \($0.effect.kind.rawValue)" })
        for operation in [FaultRule.Operation.request, .update] {
            for kind in operation.effects { #expect(covered.contains("\(operation.rawValue): \(kind.rawValue)")) }
        }
    }

    @Test func `packets that a pause holds are sent in order when released, and later ones at once`() throws {
        var machine = try Self.machine(["read: pause"])
        #expect(Self.said(machine.pduReceived(octets("0a0300"), from: Self.client, now: .zero)).isEmpty)
        #expect(Self.said(machine.pduReceived(octets("0a0600"), from: Self.client, now: .zero)).isEmpty)
        #expect(Self.said(machine.release(now: .zero)) == ["0b0102", "0b03"])
        #expect(Self.said(machine.release(now: .zero)).isEmpty)
        #expect(Self.said(machine.pduReceived(octets("0a0300"), from: Self.client, now: .zero)) == ["0b0102"])
    }

    @Test func `a timed pause that is released holds nothing more`() throws {
        var machine = try Self.machine(["read: pause for 3s"])
        #expect(Self.said(machine.pduReceived(octets("0a0300"), from: Self.client, now: .zero)).isEmpty)
        #expect(Self.said(machine.release(now: .zero)) == ["0b0102"])
        #expect(Self.said(machine.timerFired(now: .zero + .seconds(3))).isEmpty)
        #expect(Self.said(machine.pduReceived(octets("0a0300"), from: Self.client, now: .zero)) == ["0b0102"])
    }

    @Test(arguments: ["pause", "pause for 1h", "delay 1h", "truncate to 1"])
    func `a fault that is taken away does not act on an answer that is still to come`(_ effect: String) throws {
        // The other rule keeps the layer at work.
        for others in [[], ["write: lose"]] {
            var machine = try Self.machine(["read: \(effect)"] + others, latency: .seconds(1))
            let rule = try FaultText(parsing: "read: \(effect)").rule
            _ = machine.pduReceived(octets("0a0300"), from: Self.client, now: .zero)
            #expect(machine.removeFaults(rule, now: .zero).removed.count == 1)
            #expect(Self.said(machine.timerFired(now: .zero + .seconds(1))) == ["0b0102"])
            // Nor on that of a later request, when there are faults again.
            machine.add(FaultRule(.write, nil, .lose))
            _ = machine.pduReceived(octets("0a0600"), from: Self.client, now: .zero + .seconds(1))
            #expect(Self.said(machine.timerFired(now: .zero + .seconds(2))) == ["0b03"])
        }
    }

    @Test func `a packet that waits for the next one is sent when its fault is taken away`() throws {
        var machine = try Self.machine(["read: reorder once"])
        #expect(Self.said(machine.pduReceived(octets("0a0300"), from: Self.client, now: .zero)).isEmpty)
        #expect(Self.said(machine.removeFaults(nil, now: .zero).1) == ["0b0102"])
        #expect(Self.said(machine.pduReceived(octets("0a0600"), from: Self.client, now: .zero)) == ["0b03"])
    }

    @Test func `a fault can be added while the device runs`() throws {
        var machine = try Self.machine([])
        #expect(Self.said(machine.pduReceived(octets("0a0300"), from: Self.client, now: .zero)) == ["0b0102"])
        machine.add(FaultRule(.read, nil, .error(code: 0x80, after: .zero)))
        #expect(Self.said(machine.pduReceived(octets("0a0300"), from: Self.client, now: .zero)) == ["010a030080"])
    }

    @Test func `a fault that is added after the subscription holds updates, and loses none`() throws {
        var pausing = try Self.machine([])
        #expect(Self.said(pausing.pduReceived(octets(Self.subscribe[0]), from: Self.client, now: .zero)) == ["13"])
        pausing.add(FaultRule(.notify, nil, .pause(nil)))
        #expect(Self.said(pausing.setValue([7], of: Handle(3), now: .zero) ?? []).isEmpty)
        #expect(Self.said(pausing.release(now: .zero)) == ["1b030007"])
        var reordering = try Self.machine([])
        #expect(Self.said(reordering.pduReceived(octets(Self.subscribe[0]), from: Self.client, now: .zero)) == ["13"])
        reordering.add(FaultRule(.notify, nil, .reorder))
        #expect(Self.said(reordering.setValue([7], of: Handle(3), now: .zero) ?? []).isEmpty)
        let read = reordering.pduReceived(octets("0a0600"), from: Self.client, now: .zero)
        #expect(Self.said(read) == ["0b03", "1b030007"])
    }

    @Test func `a fault that acts is reported with the request that it refuses, an unused one as well`() throws {
        var machine = try Self.machine(["read: error once", "write: lose"])
        let actions = machine.pduReceived(octets("0a0300"), from: Self.client, now: .zero)
        #expect(Self.tellsOfFaults(actions) == ["read: error once"])
        let refusals = actions.compactMap { action -> ATTErrorCode? in
            guard case .report(.exchanged(let exchange)) = action, case .failure(let error) = exchange.answer else {
                return nil
            }
            return error.code
        }
        #expect(refusals == [.unlikelyError])
        #expect(machine.unmetFaults.map(\.description) == ["write: lose"])
    }

    @Test func `a fault on an answer waits for a request, because a command has none`() throws {
        for effect in ["no answer", "wrong opcode 0x7f", "truncate to 1", "oversize to 9", "reorder", "pause"] {
            var machine = try Self.machine(["write: \(effect) once"])
            let command = machine.pduReceived(octets("520600 09"), from: Self.client, now: .zero)
            #expect(Self.tellsOfFaults(command).isEmpty, "\(effect)")
            #expect(machine.unmetFaults.count == 1, "\(effect)")
            // Its only time is still to come.
            let request = machine.pduReceived(octets("120600 09"), from: Self.client, now: .zero)
            #expect(Self.tellsOfFaults(request).count == 1, "\(effect)")
            #expect(machine.unmetFaults.isEmpty, "\(effect)")
        }
        // The command counts as an event all the same, and a later fault that can act does.
        var machine = try Self.machine(["write #1: no answer", "write #2: reorder", "write: lose"])
        for pdu in ["520600 09", "520600 08"] {
            let actions = machine.pduReceived(octets(pdu), from: Self.client, now: .zero)
            #expect(Self.tellsOfFaults(actions) == ["write: lose"])
        }
        #expect(machine.unmetFaults.count == 2)
    }

    @Test func `each request that a fault delays counts as one without an answer, and a command does not`() throws {
        for (fault, pdu, count) in [
            ("read: error 0x80 after 2s", "0a0300", 1), ("read: delay 2s", "0a0300", 1), ("read: pause", "0a0300", 1),
            ("write: delay 2s", "520600 09", 0), ("write: delay 2s", "120600 09", 1),
        ] {
            var machine = try Self.machine([fault])
            _ = machine.pduReceived(octets(pdu), from: Self.client, now: .zero)
            #expect(machine.waitingRequests == count, "\(fault)")
            _ = machine.release(now: .zero)
            _ = machine.timerFired(now: .zero + .seconds(2))
            #expect(machine.waitingRequests == 0, "\(fault)")
        }
    }

    @Test func `packets that a fault holds are dropped with the link`() throws {
        var machine = try Self.machine(["read: pause", "write: delay 5s"])
        _ = machine.pduReceived(octets("0a0300"), from: Self.client, now: .zero)
        _ = machine.pduReceived(octets("120600 09"), from: Self.client, now: .zero)
        _ = machine.disconnected(Self.client, now: .zero)
        _ = machine.connected(Self.client, now: .zero)
        #expect(Self.said(machine.release(now: .zero)).isEmpty)
        #expect(Self.said(machine.timerFired(now: .zero + .seconds(10))).isEmpty)
    }

    @Test func `an endless sender does not fill the memory`() throws {
        for fault in ["read: pause", "read: reorder", "read: delay 1h", "read: no answer", "write: delay 1h"] {
            var machine = try Self.machine([fault])
            for _ in 0..<5_000 {
                _ = machine.pduReceived(octets("0a0300"), from: Self.client, now: .zero)
                _ = machine.pduReceived(octets("520600 09"), from: Self.client, now: .zero)
            }
            #expect(machine.heldCount <= 1_024)
        }
    }

    @Test func `an unknown label and a senseless fault are refused`() throws {
        var definition = DeviceDefinition(label: "faulty", address: .scripted)
        definition.faults = [FaultRule(.read, .label("thrid"), .lose)]
        #expect(throws: DeviceDefinitionError.unknownCharacteristic(.label("thrid"))) { try definition.image() }
        let senseless = FaultRule(.scan, nil, .noAnswer)
        definition.faults = [senseless]
        #expect(throws: DeviceDefinitionError.invalidFault(senseless)) { try definition.image() }
    }
}

extension FaultRule.Operation {
    fileprivate var isUpdate: Bool { self == .notify || self == .indicate || self == .update }
}
