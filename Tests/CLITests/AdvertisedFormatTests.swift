// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Sensors and vendors' messages as `scan` shows them. The octets are those of the specifications' examples.
@Suite("Formats of advertisements", .startsPrograms())
struct AdvertisedFormatTests {
    private static let world = """
        {
          "schema": "blectl-world/1",
          "devices": [
            { "address": "CB:B8:33:4C:88:4F", "advertising": [ { "type": "non-connectable", "data": { "manufacturer":
              [ { "company": "0x0499", "data": "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F" } ] } } ] },
            { "address": "F0:00:00:00:00:01", "advertising": [ { "type": "non-connectable", "data": { "service_data":
              [ { "uuid": "0xFCD2", "data": "40015d025d0903b718530a68690a1b5b33316d4869" } ] } } ] },
            { "address": "F0:00:00:00:00:02", "advertising": [ { "data": { "flags": [], "manufacturer":
              [ { "company": "0x004C", "data": "0719010e205599373900009672711ae6a965737c80d805039773d1" } ] },
              "scan_response": { "services": ["battery"] } } ] }
          ]
        }
        """

    private func scan(_ options: String...) async throws -> BlectlRun {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "world.json")
            try Data(Self.world.utf8).write(to: file)
            let simulation = ["--simulate=\(file.path)", "--simulate-time", "virtual"]
            return try await Blectl.run(simulation + ["scan", "--duration", "5"] + options)
        }
    }

    @Test func `a line shows the measurements of a sensor, and escapes text of a device`() async throws {
        let run = try await scan()
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout.contains("Ruuvi 24.3 °C 53.49 % 1000.44 hPa 2.977 V"))
        #expect(run.stdout.contains("BTHome battery 93 %, 23.97 °C, 63.27 %, text hi\\n\\u{1B}[31mHi"), "\(run.stdout)")
        #expect(!run.stdout.utf8.contains(0x1B))
        #expect(run.stdout.contains("Battery, Apple Proximity Pairing AirPods Pro left 90 % right 90 % case 70 %"))
    }

    @Test func `records have the values with their units`() async throws {
        let run = try await scan("--json")
        let records = try run.records()
        for record in records { #expect(RecordCheck.problems(of: record).isEmpty) }
        func beacon(_ kind: String) throws -> [String: JSON] {
            try #require(records.compactMap { $0["beacon"]?.object }.first { $0["kind"] == .string(kind) })
        }
        let ruuvi = try beacon("ruuvi")
        #expect(ruuvi["temperature_c"] == .number(24.3))
        #expect(ruuvi["pressure_hpa"] == .number(1000.44))
        #expect(ruuvi["acceleration_z_mg"]?.integer == 1036)
        #expect(ruuvi["address"] == .string("CB:B8:33:4C:88:4F"))
        let measurements = try beacon("bthome")["measurements"]?.array ?? []
        let bthome = measurements.compactMap(\.object)
        #expect(bthome.map { $0["name"] } == ["battery", "temperature", "humidity", "text"].map { JSON.string($0) })
        try #require(bthome.count == 4)
        #expect(bthome[1]["value"] == .number(23.97))
        #expect(bthome[1]["unit"] == .string("°C"))
        #expect(bthome[1]["id"]?.integer == 2)
        let apple = try #require(try beacon("apple")["messages"]?.array?.first?.object)
        #expect(apple["battery_case_percent"]?.integer == 70)
        #expect(apple["charging_left"] == .bool(true))
    }
}
