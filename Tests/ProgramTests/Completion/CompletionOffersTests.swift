// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

/// A cache with the database of one device.
private struct OneDatabase: DatabaseStore {
    let device: DeviceAddress

    func load(_ device: DeviceAddress) -> StoredDatabase? {
        guard device == self.device else { return nil }
        var database = DiscoveredDatabase()
        let service = GATTService(uuid: 0x180F, range: HandleRange(1, 6), isPrimary: true)
        database.learn(.services([service]), from: .services(isPrimary: true, .all))
        let level = GATTCharacteristic(declaration: 2, valueHandle: 3, properties: .read, uuid: 0x2A19, end: 4)
        let own = GATTCharacteristic(
            declaration: 5,
            valueHandle: 6,
            properties: .read,
            uuid: BluetoothUUID(bits128: 0xB1EC_0101_5EC7_4C3A_9D0E_51A1_B1EC_0001),
            end: 6
        )
        database.learn(.characteristics([level, own]), from: .characteristics(.all))
        database.learn(
            .attributes([AttributeType(handle: 4, uuid: 0x2902)]),
            from: .attributes(HandleRange(4, 4))
        )
        return StoredDatabase(hash: [UInt8](repeating: 1, count: 16), database: database)
    }

    func save(_ stored: StoredDatabase, of device: DeviceAddress) async {}
}

@Suite("Words that depend on the machine")
struct CompletionOffersTests {
    private static let strap = DeviceAddress(BluetoothAddress(rawValue: 0xC84B_1D3A_905E), .random)
    private static let nameless = DeviceAddress(BluetoothAddress(rawValue: 0xC000_0000_0011), .random)
    private static let hostile = DeviceAddress(BluetoothAddress(rawValue: 0xC000_0000_0012), .random)

    private static let offers = CompletionOffers(
        known: {
            [
                .init(address: strap, name: "Pulse HR"), .init(address: nameless, name: nil),
                .init(address: hostile, name: "\u{1B}[2J\nx"),
            ]
        },
        databases: OneDatabase(device: strap),
        adapters: { ["hci0", "hci1"] }
    )

    private func ask(_ words: [String], _ last: String) -> CompletionAnswer? {
        Self.offers.answer(to: CompletionRequest(after: words, last))
    }

    /// The devices that fit, with their meanings.
    private func devices(_ typed: String) throws -> [String] {
        let answer = try #require(ask(["read", "-d"], typed))
        #expect(answer.name == "ADDRESS|NAME" && answer.before.isEmpty && answer.files == nil)
        let fitting = answer.fitting
        return answer.words.filter { fitting.contains($0.word) }.map { "\($0.word)\t\($0.summary)" }
    }

    /// The targets that fit.
    private func targets(_ typed: String, of device: String? = nil) throws -> [String] {
        try #require(ask(["read"] + (device.map { ["-d", $0] } ?? []), typed)).fitting
    }

    @Test func `values are offered where a format has names for them, or for fields`() throws {
        #expect(try #require(ask(["write", "heart-rate-control-point"], "")).fitting == ["reset energy expended"])
        #expect(try #require(ask(["write", "alert-level"], "h")).fitting == ["high alert"])
        let fields = try #require(ask(["write", "local-time-information"], "")).fitting
        #expect(fields.contains("time_zone_min=") && fields.count == 2, "\(fields)")
        #expect(try #require(ask(["write", "0xFFF1"], "")).fitting.isEmpty)
        #expect(ask(["write", "alert-level"], "@x")?.files == "")
    }

    @Test func `the actions of a profile are offered behind it`() throws {
        #expect(try #require(ask(["profile", "alert"], "")).fitting == ["none", "mild", "high"])
        #expect(try #require(ask(["profile", "glucose"], "c")).fitting == ["count"])
        #expect(try #require(ask(["profile", "nonsense"], "")).fitting.isEmpty)
    }

    @Test func `the form of a report is offered, and then files`() throws {
        let forms = try #require(ask(["run", "x", "--report"], ""))
        #expect(Set(forms.fitting).isSuperset(of: ["tap=", "junit=", "json="]) && forms.files == nil)
        let file = try #require(ask(["run", "x"], "--report=junit=ri"))
        #expect(file.before == "--report=junit=" && file.typed == "ri" && file.files == "")
    }

    @Test func `devices are offered by name, and by address without one`() throws {
        #expect(
            try devices("") == [
                "Pulse HR\tC8:4B:1D:3A:90:5E", "C0:00:00:00:00:11\tno name", "C0:00:00:00:00:12\tno name",
            ]
        )
        #expect(try devices("pulse ") == ["Pulse HR\tC8:4B:1D:3A:90:5E"])
        #expect(try devices("c8:4b") == ["C8:4B:1D:3A:90:5E\tPulse HR"])
        #expect(try devices("x").isEmpty)
    }

    @Test func `only attributes of the device are offered, if they are known`() throws {
        let own = "b1ec0101-5ec7-4c3a-9d0e-51a1b1ec0001"
        #expect(try targets("", of: "pulse hr") == [own, "battery-level"].sorted())
        #expect(
            try targets("battery/", of: "C84B1D3A905E") == ["battery/\(own)", "battery/battery-level"].sorted()
        )
        #expect(
            try targets("battery-level/", of: "Pulse HR") == [
                "battery-level/client-characteristic-configuration"
            ]
        )
        #expect(
            try targets("battery/battery-level/c", of: "Pulse HR")
                == ["battery/battery-level/client-characteristic-configuration"]
        )
    }

    @Test func `the device of a session has the cached attributes of its public address`() throws {
        let device = DeviceAddress(BluetoothAddress(rawValue: 0x7081_940D_FBAA), .public)
        let offers = CompletionOffers(
            known: {
                [
                    // As a session knows it: the name of its socket has no address type.
                    .init(address: DeviceAddress(device.address, .random), name: "uart"),
                    .init(address: device, name: "UART Echo"),
                ]
            },
            databases: OneDatabase(device: device),
            adapters: { [] }
        )
        for name in ["uart", "UART Echo", "70:81:94:0D:FB:AA"] {
            let request = CompletionRequest(after: ["read", "-d", name], "battery/")
            let words = offers.answer(to: request)?.fitting
            #expect(words == ["battery/b1ec0101-5ec7-4c3a-9d0e-51a1b1ec0001", "battery/battery-level"], "\(name)")
        }
    }

    @Test func `otherwise the offers come from the specification of the service`() throws {
        let battery = try targets("battery/", of: "Unknown")
        #expect(battery.contains("battery/battery-level") && battery.count < 20)
        #expect(battery.allSatisfy { $0.hasPrefix("battery/battery-") || $0.hasPrefix("battery/estimated-") })
        #expect(try targets("heart-rate/body") == ["heart-rate/body-sensor-location"])
        #expect(try targets("0xFFF0/").count > 500)
        #expect(try targets("").count > 500)
        #expect(try targets("battery-level/c").contains("battery-level/cccd"))
        #expect(try targets("a/b/c/").isEmpty)
        #expect(try targets("nonsense/").isEmpty)
    }

    @Test(arguments: ["blectl frobnicate ", "blectl read x --frobnicate=", "blectl version x ", "blectl scan -- "])
    func `where nothing can stand, nothing is offered`(_ line: String) {
        #expect(Self.offers.text(for: CompletionRequest(line: line) { _ in nil }) == "")
    }

    @Test func `the device may be that of the environment`() throws {
        let request = CompletionRequest(line: "blectl read battery/") { $0 == "BLECTL_DEVICE" ? "Pulse HR" : nil }
        #expect(Self.offers.answer(to: request)?.fitting.count == 2)
    }

    @Test func `options that cannot be given any more are not offered`() throws {
        let words = try #require(ask(["scan", "--active", "-v"], "--")).fitting
        #expect(!words.contains("--active") && !words.contains("--passive") && !words.contains("--retries"))
        #expect(words.contains("--verbose"), "it counts")
        #expect(try #require(ask([], "-")).fitting.contains("-d"))
    }

    @Test func `a value may be in the word of its option`() throws {
        for (line, before) in [("--sort=", "--sort="), ("--phy=", "--phy="), ("-ihci0,", "-ihci0,"), ("-vi=", "-vi=")] {
            #expect(try #require(ask(["scan"], line)).before == before)
        }
        #expect(ask(["scan"], "--sort=r")?.fitting == ["--sort=rssi"])
        #expect(ask(["scan"], "-ihci0,")?.fitting == ["-ihci0,hci1"])
        #expect(ask(["scan", "-i"], "")?.fitting == ["hci0", "hci1", "all"])
    }

    @Test(arguments: [
        ("-i", "unix:/tm", "unix:", "/tm"), ("-i", "serial:", "serial:", ""),
        ("-i", "hci0,unix:/tm", "hci0,unix:", "/tm"), ("-v", "--adapter=unix:a b", "--adapter=unix:", "a b"),
    ])
    func `the path of a controller is that of a file`(
        _ option: String,
        _ last: String,
        _ before: String,
        _ typed: String
    ) throws {
        let answer = try #require(ask(["scan", option], last))
        #expect(answer.before == before && answer.typed == typed && answer.files == "" && answer.words.isEmpty)
    }

    @Test func `the lines of an answer`() throws {
        let request = CompletionRequest(line: "blectl run --dry-run 'a b/") { _ in nil }
        #expect(Self.offers.text(for: request) == "\na b/\n*.blectl\nSCRIPT\n")
        #expect(ask(["write", "x"], "@a")?.text == "@\na\n*\nVALUE\n")
        #expect(ask(["scan", "--sort"], "n")?.text.contains("\nname\t") == true)
        #expect(ask(["write", "x"], "@a\nb")?.text == "", "a line break would give lines another meaning")
    }

    @Test func `every offered target is valid`() throws {
        for prefix in [
            "", "battery/", "heart-rate/", "environmental-sensing/", "battery-level/", "battery/battery-level/",
        ] {
            for word in try targets(prefix) {
                #expect(throws: Never.self, "\(word)") { try AttributeTarget(word) }
            }
        }
    }
}
