// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Synchronization
import Testing

@testable import SimulatedRadio

@Suite("Visitors of a served device")
struct VisitorsTests {
    /// Serves a device for ten minutes. Returns its events, and whether anything is left afterwards.
    private static func serve(
        _ name: String,
        seed: UInt64 = 1,
        controller: ControllerProfile = .modern,
        for duration: Duration = .seconds(600)
    ) throws -> [String] {
        var world = try SimulatedWorld.builtIn(seed: seed)
        world.controller = controller
        let device = try #require(world.device(named: name)).definition(seed: seed)
        let time = VirtualTime()
        let fixed = world
        return try time.run { () async throws -> [String] in
            try await withTaskScope { scope in
                let system = SimulatedRadioSystem(fixed, time: time, scope: scope)
                let diary = Mutex<[String]>([])
                let host = PeripheralHost(device, radio: try system.radio(named: nil), scope: scope, time: time)
                try await untilDeadline(time.now + duration, time) {
                    try await host.serve { event in
                        let line = "\(time.now.nanoseconds) \(text(event))"
                        diary.withLock { $0.append(line) }
                        return .goOn
                    }
                }
                #expect(!system.isAdvertising)
                try await time.sleep(for: .seconds(1))
                #expect(system.linkCount == 0)
                return diary.withLock { $0 }
            }
        }
    }

    private static func text(_ event: PeripheralEvent) -> String {
        switch event {
        case .serving(let mode): "serving \(mode?.rawValue ?? "-")"
        case .connected(let connection): "connected \(connection.number) \(connection.central?.kind.rawValue ?? "-")"
        case .secured(let connection): "secured \(connection.number)"
        case .bearer(let connection, let bearer): "bearer \(connection.number) \(bearer.number)"
        case .disconnected(let connection, let mtu, let reason):
            "disconnected \(connection.number) \(mtu) \(reason.cause)"
        case .exchanged(let exchange): "\(exchange.client.rawValue) \(exchange.request.opcode)"
        case .odd(let number, let diagnostic): "odd \(number) \(diagnostic)"
        case .address(let address): "at \(address)"
        case .remark(let remark): "remark \(remark)"
        case .stopping: "stopping"
        }
    }

    @Test(arguments: [ControllerProfile.modern, .legacy])
    func `visitors find the device, read everything, subscribe, and leave`(controller: ControllerProfile) throws {
        let diary = try Self.serve("pulse-strap", controller: controller)
        let isModern = controller == .modern
        #expect(diary.first?.hasSuffix(isModern ? "serving extended" : "serving legacy") == true)
        let connected = diary.filter { $0.contains(" connected ") }
        #expect(connected.count > 20)
        #expect(connected.allSatisfy { $0.hasSuffix("resolvable") })
        for request in ["Read By Group Type Request", "Read By Type Request", "Read Request", "Write Request"] {
            #expect(diary.contains { $0.hasSuffix(request) }, "\(request)")
        }
        // Visitors disconnect by themselves. Some of them have requested a larger MTU.
        let ends = diary.filter { $0.contains(" disconnected ") }
        #expect(ends.count > 15)
        #expect(ends.contains { $0.contains(" 23 closedByPeer") } && ends.contains { $0.contains(" 247 closedByPeer") })
    }

    @Test func `there are several guests at once`() throws {
        var present = 0
        var most = 0
        for line in try Self.serve("workbench") {
            if line.contains(" connected ") { present += 1 }
            if line.contains(" disconnected ") { present -= 1 }
            most = max(most, present)
        }
        #expect(most > 1)
    }

    @Test func `the same seed gives the same visitors, and another seed gives others`() throws {
        let first = try Self.serve("pulse-strap", seed: 7)
        #expect(try Self.serve("pulse-strap", seed: 7) == first)
        #expect(try Self.serve("pulse-strap", seed: 8) != first)
    }

    @Test func `nobody connects to a beacon`() throws {
        for beacon in ["ibeacon", "eddystone", "weather-mast"] {
            let diary = try Self.serve(beacon)
            #expect(diary.count == 2 && diary.last?.hasSuffix("stopping") == true, "\(diary)")
        }
    }

    @Test func `only one listener is allowed`() throws {
        try simulate(try .builtIn()) { system, _ in
            let radio = try system.radio(named: nil)
            let first = try radio.listenATT()
            #expect(throws: RadioError(.attributesServedElsewhere, during: "hci0")) { _ = try radio.listenATT() }
            first.close()
            _ = try radio.listenATT()
        }
    }
}
