// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import Commands
@testable import Records
@testable import Terminal
@testable import Toolkit

@Suite("TreeResult")
struct TreeResultTests {
    private static func style(columns: Int?, unicode: Bool = true) -> TextStyle {
        var style = TextStyle(usesColor: false, isTerminal: columns != nil)
        style.columns = columns
        style.usesUnicode = unicode
        return style
    }

    private func line(
        _ uuid: BluetoothUUID,
        _ properties: CharacteristicProperties,
        _ value: TreeResult.Value?,
        _ style: TextStyle
    ) -> String {
        let characteristic = GATTCharacteristic(
            declaration: 0x0002,
            valueHandle: 0x0003,
            properties: properties,
            uuid: uuid,
            end: 0x0004
        )
        let branch = TreeBranch(isLast: false).child(isLast: true)
        let result = TreeResult(
            device: DeviceReference(address: DeviceAddress(BluetoothAddress(rawValue: 1), .random), name: nil),
            service: GATTService(uuid: 0x180F, range: HandleRange(0x0001, 0x0004), isPrimary: true),
            node: .characteristic(characteristic, value),
            branch: branch,
            layout: TreeLayout(labelColumns: 42, propertyColumns: 15),
            timestamp: Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)
        )
        return result.text(style) ?? ""
    }

    @Test("a label that leaves no room for the columns does not take them from the others")
    func oneWideLine() {
        let style = Self.style(columns: 76)
        let lines = [0x2A19, 0x2A00].map { line(BluetoothUUID($0), [.read], nil, style) }
        let places = lines.map { $0.prefix { $0 != "[" }.count }
        #expect(places[0] == places[1], "\(lines)")
        let wide = line(BluetoothUUID(bits128: 1), [.read], nil, style)
        #expect(wide == "│  └─ 00000000-0000-0000-0000-000000000001  0x0003  [read]")
    }

    @Test("handles, properties and values are aligned, and an error is not a value")
    func columns() {
        let value = TreeResult.Value.read(ValuePresentation([0x57], ofCharacteristic: 0x2A19))
        let style = Self.style(columns: nil)
        let lines = [
            line(0x2A19, [.read], value, style), line(0x2A19, [.read, .notify], .refused(.readNotPermitted), style),
            line(BluetoothUUID(bits128: 1), [.read], .failed("timed out"), style),
        ]
        #expect(
            lines == [
                "│  └─ Battery Level (0x2A19)                0x0003  [read]           = 87 %",
                "│  └─ Battery Level (0x2A19)                0x0003  [read, notify]   ! ATT 0x02 read not permitted",
                "│  └─ 00000000-0000-0000-0000-000000000001  0x0003  [read]           ! timed out",
            ]
        )
    }

    @Test("the handle of a characteristic is that of its value, and its declaration has a key of its own")
    func handles() {
        let characteristic = GATTCharacteristic(
            declaration: 0x0002,
            valueHandle: 0x0009,
            properties: [.read],
            uuid: 0x2A19,
            end: 0x000A
        )
        let nodes: [(TreeResult.Node, String)] = [
            (.characteristic(characteristic, nil), "9"),
            (.descriptor(GATTDescriptor(handle: 0x000A, uuid: 0x2902), of: characteristic, nil), "10"),
        ]
        for (node, handle) in nodes {
            let result = TreeResult(
                device: DeviceReference(address: DeviceAddress(BluetoothAddress(rawValue: 1), .random), name: nil),
                service: GATTService(uuid: 0x180F, range: HandleRange(0x0001, 0x000A), isPrimary: true),
                node: node,
                branch: TreeBranch(isLast: true),
                timestamp: Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)
            )
            let line = String(decoding: Output.line(of: result), as: UTF8.self)
            #expect(line.contains(#""handle":\#(handle),"#) && line.contains(#""value_handle":9"#), "\(line)")
            let isDeclared = line.contains(#""declaration_handle":2"#)
            #expect(isDeclared == (handle == "9"), "\(line)")
        }
    }

    @Test("a long value is cut on a terminal only, with its length")
    func longValue() {
        let value = TreeResult.Value.read(
            ValuePresentation(Array(repeating: 0xAB, count: 512), ofCharacteristic: 0xFFF1)
        )
        for columns in [100, 160] {
            let text = line(0xFFF1, [.read], value, Self.style(columns: columns))
            #expect(text.hasSuffix("… (512 octets)") && TerminalText.width(of: text) < columns)
        }
        #expect(line(0xFFF1, [.read], value, Self.style(columns: nil)).hasSuffix(String(repeating: "ab", count: 512)))
        let narrow = line(0xFFF1, [.read], value, Self.style(columns: 40))
        #expect(narrow.hasPrefix("│  └─ 0xFFF1  0x0003  [read]  = 0xab"), "no room is spent on columns")
    }

    @Test("a terminal without Unicode gets a tree in ASCII")
    func ascii() {
        let text = line(0x2A19, [.read], nil, Self.style(columns: 80, unicode: false))
        #expect(text == "|  `- Battery Level (0x2A19)                0x0003  [read]")
    }
}
