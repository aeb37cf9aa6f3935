// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import SimulatedRadio
import Testing

/// What a served device decides about its radio, and what it leaves to a program beside it.
@Suite("PeripheralHost and the decisions of its device")
struct DeviceDecisionTests {
    /// A device that does this, counted from its start.
    private static func device(_ timeline: [TimelineEntry]) throws -> DeviceImage {
        try DeviceDefinition(
            label: "device",
            address: .scripted,
            advertising: [DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [2, 1, 6])],
            services: [DeviceService(0xFF00, characteristics: [])],
            timeline: timeline
        ).image(random: SeededGenerator(seed: 1))
    }

    @Test func `a device that leaves ends its links and its advertising, and advertises again on its return`() throws {
        let radio = ServingRadio(AdvertisingController())
        let device = try Self.device([TimelineEntry(at: .seconds(5), [.leave(.seconds(3))])])
        let diary = try PeripheralHostTests.serve(device, on: radio) { time, scope, _ in
            let channel = ScriptedChannel([], time, scope)
            radio.controller.tell(PeripheralHostTests.connected())
            radio.comes(channel)
            try await time.sleep(for: .seconds(4))
            let before = radio.controller.log.count
            try await time.sleep(for: .seconds(2))
            #expect(channel.closedAt != nil)
            #expect(
                radio.controller.log[before...].contains("LE Set Extended Advertising Enable: off, sets 0xE0"),
                "\(radio.controller.log)"
            )
            let away = radio.controller.log.count
            let early = ScriptedChannel([], time, scope)
            radio.comes(early)
            try await time.sleep(for: .milliseconds(500))
            #expect(early.closedAt != nil, "nobody comes in meanwhile")
            try await time.sleep(for: .seconds(2))
            #expect(
                radio.controller.log[away...].filter { $0.contains("Enable") }
                    == ["LE Set Extended Advertising Enable: on, sets 0xE0"]
            )
        }
        #expect(diary.contains { $0.hasPrefix("remark: the device goes out of range") }, "\(diary)")
        #expect(diary.contains("remark: the device is back in range"), "\(diary)")
    }

    @Test(arguments: [true, false])
    func `a device that accepts no connections shows that in its advertisements`(isExtended: Bool) throws {
        let radio = ServingRadio(AdvertisingController(isExtended: isExtended))
        let device = try Self.device([
            TimelineEntry(at: .seconds(5), [.connectable(false)]),
            TimelineEntry(at: .seconds(10), [.connectable(true)]),
        ])
        _ = try PeripheralHostTests.serve(device, on: radio) { time, scope, _ in
            let kinds = { () -> [String] in
                radio.controller.log.filter { $0.contains("Advertising Parameters") || $0.contains("Enable") }.map {
                    let isOpen = $0.contains("connectable+") || $0.contains("ADV_IND")
                    return $0.contains("Enable") ? ($0.contains(": on") ? "on" : "off") : isOpen ? "open" : "closed"
                }
            }
            #expect(kinds() == ["open", "on"], "\(radio.controller.log)")
            try await time.sleep(for: .seconds(6))
            #expect(kinds() == ["open", "on", "off", "closed", "on"], "\(radio.controller.log)")
            try await time.sleep(for: .seconds(5))
            #expect(kinds() == ["open", "on", "off", "closed", "on", "off", "open", "on"], "\(radio.controller.log)")
        }
    }

    @Test func `a program beside the device answers while another central is served`() throws {
        let radio = ServingRadio()
        let value = CharacteristicDefinition(0xFF01, .read, value: .fixed([0xAB]))
        let device = DeviceImage(
            name: "device",
            address: .scripted,
            advertising: [],
            database: try GATTDatabase(services: [ServiceDefinition(0xFF00, characteristics: [value])])
        ).hooked(DeviceHooks([.handle(0x0003): .read]))
        try inVirtualTime { time, scope in
            let host = PeripheralHost(device, radio: radio, scope: scope, time: time) { question, _ in
                try? await time.sleep(for: .seconds(question.client == GATTServer.ClientID(1) ? 5 : 1))
                return question.client == GATTServer.ClientID(1) ? .accepted([1]) : .refused(.unlikelyError)
            }
            let serving = Running(scope, time) { try await host.serve { _ in .goOn } }
            let slow = ScriptedChannel([turn("0b 01")], time, scope)
            let fast = ScriptedChannel([turn("01 0a 0300 0e")], time, scope)
            for channel in [slow, fast] {
                radio.comes(channel)
                channel.push("0a 0300")
                try await time.sleep(for: .milliseconds(1))
            }
            try await time.sleep(for: .seconds(2))
            #expect(slow.sent == [] && fast.sent == ["010a03000e"])
            try await time.sleep(for: .seconds(4))
            #expect(slow.sent == ["0b01"])
            serving.cancel()
            try await time.sleep(for: .seconds(1))
        }
    }
}
