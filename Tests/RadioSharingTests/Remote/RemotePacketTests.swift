// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import BluetoothDevices
@testable import RadioSharing

@Suite("Packets between processes")
struct RemotePacketTests {
    private static let device = DeviceAddress(BluetoothAddress(rawValue: 0xC8_4B_1D_3A_90_5E), .random)
    /// A frame with the longest unit between processes, which has its length in front.
    private static let longest = L2CAPFrame(
        L2CAPChannelID(rawValue: 0x40),
        [UInt8](repeating: 1, count: RemotePacket.maximumData + 2)
    )
    private static let program = ProcessReference(process: 4_242, command: "blectl scan")

    static let causes: [RadioError.Cause] =
        RadioError.Cause.simple.map(\.cause) + [
            .adapterNotFound("hci3"), .managementRejected(.busy), .radioBlocked(byHardware: true),
            .permissionDenied(capability: "CAP_NET_RAW"), .connectFailed(nil), .connectRefused(.commandDisallowed),
            .connectFailed(.connectionFailedToBeEstablished), .channelBusy(by: nil), .channelBusy(by: program),
            .linkLost(.connectionTimeout), .linkLost(nil), .closedByPeer(.remoteUserTerminatedConnection),
            .servingTaken(by: program), .servingTaken(by: nil), .advertisingTaken(by: program),
            .tooManyAdvertisements(5, room: 4), .socket(path: "/tmp/ä", .nobodyListens),
            .socket(path: "", .notPermitted), .commandRejected(.commandDisallowed), .packetTooLong(600, limit: 517),
            .system(call: "send", errno: "ENOBUFS"), .channelRefused(nil), .channelRefused(.noResources),
            .channelMisused("a frame without a credit"), .serviceTaken(SPSM(0x0080)),
            .attachment(.init("it is ä", remedy: "sudo true", isCommand: true, isOfPermissions: true)),
            .otherVersion(isOlder: true), .otherVersion(isOlder: false),
        ]

    @Test(arguments: causes)
    func `an error arrives unchanged`(cause: RadioError.Cause) throws {
        for adapter in [nil, "hci0"] {
            let error = RadioError(cause, during: "connection to \(Self.device)", on: adapter)
            #expect(try RemotePacket(decoding: RemotePacket.ended(error).encoded()) == .ended(error))
        }
    }

    @Test func `the table has each cause without a value once`() {
        let numbers = RadioError.Cause.simple.map(\.number)
        #expect(Set(numbers).count == numbers.count && numbers.allSatisfy { $0 < 32 })
        // The first octet of a cause with a value is from 32 on; no cause encodes to nothing.
        for cause in Self.causes {
            let bytes = RadioError(cause, during: "").encoded()
            #expect(bytes.count >= 4)
        }
    }

    @Test func `labels arrive unchanged, in as many packets as they need`() throws {
        let labels = (0..<5_000).map {
            WorldLabel(name: "attribute \($0) ä", uuid: BluetoothUUID(UInt16($0)), isService: $0 % 2 == 0)
        }
        let packets = WorldLabel.packets(of: labels)
        #expect(packets.count > 1 && packets.allSatisfy { $0.count <= RemotePacket.maximumLength })
        #expect(try packets.flatMap { try WorldLabel.labels(in: $0) } == labels)
        #expect(WorldLabel.packets(of: []).isEmpty)
        let cut = RemotePacket.data([3, 0, 65]).encoded()
        #expect(throws: DecodeError.self) { try WorldLabel.labels(in: cut) }
        #expect(throws: DecodeError.self) { try WorldLabel.labels(in: RemotePacket.opened.encoded()) }
    }

    @Test func `requests and packets arrive unchanged`() throws {
        let requests: [RemoteRequest] = [
            .join, .hci(.max, .host), .hci(1, .questions), .hci(1, .securityManager), .management(2),
            .connect(3, Self.device, timeout: .milliseconds(1_500)), .listen(4), .accept(5, central: .max),
            .control([1, 2, 3]), .control([]),
            .connectChannel(6, Self.device, L2CAPRequest(spsm: SPSM(0x80), mtu: 672, security: .high), timeout: .zero),
            .offer(7, L2CAPRequest(spsm: SPSM(0x25), mtu: 23)), .acceptChannel(8, channel: 9),
            .raise(9, link: 0x40, .low), .raise(9, link: .max, .fips), .observe(10, observer: .max),
            .observed(by: 3, .offer(7, L2CAPRequest(spsm: SPSM(0x25), mtu: 23))), .capture,
            .bearers(9, link: 0x0040, count: 5), .observed(by: 4, .bearers(9, link: 0x0040, count: 0)),
            .clock(process: 77), .labels,
            .observed(
                by: .max,
                .connectChannel(6, Self.device, L2CAPRequest(spsm: SPSM(0x80), mtu: 672), timeout: .seconds(1))
            ),
        ]
        for request in requests { #expect(try RemoteRequest(decoding: request.encoded()) == request) }
        var adapter = AdapterDescription(
            name: "hci0",
            index: 0,
            address: BluetoothAddress(rawValue: 0x02_00_00_00_00_03),
            state: .up,
            bus: "virtual"
        )
        let states: [AdapterDescription.State] = [
            .up, .down, .starting(isSetUp: false), .starting(isSetUp: true), .blocked(byHardware: false),
            .blocked(byHardware: true), .inUse,
        ]
        for state in states {
            adapter.state = state
            #expect(try RemotePacket(decoding: RemotePacket.adapter(adapter).encoded()) == .adapter(adapter))
        }
        adapter.manufacturer = 0x05F1
        adapter.hciVersion = .core5_4
        adapter.lmpFeatures = 1 << 37
        adapter.leFeatures = [.le2MPHY]
        adapter.isLowEnergyOn = false
        adapter.manager = "bluetoothd"
        let security = LinkSecurity(
            isEncrypted: true,
            isSecureConnections: true,
            isAuthorized: true,
            keySize: 16,
            hasBond: true
        )
        let packets: [RemotePacket] = [
            .data([]), .data([1, 2]), .opened, .joined(77), .adapter(nil), .adapter(adapter), .central(9), .dropped(12),
            .kept([], age: .zero), .kept([1, 2], age: .seconds(90)), .linked([]), .linked([Self.device, Self.device]),
            .connected(.init(peer: Self.device, connectionHandle: nil, maximumMTU: 517, security: .none)),
            .channel(
                .init(peer: Self.device, connectionHandle: 0x41, spsm: SPSM(0x80), receiveMTU: 672, sendMTU: 23)
            ),
            .connected(.init(peer: Self.device, connectionHandle: 0x40, maximumMTU: 23, security: security)),
            .security(.init(number: .max, connectionHandle: 0x40, security: security)), .finished(0), .finished(.max),
            .frame(ObservedFrame(L2CAPFrame(.leSignaling, [0x06, 1, 2, 0]), isSent: true, connectionHandle: 0x40)),
            .frame(ObservedFrame(Self.longest, isSent: false, connectionHandle: .max)),
        ]
        let long = RemotePacket.frame(ObservedFrame(Self.longest, isSent: true, connectionHandle: 0))
        #expect(long.encoded().count <= RemotePacket.maximumLength)
        for packet in packets { #expect(try RemotePacket(decoding: packet.encoded()) == packet) }
    }

    /// Processes of other versions are in the same world, so that no octet may change.
    @Test func `the form of packets is the one that other versions know`() throws {
        let program = RadioError(.channelBusy(by: Self.program), during: "x", on: "hci0")
        let request = L2CAPRequest(spsm: SPSM(0x80), mtu: 672, security: .high)
        let security = LinkSecurity(isEncrypted: true, isSecureConnections: true, keySize: 16, hasBond: true)
        var adapter = AdapterDescription(
            name: "hci0",
            index: 1,
            address: BluetoothAddress(rawValue: 0x02_00_00_00_00_03),
            state: .blocked(byHardware: false),
            bus: "",
            hciVersion: .core5_4
        )
        adapter.isLowEnergyOn = true
        let problem = WorldAnswer.failed(.severalDevices("x", ["a"]))
        let forms: [(octets: [UInt8], hex: String)] = [
            (
                RemoteRequest.connectChannel(6, Self.device, request, timeout: .milliseconds(1_500)).encoded(),
                "4201090600000000000000015e903a1d4bc88000a00203002f685900000000"
            ),
            (RemoteRequest.hci(1, .securityManager).encoded(), "420101010000000000000002"),
            (
                RemoteRequest.turn(1, .privacy(user: 7), timeout: .zero).encoded(),
                "42011201000000000000000507" + "0000000000000000"
            ),
            (
                RemotePacket.connected(
                    .init(peer: Self.device, connectionHandle: nil, maximumMTU: 517, security: security)
                ).encoded(),
                "02015e903a1d4bc80005021910"
            ),
            (
                RemotePacket.channel(
                    .init(peer: Self.device, connectionHandle: 0x41, spsm: SPSM(0x80), receiveMTU: 672, sendMTU: 23)
                ).encoded(),
                "09015e903a1d4bc80141008000a0021700"
            ),
            (
                RemotePacket.ended(program).encoded(),
                "06250192100000" + "0b00626c6563746c207363616e" + "010078" + "01040068636930"
            ),
            (
                RemotePacket.adapter(adapter).encoded(),
                "0401" + "040068636930" + "01000000" + "030000000002" + "04" + "0000" + "00" + "010d" + "0000" + "0101"
                    + "0000"
            ),
            (
                WorldRequest.set([1, 2], of: .characteristic(0x2A37, service: nil), on: "a").encoded(),
                "01010061" + "00fb349b5f8000008000100000372a0000" + "00" + "02000102"
            ),
            (problem.encoded(), "03010100780101" + "0061"),
        ]
        for form in forms { #expect(Hex.string(form.octets) == form.hex) }
    }

    @Test func `hostile packets are refused`() throws {
        let request = RemoteRequest.connect(3, Self.device, timeout: .seconds(1)).encoded()
        for length in 0..<request.count {
            #expect(throws: DecodeError.self) { try RemoteRequest(decoding: Array(request.prefix(length))) }
        }
        let error = RadioError(.channelBusy(by: Self.program), during: "x", on: "hci0")
        let packet = RemotePacket.ended(error).encoded()
        for length in 0..<packet.count {
            #expect(throws: DecodeError.self) { try RemotePacket(decoding: Array(packet.prefix(length))) }
        }
        let news = RemotePacket.security(.init(number: 1, connectionHandle: 0x40, security: .none)).encoded()
        for length in 0..<news.count {
            #expect(throws: DecodeError.self) { try RemotePacket(decoding: Array(news.prefix(length))) }
        }
        var raise = RemoteRequest.raise(3, link: 0x40, .fips).encoded()
        for length in 0..<raise.count {
            #expect(throws: DecodeError.self) { try RemoteRequest(decoding: Array(raise.prefix(length))) }
        }
        raise[raise.count - 1] = 0xFF
        #expect(throws: DecodeError.self) { try RemoteRequest(decoding: raise) }
        let observed = RemoteRequest.observed(by: 3, .offer(7, L2CAPRequest(spsm: SPSM(0x25), mtu: 23))).encoded()
        for length in 0..<observed.count {
            #expect(throws: DecodeError.self) { try RemoteRequest(decoding: Array(observed.prefix(length))) }
        }
        // Nothing but a channel has frames, and no request is within itself.
        for request in [RemoteRequest.observed(by: 3, .join), .observed(by: 3, .observed(by: 3, .join))] {
            #expect(throws: DecodeError.self) { try RemoteRequest(decoding: request.encoded()) }
        }
        // A text that claims to be longer than it may be.
        #expect(throws: DecodeError.self) { try RadioError(decoding: [32, 0xFF, 0xFF]) }
        #expect(throws: DecodeError.self) { try RemoteRequest(decoding: [0x42, 0x01, 0x00, 0x00]) }
        let long = RadioError(.system(call: String(repeating: "ä", count: 3_000), errno: ""), during: "")
        #expect(throws: Never.self) { try RadioError(decoding: long.encoded()) }
        #expect(RemotePacket.ended(long).encoded().count < RemotePacket.maximumLength)
    }

    @Test func `late updates do not replace newer ones`() {
        let state = RemoteAdapterState()
        let encrypted = LinkSecurity(isEncrypted: true, keySize: 16)
        state.take(.init(number: 2, connectionHandle: 0x40, security: encrypted))
        state.take(.init(number: 1, connectionHandle: 0x40, security: .none))
        #expect(state.security(of: 0x40) == encrypted && state.security(of: 0x41) == nil)
        state.take(.init(number: 3, connectionHandle: 0x40, security: .none))
        #expect(state.security(of: 0x40) == LinkSecurity.none)
    }

    @Test func `requests to a world and its answers arrive unchanged`() throws {
        let targets: [WorldRequest.Target] = [
            .characteristic(0x2A19, service: nil), .characteristic(0x2A19, service: 0x180F), .handle(7),
            .descriptor(0x2901, characteristic: 0x2A19, service: 0x180F),
            .descriptor(0x2901, characteristic: 0x2A19, service: nil),
        ]
        let fault = try FaultText(parsing: "device 'Pulse HR': read battery-level: error 0x0e once")
        let requests: [WorldRequest] =
            targets.map { .set([0x0C], of: $0, on: "Pulse HR") } + [
                .list, .set([], of: .handle(1), on: ""), .disconnect("ä"), .connectable("x", true),
                .connectable("x", false), .signal("x", .strength(-80)), .signal("x", .outOfRange),
                .signal("x", .inRange), .power(true), .power(false), .pause("x"), .release("x"),
                .database("x", name: nil), .database("x", name: "pushed"), .stop, .faults(of: nil), .faults(of: "x"),
                .addFault(fault), .addFault(FaultText(fault.rule)), .removeFaults(nil, of: nil),
                .removeFaults(fault.rule, of: "x"),
            ]
        for request in requests { #expect(try WorldRequest(decoding: request.encoded()) == request) }
        var device = WorldDevice(
            name: "pulse-strap",
            advertisedName: "Pulse HR",
            address: Self.device,
            isConnectable: true,
            isInRange: false,
            isPaused: true,
            rssi: -60,
            connections: 2,
            requests: 1_000_000
        )
        let adapter = WorldAdapter(
            address: BluetoothAddress(rawValue: 0x02_00_00_00_00_01),
            isPowered: true,
            isScanning: false,
            isAdvertising: true,
            connections: 3
        )
        var answers: [WorldAnswer] = [
            .device(device), .adapter(adapter), .done, .failed(.noDevice("x", among: ["a", "b"])),
            .failed(.severalDevices("x", [])), .failed(.noAttribute), .failed(.notSettable), .failed(.malformed),
            .failed(.noDatabase("y", among: ["pushed"])),
            .fault(WorldFault(device: "pulse-strap", rule: fault.rule, hasActed: true)),
        ]
        device.advertisedName = nil
        answers.append(.device(device))
        for answer in answers { #expect(try WorldAnswer(decoding: answer.encoded()) == answer) }
        let long = WorldRequest.set([UInt8](repeating: 0, count: 513), of: .handle(1), on: "x")
        #expect(throws: DecodeError.self) { try WorldRequest(decoding: long.encoded()) }
        // A fault that is none, from a program that is another one.
        #expect(throws: DecodeError.self) { try WorldRequest(decoding: [10, 1, 0, 0x78]) }
    }
}
