// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothDevices

@Suite("World files")
struct WorldFileTests {
    private static let strap = DeviceDefinition(
        label: "pulse-strap",
        address: DeviceAddress(BluetoothAddress(rawValue: 0xC84B_1D3A_905E), .random)
    )
    private static let tag = #"{"schema": "blectl-device/1", "address": "E2:0D:77:41:00:FE"}"#

    private func read(_ text: String, files: [String: String] = ["tag.json": tag]) throws -> WorldFile {
        let sources = WorldFile.Sources(
            builtInLabels: ["pulse-strap"],
            builtIn: { $0 == "pulse-strap" ? Self.strap : nil },
            file: { name in
                guard let text = files[name] else { throw DeviceFile.NoFile() }
                return Array(text.utf8)
            }
        )
        return try WorldFile.read(Array(text.utf8), named: "world.json", sources)
    }

    @Test func `places devices of every origin, with changes`() throws {
        let world = try read(
            """
            {"schema": "blectl-world/1", "seed": 7, "devices": [
              "tag.json",
              {"built_in": "pulse-strap", "label": "weak", "signal": {"rssi": -90}},
              {"file": "tag.json", "label": "many", "address": "E2:0D:77:42:00:FE", "copies": 3},
              {"label": "here", "address": "E2:0D:77:43:00:00"},
              {"device": {"name": "Inside"}, "label": "inside", "address": "00:11:22:33:44:55", "address_type": "public"}
            ]}
            """
        )
        #expect(world.seed == 7)
        #expect(
            world.devices.map { "\($0.label) \($0.address)" } == [
                "tag E2:0D:77:41:00:FE (random)", "weak C8:4B:1D:3A:90:5E (random)",
                "many E2:0D:77:42:00:FE (random)", "many-2 E2:0D:77:42:00:FF (random)",
                "many-3 E2:0D:77:42:01:00 (random)", "here E2:0D:77:43:00:00 (random)",
                "inside 00:11:22:33:44:55 (public)",
            ]
        )
        #expect(world.devices[1].signal.rssi == -90)
        #expect(world.devices[6].name == "Inside")
    }

    @Test func `a place adds faults to a device, which must have their targets`() throws {
        let device =
            #"{"schema": "blectl-device/1", "services": [{"uuid": "battery", "characteristics": ["#
            + #"{"uuid": "battery-level", "label": "charge", "properties": ["read"], "value": 87}]}], "#
            + #""faults": [{"on": "connect", "do": "error"}]}"#
        let world = try read(
            """
            {"schema": "blectl-world/1", "devices": [
              "d.json",
              {"file": "d.json", "label": "faulty", "address": "E2:0D:77:42:00:FE", "copies": 2, "faults": [
                {"on": "read", "target": "charge", "do": {"delay": "1 s"}}, {"on": "scan", "do": "lose"}]}
            ]}
            """,
            files: ["d.json": device]
        )
        let own = FaultRule(.connect, nil, .error(code: nil, after: .zero))
        let further = [FaultRule(.read, .label("charge"), .delay(.seconds(1))), FaultRule(.scan, nil, .lose)]
        #expect(world.devices.map(\.faults) == [[own], [own] + further, [own] + further])
        do {
            _ = try read(
                """
                {"schema": "blectl-world/1", "devices": [
                  {"file": "d.json", "faults": [{"on": "read", "target": "chrage", "do": "lose"}, {"on": "scan", "do": "no-answer"}]}
                ]}
                """,
                files: ["d.json": device]
            )
            Issue.record("not refused")
        } catch let error as DeviceFileErrors {
            let messages = error.errors.map(\.message)
            #expect(messages.count == 2, "\(messages)")
            #expect(messages.first?.contains("did you mean 'charge'?") == true, "\(messages)")
            #expect(messages.last?.hasPrefix("scan cannot have the effect no-answer") == true, "\(messages)")
        }
    }

    @Test func `a device file is a world with one device`() throws {
        #expect(try read(Self.tag).devices.map(\.label) == ["world"])
    }

    @Test func `faults of the world and of its files are reported`() throws {
        let files = ["bad.json": "{\n\"schema\": \"blectl-device/1\",\n\"mtu\": 1}", "tag.json": Self.tag]
        do {
            _ = try read(
                """
                {"schema": "blectl-world/1", "devices": [
                  "tag.json",
                  "bad.json",
                  "tag.json",
                  "none.json",
                  {"built_in": "puls-strap"},
                  {"device": {"limits": {"mtu": 5}}}
                ]}
                """,
                files: files
            )
            Issue.record("a faulty world is read")
        } catch {
            #expect(
                "\(error)" == """
                    world.json:4: devices[2]: another device has the label 'tag'; give it a 'label'
                    world.json:5: devices[3]: cannot read 'none.json': NoFile()
                    world.json:6: devices[4].built_in: no device of blectl is called 'puls-strap'; did you mean 'pulse-strap'?
                    world.json:7: devices[5].device.limits.mtu: expected a whole number from 23 to 517, found 5
                    bad.json:3: mtu: unknown key
                    """
            )
        }
    }

    @Test func `faults of the form are reported`() throws {
        do {
            _ = try read(#"{"schema": "blectl-world/1", "devices": [{"file": "tag.json", "copies": 0, "rssi": 1}]}"#)
            Issue.record("a faulty world is read")
        } catch let error as DeviceFileErrors {
            #expect(
                error.errors.map { "\($0.path): \($0.message)" } == [
                    "devices[0].copies: expected a whole number from 1 to 10000, found 0",
                    "devices[0].rssi: unknown key; there is file, copies, label, address, address_type, signal, faults",
                ]
            )
        }
    }

    @Test func `a world of ten thousand devices is read, a larger one is not`() throws {
        let world = try read(#"{"schema": "blectl-world/1", "devices": [{"file": "tag.json", "copies": 10000}]}"#)
        #expect(world.devices.count == WorldFile.limit)
        let text = #"{"schema": "blectl-world/1", "devices": [{"file": "tag.json", "copies": 10000}, {"device": {}}]}"#
        #expect(throws: DeviceFileErrors.self) { try read(text) }
    }
}
