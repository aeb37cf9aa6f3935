// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing
import Toolkit

@Suite("AttributeTarget")
struct AttributeTargetTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let text: String
        let kind: AttributeTarget.Kind
        var testDescription: String { text }
    }

    @Test(
        "reads every way to name an attribute",
        arguments: [
            Vector(text: "handle:0x0018", kind: .handle(0x0018)),
            Vector(text: "handle:24", kind: .handle(0x0018)),
            Vector(text: "HANDLE:0xffff", kind: .handle(0xFFFF)),
            Vector(text: "0x2A19", kind: .characteristic(0x2A19, service: nil)),
            Vector(text: "2a19", kind: .characteristic(0x2A19, service: nil)),
            Vector(text: "00002a19-0000-1000-8000-00805f9b34fb", kind: .characteristic(0x2A19, service: nil)),
            Vector(text: "battery-level", kind: .characteristic(0x2A19, service: nil)),
            Vector(text: "Battery Level", kind: .characteristic(0x2A19, service: nil)),
            Vector(text: "battery/battery-level", kind: .characteristic(0x2A19, service: 0x180F)),
            Vector(text: "0x180F/0x2A19", kind: .characteristic(0x2A19, service: 0x180F)),
            Vector(text: "battery-level/0x2901", kind: .descriptor(0x2901, characteristic: 0x2A19, service: nil)),
            Vector(
                text: "battery-level/characteristic-user-description",
                kind: .descriptor(0x2901, characteristic: 0x2A19, service: nil)
            ),
            Vector(text: "battery-level/cccd", kind: .descriptor(0x2902, characteristic: 0x2A19, service: nil)),
            Vector(text: "0x2A19/CCC", kind: .descriptor(0x2902, characteristic: 0x2A19, service: nil)),
            Vector(
                text: "battery/battery-level/cpf",
                kind: .descriptor(0x2904, characteristic: 0x2A19, service: 0x180F)
            ),
            Vector(text: "0x2A19/user-description", kind: .descriptor(0x2901, characteristic: 0x2A19, service: nil)),
            Vector(text: "180F/2A19/2902", kind: .descriptor(0x2902, characteristic: 0x2A19, service: 0x180F)),
            Vector(
                text: "6e400001-b5a3-f393-e0a9-e50e24dcca9e/6e400003-b5a3-f393-e0a9-e50e24dcca9e",
                kind: .characteristic(
                    BluetoothUUID(bits128: 0x6E40_0003_B5A3_F393_E0A9_E50E_24DC_CA9E),
                    service: BluetoothUUID(bits128: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E)
                )
            ),
        ]
    )
    func reads(vector: Vector) throws {
        let target = try AttributeTarget(vector.text)
        #expect(target.kind == vector.kind)
        #expect(target.description == vector.text)
    }

    @Test(
        "refuses names without an attribute, and says which would work",
        arguments: [
            ("", "a UUID"), ("handle:0", "0x0001 to 0xFFFF"), ("handle:0x10000", "0x0001 to 0xFFFF"),
            ("handle:", "0x0001"),
            ("batery-level", "battery-level"), ("heart-rate", "is a service"), ("ccc", "CHARACTERISTIC/ccc"),
            ("a/b/c/d", "at most"),
            ("0x2A1", "a UUID"), ("0x18", "handle:0x18"), ("24", "handle:24"),
            ("battery/", "a UUID"), ("/", "a UUID"), ("0x180F/batery-level", "battery-level"),
        ]
    )
    func refuses(text: String, part: String) {
        let problem = #expect(throws: AttributeTarget.Problem.self) { try AttributeTarget(text) }
        #expect(problem?.expectation.contains(part) == true, "\(problem?.expectation ?? "")")
    }
}
