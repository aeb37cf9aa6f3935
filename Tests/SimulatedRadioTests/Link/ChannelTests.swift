// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Synchronization
import Testing

@testable import SimulatedRadio

@Suite("Credit-based channels in a simulated world")
struct ChannelTests {
    private static let timeout = Duration.seconds(20)

    /// The world with a device that offers these services only.
    private static func world(_ services: DeviceChannel...) throws -> SimulatedWorld {
        var device = try SimulatedDevice.builtIn("workbench")
        device.channels = services
        device.link.maximumConnections = 2
        var world = try SimulatedWorld.builtIn(seed: 1)
        world.devices = [device]
        return world
    }

    private static func open(
        _ system: SimulatedRadioSystem,
        _ spsm: UInt16,
        mtu: UInt16 = 672,
        time: any TimeSource,
        onFrame: FrameObserver? = nil
    ) async throws -> any L2CAPChannel {
        let device = try SimulatedDevice.builtIn("workbench").address
        return try await system.radio(named: nil).connectL2CAP(
            to: device,
            L2CAPRequest(spsm: SPSM(spsm), mtu: mtu),
            deadline: time.now + timeout,
            onFrame: onFrame
        )
    }

    private static func cause(_ body: () async throws -> Void) async -> RadioError.Cause? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? RadioError)?.cause
        }
    }

    @Test func `units come back from an echo, whole and in order, and the link ends with the channel`() throws {
        let world = try Self.world(DeviceChannel(spsm: SPSM(0x80), behavior: .echo, mtu: 1_000, mps: 100))
        let frames = Mutex<[ObservedFrame]>([])
        try simulate(world) { system, time in
            let channel = try await Self.open(system, 0x80, mtu: 700, time: time) { frame in
                frames.withLock { $0.append(frame) }
            }
            #expect(channel.sendMTU == 1_000 && channel.receiveMTU == 700 && channel.spsm == SPSM(0x80))
            #expect(system.linkCount == 1)
            var expected: [UInt8] = []
            var received: [UInt8] = []
            for number in 0..<20 {
                let unit = (0..<number * 50).map { UInt8(truncatingIfNeeded: $0 &+ number) }
                expected += unit
                try channel.send(unit)
            }
            while received.count < expected.count { received += try await channel.receive() }
            #expect(received == expected)
            channel.close()
            await #expect(throws: RadioError(.closedLocally, during: "link to \(channel.peer.address)")) {
                while true { _ = try await channel.receive() }
            }
            try await time.sleep(for: .seconds(1))
            #expect(system.linkCount == 0)
        }
        let seen = frames.withLock { $0 }
        #expect(seen.allSatisfy { $0.connectionHandle == 0x0040 && $0.frame.channel != .att })
        let codes = seen.filter { $0.frame.channel == .leSignaling }.map { $0.frame.payload[0] }
        #expect(codes.first == 0x14 && codes.dropFirst().first == 0x15 && codes.suffix(2) == [0x06, 0x07])
        #expect(codes.contains(0x16))
        // Frames to the device have at most its MPS, those from it at most this side's.
        #expect(seen.filter { $0.isSent }.allSatisfy { $0.frame.payload.count <= 100 })
        #expect(seen.contains { !$0.isSent && $0.frame.payload.count == 247 })
    }

    /// As the kernel does, which encrypts the present link before it asks for the channel.
    @Test func `a channel over the present link has the security that it asks for`() throws {
        let service = DeviceChannel(spsm: SPSM(0x81), behavior: .sink)
        for hasBond in [true, false] {
            var world = try Self.world(service)
            world.devices[0].pairing = nil
            world.devices[0].link.security = LinkSecurity(keySize: 16, hasBond: hasBond)
            try simulate(world) { [address = world.devices[0].address] system, time in
                let radio = try system.radio(named: nil)
                let bearer = try await radio.connectATT(to: address, deadline: time.now + Self.timeout)
                let cause = await Self.cause {
                    _ = try await radio.connectL2CAP(
                        to: address,
                        L2CAPRequest(spsm: SPSM(0x81), mtu: 672, security: .medium),
                        deadline: time.now + Self.timeout,
                        onFrame: nil
                    )
                }
                #expect(cause == (hasBond ? nil : .unsupported))
                #expect(bearer.security.isEncrypted == hasBond)
            }
        }
    }

    @Test func `each refusal has its result, and leaves no link behind`() throws {
        let world = try Self.world(
            DeviceChannel(spsm: SPSM(0x80), behavior: .sink, maximumChannels: 0),
            DeviceChannel(spsm: SPSM(0x81), behavior: .sink, requirement: AccessRequirement(encryption: true)),
            DeviceChannel(spsm: SPSM(0x82), behavior: .sink, requirement: AccessRequirement(authorization: true))
        )
        let expected: [(UInt16, LECreditBasedConnectionResult)] = [
            (0x80, .noResources), (0x81, .insufficientAuthentication), (0x82, .insufficientAuthorization),
            (0x83, .spsmNotSupported),
        ]
        try simulate(world) { system, time in
            for (spsm, result) in expected {
                let cause = await Self.cause { _ = try await Self.open(system, spsm, time: time) }
                #expect(cause == .channelRefused(result))
                try await time.sleep(for: .seconds(1))
                #expect(system.linkCount == 0)
            }
        }
    }

    @Test func `missing credits hold the sender back, and so does a side that does not receive`() throws {
        let world = try Self.world(
            DeviceChannel(spsm: SPSM(0x80), behavior: .sink, credits: 0),
            DeviceChannel(spsm: SPSM(0x81), behavior: .source(octets: nil))
        )
        try simulate(world) { system, time in
            let silent = try await Self.open(system, 0x80, time: time)
            try silent.send([1, 2, 3])
            #expect(silent.unsentOctets == 3)
            let isDrained = try await untilDeadline(time.now + .seconds(60), time) {
                try await silent.drained()
                return true
            }
            #expect(isDrained == nil)
            silent.close()

            let counted = Mutex(0)
            let source = try await Self.open(system, 0x81, time: time) { frame in
                if !frame.isSent, frame.frame.channel != .leSignaling { counted.withLock { $0 += 1 } }
            }
            try await time.sleep(for: .seconds(30))
            let window = Int(CreditBasedChannel.usualWindow(LinkChannels.limits(mtu: 672)))
            #expect(counted.withLock { $0 } <= 3 * window)
            let before = counted.withLock { $0 }
            try await time.sleep(for: .seconds(30))
            #expect(counted.withLock { $0 } == before, "without credits nothing comes")
            for _ in 0..<100 { _ = try await source.receive() }
            #expect(counted.withLock { $0 } > before)
        }
    }

    @Test func `a source ends its channel after its octets, which can still be read`() throws {
        let world = try Self.world(DeviceChannel(spsm: SPSM(0x80), behavior: .source(octets: 5_000)))
        let octets = try simulate(world) { system, time in
            let channel = try await Self.open(system, 0x80, time: time)
            var octets: [UInt8] = []
            let cause = await Self.cause { while true { octets += try await channel.receive() } }
            #expect(cause == .closedByPeer(nil))
            return octets
        }
        #expect(octets == (0..<5_000).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test func `two adapters of one world share a channel, and both see its end`() throws {
        try share(try .builtIn(seed: 1)) { world, time, scope in
            let (near, far) = (world.join(), world.join())
            let listener = try far.radio.listenL2CAP(L2CAPRequest(spsm: SPSM(0x25), mtu: 100), onFrame: nil)
            #expect(throws: RadioError(.serviceTaken(SPSM(0x25)), during: "hci0")) {
                _ = try far.radio.listenL2CAP(L2CAPRequest(spsm: SPSM(0x25), mtu: 100), onFrame: nil)
            }
            let set = DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [])
            let host = AdvertisingHost(
                [set],
                radio: far.radio,
                randomAddress: BluetoothAddress(rawValue: 0xC0_00_00_00_00_01),
                scope: scope,
                time: time
            )
            async let advertising: Void = host.advertise { _ in .goOn }
            let address = DeviceAddress(far.radio.adapter.address, .public)
            let channel = try await near.radio.connectL2CAP(
                to: address,
                L2CAPRequest(spsm: SPSM(0x25), mtu: 50),
                deadline: time.now + Self.timeout,
                onFrame: nil
            )
            let accepted = try await listener.accept()
            #expect(accepted.peer.address == near.radio.adapter.address && accepted.sendMTU == 50)
            try channel.send([1, 2, 3])
            #expect(try await accepted.receive() == [1, 2, 3])
            try accepted.send([4])
            #expect(try await channel.receive() == [4])
            accepted.close()
            let cause = await Self.cause { _ = try await channel.receive() }
            #expect(cause == .closedByPeer(nil))
            listener.close()
            let refused = await Self.cause {
                _ = try await near.radio.connectL2CAP(
                    to: address,
                    L2CAPRequest(spsm: SPSM(0x25), mtu: 50),
                    deadline: time.now + Self.timeout,
                    onFrame: nil
                )
            }
            #expect(refused == .channelRefused(.spsmNotSupported))
            near.leave()
            far.leave()
            _ = try? await advertising
        }
    }

    @Test func `a channel without references is closed`() throws {
        try simulate(SimulatedWorld(devices: [])) { _, time in
            let peer = DeviceAddress(BluetoothAddress(rawValue: 1), .public)
            let link = SimulatedLink(
                ConnectionHandle(rawValue: 0x40),
                peer: peer,
                parameters: SimulatedDevice.Link(),
                anchor: .zero
            )
            async let ending = link.run(time) { _ in }
            let far = link.far
            let limits = LinkChannels.limits(mtu: 672)
            far.offer(CreditBasedChannels.Service(limits: limits, window: 1), at: SPSM(0x80)) { opened in
                // As a listener that has ended: it drops the channel.
                _ = LinkChannel(opened, among: far, peer: peer, handle: nil, time: time)
            }
            let opened = try await link.near.open(
                L2CAPRequest(spsm: SPSM(0x80), mtu: 672),
                deadline: time.now + Self.timeout,
                time
            )
            #expect(await Self.cause { _ = try await opened.queue.next() } == .closedByPeer(nil))
            try await time.sleep(for: .seconds(1))
            #expect(link.near.isIdle && far.isIdle)
            link.closeByHost()
            _ = await ending
        }
    }

    @Test func `the end of the link ends its channels`() throws {
        let world = try Self.world(DeviceChannel(spsm: SPSM(0x80), behavior: .sink))
        try simulate(world) { system, time in
            let channel = try await Self.open(system, 0x80, time: time)
            async let cause = Self.cause { _ = try await channel.receive() }
            system.leave()
            #expect(await cause == .adapterRemoved)
        }
    }
}
