// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@Suite("AdvertisingHost")
struct AdvertisingHostTests {
    private static let link = ConnectionHandle(rawValue: 0x0040)
    private static let beacon = DeviceAdvertising(.nonConnectable, interval: .milliseconds(100), data: [2, 1, 6])

    /// Advertises, while the test acts as the controller. Returns the events as text.
    private static func advertise(
        _ sets: [DeviceAdvertising],
        on radio: ServingRadio,
        privacy: PrivateAddresses? = nil,
        _ body: @escaping @Sendable (VirtualTime, Running) async throws -> Void
    ) throws -> [String] {
        try inVirtualTime { time, scope in
            let diary = Mutex<[String]>([])
            let random = BluetoothAddress(rawValue: 0xC000_0000_0001)
            let host = AdvertisingHost(
                sets,
                radio: radio,
                randomAddress: random,
                privacy: privacy,
                scope: scope,
                time: time
            )
            let advertising = Running(scope, time) {
                try await host.advertise { event in
                    let text =
                        switch event {
                        case .advertising(let mode): "advertising \(mode)"
                        case .connected(let connection): "\(connection.number) connected"
                        case .disconnected(let connection, let reason):
                            "\(connection.number) disconnected: \(reason.cause)"
                        case .address(let address): "at \(address)"
                        case .remark(let text): text
                        case .stopping: "stopping"
                        }
                    diary.withLock { $0.append(text) }
                    return .goOn
                }
            }
            try await time.sleep(for: .milliseconds(1))
            try await body(time, advertising)
            advertising.cancel()
            try await time.sleep(for: .seconds(1))
            #expect(advertising.outcome != nil)
            return diary.withLock { $0 }
        }
    }

    private static func connected(_ role: LERole = .peripheral) -> HCIEventPacket {
        LEConnectionCompleteEvent(
            link,
            role: role,
            peer: .scripted,
            interval: .init(rawValue: 24),
            latency: 0,
            supervisionTimeout: .init(rawValue: 42)
        ).packet
    }

    @Test func `sets get numbers that no server uses, and are removed at the end`() throws {
        let radio = ServingRadio(AdvertisingController())
        let diary = try Self.advertise([Self.beacon, Self.beacon], on: radio) { _, _ in }
        #expect(diary == ["advertising extended"])
        #expect(
            radio.controller.log.filter { !$0.contains("Parameters") && !$0.contains("Data") } == [
                "LE Set Extended Advertising Enable: on, sets 0x80",
                "LE Set Extended Advertising Enable: on, sets 0x81",
                "LE Set Extended Advertising Enable: off, sets 0x80", "LE Remove Advertising Set: set 0x80",
                "LE Set Extended Advertising Enable: off, sets 0x81", "LE Remove Advertising Set: set 0x81",
            ]
        )
    }

    @Test func `without room for all sets nothing is left on the air`() throws {
        let refusals = [LESetExtendedAdvertisingParameters.opcode: [HCIStatus.success, .memoryCapacityExceeded]]
        let radio = ServingRadio(AdvertisingController(refusals: refusals))
        let diary = try Self.advertise([Self.beacon, Self.beacon], on: radio) { _, advertising in
            #expect(advertising.outcome?.text == "radio: tooManyAdvertisements(2, room: 1)")
        }
        #expect(diary.isEmpty)
        #expect(radio.controller.log.last == "LE Remove Advertising Set: set 0x80")
    }

    @Test func `legacy commands have room for one`() throws {
        let radio = ServingRadio(AdvertisingController(isExtended: false))
        _ = try Self.advertise([Self.beacon, Self.beacon], on: radio) { _, advertising in
            #expect(advertising.outcome?.text == "radio: tooManyAdvertisements(2, room: 1)")
        }
        #expect(radio.controller.log.last == "LE Set Advertising Enable: off")
    }

    @Test func `centrals are reported with the reasons of their ends, links of other roles are not`() throws {
        let radio = ServingRadio(AdvertisingController())
        let set = DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [2, 1, 6])
        let diary = try Self.advertise([set], on: radio) { time, _ in
            radio.controller.tell(Self.connected(.central))
            radio.controller.tell(DisconnectionCompleteEvent(Self.link, reason: .connectionTimeout).packet)
            for reason in [HCIStatus.remoteUserTerminatedConnection, .connectionTimeout] {
                radio.controller.tell(Self.connected())
                radio.controller.tell(DisconnectionCompleteEvent(Self.link, reason: reason).packet)
            }
            radio.controller.tell(Self.connected())
            try await time.sleep(for: .seconds(1))
        }
        #expect(
            diary == [
                "advertising extended",
                "1 connected", "1 disconnected: closedByPeer(Optional(\(HCIStatus.remoteUserTerminatedConnection)))",
                "2 connected", "2 disconnected: linkLost(Optional(\(HCIStatus.connectionTimeout)))",
                "3 connected", "stopping", "3 disconnected: closedLocally",
            ],
            "\(diary)"
        )
        #expect(radio.controller.log.last?.hasPrefix("Disconnect: connection 0x0040") == true)
    }

    /// Otherwise nobody could find the device any more: no connection is left whose end would start it again.
    @Test func `what the controller refuses although no connection is left is tried again, and told once`() throws {
        let refusals = [
            LESetAdvertisingEnable.opcode: [
                HCIStatus.success, .connectionLimitExceeded, .commandDisallowed, .commandDisallowed,
            ]
        ]
        let radio = ServingRadio(AdvertisingController(isExtended: false, refusals: refusals))
        let set = DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [2, 1, 6])
        let diary = try Self.advertise([set], on: radio) { time, _ in
            radio.controller.tell(Self.connected())
            try await time.sleep(for: .seconds(60))
            radio.controller.tell(DisconnectionCompleteEvent(Self.link, reason: .connectionTimeout).packet)
            try await time.sleep(for: .seconds(60))
        }
        #expect(diary.filter { $0.hasPrefix("advertising is tried again") }.count == 1, "\(diary)")
        #expect(
            radio.controller.log.filter { $0.hasPrefix("LE Set Advertising Enable") } == [
                "LE Set Advertising Enable: on", "LE Set Advertising Enable: on refused",
                "LE Set Advertising Enable: on refused", "LE Set Advertising Enable: on refused",
                "LE Set Advertising Enable: on", "LE Set Advertising Enable: off",
            ],
            "\(radio.controller.log)"
        )
    }

    /// Linux takes all sets off the air before it makes a link, and puts only its own back.
    @Test(arguments: [true, false])
    func `what another program takes off the air comes back`(_ isExtended: Bool) throws {
        let radio = ServingRadio(AdvertisingController(isExtended: isExtended))
        let set = DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [2, 1, 6])
        let other = try #require(
            LESetExtendedAdvertisingEnable(isEnabled: false, sets: [.init(LEAdvertisingHandle(rawValue: 0x01))])
        )
        let all = try #require(LESetExtendedAdvertisingEnable(isEnabled: false, sets: []))
        let counts = Mutex<[Int]>([])
        _ = try Self.advertise([set], on: radio) { time, _ in
            if isExtended { radio.controller.othersSend(other) }
            try await time.sleep(for: .seconds(60))
            counts.withLock { $0.append(radio.controller.log.count) }
            for _ in 0..<2 {
                if isExtended {
                    radio.controller.othersSend(all)
                } else {
                    radio.controller.othersSend(LESetAdvertisingEnable(isEnabled: false))
                }
                try await time.sleep(for: .seconds(60))
                counts.withLock { $0.append(radio.controller.log.count) }
            }
        }
        let before = isExtended ? 3 : 4
        let again = isExtended ? 1 : 4
        #expect(counts.withLock { $0 } == [before, before + again, before + 2 * again], "\(radio.controller.log)")
        #expect(radio.controller.log.filter { $0.contains("Enable: on") }.count == 3, "\(radio.controller.log)")
    }

    @Test(arguments: [true, false])
    func `a private address is told only if the controller has taken it`(_ isTakenFirst: Bool) throws {
        let later: [HCIStatus] = [.commandDisallowed, .success]
        let refusals = [LESetRandomAddress.opcode: isTakenFirst ? [.success] + later : later]
        let radio = ServingRadio(AdvertisingController(isExtended: false, refusals: refusals))
        let set = DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [2, 1, 6])
        let numbers = Mutex<UInt64>(0)
        let privacy = PrivateAddresses(of: nil, life: .seconds(10)) {
            numbers.withLock { number in
                number += 1
                return number
            }
        }
        let diary = try Self.advertise([set], on: radio, privacy: privacy) { time, _ in
            try await time.sleep(for: .seconds(isTakenFirst ? 25 : 15))
        }
        let addresses = isTakenFirst ? [1, 3] : [2]
        #expect(
            diary.filter { $0.hasPrefix("at ") }
                == addresses.map { "at \(BluetoothAddress(rawValue: UInt64($0)))" },
            "\(diary)"
        )
        #expect(diary.filter { $0.contains("keeps its private address") }.count == 1, "\(diary)")
    }

    @Test(arguments: [
        (DeviceAdvertising.Kind.connectable, true, false, "connectable+directed+legacy"),
        (
            .extended(sid: 3, isConnectable: true, primaryPHY: .le1M, secondaryPHY: .le2M), true, false,
            "connectable+directed"
        ),
        (.extended(sid: 3, isConnectable: false, primaryPHY: .coded, secondaryPHY: .coded), false, true, "scannable"),
        (.nonConnectable, false, true, "legacy"),
        (.extended(sid: 3, isConnectable: true, primaryPHY: .le1M, secondaryPHY: .le1M), false, true, "connectable"),
    ])
    func `directed and scannable sets are described as such`(
        _ kind: DeviceAdvertising.Kind,
        _ isDirected: Bool,
        _ hasResponse: Bool,
        _ properties: String
    ) throws {
        let set = DeviceAdvertising(
            kind,
            interval: .milliseconds(100),
            frames: [],
            scanResponse: hasResponse ? AdvertisingFrame(.txPower(4)) : nil,
            target: isDirected ? .scripted : nil
        )
        let radio = ServingRadio(AdvertisingController())
        _ = try Self.advertise([set], on: radio) { _, _ in }
        #expect(radio.controller.log.first?.contains(" \(properties), every") == true, "\(radio.controller.log)")
        // A set whose data are all in the scan response accepts no other data, and one for one device none at all. One
        // that cannot be scanned has no response.
        let isScanned = properties == "scannable"
        let hasData = !isScanned && !isDirected
        #expect(radio.controller.log.contains { $0.hasPrefix("LE Set Extended Advertising Data") } == hasData)
        #expect(radio.controller.log.contains { $0.hasPrefix("LE Set Extended Scan Response Data") } == isScanned)
    }
}
