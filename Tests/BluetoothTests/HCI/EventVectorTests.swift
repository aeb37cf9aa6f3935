// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

private let link: ConnectionHandle = 0x0040
private let set = LEAdvertisingHandle(rawValue: 0x01)
private let strap = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random)
private let phone = DeviceAddress(BluetoothAddress(rawValue: 0x4010_2030_4050), .random)

private let connected = LEConnectionCompleteEvent(
    link,
    role: .peripheral,
    peer: strap,
    interval: LEInterval(rawValue: 0x0018),
    latency: 4,
    supervisionTimeout: LEInterval(rawValue: 0x002A),
    centralClockAccuracy: 5
)

/// An event, and the packet that carries it.
struct EventVector: Sendable, CustomTestStringConvertible {
    let event: HCIEvent
    let hex: String

    init(_ event: HCIEvent, _ hex: String) {
        self.event = event
        self.hex = hex
    }

    var testDescription: String { event.description }

    static let all: [EventVector] = [
        EventVector(
            .known(DisconnectionCompleteEvent(link, reason: .connectionTimeout)),
            "05 04 00 4000 08"
        ),
        EventVector(.known(EncryptionChangeEvent(link, encryption: 1)), "08 04 00 4000 01"),
        EventVector(
            .known(
                ReadRemoteVersionInformationCompleteEvent(link, version: .core5_4, company: 0x0059, subversion: 0x0102)
            ),
            "0c 08 00 4000 0d 5900 0201"
        ),
        EventVector(.known(HardwareErrorEvent(hardwareCode: 0x42)), "10 01 42"),
        EventVector(
            .known(
                NumberOfCompletedPacketsEvent([.init(link, count: 2), .init(0x0EFF, count: 0x0100)])
            ),
            "13 09 02 4000 0200 ff0e 0001"
        ),
        EventVector(
            .known(EncryptionKeyRefreshCompleteEvent(status: .pinOrKeyMissing, link)),
            "30 03 06 4000"
        ),
        EventVector(.known(connected), "3e 13 01 00 4000 01 01 f5f4f3f2f1f0 1800 0400 2a00 05"),
        EventVector(
            .known(
                LEConnectionUpdateCompleteEvent(
                    status: .unacceptableConnectionParameters,
                    link,
                    interval: LEInterval(rawValue: 6),
                    latency: 0,
                    supervisionTimeout: LEInterval(rawValue: 100)
                )
            ),
            "3e 0a 03 3b 4000 0600 0000 6400"
        ),
        EventVector(
            .known(
                LEReadRemoteFeaturesCompleteEvent(link, features: [.encryption, .le2MPHY])
            ),
            "3e 0c 04 00 4000 0101000000000000"
        ),
        EventVector(
            .known(
                LELongTermKeyRequestEvent(link, randomNumber: 0x0807_0605_0403_0201, diversifier: 0x0A09)
            ),
            "3e 0d 05 4000 0102030405060708 090a"
        ),
        EventVector(
            .known(
                LERemoteConnectionParameterRequestEvent(
                    link,
                    minimumInterval: LEInterval(rawValue: 0x0018),
                    maximumInterval: LEInterval(rawValue: 0x0028),
                    latency: 4,
                    supervisionTimeout: LEInterval(rawValue: 0x002A)
                )
            ),
            "3e 0b 06 4000 1800 2800 0400 2a00"
        ),
        EventVector(
            .known(
                LEDataLengthChangeEvent(
                    link,
                    transmit: LEDataLength(octets: 251, microseconds: 2_120),
                    receive: LEDataLength(octets: 27, microseconds: 328)
                )
            ),
            "3e 0b 07 4000 fb00 4808 1b00 4801"
        ),
        EventVector(
            .known(
                LEEnhancedConnectionCompleteEvent(
                    connected,
                    localResolvableAddress: BluetoothAddress(rawValue: 0x4000_0000_0001),
                    peerResolvableAddress: BluetoothAddress(rawValue: 0x4000_0000_0002)
                )
            ),
            "3e 1f 0a 00 4000 01 01 f5f4f3f2f1f0 010000000040 020000000040 1800 0400 2a00 05"
        ),
        EventVector(
            .known(
                LEDirectedAdvertisingReportEvent([
                    AdvertisingReport(
                        address: strap,
                        properties: .advDirectInd,
                        rssi: -61,
                        target: phone,
                        data: []
                    )
                ])
            ),
            "3e 12 0b 01 01 01 f5f4f3f2f1f0 01 504030201040 c3"
        ),
        EventVector(
            .known(LEPHYUpdateCompleteEvent(link, transmit: .le2M, receive: .coded)),
            "3e 06 0c 00 4000 02 03"
        ),
        EventVector(.known(LEScanTimeoutEvent()), "3e 01 11"),
        EventVector(
            .known(
                LEAdvertisingSetTerminatedEvent(status: .limitReached, set, connection: 0, completedEvents: 9)
            ),
            "3e 06 12 43 01 0000 09"
        ),
        EventVector(
            .known(LEScanRequestReceivedEvent(set, scanner: phone)),
            "3e 09 13 01 01 504030201040"
        ),
        EventVector(
            .known(LEChannelSelectionAlgorithmEvent(link, algorithm: 1)),
            "3e 04 14 4000 01"
        ),
        EventVector(
            .known(
                LESubrateChangeEvent(
                    link,
                    factor: 4,
                    latency: 1,
                    continuationNumber: 2,
                    supervisionTimeout: .init(rawValue: 0x2A)
                )
            ),
            "3e 0c 23 00 4000 0400 0100 0200 2a00"
        ),
    ]
}

@Suite("HCI events, each kind (Vol 4, Part E, 7.7)")
struct EventVectorTests {
    @Test("each event is written and read exactly, and refused when cut short", arguments: EventVector.all)
    func exact(_ vector: EventVector) throws {
        let bytes = octets(vector.hex)
        #expect(Hex.string(vector.event.packet.encoded()) == Hex.string(bytes))
        let packet = try HCIEventPacket(decoding: bytes)
        #expect(try HCIEvent(packet) == vector.event)
        let parameters = try #require(vector.event.parameters)
        #expect(vector.event.description.hasPrefix(type(of: parameters).name))
        let shortest = packet.code == .leMeta ? 1 : 0
        for length in shortest..<packet.parameters.count {
            let cut = HCIEventPacket(packet.code, parameters: Array(packet.parameters.prefix(length)))
            #expect(throws: DecodeError.self, "\(length) octets") { try HCIEvent(cut) }
        }
    }

    @Test("octets that a later specification appends are ignored", arguments: EventVector.all)
    func appended(_ vector: EventVector) throws {
        let packet = vector.event.packet
        let longer = HCIEventPacket(packet.code, parameters: packet.parameters + [0xDE, 0xAD])
        #expect(try HCIEvent(longer) == vector.event)
    }

    @Test("a failed connection is read with any other fields")
    func failedConnection() throws {
        let bytes = octets("3e 13 01 3e ffff ff 00 000000000000 ffff ffff ffff ff")
        guard case .known(let event as LEConnectionCompleteEvent) = try HCIEvent(HCIEventPacket(decoding: bytes)) else {
            Issue.record("another event")
            return
        }
        #expect(event.status == .connectionFailedToBeEstablished)
        let success = octets("3e 13 01 00 4000 02 00 000000000000 1800 0000 2a00 00")
        #expect(throws: DecodeError("Role", .invalid(value: 2))) { try HCIEvent(HCIEventPacket(decoding: success)) }
    }

    @Test("counts that the event does not hold are refused", arguments: [3, 25, 63, 255] as [UInt8])
    func counts(_ count: UInt8) {
        let body = octets("4000 0200 ff0e 0001")
        #expect(throws: DecodeError.self) { try NumberOfCompletedPacketsEvent(decoding: [count] + body) }
        let report = octets("01 01 f5f4f3f2f1f0 01 504030201040 c3")
        #expect(throws: DecodeError.self) { try LEDirectedAdvertisingReportEvent(decoding: [count] + report) }
    }

    @Test("events without entries are empty")
    func empty() throws {
        #expect(try NumberOfCompletedPacketsEvent(decoding: [0]).completions.isEmpty)
        #expect(try LEDirectedAdvertisingReportEvent(decoding: [0]).reports.isEmpty)
    }
}
