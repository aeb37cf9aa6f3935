// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Connecting to simulated devices")
struct ConnectingTests {
    /// The world with one device changed.
    private static func world(
        seed: UInt64 = 1,
        _ name: String,
        _ faults: FaultRule...
    ) throws -> SimulatedWorld {
        var world = try SimulatedWorld.builtIn(seed: seed)
        world.devices = world.devices.map { $0.name == name ? $0.with(faults) : $0 }
        return world
    }

    /// A fault of the requests from a number on, on each connection.
    private static func request(_ numbers: PartialRangeFrom<Int>, _ effect: FaultEffect) -> FaultRule {
        FaultRule(.request, nil, effect, numbers: numbers.lowerBound...Int.max, isPerConnection: true)
    }

    private static func cause(_ body: () async throws -> Void) async -> RadioError.Cause? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? RadioError)?.cause
        }
    }

    @Test func `a connection takes until the next advertisement and one connection interval`() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let strap = try SimulatedDevice.builtIn("pulse-strap")
            let elapsed = try simulate(try .builtIn(seed: seed)) { system, time in
                let start = time.now
                let channel = try await system.radio(named: nil).connectATT(
                    to: strap.address,
                    deadline: start + .seconds(5)
                )
                #expect(channel.peer == strap.address)
                #expect(channel.connectionHandle == 0x0040)
                #expect(channel.maximumMTU == 517)
                return time.now - start
            }
            #expect(elapsed >= .milliseconds(30) && elapsed <= .microseconds(211_250 + 10_000 + 30_000))
        }
    }

    @Test func `the connection is made on an advertisement that a scanner hears`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap")
        let (made, heard) = try simulate(try .builtIn()) { system, time in
            async let transcript = ScanSettings(isActive: false).scan(system, for: .seconds(1), time)
            try await time.sleep(for: .milliseconds(100))
            let channel = try await system.radio(named: nil).connectATT(
                to: strap.address,
                deadline: .zero + .seconds(5)
            )
            let made = time.now
            let heard = try await transcript.reports.filter { $0.report.address == strap.address }.map(\.instant)
            channel.close()
            return (made, heard)
        }
        // A connected device is silent, so that advertisement is the last one.
        #expect(heard.last == made + .milliseconds(-30))
    }

    @Test func `a device that is absent, or has another address type, never answers`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").address
        for address in try [
            DeviceAddress(strap.address, .public),
            DeviceAddress(BluetoothAddress(rawValue: 0x11_22_33_44_55_66), .public),
            SimulatedDevice.builtIn("ibeacon").address,
            SimulatedDevice.builtIn("eddystone").address,
            SimulatedDevice.builtIn("weather-mast").address,
        ] {
            let (cause, end) = try simulate(try .builtIn()) { system, time in
                let radio = try system.radio(named: nil)
                let cause = await Self.cause {
                    _ = try await radio.connectATT(to: address, deadline: .zero + .seconds(20))
                }
                return (cause, time.now)
            }
            #expect(cause == .connectTimedOut)
            #expect(end == .zero + .seconds(20))
        }
    }

    @Test func `identity address types connect like the types they stand for`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").address
        try simulate(try .builtIn()) { system, time in
            let address = DeviceAddress(strap.address, .randomIdentity)
            let channel = try await system.radio(named: nil).connectATT(to: address, deadline: .zero + .seconds(5))
            #expect(channel.peer == strap)
        }
    }

    @Test func `cancelling ends the wait at once and leaves nothing behind`() throws {
        let (cause, end, links) = try simulate(try .builtIn()) { system, time in
            let nobody = DeviceAddress(BluetoothAddress(rawValue: 1), .public)
            let radio = try system.radio(named: nil)
            let cause = await withTaskGroup(of: RadioError.Cause?.self) { group in
                group.addTask {
                    await Self.cause { _ = try await radio.connectATT(to: nobody, deadline: .zero + .seconds(20)) }
                }
                try? await time.sleep(for: .seconds(1))
                group.cancelAll()
                return await group.next() ?? nil
            }
            return (cause, time.now, system.linkCount)
        }
        #expect(cause == .cancelled && end == .zero + .seconds(1) && links == 0)
    }

    @Test func `a link to one device does not delay attempts to reach another to their deadlines`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap")
        // A device that can be reached at several addresses, so that its change wakes all attempts.
        var wanderer = try SimulatedDevice.builtIn("workbench")
        var pairing = DevicePairing()
        pairing.addressLife = DevicePairing.usualAddressLife
        wanderer.pairing = pairing
        wanderer.link.maximumConnections = 2
        let devices = [strap, wanderer]
        try share(SimulatedWorld(devices: devices)) { world, time, scope in
            let radio = try world.join().radio(named: nil)
            try world.control.setSignal("pulse-strap", .outOfRange)
            let late = Box<(any ATTChannel)?>(nil)
            scope.spawn {
                late.set(try? await radio.connectATT(to: devices[0].address, deadline: .zero + .seconds(60)))
            }
            try await time.sleep(for: .seconds(1))
            let address = devices[1].address(after: .zero)
            let other = try await radio.connectATT(to: address, deadline: .zero + .seconds(20))
            #expect(world.control.waitingConnections == 1)
            try world.control.setSignal("pulse-strap", .inRange)
            try await time.sleep(for: .seconds(5))
            #expect(late.value != nil)
            other.close()
        }
    }

    @Test(arguments: [RadioError.Cause.adapterDown, .adapterRemoved])
    func `an attempt ends when the adapter is switched off or pulled out`(_ expected: RadioError.Cause) throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap")
        try share(SimulatedWorld(devices: [strap])) { world, time, _ in
            let radio = try world.join().radio(named: nil)
            try world.control.setSignal("pulse-strap", .outOfRange)
            let start = time.now
            async let cause = Self.cause {
                _ = try await radio.connectATT(to: strap.address, deadline: start + .seconds(60))
            }
            try await time.sleep(for: .seconds(1))
            if expected == .adapterDown { world.control.setPower(false) } else { world.control.setPluggedIn(false) }
            #expect(await cause == expected)
            #expect(time.now == start + .seconds(1))
            #expect(world.control.waitingConnections == 0)
        }
    }

    @Test func `no connection is made on an advertisement after the power is off`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap")
        try share(SimulatedWorld(devices: [strap])) { world, time, _ in
            let radio = try world.join().radio(named: nil)
            async let cause = Self.cause {
                _ = try await radio.connectATT(to: strap.address, deadline: .zero + .seconds(60))
            }
            // The attempt has begun, and the first advertisement may take longer than this.
            try await time.sleep(for: .nanoseconds(1))
            world.control.setPower(false)
            #expect(await cause == .adapterDown)
        }
    }

    @Test func `cancelling in the first connection interval closes the link`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").address
        try simulate(try .builtIn()) { system, time in
            let radio = try system.radio(named: nil)
            let reached = await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    (try? await radio.connectATT(to: strap, deadline: .zero + .seconds(5))) != nil
                }
                while system.linkCount == 0 { try? await time.sleep(for: .milliseconds(1)) }
                group.cancelAll()
                return await group.next() ?? true
            }
            #expect(!reached)
            try await time.sleep(for: .seconds(1))
            #expect(system.linkCount == 0)
            // And the device can be connected again.
            _ = try await radio.connectATT(to: strap, deadline: time.now + .seconds(5))
        }
    }

    @Test func `a connected device refuses, and can be connected again after the link has ended`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").address
        try simulate(try .builtIn()) { system, time in
            let radio = try system.radio(named: nil)
            let first = try await radio.connectATT(to: strap, deadline: .zero + .seconds(5))
            let busy = await Self.cause { _ = try await radio.connectATT(to: strap, deadline: .zero + .seconds(5)) }
            #expect(busy == .channelBusy(by: nil))
            first.close()
            let second = try await radio.connectATT(to: strap, deadline: time.now + .seconds(5))
            #expect(second.connectionHandle == 0x0041)
            #expect(try await second.exchange("0a0300") == "0b" + Hex.string(Array("Pulse HR".utf8)))
            #expect(await Self.cause { _ = try await first.receive() } == .closedLocally)
            #expect(await Self.cause { try first.send([0x0A, 0x03, 0x00]) } == .closedLocally)
            #expect(system.linkCount == 1)
        }
    }

    @Test func `connections that fail to be established are followed by one that succeeds`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").address
        let world = try Self.world("pulse-strap", FaultRule(.connect, nil, .error(code: nil, after: .zero), times: 2))
        try simulate(world) { system, time in
            let radio = try system.radio(named: nil)
            for _ in 0..<2 {
                let start = time.now
                let cause = await Self.cause {
                    _ = try await radio.connectATT(to: strap, deadline: start + .seconds(5))
                }
                #expect(cause == .connectFailed(.connectionFailedToBeEstablished))
                #expect(time.now - start >= .milliseconds(180))
            }
            _ = try await radio.connectATT(to: strap, deadline: time.now + .seconds(5))
        }
    }

    // MARK: - Channels

    @Test func `an answer takes one interval each way`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").address
        try simulate(try .builtIn()) { system, time in
            let channel = try await system.radio(named: nil).connectATT(to: strap, deadline: .zero + .seconds(5))
            for _ in 0..<3 {
                let start = time.now
                #expect(try await channel.exchange("0a0300") == "0b" + Hex.string(Array("Pulse HR".utf8)))
                #expect(time.now - start == .milliseconds(60))
            }
            // The request is sent in the middle of an interval, and waits for the next connection event.
            try await time.sleep(for: .milliseconds(15))
            let start = time.now
            _ = try await channel.exchange("0a0300")
            #expect(time.now - start == .milliseconds(45))
        }
    }

    @Test func `the MTU is the smaller of both`() throws {
        let world = try SimulatedWorld.builtIn()
        for (name, mtu) in [("pulse-strap", "f700"), ("thermometer", "1700"), ("uart-echo", "0502")] {
            let address = try #require(world.device(named: name)).address
            try simulate(world) { system, time in
                let channel = try await system.radio(named: nil).connectATT(to: address, deadline: .zero + .seconds(5))
                #expect(try await channel.exchange("020502") == "03" + mtu)
            }
        }
    }

    @Test func `writes without response reach the speed of the link, and drained holds the sender back`() throws {
        let address = try SimulatedDevice.builtIn("workbench").address
        let (elapsed, value) = try simulate(try .builtIn()) { system, time in
            let channel = try await system.radio(named: nil).connectATT(to: address, deadline: .zero + .seconds(5))
            _ = try await channel.exchange("020502")
            let handle = try #require(
                try SimulatedDevice.builtIn("workbench").database.characteristic(WorkbenchUUID.variable)?.valueHandle
            )
            let start = time.now
            for number in 0..<100 as Range<UInt8> {
                let head = [0x52, UInt8(truncatingIfNeeded: handle.rawValue), UInt8(handle.rawValue >> 8)]
                try channel.send(head + [UInt8](repeating: number, count: 244))
                try await channel.drained()
            }
            let elapsed = time.now - start
            let read = [0x0A, UInt8(truncatingIfNeeded: handle.rawValue), UInt8(handle.rawValue >> 8)]
            return (elapsed, try await channel.exchange(Hex.string(read)))
        }
        // Six packets of 251 octets fit into 15 ms.
        #expect(elapsed > .milliseconds(200) && elapsed < .milliseconds(260), "\(elapsed)")
        #expect(value == "0b" + String(repeating: "63", count: 244))
    }

    @Test func `a packet longer than the channel carries is refused`() throws {
        let address = try SimulatedDevice.builtIn("workbench").address
        try simulate(try .builtIn()) { system, _ in
            let channel = try await system.radio(named: nil).connectATT(to: address, deadline: .zero + .seconds(5))
            #expect(
                await Self.cause { try channel.send([UInt8](repeating: 0x52, count: 518)) }
                    == .packetTooLong(518, limit: 517)
            )
        }
    }

    @Test func `of two clients that connect at the same moment one succeeds, and the other is refused`() throws {
        for connections in [1, 2] {
            var world = try SimulatedWorld.builtIn()
            let strap = try SimulatedDevice.builtIn("pulse-strap").address
            world.devices = world.devices.map { device in
                var device = device
                device.link.maximumConnections = connections
                return device
            }
            let causes = try simulate(world) { system, time in
                let radio = try system.radio(named: nil)
                @Sendable func connect() async -> RadioError.Cause? {
                    await Self.cause { _ = try await radio.connectATT(to: strap, deadline: .zero + .seconds(20)) }
                }
                async let first = connect()
                async let second = connect()
                return await [first, second]
            }
            #expect(causes.filter { $0 == nil }.count == 1, "\(connections): \(causes)")
            #expect(causes.contains(.channelBusy(by: nil)), "\(connections): \(causes)")
        }
    }

    @Test func `a reader that does not keep up loses packets, and learns how many`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").address
        let (received, dropped) = try simulate(try .builtIn()) { system, time in
            let link = SimulatedLink(
                ConnectionHandle(rawValue: 0x40),
                peer: strap,
                parameters: SimulatedDevice.Link(),
                anchor: .zero
            )
            async let reason = link.run(time) { _ in }
            for number in 0..<1_000 {
                link.sendToCentral([0x1B, UInt8(number & 0xFF), UInt8(number >> 8)], now: time.now)
            }
            try await time.sleep(for: .seconds(60))
            let channel = SimulatedATTChannel(link: link, time: time)
            let dropped = channel.droppedCount
            var received: [Int] = []
            while received.count + dropped < 1_000 {
                let pdu = try await channel.receive()
                received.append(Int(pdu[1]) | Int(pdu[2]) << 8)
            }
            // Reading has made room.
            link.sendToCentral([0x1B, 0xFF, 0xFF], now: time.now)
            received.append(try await channel.receive().count)
            link.closeByHost()
            _ = await reason
            return (received, dropped)
        }
        #expect(dropped == 1_000 - 64 - ReceiveBuffer.kernelLimit)
        #expect(received == Array(0..<64 + ReceiveBuffer.kernelLimit) + [3])
    }

    @Test func `closing a channel ends its waits, and the link one interval later`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").address
        try simulate(try .builtIn()) { system, time in
            let channel = try await system.radio(named: nil).connectATT(to: strap, deadline: .zero + .seconds(5))
            async let waiting = Self.cause { _ = try await channel.receive() }
            try await time.sleep(for: .seconds(1))
            let start = time.now
            channel.close()
            channel.close()
            #expect(await waiting == .closedLocally)
            #expect(time.now == start)
            #expect(await Self.cause { try await channel.drained() } == .closedLocally)
            try await time.sleep(for: .milliseconds(31))
            #expect(system.linkCount == 0)
        }
    }

    @Test func `the end of the scope closes open channels`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").address
        let time = VirtualTime()
        let cause = try time.run { () async throws -> RadioError.Cause? in
            let channel = try await withTaskScope { scope in
                let system = SimulatedRadioSystem(try .builtIn(), time: time, scope: scope)
                let radio = try system.radio(named: nil)
                try radio.openHCI().send(LESetExtendedScanEnable(isEnabled: true))
                return try await radio.connectATT(to: strap, deadline: .zero + .seconds(5))
            }
            return await Self.cause { _ = try await channel.receive() }
        }
        #expect(cause == .closedLocally)
    }

    @Test func `when channels are closed and scans stopped, no task sleeps any more`() throws {
        try simulate(try .builtIn()) { system, time in
            let radio = try system.radio(named: nil)
            let hci = try radio.openHCI()
            try hci.send(LESetExtendedScanEnable(isEnabled: true))
            var channels: [any ATTChannel] = []
            for name in ["pulse-strap", "thermometer", "workbench"] {
                let device = try #require(try SimulatedWorld.builtIn().device(named: name))
                let channel = try await radio.connectATT(to: device.address, deadline: time.now + .seconds(9))
                for attribute in device.database.attributes {
                    guard case .clientConfiguration(_, let supported) = attribute.storage else { continue }
                    try channel.send([0x12] + attribute.handle.encoded() + supported.encoded)
                }
                channels.append(channel)
            }
            try await time.sleep(for: .seconds(20))
            #expect(system.linkCount == 3 && time.sleeperCount > 3)
            for channel in channels { channel.close() }
            try hci.send(LESetExtendedScanEnable(isEnabled: false))
            hci.close()
            try await time.sleep(for: .milliseconds(100))
            #expect(system.linkCount == 0 && !system.isScanning)
            #expect(time.sleeperCount == 0)
        }
    }

    @Test func `real time gives the same result, at its own pace and on many threads`() async throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").address
        let time = SystemTimeSource { WallTime(nanosecondsSince1970: 0) }
        try await withTaskScope { scope in
            let system = SimulatedRadioSystem(try .builtIn(), time: time, scope: scope)
            async let heard = ScanSettings().scan(system, for: .seconds(2), time)
            let channel = try await system.radio(named: nil).connectATT(to: strap, deadline: time.now + .seconds(3_600))
            let start = time.now
            #expect(try await channel.exchange("0a0300") == "0b" + Hex.string(Array("Pulse HR".utf8)))
            #expect(time.now - start >= .milliseconds(30))
            #expect(try await channel.exchange("1211000100") == "13")
            for _ in 0..<2 { #expect(try await channel.receive().first == 0x1B) }
            channel.close()
            var addresses = Set(try await heard.reports.map(\.report.address))
            // The number of advertisements in two seconds depends on the machine's load.
            for _ in 0..<20 where addresses.count <= 4 {
                let more = try await ScanSettings().scan(system, for: .seconds(2), time)
                addresses.formUnion(more.reports.map(\.report.address))
            }
            #expect(addresses.count > 4)
        }
    }

    // MARK: - Faults

    @Test func `a device that stops answering keeps the link`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap")
        let world = try Self.world("pulse-strap", Self.request(3..., .noAnswer))
        let measurement = try #require(strap.database.characteristic(0x2A37)).valueHandle
        let subscribe = "12" + Hex.string(measurement.next.map { $0.encoded() } ?? []) + "0100"
        try simulate(world) { system, time in
            let channel = try await system.radio(named: nil).connectATT(
                to: strap.address,
                deadline: .zero + .seconds(5)
            )
            #expect(try await channel.exchange(subscribe) == "13")
            #expect(try await channel.exchange("0a0300").hasPrefix("0b"))
            try channel.send([0x0A, 0x03, 0x00])
            await #expect(throws: DeadlineExceeded.self) {
                try await withDeadline(time.now + .seconds(60), time, operation: "answer") {
                    // Notifications that were on their way may still arrive.
                    while true { _ = try await channel.receive() }
                }
            }
            #expect(system.linkCount == 1)
        }
    }

    @Test func `a device that hangs up ends the channel with its reason`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").address
        let drop = FaultEffect.drop(.init(.before, reason: .remoteUserTerminatedConnection))
        try simulate(try Self.world("pulse-strap", Self.request(2..., drop))) { system, time in
            let radio = try system.radio(named: nil)
            for _ in 0..<2 {
                let channel = try await radio.connectATT(to: strap, deadline: time.now + .seconds(5))
                #expect(try await channel.exchange("0a0300").hasPrefix("0b"))
                let cause = await Self.cause { _ = try await channel.exchange("0a0300") }
                #expect(cause == .closedByPeer(.remoteUserTerminatedConnection))
                #expect(system.linkCount == 0)
            }
        }
    }

    @Test func `a link that is lost is noticed after the supervision timeout`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").address
        let drop = FaultEffect.drop(.init(.before, reason: .connectionTimeout))
        try simulate(try Self.world("pulse-strap", Self.request(1..., drop))) { system, time in
            let channel = try await system.radio(named: nil).connectATT(to: strap, deadline: time.now + .seconds(5))
            let start = time.now
            let cause = await Self.cause { _ = try await channel.exchange("0a0300") }
            #expect(cause == .linkLost(.connectionTimeout))
            #expect(time.now - start == .milliseconds(450))
        }
    }

    @Test func `slow answers come late, in order`() throws {
        let strap = try SimulatedDevice.builtIn("pulse-strap").address
        let world = try Self.world("pulse-strap", Self.request(1..., .delay(.seconds(10))))
        try simulate(world) { system, time in
            let channel = try await system.radio(named: nil).connectATT(to: strap, deadline: time.now + .seconds(5))
            for request in ["0a0300", "0a0500"] {
                let start = time.now
                #expect(try await channel.exchange(request).hasPrefix("0b"))
                #expect(time.now - start >= .seconds(10) && time.now - start < .milliseconds(10_100))
            }
        }
    }
}
