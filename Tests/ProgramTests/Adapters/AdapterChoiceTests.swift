// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import CommandLineInterface
import Commands
import SimulatedRadio
import Testing

@testable import Records
@testable import Scripting
@testable import Terminal
@testable import Toolkit

@Suite("The adapter that suits a device best")
struct AdapterChoiceTests {
    /// A machine with two adapters, and a command on it.
    private struct Bench: Sendable {
        let context: CommandContext
        let system: SimulatedRadioSystem
        let messages: MessageSink

        /// The name of the adapter that gets a device.
        ///
        /// - Parameter isSearched: Whether the choice takes a search, because there are several adapters to choose from.
        func choice(_ selector: DeviceSelector, isSearched: Bool = true) async throws -> String {
            var device = DeviceOptions()
            device.selector = selector
            let connection = try await context.ownConnection(for: device)
            #expect((connection.found != nil) == isSearched)
            return connection.connector.central.radio.adapter.name
        }

        func expect(_ adapter: String, for selector: DeviceSelector) async throws {
            let choice = try await choice(selector)
            #expect(choice == adapter)
        }

        /// Connects to a device by an adapter.
        func connect(to device: SimulatedDevice, by adapter: String) async throws {
            let central = Central(try system.radio(named: adapter), scope: context.scope, time: context.time)
            _ = try await central.connect(to: device.address)
        }
    }

    /// A device whose signals at the two adapters are known.
    private static func device(_ name: String, _ first: Int8, _ second: Int8) throws -> SimulatedDevice {
        var device = try #require(try SimulatedDevice.builtIn().first { $0.name == name })
        device.signal = DeviceSignal(rssi: first, movement: .still)
        device.signal.secondRSSI = second
        return device
    }

    private static func run(
        _ devices: [SimulatedDevice],
        _ traits: Set<AdapterTrait> = [],
        adapters: AdapterSelection = .all,
        _ body: @escaping @Sendable (Bench) async throws -> Void
    ) throws {
        let time = VirtualTime()
        try time.run { () async throws -> Void in
            try await withTaskScope { scope in
                let world = SimulatedWorld(adapter: traits.union([.second]), devices: devices)
                let system = SimulatedRadioSystem(world, time: time, scope: scope)
                let messages = MessageSink()
                var options = GlobalOptions()
                options.radio = .simulation(.virtual)
                options.adapters = adapters
                let context = CommandContext(
                    commands: .all,
                    options: options,
                    system: system,
                    time: time,
                    scope: scope,
                    output: Output(MessageSink(), isJSON: true, style: .plain),
                    diagnostics: Diagnostics(messages, style: .plain, isQuiet: false, verbosity: 1),
                    stores: DataStores()
                )
                try await body(Bench(context: context, system: system, messages: messages))
            }
        }
    }

    private static func address(_ device: SimulatedDevice) -> DeviceSelector { .address(device.address.address, nil) }

    @Test func `the adapter that hears it best gets it, and the figures are reported`() throws {
        let (near, far) = (try Self.device("pulse-strap", -50, -80), try Self.device("thermometer", -80, -50))
        try Self.run([near, far]) { bench in
            try await bench.expect("hci0", for: Self.address(near))
            try await bench.expect("hci1", for: Self.address(far))
            let told = bench.messages.lines.joined(separator: "\n")
            #expect(told.contains("using hci1: for Thermo 1"), "\(told)")
            // A signal moves a little, also that of a device at rest.
            #expect(told.contains(/hci0 -80 dBm, no link; hci1 -(49|50|51) dBm, no link/), "\(told)")
        }
        try Self.run([near, far], adapters: .several(["hci1", "hci0"])) { bench in
            try await bench.expect("hci0", for: .name("Pulse HR"))
            #expect(!bench.system.isScanning)
        }
    }

    @Test func `of about equal signals, the adapter with fewer links`() throws {
        let (first, second) = (try Self.device("pulse-strap", -60, -61), try Self.device("thermometer", -60, -61))
        let third = try Self.device("workbench", -50, -61)
        try Self.run([first, second, third]) { bench in
            try await bench.expect("hci0", for: Self.address(first))
            try await bench.connect(to: first, by: "hci0")
            try await bench.expect("hci1", for: Self.address(second))
            try await bench.expect("hci0", for: Self.address(third))
        }
    }

    @Test func `without a scan, the adapter with fewer links`() throws {
        let (first, second) = (try Self.device("pulse-strap", -60, -60), try Self.device("thermometer", -50, -80))
        let known = DeviceSelector.address(second.address.address, second.address.type)
        try Self.run([first, second]) { bench in
            try await bench.expect("hci0", for: known)
            try await bench.connect(to: first, by: "hci0")
            let start = bench.context.time.now
            try await bench.expect("hci1", for: known)
            #expect(bench.context.time.now == start)
        }
    }

    @Test func `an adapter with a link to it gets it, however weak the signal`() throws {
        let strap = try Self.device("pulse-strap", -50, -80)
        try Self.run([strap]) { bench in
            try await bench.connect(to: strap, by: "hci1")
            try await bench.expect("hci1", for: Self.address(strap))
        }
    }

    @Test func `an unusable adapter is left out`() throws {
        let strap = try Self.device("pulse-strap", -50, -80)
        try Self.run([strap], [.off]) { bench in
            let choice = try await bench.choice(Self.address(strap), isSearched: false)
            #expect(choice == "hci1")
            #expect(bench.messages.lines.contains { $0.contains("going on without hci0: the adapter hci0 is down") })
        }
        try Self.run([strap], adapters: .several(["hci7", "hci8"])) { bench in
            let error = await #expect(throws: BlectlError.self) { try await bench.choice(Self.address(strap)) }
            #expect(error?.message.contains("hci7") == true && error?.status == .bluetoothUnavailable)
        }
    }

    @Test func `a device on LE Coded alone is found by all of them in the turn of that PHY`() throws {
        var strap = try Self.device("pulse-strap", -80, -50)
        strap.advertising = [
            DeviceAdvertising(
                .extended(sid: 0, isConnectable: true, primaryPHY: .coded, secondaryPHY: .coded),
                interval: .milliseconds(100),
                data: [0x09, 0x09] + Array("Pulse HR".utf8)
            )
        ]
        try Self.run([strap]) { bench in
            try await bench.expect("hci1", for: .name("Pulse HR"))
            #expect(bench.context.time.now > .zero + LookupScan.firstTurn)
            #expect(bench.context.time.now < .zero + LookupScan.firstTurn + LookupScan.codedTurn)
            #expect(!bench.system.isScanning)
        }
    }

    @Test func `a device that no adapter hears is not found in the time of a search`() throws {
        try Self.run([try Self.device("pulse-strap", -50, -80)]) { bench in
            let error = await #expect(throws: BlectlError.self) { try await bench.choice(.name("Nobody")) }
            #expect(error?.status == .notFound)
            #expect(bench.context.time.now == .zero + .seconds(10))
            #expect(!bench.system.isScanning)
        }
    }

    @Test(arguments: ["Pulse HR", "Nobody"])
    func `a search takes the turn of each adapter, and keeps that of the chosen one until the link is made`(
        name: String
    ) throws {
        try Self.run([Self.device("pulse-strap", -80, -50)]) { bench in
            let context = bench.context
            let turns = [SearchTurn(context.time), SearchTurn(context.time)]
            var options = DeviceOptions()
            options.selector = .name(name)
            let candidates = try zip(["hci0", "hci1"], turns).map { adapter, turn in
                let radio = SearchedRadio(base: try bench.system.radio(named: adapter), turn: turn)
                let central = Central(radio, scope: context.scope, time: context.time)
                return OneTimeConnection(options, on: central, context)
            }
            let choice = AdapterChoice(among: candidates, state: nil, time: context.time, notes: context.diagnostics)
            let chosen = try? await choice.connection()
            #expect(turns.allSatisfy { $0.subjects == [.search] })
            guard name != "Nobody" else {
                // Other programs can search after a second; the end of the search changes nothing.
                #expect(chosen == nil && turns.allSatisfy { $0.ends.first == .seconds(1) })
                return
            }
            #expect(chosen?.connector.central.radio.adapter.name == "hci1" && chosen?.turn != nil)
            #expect(turns[0].ends.count == 1 && turns[1].ends.isEmpty)
            _ = try await chosen?.withDevice { _ in true }
            #expect(!turns[1].ends.isEmpty)
        }
    }
}
