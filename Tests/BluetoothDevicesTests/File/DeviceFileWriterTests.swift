// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@testable import BluetoothDevices

@Suite("Writing device files")
struct DeviceFileWriterTests {
    @Test func `a device is read back as it was written`() throws {
        for seed in 0..<150 as Range<UInt64> {
            var maker = DefinitionMaker(seed: seed)
            let definition = maker.definition()
            let text = DeviceFile.text(of: definition)
            do {
                let again = try DeviceFile.read(Array(text.utf8), named: "x")
                #expect(again == definition, "seed \(seed): \(text)")
                #expect(DeviceFile.text(of: again) == text)
            } catch {
                Issue.record("seed \(seed): \(error)\n\(text)")
            }
        }
    }

    @Test func `members stand in the order of the schema`() throws {
        var random = DefinitionMaker(seed: 3)
        for _ in 0..<50 {
            let text = DeviceFile.text(of: random.definition())
            try check(JSONParser.parse(Array(text.utf8)), .type(.device))
        }
    }

    private func check(_ node: JSONNode, _ kind: SchemaKind) {
        switch (kind, node.content) {
        case (.type(let name), _): check(node, DeviceSchema.type(name).kind)
        case (.object(let object), .object(let members)):
            let order = members.compactMap { member in object.members.firstIndex { $0.key == member.key } }
            #expect(order == order.sorted(), "\(members.map(\.key))")
            for member in members {
                guard let inner = object.members.first(where: { $0.key == member.key }) else { continue }
                check(member.value, inner.kind)
            }
        case (.list(let kind, _), .array(let elements)): for element in elements { check(element, kind) }
        case (.anyOf(let forms), .object(let members)):
            for case .object(let object) in forms.map(\.kind) where members.contains(where: { $0.key == object.marker })
            {
                check(node, .object(object))
            }
        default: break
        }
    }

    @Test func `constant values become fields where these have the same octets`() throws {
        let device = DeviceDefinition(
            label: "x",
            address: .scripted,
            services: [
                DeviceService(
                    0x180F,
                    characteristics: [
                        DeviceCharacteristic(0x2A19, .read, value: .octets([87])),
                        DeviceCharacteristic(0x2A19, .read, value: .octets([87, 1])),
                        DeviceCharacteristic(0x2A00, .read, value: .octets(Array("Pulse \"HR\"\u{1B}".utf8))),
                        DeviceCharacteristic(0x2A00, .read, value: .octets(Array("u8:1".utf8))),
                        DeviceCharacteristic(0x2A00, .read, value: .octets([0xFF])),
                    ]
                )
            ]
        )
        let text = DeviceFile.text(of: device)
        for value in ["87", "\"hex:5701\"", #""Pulse \"HR\"\u001b""#, "\"hex:75383a31\"", "\"hex:ff\""] {
            #expect(text.contains("\"value\": \(value)"), "\(text)")
        }
        #expect(try DeviceFile.read(Array(text.utf8), named: "x") == device)
    }

    @Test func `frames in an unusual order become hex digits`() throws {
        let frame = AdvertisingFrame([
            .element(.localName(ADLocalName("a"))), .element(.flags([.generalDiscoverable])),
        ])
        var device = DeviceDefinition(label: "x", address: .scripted)
        device.advertising = [DeviceAdvertising(.connectable, interval: .milliseconds(100), frames: [frame])]
        let text = DeviceFile.text(of: device)
        #expect(text.contains("\"data\": \"020961020102\""), "\(text)")
    }

    @Test func `long lists are broken into lines`() {
        let text = JSONPrinter.text(
            of: .object(["a": .array([.number(1), .string("b")]), "c": .array((0..<60).map { .number($0) })])
        )
        #expect(text.hasPrefix("{\n  \"a\": [1, \"b\"],\n  \"c\": [\n    0,\n    1,\n"))
        #expect(text.hasSuffix("    59\n  ]\n}\n"))
    }
}
