// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import SimulatedRadio
import Testing

/// An enhanced bearer whose other end the test plays.
private struct ScriptedBearer: L2CAPChannel, ForwardingChannel {
    let channel: ScriptedChannel

    var peer: DeviceAddress { channel.peer }
    var connectionHandle: UInt16? { channel.connectionHandle }
    var spsm: SPSM { .enhancedATT }
    var receiveMTU: UInt16 { 517 }
    var sendMTU: UInt16 { channel.maximumMTU }
    var unsentOctets: Int { 0 }
}

/// A link whose central opens enhanced bearers. Its other channel is played by the test, too.
private struct LinkWithBearers: ATTChannel, ForwardingChannel {
    let channel: ScriptedChannel
    private let bearers = BoundedQueue<any L2CAPChannel>(limit: 8, overflow: .pauseProducer)

    init(_ channel: ScriptedChannel) { self.channel = channel }

    var peer: DeviceAddress { channel.peer }
    var connectionHandle: UInt16? { channel.connectionHandle }
    var maximumMTU: UInt16 { channel.maximumMTU }
    var security: LinkSecurity { channel.security }
    var enhancedBearerLimit: Int { 5 }

    func open(_ bearer: ScriptedChannel) { bearers.push(ScriptedBearer(channel: bearer)) }

    func acceptEnhancedBearer() async throws(RadioError) -> any L2CAPChannel { try await bearers.next() }

}

@Suite("Enhanced bearers of a served device")
struct ServedBearerTests {
    /// A value of 100 octets at 0x000D, and Server Supported Features at 0x000A.
    private static func device(hasBearers: Bool = true) throws -> DeviceImage {
        var device = try PeripheralHostTests.device()
        let value = CharacteristicDefinition(
            0xFF01,
            [.read, .notify],
            value: .fixed([UInt8](repeating: 0xAB, count: 100))
        )
        device.database = try GATTDatabase(services: [
            .genericAttribute(features: hasBearers ? .enhancedATTBearer : []),
            ServiceDefinition(0xFF00, characteristics: [value]),
        ])
        return device
    }

    private static let long = String(repeating: "ab", count: 100)

    @Test func `a client reads over several bearers, each with its MTU, and closes one`() throws {
        let radio = ServingRadio()
        let diary = try PeripheralHostTests.serve(try Self.device(), on: radio) { time, scope, _ in
            let link = LinkWithBearers(ScriptedChannel([turn("0b" + String(Self.long.prefix(44)))], time, scope))
            radio.comes(link)
            let small = ScriptedChannel([turn("0b" + String(Self.long.prefix(126)))], time, scope, maximumMTU: 64)
            let large = ScriptedChannel([turn("0b" + Self.long), turn("0b01")], time, scope, maximumMTU: 200)
            link.open(small)
            try await time.sleep(for: .seconds(1))
            link.open(large)
            try await time.sleep(for: .seconds(1))
            for channel in [link.channel, small, large] { channel.push("0a 0d00") }
            try await time.sleep(for: .seconds(1))
            small.end(.closedByPeer(nil))
            try await time.sleep(for: .seconds(1))
            large.push("0a 0a00")
            try await time.sleep(for: .seconds(1))
            #expect(link.channel.isPlayed && small.isPlayed && large.isPlayed)
            #expect(small.closedAt != nil && large.closedAt == nil)
            link.channel.end(.linkLost(nil))
            try await time.sleep(for: .seconds(1))
            #expect(large.closedAt != nil)
        }
        #expect(
            diary == [
                "serving here", "1 connected", "1 bearer 1, MTU 64: open", "1 bearer 2, MTU 200: open",
                "1 Read Request", "1 Read Request", "1 Read Request", "1 bearer 1, MTU 64: closed", "1 Read Request",
                "1 bearer 2, MTU 200: closed", "1 disconnected, MTU 23: linkLost(nil)", "stopping",
            ]
        )
    }

    @Test func `a bearer below 64 octets is closed, and one that takes no data ends alone`() throws {
        let radio = ServingRadio()
        let diary = try PeripheralHostTests.serve(try Self.device(), on: radio) { time, scope, _ in
            let link = LinkWithBearers(ScriptedChannel([turn("0b01")], time, scope))
            radio.comes(link)
            let tiny = ScriptedChannel([], time, scope, maximumMTU: 63)
            let stuck = ScriptedChannel([], time, scope, maximumMTU: 64)
            stuck.failSending(.system(call: "send", errno: "ENOBUFS"))
            for bearer in [tiny, stuck] { link.open(bearer) }
            try await time.sleep(for: .seconds(1))
            #expect(tiny.closedAt != nil && stuck.closedAt == nil)
            stuck.push("0a 0d00")
            try await time.sleep(for: .seconds(1))
            #expect(stuck.closedAt != nil)
            link.channel.push("0a 0a00")
            try await time.sleep(for: .seconds(1))
            #expect(link.channel.isPlayed && link.channel.closedAt == nil)
        }
        #expect(
            diary == [
                "serving here", "1 connected", "remark: connection 1: a bearer was closed: its MTU is below 64",
                "1 bearer 1, MTU 64: open", "1 Read Request", "1 bearer 1, MTU 64: closed", "1 Read Request",
                "stopping", "1 disconnected, MTU 23: closedLocally",
            ]
        )
    }

    @Test func `an indication that is not confirmed closes its bearer only, and the end of serving closes all`() throws
    {
        let radio = ServingRadio()
        var device = try Self.device()
        let value = CharacteristicDefinition(0xFF02, [.write, .indicate], value: .variable([]))
        device.database = try GATTDatabase(services: [
            .genericAttribute(features: .enhancedATTBearer), ServiceDefinition(0xFF00, characteristics: [value]),
        ])
        device.firmware = EchoFirmware()
        let diary = try PeripheralHostTests.serve(device, on: radio) { time, scope, _ in
            let link = LinkWithBearers(ScriptedChannel([turn("13"), turn("13"), turn("0b01")], time, scope))
            radio.comes(link)
            let bearer = ScriptedChannel([], time, scope, maximumMTU: 200)
            bearer.answer { _ in nil }
            link.open(bearer)
            try await time.sleep(for: .seconds(1))
            link.channel.push("12 0e00 0200")
            try await time.sleep(for: .seconds(1))
            // Too long for the bearer of the link.
            link.channel.push("12 0d00 " + Self.long)
            try await time.sleep(for: .seconds(29))
            #expect(bearer.closedAt == nil)
            try await time.sleep(for: .seconds(2))
            #expect(bearer.sent == ["1d0d00" + Self.long] && bearer.closedAt != nil)
            link.channel.push("0a 0a00")
            let next = ScriptedChannel([], time, scope, maximumMTU: 64)
            link.open(next)
            try await time.sleep(for: .seconds(1))
            #expect(link.channel.isPlayed && next.closedAt == nil)
        }
        #expect(
            diary.filter { !$0.hasSuffix("Request") } == [
                "serving here", "1 connected", "1 bearer 1, MTU 200: open",
                "1 \(ATTDiagnostic.unconfirmedIndication)", "1 bearer 1, MTU 200: closed", "1 bearer 1, MTU 64: open",
                "stopping", "1 bearer 1, MTU 64: closed", "1 disconnected, MTU 23: closedLocally",
            ],
            "\(diary)"
        )
    }

    @Test func `a device without the feature takes no bearers, and a radio without them has no device with it`() throws
    {
        let radio = ServingRadio()
        let diary = try PeripheralHostTests.serve(try Self.device(hasBearers: false), on: radio) { time, scope, _ in
            let link = LinkWithBearers(ScriptedChannel([], time, scope))
            radio.comes(link)
            link.open(ScriptedChannel([], time, scope, maximumMTU: 64))
            try await time.sleep(for: .seconds(1))
        }
        #expect(diary == ["serving here", "1 connected", "stopping", "1 disconnected, MTU 23: closedLocally"])
        let plain = ServingRadio()
        _ = try PeripheralHostTests.serve(try Self.device(), on: plain) { time, scope, _ in
            let link = ScriptedChannel([turn("0b00")], time, scope)
            plain.comes(link)
            link.push("0a 0a00")
            try await time.sleep(for: .seconds(1))
            #expect(link.isPlayed)
        }
    }
}

/// Firmware that indicates what is written.
private struct EchoFirmware: DeviceFirmware {
    mutating func valueWritten(_ handle: Handle, _ device: inout DeviceContext) {
        guard let value = device.database[handle]?.value else { return }
        device.notify(value, of: handle)
    }
}
