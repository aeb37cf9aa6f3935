// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

/// The events of a served device, as text.
private final class Diary: Sendable {
    private let lines = Mutex<[String]>([])
    private let time: VirtualTime

    init(_ time: VirtualTime) { self.time = time }

    var entries: [String] { lines.withLock { $0 } }

    func write(_ event: PeripheralEvent) {
        let text: String
        switch event {
        case .serving(let mode): text = "serving \(mode?.rawValue ?? "here")"
        case .connected(let connection): text = "\(connection.number) connected"
        case .secured(let connection): text = "\(connection.number) secured: \(connection.security?.text ?? "-")"
        case .bearer(let connection, let bearer):
            let state = bearer.isOpen ? "open" : "closed"
            text = "\(connection.number) bearer \(bearer.number), MTU \(bearer.mtu): \(state)"
        case .disconnected(let connection, let mtu, let reason):
            text = "\(connection.number) disconnected, MTU \(mtu): \(reason.cause)"
        case .exchanged(let exchange): text = "\(exchange.client.rawValue) \(exchange.request.opcode)"
        case .odd(let number, let diagnostic): text = "\(number) \(diagnostic)"
        case .address(let address): text = "at \(address)"
        case .remark(let remark): text = "remark: \(remark)"
        case .stopping: text = "stopping"
        }
        lines.withLock { $0.append(text) }
    }
}

@Suite("PeripheralHost")
struct PeripheralHostTests {
    private static let link = ConnectionHandle(rawValue: 0x0040)

    static func device(_ faults: [FaultRule] = []) throws -> DeviceImage {
        let value = CharacteristicDefinition(
            0xFF01,
            [.read, .notify],
            value: .fixed([UInt8](repeating: 0xAB, count: 100))
        )
        return DeviceImage(
            name: "device",
            address: .scripted,
            advertising: [DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [2, 1, 6])],
            database: try GATTDatabase(services: [ServiceDefinition(0xFF00, characteristics: [value])]),
            maximumMTU: 247,
            faults: faults
        )
    }

    /// Serves a device, while the test acts as its centrals.
    static func serve(
        _ device: DeviceImage,
        on radio: ServingRadio,
        maximumCentrals: Int = 8,
        signatures: BondSignatures? = nil,
        bonds: ServedBonds? = nil,
        memories: (any ClientMemories)? = nil,
        until isLast: @escaping @Sendable (PeripheralEvent) -> Bool = { _ in false },
        _ body: @escaping @Sendable (VirtualTime, TaskScope, Running) async throws -> Void
    ) throws -> [String] {
        try inVirtualTime { time, scope in
            let diary = Diary(time)
            var configuration = PeripheralHost.Configuration(maximumCentrals: maximumCentrals)
            configuration.signatures = signatures
            configuration.bonds = bonds
            configuration.memories = memories
            let host = PeripheralHost(
                device,
                radio: radio,
                scope: scope,
                time: time,
                configuration: configuration
            )
            let serving = Running(scope, time) {
                try await host.serve { event in
                    diary.write(event)
                    return isLast(event) ? .stop : .goOn
                }
            }
            try await time.sleep(for: .milliseconds(1))
            try await body(time, scope, serving)
            serving.cancel()
            try await time.sleep(for: .seconds(1))
            #expect(serving.outcome != nil)
            #expect(radio.isClosed)
            return diary.entries
        }
    }

    static func connected(_ link: ConnectionHandle = link) -> HCIEventPacket {
        LEEnhancedConnectionCompleteEvent(
            LEConnectionCompleteEvent(
                link,
                role: .peripheral,
                peer: .scripted,
                interval: .init(rawValue: 24),
                latency: 0,
                supervisionTimeout: .init(rawValue: 42)
            )
        ).packet
    }

    // MARK: - Centrals

    @Test func `two clients at once have separate MTUs, and are told apart`() throws {
        let radio = ServingRadio()
        let long = String(repeating: "ab", count: 100)
        let diary = try Self.serve(try Self.device(), on: radio) { time, scope, _ in
            let small = ScriptedChannel(
                [turn("03 f700", "0a 0300"), turn("0b" + String(long.prefix(44)))],
                time,
                scope
            )
            let large = ScriptedChannel([turn("03 f700", "0a 0300"), turn("0b" + long)], time, scope)
            radio.comes(small)
            radio.comes(large)
            large.push("02 0501")
            small.push("02 1700")
            try await time.sleep(for: .seconds(1))
            #expect(small.isPlayed && large.isPlayed)
            small.end(.closedByPeer(nil))
            try await time.sleep(for: .seconds(1))
            #expect(large.closedAt == nil)
            large.end(.linkLost(nil))
            try await time.sleep(for: .seconds(1))
        }
        #expect(
            diary == [
                "serving here", "1 connected", "2 connected", "2 Read Request", "1 Read Request",
                "1 disconnected, MTU 23: closedByPeer(nil)", "2 disconnected, MTU 247: linkLost(nil)", "stopping",
            ]
                || diary == [
                    "serving here", "1 connected", "2 connected", "1 Read Request", "2 Read Request",
                    "1 disconnected, MTU 23: closedByPeer(nil)", "2 disconnected, MTU 247: linkLost(nil)", "stopping",
                ],
            "\(diary)"
        )
    }

    @Test func `a central beyond the limit is disconnected, and the next may connect after another left`() throws {
        let radio = ServingRadio()
        let diary = try Self.serve(try Self.device(), on: radio, maximumCentrals: 1) { time, scope, _ in
            let channels = (0..<3).map { _ in ScriptedChannel([], time, scope) }
            radio.comes(channels[0])
            radio.comes(channels[1])
            try await time.sleep(for: .seconds(1))
            #expect(channels[0].closedAt == nil)
            #expect(channels[1].closedAt != nil)
            channels[0].end(.closedByPeer(nil))
            try await time.sleep(for: .seconds(1))
            radio.comes(channels[2])
            try await time.sleep(for: .seconds(1))
            #expect(channels[2].closedAt == nil)
        }
        #expect(
            diary.prefix(5) == [
                "serving here", "1 connected", "remark: a central was disconnected: the limit is 1",
                "1 disconnected, MTU 23: closedByPeer(nil)", "2 connected",
            ],
            "\(diary)"
        )
    }

    @Test func `a central that takes no data is given up, and an ended link is reported with its reason`() throws {
        let radio = ServingRadio()
        let diary = try Self.serve(try Self.device(), on: radio) { time, scope, _ in
            for cause in [.system(call: "send", errno: "ENOBUFS"), .linkLost(nil)] as [RadioError.Cause] {
                let channel = ScriptedChannel([], time, scope)
                radio.comes(channel)
                try await time.sleep(for: .seconds(1))
                channel.failSending(cause)
                // The second request follows the answer that cannot be sent, before the end of the channel.
                for _ in 0..<2 { channel.push("0a 0300") }
                try await time.sleep(for: .seconds(1))
                channel.end(cause)
                try await time.sleep(for: .seconds(1))
            }
        }
        #expect(
            diary.filter { $0.contains("disconnected") } == [
                "1 disconnected, MTU 23: system(call: \"send\", errno: \"ENOBUFS\")",
                "2 disconnected, MTU 23: linkLost(nil)",
            ],
            "\(diary)"
        )
        for client in 1...2 {
            #expect(diary.filter { $0 == "\(client) \(ATTOpcode.readRequest)" }.count == 2, "\(diary)")
        }
    }

    @Test func `a protected value is served as soon as the link is encrypted`() throws {
        let secret = CharacteristicDefinition(
            0xFF02,
            .read,
            value: .fixed([7]),
            permissions: AttributePermissions(read: .encrypted, write: nil)
        )
        var device = try Self.device()
        device.database = try GATTDatabase(services: [ServiceDefinition(0xFF00, characteristics: [secret])])
        let radio = ServingRadio()
        _ = try Self.serve(device, on: radio) { time, scope, _ in
            let channel = ScriptedChannel([turn("01 0a 0300 05"), turn("0b 07")], time, scope)
            radio.comes(channel)
            channel.push("0a 0300")
            try await time.sleep(for: .seconds(1))
            channel.become(LinkSecurity(isEncrypted: true, keySize: 16))
            channel.push("0a 0300")
            try await time.sleep(for: .seconds(1))
            #expect(channel.sent == ["010a030005", "0b07"])
        }
    }

    @Test func `a bonded central finds its subscription again, and one on a socket does not`() throws {
        for controller in [AdvertisingController(), nil] {
            let radio = ServingRadio(controller)
            let diary = try Self.serve(try Self.device(), on: radio) { time, scope, _ in
                for answers in [["13"], [controller == nil ? "0b0000" : "0b0100"]] {
                    let channel = ScriptedChannel(Script(answers.map { turn($0) }), time, scope)
                    channel.become(LinkSecurity(isEncrypted: true, keySize: 16, hasBond: true))
                    radio.comes(channel)
                    channel.push(answers == ["13"] ? "12 0400 0100" : "0a 0400")
                    try await time.sleep(for: .seconds(1))
                    #expect(channel.sent == answers)
                    channel.end(.closedByPeer(nil))
                    try await time.sleep(for: .seconds(1))
                }
            }
            #expect(diary.contains("2 connected"))
        }
    }

    @Test func `oddities are reported`() throws {
        let radio = ServingRadio()
        let diary = try Self.serve(try Self.device(), on: radio) { time, scope, _ in
            let channel = ScriptedChannel([], time, scope)
            radio.comes(channel)
            channel.push("d2 0300 07 000000000000000000000000")
            try await time.sleep(for: .seconds(1))
        }
        #expect(diary.contains("1 \(ATTDiagnostic.signedWriteIgnored(0x0003))"))
    }

    @Test func `a device with faults is served with its faults`() throws {
        let radio = ServingRadio()
        let faults = [
            FaultRule(.connect, nil, .error(code: nil, after: .zero), times: 1),
            FaultRule(.request, nil, .noAnswer, numbers: 2...Int.max, isPerConnection: true),
        ]
        let diary = try Self.serve(try Self.device(faults), on: radio) { time, scope, _ in
            let refused = ScriptedChannel([], time, scope)
            let silent = ScriptedChannel([turn("03 f700", "0a 0300")], time, scope)
            radio.comes(refused)
            radio.comes(silent)
            silent.push("02 1700")
            try await time.sleep(for: .seconds(1))
            #expect(refused.closedAt != nil)
            #expect(silent.sent == ["03f700"])
        }
        let refusal = "remark: a central was disconnected: a fault, connect: refuse once"
        #expect(diary.prefix(3) == ["serving here", refusal, "1 connected"], "\(diary)")
        #expect(diary.contains("remark: central 1 met a fault: request: no answer #2- per connection"), "\(diary)")
    }

    @Test func `the reader reports its end, and then all links are closed`() throws {
        let radio = ServingRadio()
        _ = try Self.serve(
            try Self.device(),
            on: radio,
            until: { if case .disconnected = $0 { true } else { false } },
            { time, scope, serving in
                let channels = (0..<2).map { _ in ScriptedChannel([], time, scope) }
                for channel in channels { radio.comes(channel) }
                try await time.sleep(for: .seconds(1))
                channels[0].end(.closedByPeer(nil))
                try await time.sleep(for: .seconds(1))
                #expect(serving.outcome?.text == "()")
                #expect(channels[1].closedAt != nil)
                #expect(radio.isClosed)
            }
        )
    }

    @Test(arguments: [true, false])
    func `a stop or a cancellation reports the present centrals as disconnected`(
        _ isCancelled: Bool
    ) throws {
        let radio = ServingRadio()
        let diary = try Self.serve(
            try Self.device(),
            on: radio,
            until: { if case .disconnected = $0 { !isCancelled } else { false } },
            { time, scope, serving in
                let channels = (0..<3).map { _ in ScriptedChannel([], time, scope) }
                for channel in channels { radio.comes(channel) }
                try await time.sleep(for: .seconds(1))
                channels[0].end(.linkLost(nil))
                try await time.sleep(for: .seconds(1))
                serving.cancel()
                try await time.sleep(for: .seconds(1))
                #expect(serving.outcome != nil)
            }
        )
        #expect(
            diary.drop { !$0.contains("disconnected") } == [
                "1 disconnected, MTU 23: linkLost(nil)", "stopping", "2 disconnected, MTU 23: closedLocally",
                "3 disconnected, MTU 23: closedLocally",
            ],
            "\(diary)"
        )
    }

    @Test func `a vanished radio reports the present centrals, too`() throws {
        let radio = ServingRadio()
        let diary = try Self.serve(try Self.device(), on: radio) { time, scope, serving in
            radio.comes(ScriptedChannel([], time, scope))
            try await time.sleep(for: .seconds(1))
            radio.ends(.adapterDown)
            try await time.sleep(for: .seconds(1))
            #expect(serving.outcome?.text == "radio: adapterDown")
        }
        #expect(diary.suffix(2) == ["stopping", "1 disconnected, MTU 23: closedLocally"], "\(diary)")
    }

    @Test func `serving ends with the reason when no central can connect any more`() throws {
        let radio = ServingRadio()
        _ = try Self.serve(try Self.device(), on: radio) { time, _, serving in
            radio.ends(.adapterDown)
            try await time.sleep(for: .seconds(1))
            #expect(serving.outcome?.text == "radio: adapterDown")
        }
    }

    // MARK: - Advertising

    @Test func `extended: a set is started again after a connection, and removed at the end`() throws {
        let radio = ServingRadio(AdvertisingController())
        let channelHandle = Self.link
        let diary = try Self.serve(try Self.device(), on: radio) { time, scope, _ in
            let before = radio.controller.log
            #expect(before.first?.contains("connectable+scannable+legacy, every 100 ms") == true, "\(before)")
            #expect(before.last == "LE Set Extended Advertising Enable: on, sets 0xE0")
            radio.controller.tell(Self.connected())
            radio.controller.tell(
                LEAdvertisingSetTerminatedEvent(status: .success, .init(rawValue: 0xE0), connection: channelHandle)
                    .packet
            )
            radio.comes(ScriptedChannel([], time, scope))
            try await time.sleep(for: .seconds(10))
            #expect(
                Array(radio.controller.log[before.count...]) == ["LE Set Extended Advertising Enable: on, sets 0xE0"]
            )
        }
        #expect(diary.prefix(2) == ["serving extended", "1 connected"], "\(diary)")
        #expect(
            radio.controller.log.suffix(3) == [
                "LE Set Extended Advertising Enable: off, sets 0xE0", "LE Remove Advertising Set: set 0xE0",
                "Disconnect: connection 0x0040, \(HCIStatus.remoteUserTerminatedConnection)",
            ],
            "\(radio.controller.log)"
        )
    }

    @Test func `a device with more sets than numbers is advertised with as many as possible`() throws {
        let radio = ServingRadio(AdvertisingController())
        var device = try Self.device()
        device.advertising = Array(repeating: device.advertising[0], count: 40)
        let diary = try Self.serve(device, on: radio) { time, _, _ in
            try await time.sleep(for: .seconds(1))
            let log = radio.controller.log.filter { $0.contains("Enable: on") }
            #expect(log.count == 16 && log.last?.hasSuffix("sets 0xEF") == true, "\(log)")
        }
        #expect(
            diary.first == "remark: the adapter has no room for 24 of the device's 40 advertisements",
            "\(diary)"
        )
    }

    @Test func `legacy: started again after a connection, but not while there is no room for another`() throws {
        let radio = ServingRadio(AdvertisingController(isExtended: false))
        let on = "LE Set Advertising Enable: on"
        let diary = try Self.serve(try Self.device(), on: radio, maximumCentrals: 1) { time, scope, _ in
            #expect(radio.controller.log.filter { $0 == on }.count == 1)
            radio.controller.tell(Self.connected())
            radio.comes(ScriptedChannel([], time, scope))
            try await time.sleep(for: .seconds(1))
            #expect(radio.controller.log.filter { $0 == on }.count == 1)
            radio.controller.tell(DisconnectionCompleteEvent(Self.link, reason: .connectionTimeout).packet)
            try await time.sleep(for: .seconds(1))
            #expect(radio.controller.log.filter { $0 == on }.count == 2)
        }
        #expect(diary.first == "serving legacy")
        #expect(radio.controller.log.contains("LE Set Advertising Enable: off"))
    }

    @Test func `advertising that a killed predecessor left is replaced`() throws {
        let refusals = [LESetAdvertisingParameters.opcode: [HCIStatus.commandDisallowed]]
        let radio = ServingRadio(AdvertisingController(isExtended: false, refusals: refusals))
        let diary = try Self.serve(try Self.device(), on: radio) { _, _, _ in }
        #expect(
            diary.prefix(2) == [
                "remark: hci7 was already advertising; that advertising was stopped", "serving legacy",
            ],
            "\(diary)"
        )
    }

    @Test func `a controller whose legacy commands were used is advertised on with the same ones`() throws {
        let disallowed = [HCIStatus](repeating: .commandDisallowed, count: 9)
        let refusals = [
            LESetExtendedAdvertisingParameters.opcode: disallowed, LESetExtendedAdvertisingEnable.opcode: disallowed,
        ]
        let radio = ServingRadio(AdvertisingController(refusals: refusals))
        let diary = try Self.serve(try Self.device(), on: radio) { _, _, _ in }
        #expect(diary.first == "serving legacy")
    }

    @Test func `a link whose channel another program took is reported`() throws {
        let radio = ServingRadio(AdvertisingController())
        let diary = try Self.serve(try Self.device(), on: radio) { time, _, _ in
            radio.controller.tell(Self.connected())
            try await time.sleep(for: .seconds(6))
        }
        #expect(
            diary == [
                "serving extended",
                "remark: F0:F1:F2:F3:F4:F5 is connected, but another program of this machine serves attributes to it",
                "stopping",
            ],
            "\(diary)"
        )
    }

    @Test(arguments: [true, false])
    func `advertising that may have started without an answer is switched off`(isExtended: Bool) throws {
        let opcode = isExtended ? LESetExtendedAdvertisingEnable.opcode : LESetAdvertisingEnable.opcode
        let radio = ServingRadio(AdvertisingController(isExtended: isExtended, silences: [opcode]))
        _ = try Self.serve(try Self.device(), on: radio) { time, _, serving in
            try await time.sleep(for: .seconds(10))
            #expect(serving.outcome?.text == "radio: controllerSilent")
        }
        let name = isExtended ? "LE Set Extended Advertising Enable" : "LE Set Advertising Enable"
        let switched = radio.controller.log.filter { $0.hasPrefix(name) }
        #expect(switched.count == 2 && switched.last?.hasPrefix("\(name): off") == true, "\(radio.controller.log)")
    }

    @Test func `a set that the controller does not start is removed`() throws {
        let refusals = [LESetExtendedAdvertisingEnable.opcode: [HCIStatus.memoryCapacityExceeded]]
        let radio = ServingRadio(AdvertisingController(refusals: refusals))
        _ = try Self.serve(try Self.device(), on: radio) { time, _, serving in
            try await time.sleep(for: .seconds(1))
            #expect(serving.outcome?.text == "radio: commandRejected(\(HCIStatus.memoryCapacityExceeded))")
        }
        // A controller that knows extended commands has no room for legacy ones either.
        #expect(radio.controller.log.last == "LE Remove Advertising Set: set 0xE0", "\(radio.controller.log)")
    }

    @Test func `a central that connects just at the end is not kept`() throws {
        let late = Mutex<ScriptedChannel?>(nil)
        let radio = ServingRadio(AdvertisingController(silences: [HCIDisconnect.opcode]))
        _ = try Self.serve(try Self.device(), on: radio) { time, scope, serving in
            radio.comes(ScriptedChannel([], time, scope))
            try await time.sleep(for: .seconds(1))
            // The link of the first central ends slowly.
            serving.cancel()
            let channel = ScriptedChannel([], time, scope)
            late.withLock { $0 = channel }
            radio.comes(channel)
            try await time.sleep(for: .seconds(10))
            #expect(serving.outcome != nil)
        }
        #expect(late.withLock { $0?.closedAt } != nil)
    }

    @Test func `a permanent refusal of advertising is an error, and leaves nothing behind`() throws {
        let refusals = [LESetAdvertisingParameters.opcode: [HCIStatus](repeating: .commandDisallowed, count: 9)]
        let radio = ServingRadio(AdvertisingController(isExtended: false, refusals: refusals))
        _ = try Self.serve(try Self.device(), on: radio) { time, _, serving in
            try await time.sleep(for: .seconds(1))
            #expect(serving.outcome?.text == "radio: commandRejected(\(HCIStatus.commandDisallowed))")
        }
    }
}
