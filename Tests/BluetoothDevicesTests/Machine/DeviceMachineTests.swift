// SPDX-License-Identifier: MIT

import Bluetooth
import Synchronization
import Testing

@testable import BluetoothDevices

/// The state of a link, which the test can change, and the number of times that it was read.
private final class LinkState: Sendable {
    private let state: Mutex<(security: LinkSecurity, questions: Int)>

    init(_ security: LinkSecurity = .none) { state = Mutex((security, 0)) }

    var questions: Int { state.withLock { $0.questions } }

    func become(_ security: LinkSecurity) { state.withLock { $0.security = security } }

    func ask() -> LinkSecurity {
        state.withLock { state in
            state.questions += 1
            return state.security
        }
    }
}

/// Firmware that answers on request. Reads and writes of each characteristic behave differently.
private struct SlowFirmware: DeviceFirmware {
    static let (prompt, slow, never, refusing) =
        (0xFF01, 0xFF02, 0xFF03, 0xFF04) as (BluetoothUUID, BluetoothUUID, BluetoothUUID, BluetoothUUID)

    mutating func read(_ request: GATTServer.ReadContext, _ device: inout DeviceContext) -> DeviceAnswer<[UInt8]> {
        switch request.type {
        case Self.prompt: return .answer([1])
        case Self.slow: device.answer(device.question, by: [2], after: .seconds(10))
        case Self.refusing: device.refuse(device.question, .outOfRange, after: .seconds(10))
        default: break
        }
        return .later
    }

    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
        switch request.type {
        case Self.prompt: return .accept
        case Self.slow: device.accept(device.question, after: .seconds(10))
        case Self.refusing: device.refuse(device.question, .outOfRange, after: .seconds(10))
        default: break
        }
        return .later
    }

    mutating func timerFired(_ device: inout DeviceContext) {
        if let handle = device.valueHandle(of: 0xFF05) { device.notify([5], of: handle) }
    }

    mutating func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    ) {
        device.timer = configuration.isEmpty ? nil : device.now + .seconds(100)
    }
}

@Suite("DeviceMachine")
struct DeviceMachineTests {
    private static let (first, second) = (GATTServer.ClientID(1), GATTServer.ClientID(2))
    private static let encrypted = LinkSecurity(isEncrypted: true, keySize: 16)

    /// A machine with these values: prompt 0x0003, slow 0x0005, never 0x0007, refusing 0x0009, guarded 0x000B with its
    /// configuration 0x000C, secret 0x000E.
    private static func makeMachine() throws -> DeviceMachine {
        let handled = [SlowFirmware.prompt, SlowFirmware.slow, SlowFirmware.never, SlowFirmware.refusing].map {
            CharacteristicDefinition($0, [.read, .write, .writeWithoutResponse], value: .application)
        }
        let guarded = CharacteristicDefinition(0xFF05, .notify, value: .application, subscription: .encrypted)
        let secret = CharacteristicDefinition(
            0xFF06,
            [.read, .write],
            value: .variable([6]),
            permissions: AttributePermissions(read: .encrypted, write: .encrypted)
        )
        let service = ServiceDefinition(0xFF00, characteristics: handled + [guarded, secret])
        return DeviceMachine(
            DeviceImage(
                name: "machine",
                address: .scripted,
                advertising: [],
                database: try GATTDatabase(services: [service]),
                firmware: SlowFirmware()
            )
        )
    }

    /// The PDUs that are sent, each with its recipient, and the reported violations.
    private func said(_ actions: [DeviceMachine.Action]) -> [String] {
        actions.compactMap { action in
            switch action {
            case .send(let bearer, let bytes): "\(bearer.client.rawValue) \(Hex.string(bytes))"
            case .close(let bearer): "\(bearer.client.rawValue) closed \(bearer.number)"
            case .hangUp(let client, let reason): "\(client.rawValue) hung up: \(reason)"
            case .report(.odd(let client, let diagnostic)): "\(client.rawValue) odd: \(diagnostic)"
            case .report(.dropped(let client, let count)): "\(client.rawValue) dropped \(count)"
            case .report(.exchanged), .report(.fault), .report(.left), .report(.appeared), .report(.connectable),
                .report(.asked):
                nil
            }
        }
    }

    private func send(
        _ hex: String,
        _ machine: inout DeviceMachine,
        from client: GATTServer.ClientID = first,
        at seconds: Int = 0
    ) -> [String] {
        said(machine.pduReceived(octets(hex), from: client, now: .zero + .seconds(seconds)))
    }

    // MARK: - Late answers

    @Test func `a delayed answer holds up only its own client`() throws {
        for (request, answer) in [
            ("0a 0500", "0b02"), ("12 0500 07", "13"), ("0a 0900", "010a0900ff"), ("12 0900 07", "01120900ff"),
        ] {
            var machine = try Self.makeMachine()
            _ = machine.connected(Self.first, now: .zero)
            _ = machine.connected(Self.second, now: .zero)
            #expect(send(request, &machine).isEmpty)
            #expect(send("0a 0300", &machine, from: Self.second) == ["2 0b01"])
            #expect(send("0a 0300", &machine).contains("1 0b01") == false)
            #expect(machine.nextDeadline == .zero + .seconds(10))
            #expect(machine.timerFired(now: .zero + .seconds(9)).isEmpty)
            #expect(said(machine.timerFired(now: .zero + .seconds(10))) == ["1 " + answer, "1 0b01"])
            #expect(machine.nextDeadline == nil && machine.replyCount == 0)
        }
    }

    @Test func `a client that gets no answer stays connected, waits, and can leave`() throws {
        var machine = try Self.makeMachine()
        _ = machine.connected(Self.first, now: .zero)
        #expect(send("0a 0700", &machine).isEmpty)
        // The number of waiting requests is limited by the bearer.
        for _ in 0..<1_000 { _ = send("0a 0300", &machine) }
        #expect(machine.nextDeadline == nil)
        #expect(machine.timerFired(now: .zero + .seconds(3_600)).isEmpty)
        #expect(said(machine.disconnected(Self.first, now: .zero)).isEmpty)
        _ = machine.connected(Self.second, now: .zero)
        #expect(send("0a 0300", &machine, from: Self.second) == ["2 0b01"])
    }

    @Test func `an answer for a client that has gone is dropped, even if its number is in use again`() throws {
        var machine = try Self.makeMachine()
        for _ in 0..<10_000 {
            _ = machine.connected(Self.first, now: .zero)
            #expect(send("0a 0500", &machine).isEmpty)
            _ = machine.disconnected(Self.first, now: .zero)
        }
        #expect(machine.replyCount == 0)
        _ = machine.connected(Self.first, now: .zero)
        #expect(send("0a 0700", &machine).isEmpty)
        #expect(machine.timerFired(now: .zero + .seconds(20)).isEmpty)
    }

    @Test func `a command to slow firmware is complete at once`() throws {
        var machine = try Self.makeMachine()
        _ = machine.connected(Self.first, now: .zero)
        #expect(send("52 0500 07", &machine).isEmpty)
        #expect(machine.replyCount == 0)
        #expect(send("0a 0300", &machine) == ["1 0b01"])
    }

    // MARK: - Security

    @Test func `encryption counts as soon as it is established`() throws {
        let link = LinkState()
        var machine = try Self.makeMachine()
        _ = machine.connected(Self.first, security: { link.ask() }, now: .zero)
        #expect(send("0a 0e00", &machine) == ["1 010a0e0005"])
        link.become(Self.encrypted)
        #expect(send("0a 0e00", &machine) == ["1 0b06"])
        #expect(send("12 0e00 07", &machine) == ["1 13"])
        #expect(send("0c 0e00 0000", &machine) == ["1 0d07"])
    }

    @Test func `access without requirements does not query the link`() throws {
        let link = LinkState()
        var machine = try Self.makeMachine()
        _ = machine.connected(Self.first, security: { link.ask() }, now: .zero)
        let before = link.questions
        for request in ["02 0502", "04 0100 ffff", "10 0100 ffff 0028", "0a 0300", "12 0300 07", "52 0300 07"] {
            _ = send(request, &machine)
        }
        #expect(link.questions == before)
        _ = send("0a 0e00", &machine)
        #expect(link.questions == before + 1)
    }

    @Test func `requirements of a subscription are checked again when a value is sent`() throws {
        let link = LinkState(Self.encrypted)
        var machine = try Self.makeMachine()
        _ = machine.connected(Self.first, security: { link.ask() }, now: .zero)
        #expect(send("12 0c00 0100", &machine) == ["1 13"])
        #expect(said(machine.timerFired(now: .zero + .seconds(100))) == ["1 1b0b0005"])

        _ = send("12 0c00 0000", &machine)
        #expect(send("12 0c00 0100", &machine, at: 200) == ["1 13"])
        link.become(.none)
        #expect(said(machine.timerFired(now: .zero + .seconds(300))).isEmpty)
    }

    @Test func `a bonded client's subscription waits for encryption, and then continues by itself`() throws {
        let bonded = LinkSecurity(isEncrypted: true, keySize: 16, hasBond: true)
        let link = LinkState(bonded)
        var machine = try Self.makeMachine()
        _ = machine.connected(Self.first, as: .scripted, security: { link.ask() }, now: .zero)
        #expect(send("12 0c00 0100", &machine) == ["1 13"])
        _ = machine.disconnected(Self.first, now: .zero)

        link.become(LinkSecurity(hasBond: true))
        _ = machine.connected(Self.second, as: .scripted, security: { link.ask() }, now: .zero)
        #expect(said(machine.timerFired(now: .zero + .seconds(100))).isEmpty)
        #expect(send("0a 0c00", &machine, from: Self.second) == ["2 0b0100"])
        _ = machine.disconnected(Self.second, now: .zero)
        _ = machine.connected(Self.second, as: .scripted, security: { link.ask() }, now: .zero)
        link.become(bonded)
        #expect(said(machine.timerFired(now: .zero + .seconds(200))) == ["2 1b0b0005"])
    }

    // MARK: - MTU

    @Test func `the current MTU limits a value, also if it was exchanged after the subscription`() throws {
        let service = ServiceDefinition(
            0xFF00,
            characteristics: [CharacteristicDefinition(0xFF05, .notify, value: .application)]
        )
        var machine = DeviceMachine(
            DeviceImage(
                name: "notifier",
                address: .scripted,
                advertising: [],
                database: try GATTDatabase(services: [service]),
                firmware: SlowFirmware()
            )
        )
        _ = machine.connected(Self.first, now: .zero)
        #expect(send("12 0400 0100", &machine) == ["1 13"])
        let value = [UInt8](repeating: 7, count: 50)
        let cut = said(machine.send(value, of: 0x0003, now: .zero))
        #expect(cut == ["1 1b0300" + Hex.string(value.prefix(20))])
        #expect(send("02 4000", &machine).count == 1)
        let whole = said(machine.send(value, of: 0x0003, now: .zero))
        #expect(whole == ["1 1b0300" + Hex.string(value)])
    }

    // MARK: - Violations

    @Test func `a signed write is ignored and reported`() throws {
        var machine = try Self.makeMachine()
        _ = machine.connected(Self.first, security: { Self.encrypted }, now: .zero)
        let told = send("d2 0300 0a 000000000000000000000000", &machine)
        #expect(told == ["1 odd: \(ATTDiagnostic.signedWriteIgnored(0x0003))"])
        #expect(send("ff 00", &machine) == ["1 odd: \(ATTDiagnostic.unknownCommand(ATTOpcode(0xFF)))"])
    }

    @Test func `a signed write with a valid signature is carried out, and reported in any case`() throws {
        let signed = CharacteristicDefinition(0xFF01, [.read, .authenticatedSignedWrites], value: .variable([0]))
        var machine = DeviceMachine(
            DeviceImage(
                name: "machine",
                address: .scripted,
                advertising: [],
                database: try GATTDatabase(services: [ServiceDefinition(0xFF00, characteristics: [signed])]),
                maximumMTU: 23
            )
        )
        _ = machine.connected(Self.first, now: .zero)
        func send(_ value: String, _ verdict: SignatureVerdict?) -> (said: [String], verdicts: [SignatureVerdict?]) {
            let bytes = octets("d2 0300 \(value) 000000000000000000000000")
            let actions = machine.pduReceived(bytes, from: Self.first, signature: verdict, now: .zero)
            let verdicts = actions.compactMap { action -> SignatureVerdict?? in
                if case .report(.exchanged(let exchange)) = action { .some(exchange.signature) } else { nil }
            }
            return (said(actions), verdicts)
        }
        let valid = SignatureVerdict.valid(isAuthenticated: false)
        #expect(send("07", valid) == ([], [valid]))
        #expect(machine.server.database[0x0003]?.value == [7])
        for verdict in [SignatureVerdict.wrong, .replayed] {
            #expect(send("08", verdict) == (["1 odd: \(ATTDiagnostic.signatureRefused(0x0003, verdict))"], [verdict]))
        }
        // An earlier verdict does not apply to a repetition.
        #expect(send("07", nil).said == ["1 odd: \(ATTDiagnostic.signedWriteIgnored(0x0003))"])
        let long = ATTDiagnostic.oversizedPDU(.signedWriteCommand, octets: 24, limit: 23)
        #expect(send(String(repeating: "09", count: 9), valid).said == ["1 odd: \(long)"])
        #expect(machine.server.database[0x0003]?.value == [7])
    }

    @Test func `an exchange names the attribute of its time`() throws {
        var machine = try Self.makeMachine()
        _ = machine.connected(Self.first, now: .zero)
        let actions = machine.pduReceived([0x0A, 0x03, 0x00], from: Self.first, now: .zero)
        let exchanges = actions.compactMap { action -> DeviceExchange? in
            if case .report(.exchanged(let exchange)) = action { exchange } else { nil }
        }
        #expect(exchanges.map(\.place?.attribute) == [SlowFirmware.prompt])
    }

    // MARK: - Indications

    @Test func `a client that does not confirm for 30 s is disconnected, and nothing is sent again (GAT/SR/BV-01)`()
        throws
    {
        let service = ServiceDefinition(
            0xFF00,
            characteristics: [CharacteristicDefinition(0xFF05, .indicate, value: .application)]
        )
        var machine = DeviceMachine(
            DeviceImage(
                name: "indicator",
                address: .scripted,
                advertising: [],
                database: try GATTDatabase(services: [service]),
                firmware: SlowFirmware()
            )
        )
        _ = machine.connected(Self.first, now: .zero)
        #expect(send("12 0400 0200", &machine) == ["1 13"])
        #expect(said(machine.timerFired(now: .zero + .seconds(100))) == ["1 1d030005"])
        #expect(machine.nextDeadline == .zero + .seconds(130))
        #expect(said(machine.timerFired(now: .zero + .seconds(129))).isEmpty)
        let end = said(machine.timerFired(now: .zero + .seconds(130)))
        let reason = "1 odd: \(ATTDiagnostic.unconfirmedIndication)"
        #expect(end == [reason, "1 hung up: \(HCIStatus.remoteUserTerminatedConnection)"])
        #expect(send("0a 0100", &machine, at: 131).isEmpty)
    }
}
