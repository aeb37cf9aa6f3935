// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@testable import BluetoothHost
@testable import RadioSharing
@testable import SimulatedRadio

@Suite("A link that several clients share")
struct SharedLinkTests {
    private static let measurement: BluetoothUUID = 0x2A37

    /// The wish for another PHY than that of a new link.
    private static var faster: LinkRequest {
        var request = LinkRequest()
        request.phy = LinkRequest.PHY(.le2M)
        return request
    }

    /// The built-in strap, which measures each second, on a shared link.
    private struct Holder: Sendable {
        let link: SharedLink
        /// The device for the owner of the link.
        let owned: Peripheral
        let system: SimulatedRadioSystem
        let scope: TaskScope
        let time: VirtualTime

        /// What guests use.
        func guests() throws -> SharedRadioSystem {
            let radio = try system.radio(named: nil)
            return SharedRadioSystem(link, on: radio.adapter, controlledBy: radio, time: time)
        }

        /// Another client of the link.
        func guest(_ onDiagnostic: @escaping @Sendable (LinkDiagnostic) -> Void = { _ in }) throws -> Peripheral {
            let guests = try guests()
            return Peripheral(
                owned.address,
                radio: guests.radio(named: nil),
                scope: scope,
                time: time,
                configuration: Peripheral.Configuration(onDiagnostic: onDiagnostic)
            )
        }

        /// The next values of the strap for a guest that comes, listens and goes.
        func listen(
            count: Int,
            onDiagnostic: @escaping @Sendable (LinkDiagnostic) -> Void = { _ in }
        ) async throws -> [ObservationEvent] {
            let guest = try guest(onDiagnostic)
            let observation = try await guest.characteristic(measurement).observe()
            var events: [ObservationEvent] = []
            while events.count < count {
                let event = try await observation.next()
                guard case .value = event.kind else { continue }
                events.append(event)
            }
            await guest.disconnect()
            return events
        }
    }

    private func hold(
        keeping limit: Int,
        _ body: @escaping @Sendable (Holder) async throws -> Void
    ) throws {
        var world = try SimulatedWorld.builtIn(seed: 1)
        let strap = try #require(world.device(named: "pulse-strap"))
        let place = try #require(world.devices.firstIndex { $0.address == strap.address })
        world.devices[place].channels = [DeviceChannel(spsm: SPSM(0x80), behavior: .echo, mtu: 100, mps: 50)]
        try simulate(world) { system, time in
            try await withTaskScope { scope in
                let link = SharedLink(keeping: limit, time: time, scope: scope)
                let radio = SharingRadio(try system.radio(named: nil), sharing: link)
                var configuration = Peripheral.Configuration()
                configuration.observesLink = true
                let owned = Peripheral(
                    strap.address,
                    radio: radio,
                    scope: scope,
                    time: time,
                    configuration: configuration
                )
                let holder = Holder(link: link, owned: owned, system: system, scope: scope, time: time)
                _ = try await owned.connection()
                try await body(holder)
                await link.close(.closedLocally)
            }
        }
    }

    private func expectMeasurementEachSecond(_ instants: [Instant]) {
        for (earlier, later) in zip(instants, instants.dropFirst()) {
            // A second, rounded up to the next connection event.
            let gap: Duration = later - earlier
            #expect(gap > .milliseconds(969) && gap < .milliseconds(1_031))
        }
    }

    @Test func `a guest opens a channel over the link, and none to another device`() throws {
        try hold(keeping: 0) { holder in
            let radio = try holder.guests().radio(named: nil)
            func open(_ device: DeviceAddress) async throws -> any L2CAPChannel {
                try await radio.connectL2CAP(
                    to: device,
                    L2CAPRequest(spsm: SPSM(0x80), mtu: 100),
                    deadline: holder.time.now + .seconds(5),
                    onFrame: nil
                )
            }
            let channel = try await open(holder.owned.address)
            try channel.send([1, 2, 3])
            #expect(try await channel.receive() == [1, 2, 3] && holder.system.linkCount == 1)
            channel.close()
            let other = DeviceAddress(BluetoothAddress(rawValue: 1), .public)
            let refused = await #expect(throws: RadioError.self) { _ = try await open(other) }
            #expect(refused?.cause == .linkLost(nil))
            #expect(holder.link.status.isUp)
        }
    }

    @Test func `a guest that has only a channel is a use of the session`() throws {
        try hold(keeping: 0) { holder in
            let radio = try holder.guests().radio(named: nil)
            let channel = try await radio.connectL2CAP(
                to: holder.owned.address,
                L2CAPRequest(spsm: SPSM(0x80), mtu: 100),
                deadline: holder.time.now + .seconds(5),
                onFrame: nil
            )
            let start = holder.time.now
            holder.scope.spawn {
                try? await holder.time.sleep(until: start + .seconds(60))
                channel.close()
            }
            #expect(holder.link.status.guests == 1)
            try await holder.link.untilIdle(for: .seconds(5))
            #expect(holder.time.now == start + .seconds(65) && holder.link.status.guests == 0)
        }
    }

    @Test func `values that arrive without a listener are kept, with their times`() throws {
        try hold(keeping: 3) { holder in
            let first = try await holder.listen(count: 1)
            let left = holder.time.now
            try await holder.time.sleep(for: .milliseconds(2_500))
            #expect(holder.link.status.kept == 2 && holder.link.status.dropped == 0)
            let returned = holder.time.now
            let values = try await holder.listen(count: 4)
            // Two were kept, and came while nobody listened; the others come a second apart.
            #expect(values.map { $0.instant < returned } == [true, true, false, false])
            #expect(values.allSatisfy { $0.instant > left })
            expectMeasurementEachSecond((first + values).map(\.instant))
            #expect(holder.link.status.kept == 0)
        }
    }

    @Test func `the latest values are kept, and the next listener learns how many were dropped`() throws {
        try hold(keeping: 3) { holder in
            _ = try await holder.listen(count: 1)
            try await holder.time.sleep(for: .seconds(600))
            let status = holder.link.status
            #expect(status.kept == 3 && (595...598).contains(status.dropped))
            let oddities = Box<[String]>([])
            let values = try await holder.listen(count: 5) { oddities.set(oddities.value + [$0.text]) }
            // Nothing is missing between the values that were kept and the present ones.
            expectMeasurementEachSecond(values.map(\.instant))
            // While the guest finds the characteristic, a value may take the place of another one.
            let told = (status.dropped...status.dropped + 1).map {
                "\(holder.owned.address.address): \($0) values dropped, for which there was no room"
            }
            #expect(oddities.value.count == 1 && oddities.value.allSatisfy(told.contains))
        }
    }

    @Test func `nothing is kept without a buffer, and nothing before the first listener`() throws {
        for limit in [0, 3] {
            try hold(keeping: limit) { holder in
                try await holder.time.sleep(for: .seconds(5))
                #expect(holder.link.status.kept == 0 && holder.link.status.dropped == 0)
                _ = try await holder.listen(count: 1)
                try await holder.time.sleep(for: .seconds(5))
                #expect(holder.link.status.kept == limit)
            }
        }
    }

    @Test func `kept values survive a lost link, and the next link continues to keep them`() throws {
        try hold(keeping: 10) { holder in
            let first = try await holder.listen(count: 1)
            try await holder.time.sleep(for: .milliseconds(2_500))
            let kept = holder.link.status.kept
            let ended = try await holder.owned.connection()
            try await holder.system.adapter.world.control.disconnect("pulse-strap")
            _ = await ended.untilEnded()
            #expect(holder.link.status.kept == kept && kept == 2)
            let connection = try await holder.owned.connection()
            try await connection.prepare()
            let restored = holder.time.now
            try await holder.time.sleep(for: .milliseconds(2_500))
            let values = try await holder.listen(count: 5)
            #expect(values.allSatisfy { $0.instant > first[0].instant })
            #expect(values.prefix(kept).allSatisfy { $0.instant < restored })
            #expect(values.dropFirst(kept).allSatisfy { $0.instant > restored })
        }
    }

    @Test func `a guest reads the properties of the link, also those from its first event`() throws {
        try hold(keeping: 0) { holder in
            let own = try await holder.owned.linkReading(asksPeer: false)
            let guest = try holder.guest()
            let reading = try await guest.linkReading(asksPeer: false)
            #expect(reading.state == own.state && reading.state.interval != nil && reading.state.role == .central)
            #expect(reading.unknown.isEmpty && reading.rssi != nil && reading.transmitPower != nil)
            #expect(try await guest.signalStrength() != nil)
            #expect(try await guest.linkReading(asksPeer: true).channels?.description == "0-36")
            await guest.disconnect()
        }
    }

    @Test func `a change by a guest applies to all`() throws {
        try hold(keeping: 0) { holder in
            let (first, second) = (try holder.guest(), try holder.guest())
            let change = try await first.changeLink(to: Self.faster, within: .seconds(5))
            #expect(change.failure == nil && change.after.transmitPHY == .le2M, "\(change)")
            #expect(try await second.linkReading(asksPeer: false).state.transmitPHY == .le2M)
            #expect(try await holder.owned.linkReading(asksPeer: false).state.transmitPHY == .le2M)
            await first.disconnect()
            await second.disconnect()
        }
    }

    @Test func `after a lost link, a guest reads the properties of the next one`() throws {
        try hold(keeping: 0) { holder in
            let guest = try holder.guest()
            _ = try await guest.changeLink(to: Self.faster, within: .seconds(5))
            let ended = try await holder.owned.connection()
            try await holder.system.adapter.world.control.disconnect("pulse-strap")
            _ = await ended.untilEnded()
            _ = try await holder.owned.connection()
            let own = try await holder.owned.linkReading(asksPeer: false)
            let reading = try await guest.linkReading(asksPeer: false)
            #expect(reading.state == own.state && reading.unknown.isEmpty, "\(reading)")
            await guest.disconnect()
        }
    }

    @Test func `a guest has no other command, and no other link`() throws {
        try hold(keeping: 0) { holder in
            let radio = try holder.guests().radio(named: nil)
            let handle = try #require(holder.link.connectionHandle)
            let others = ConnectionHandle(rawValue: handle ^ 1)
            let packets: [(HCIPacket, RadioError.Cause)] = [
                (.command(LESetScanEnable(isEnabled: true).packet), .noController),
                (.command(HCIReset().packet), .noController),
                (.command(HCIDisconnect(ConnectionHandle(rawValue: handle)).packet), .noController),
                (.command(HCIReadRSSI(others).packet), .linkLost(nil)),
                (.command(HCICommandPacket(HCIReadRSSI.opcode, parameters: [0x40])), .linkLost(nil)),
                (.acl(HCIACLPacket(ConnectionHandle(rawValue: handle), flags: 0, data: [1])), .noController),
            ]
            for (packet, cause) in packets {
                let channel = try radio.openHCI()
                let error = #expect(throws: RadioError.self) { try channel.send(packet.encoded()) }
                #expect(error?.cause == cause, "\(packet)")
                channel.close()
            }
        }
    }
}
