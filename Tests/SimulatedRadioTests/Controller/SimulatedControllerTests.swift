// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Simulated controller")
struct SimulatedControllerTests {
    /// The statuses of commands that a new controller performs in order.
    private static func statuses(
        _ profile: ControllerProfile = .modern,
        _ commands: [any HCICommand]
    ) -> [HCIStatus?] {
        var controller = SimulatedController(profile)
        return commands.map { command in
            let packet = HCIPacket.command(command.packet).encoded()
            let actions = controller.received(packet, now: .zero) { _ in nil }
            return actions.compactMap(Self.status).first
        }
    }

    private static func status(_ action: SimulatedController.Action) -> HCIStatus? {
        guard case .event(let packet) = action, let event = try? HCIEvent(packet) else { return nil }
        switch event {
        case .known(let event as CommandCompleteEvent): return event.status
        case .known(let event as CommandStatusEvent): return event.status
        default: return nil
        }
    }

    private static let legacyParameters = LESetScanParameters(
        type: .active,
        interval: .init(rawValue: 0x10),
        window: .init(rawValue: 0x10)
    )
    private static let extendedParameters = LESetExtendedScanParameters(
        le1M: .init(type: .active, interval: .init(rawValue: 0x10), window: .init(rawValue: 0x10))
    )

    @Test func `an unknown command is refused by Command Status`() {
        var controller = SimulatedController(.modern)
        let actions = controller.received([0x01, 0xFF, 0x3F, 0x00], now: .zero) { _ in nil }
        guard case .event(let packet)? = actions.first, actions.count == 1 else {
            Issue.record("no answer")
            return
        }
        #expect(HCIPacket.event(packet).encoded() == [0x04, 0x0F, 0x04, 0x01, 0x01, 0xFF, 0x3F])
    }

    @Test func `a command cut short is refused by its own kind of answer`() {
        var controller = SimulatedController(.modern)
        let actions = controller.received([0x01, 0x0C, 0x20, 0x01, 0x01], now: .zero) { _ in nil }
        guard case .event(let packet)? = actions.first else {
            Issue.record("no answer")
            return
        }
        #expect(HCIPacket.event(packet).encoded() == [0x04, 0x0E, 0x04, 0x01, 0x0C, 0x20, 0x12])
    }

    @Test func `other packets than commands are ignored`() {
        var controller = SimulatedController(.modern)
        var generator = SeededGenerator(seed: 7)
        #expect(controller.received([], now: .zero) { _ in nil }.isEmpty)
        for _ in 0..<20_000 {
            let length = Int(generator.next() % 40)
            var bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            if !bytes.isEmpty, generator.happens(0.8) { bytes[0] = 0x01 }
            if bytes.count > 3, generator.happens(0.5) { bytes[3] = UInt8(bytes.count - 4) }
            if bytes.count > 2, generator.happens(0.5) {
                bytes[1] = UInt8(truncatingIfNeeded: generator.next() % 0x80)
                bytes[2] = 0x20
            }
            let actions = controller.received(bytes, now: .zero) { _ in nil }
            if bytes.first != 0x01 { #expect(actions.isEmpty) }
        }
    }

    @Test func `legacy and extended commands do not mix`() {
        let disallowed = HCIStatus.commandDisallowed
        #expect(Self.statuses(.modern, [Self.legacyParameters, Self.extendedParameters]) == [.success, disallowed])
        #expect(Self.statuses(.modern, [Self.extendedParameters, Self.legacyParameters]) == [.success, disallowed])
    }

    @Test func `a controller without extended advertising does not know its commands`() {
        #expect(
            Self.statuses(.legacy, [Self.extendedParameters, Self.legacyParameters]) == [.unknownHCICommand, .success]
        )
    }

    @Test func `parameters cannot be changed while scanning`() {
        let on = LESetScanEnable(isEnabled: true)
        let off = LESetScanEnable(isEnabled: false)
        let statuses = Self.statuses(.modern, [on, Self.legacyParameters, on, off, off, Self.legacyParameters])
        #expect(statuses == [.success, .commandDisallowed, .success, .success, .success, .success])
    }

    @Test func `intervals and windows must lie in their ranges`() {
        func status(_ interval: UInt32, _ window: UInt32) -> HCIStatus? {
            Self.statuses(
                .modern,
                [
                    LESetScanParameters(
                        type: .passive,
                        interval: .init(rawValue: interval),
                        window: .init(rawValue: window)
                    )
                ]
            )[0]
        }
        #expect(status(0x4000, 0x4000) == .success)
        #expect(status(0x0004, 0x0004) == .success)
        #expect(status(0x4001, 0x0010) == .invalidHCICommandParameters)
        #expect(status(0x0003, 0x0003) == .invalidHCICommandParameters)
        #expect(status(0x0010, 0x0011) == .invalidHCICommandParameters)
        #expect(Self.statuses(.modern, [LESetExtendedScanParameters(le1M: nil)]) == [.invalidHCICommandParameters])
    }

    @Test func `scanning with a random address needs one`() {
        let parameters = LESetScanParameters(
            type: .active,
            interval: .init(rawValue: 0x10),
            window: .init(rawValue: 0x10),
            ownAddressType: .random
        )
        let statuses = Self.statuses(.modern, [parameters, LESetScanEnable(isEnabled: true)])
        #expect(statuses == [.success, .invalidHCICommandParameters])
    }

    @Test func `a scan with a duration ends by itself, with an event`() throws {
        let (events, isScanning) = try simulate(try .builtIn()) { system, time in
            let channel = try system.radio(named: "hci0").openHCI()
            let enable = LESetExtendedScanEnable(isEnabled: true, duration: .init(.seconds(2)))
            #expect(try await channel.status(of: enable) == .success)
            let lines = await channel.transcript(until: time.now + .seconds(5), time).lines
            return (lines, system.isScanning)
        }
        let last = try #require(events.last)
        #expect(last.bytes == [0x04, 0x3E, 0x01, 0x11])
        #expect(last.instant == .zero + .seconds(2))
        #expect(!isScanning)
    }

    @Test func `every channel gets all events and the others' commands, until it is closed`() throws {
        let (first, second, isScanning) = try simulate(try .builtIn()) { system, time in
            let radio = try system.radio(named: nil)
            let scanner = try radio.openHCI()
            let listener = try radio.openHCI()
            let enable = LESetExtendedScanEnable(isEnabled: true)
            try scanner.send(enable)
            #expect(try await listener.receive() == HCIPacket.command(enable.packet).encoded())
            async let heard = scanner.transcript(until: .zero + .seconds(1), time)
            let overheard = await listener.transcript(until: .zero + .seconds(1), time)
            let first = await heard
            scanner.close()
            #expect(throws: RadioError.self) { try scanner.send(LESetExtendedScanEnable(isEnabled: false)) }
            let still = await listener.transcript(until: .zero + .seconds(2), time)
            #expect(!still.reports.isEmpty)
            return (first, overheard, system.isScanning)
        }
        #expect(first == second && !first.reports.isEmpty)
        #expect(isScanning)
    }

    @Test func `closing a channel ends its waits`() throws {
        let error = try simulate(try .builtIn()) { system, time -> RadioError? in
            let channel = try system.radio(named: nil).openHCI()
            async let waiting = { () async -> RadioError? in
                do {
                    _ = try await channel.receive()
                    return nil
                } catch {
                    return error as? RadioError
                }
            }()
            try await time.sleep(for: .seconds(1))
            channel.close()
            channel.close()
            return await waiting
        }
        #expect(error?.cause == .closedLocally)
    }

    @Test func `there is one adapter`() throws {
        try simulate(try .builtIn()) { system, _ in
            let adapter = try #require(try system.adapters().first)
            #expect(try system.adapters().count == 1)
            #expect(adapter.name == "hci0" && adapter.bus == "virtual" && adapter.state == .up)
            #expect(throws: RadioError(.adapterNotFound("hci7"), during: "simulated adapter")) {
                try system.radio(named: "hci7")
            }
            #expect(try system.radio(named: adapter.address.description).adapter.name == "hci0")
        }
    }
}
