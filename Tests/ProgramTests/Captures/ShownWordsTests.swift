// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Glibc
import Testing

@testable import BluetoothHost
@testable import Captures
@testable import Toolkit

/// The texts of packets are words of the specifications, and never names of the source code.
@Suite("Texts of packets")
struct ShownWordsTests {
    /// Parameters that reach each value of a field: all octets alike, and one that differs from zeros.
    private static let patterns: [[UInt8]] = {
        var patterns: [[UInt8]] = []
        for value in UInt8(0)...8 {
            patterns.append([UInt8](repeating: value, count: 300))
            for place in 0..<24 where value > 0 {
                var pattern = [UInt8](repeating: 0, count: 300)
                pattern[place] = value
                patterns.append(pattern)
            }
        }
        return patterns
    }()

    /// Names of cases that are words as they are.
    private static let plain: Set<String> = [
        "active", "all", "cancel", "central", "complete", "connectable", "current", "first", "intermediate", "last",
        "limited", "maximum", "off", "on", "only", "passive", "peripheral", "unchanged", "write",
    ]

    /// Names that the text of a value has from its types, as an interpolation without a description gives them.
    private func names(in value: Any, of text: String) -> [String] {
        let mirror = Mirror(reflecting: value)
        var found = mirror.children.flatMap { names(in: $0.value, of: text) }
        guard !(value is any CustomStringConvertible) else { return found }
        switch mirror.displayStyle {
        case .enum where mirror.children.isEmpty:
            let name = "\(value)"
            guard !Self.plain.contains(name), has(name, in: text) else { break }
            if words(of: text).contains(where: { $0.elementsEqual(name.utf8) }) { found.append(name) }
        case .enum, .struct:
            let name = "\(type(of: value))("
            if has(name, in: text) { found.append(name) }
        default: break
        }
        return found
    }

    private func check(_ value: Any, _ text: String) {
        #expect(names(in: value, of: text).isEmpty, "\(text)")
        check(text)
    }

    /// A word with a capital letter inside is none of a specification, except for these.
    private func check(_ text: String) {
        let odd = words(of: text).filter { word in
            guard let first = word.first, Self.small.contains(first) else { return false }
            return word.contains { Self.capitals.contains($0) }
        }
        .map { String(decoding: $0, as: UTF8.self) }
        #expect(odd.allSatisfy { $0 == "dBm" || $0 == "eSCO" }, "\(text)")
        #expect(!has("Optional(", in: text) && !has("rawValue", in: text), "\(text)")
    }

    private static let small = UInt8(ascii: "a")...UInt8(ascii: "z")
    private static let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    /// By octets, as the search below: there are half a million texts.
    private func words(of text: String) -> [ArraySlice<UInt8>] {
        Array(text.utf8).split { octet in
            octet < 0x80 && !Self.small.contains(octet) && !Self.capitals.contains(octet)
                && !Self.digits.contains(octet)
        }
    }

    private func has(_ part: String, in text: String) -> Bool { strstr(text, part) != nil }

    @Test("commands and what they return", arguments: HCICommandCatalog.all.indices)
    func commands(_ index: Int) {
        func walk<Command: HCICommand>(_ type: Command.Type) {
            for pattern in Self.patterns {
                var reader = ByteReader(pattern)
                if let command = try? Command(from: &reader) { check(command, command.description) }
                reader = ByteReader(pattern)
                if let returned = try? Command.ReturnParameters(from: &reader) { check(returned, returned.details) }
                let complete = CommandCompleteEvent(opcode: Command.opcode, returnParameters: [0] + pattern)
                check(HCIText.text(of: .event(complete.packet)))
            }
        }
        walk(HCICommandCatalog.all[index])
    }

    @Test("events, also those without a decoder", arguments: UInt8.min...UInt8.max)
    func events(_ code: UInt8) {
        for pattern in Self.patterns {
            for packet in [
                HCIEventPacket(HCIEventCode(rawValue: code), parameters: pattern),
                HCIEventPacket(.leMeta, parameters: [code] + pattern),
            ] {
                let text = HCIText.text(of: .event(packet))
                if let event = try? HCIEvent(packet).parameters { check(event, text) } else { check(text) }
            }
        }
    }

    @Test("packets of the management interface", arguments: UInt16(0)...0x70)
    func management(_ code: UInt16) {
        func returned<Command: ManagementCommand>(_ type: Command.Type, _ pattern: [UInt8]) {
            var reader = ByteReader(pattern)
            if let value = try? Command.ReturnParameters(from: &reader) { check(value, value.details) }
        }
        let type = ManagementCommandCatalog.type(of: ManagementOpcode(rawValue: code))
        for pattern in Self.patterns {
            let packet = ManagementPacket(code: code, adapter: ManagementIndex(0), parameters: pattern)
            if let type {
                var reader = ByteReader(pattern)
                if let command = try? type.init(from: &reader) { check(command, command.description) }
                returned(type, pattern)
            }
            let text = HCIText.text(of: packet, isSent: false)
            if let event = try? ManagementEvent(packet).parameters { check(event, text) } else { check(text) }
            check(HCIText.text(of: packet, isSent: true))
        }
    }

    @Test("ATT PDUs", arguments: UInt8.min...UInt8.max)
    func attributes(_ opcode: UInt8) {
        for pattern in Self.patterns {
            for length in [0, 1, 2, 4, 6, 20] {
                let octets = [opcode] + pattern.prefix(length)
                check(ATTPDU.describe(octets))
                if let pdu = try? ATTPDU(decoding: octets) { check(pdu, pdu.description) }
            }
        }
    }

    @Test("frames of L2CAP and of the Security Manager", arguments: UInt8(0)...0x20)
    func frames(_ code: UInt8) {
        for pattern in Self.patterns {
            for length in [UInt8(0), 1, 2, 4, 6, 8, 10, 12] {
                let signal = [code, 1, length, 0] + pattern.prefix(Int(length))
                for channel in [UInt8(1), 5] {
                    let frame = L2CAPFrame(L2CAPChannelID(rawValue: UInt16(channel)), signal)
                    check(L2CAPText.text(of: frame))
                }
                let pdu = [code] + pattern.prefix(Int(length))
                let told = ToldCapture("> 02 4000 \(Hex.string([length + 5, 0, length + 1, 0, 6, 0] + pdu))")
                told.events.forEach { check($0.text) }
            }
        }
    }

    @Test("a value without words is found")
    func found() {
        enum Kind { case some, newKind }
        struct Value {
            let kind = Kind.newKind
            let plain = Kind.some
        }
        #expect(names(in: Value(), of: "kind \(Kind.newKind)") == ["newKind"])
        #expect(names(in: Value(), of: "kind some") == ["some"])
        #expect(names(in: Value(), of: "kind new") == [])
        #expect(names(in: Value(), of: "\(Value())").contains("Value("))
    }

    // MARK: - Names

    @Test(
        "what has no decoder is named, and its parameters are in hexadecimal without secrets",
        arguments: [
            ("> 01 0803 00", "command 0x0308"), ("> 01 0308 06 4000 2003 2003", "Sniff Mode: 400020032003"),
            ("> 01 1920 02 4000", "LE Enable Encryption: (2 octets hidden)"), ("> 01 01fc 01 aa", "command 0xFC01: aa"),
            ("< 04 0f 04 00 01 0308", "Command Status: Sniff Mode: success"),
            ("< 04 0e 04 01 1a0c 00", "Command Complete: Write Scan Enable: success"),
            ("< 04 0e 07 01 090c 00 0102 03", "Command Complete: Read PIN Type: success, 010203"),
            ("< 04 0e 06 01 1820 00 0102", "Command Complete: LE Rand: success, (2 octets hidden)"),
            ("< 04 0e 03 01 0000", "Command Complete: no command"),
            ("< 04 14 06 00 4000 02 2003", "Mode Change: 004000022003"),
            ("< 04 3e 06 17 0c 4000 0102", "LE CTE Request Failed: 0c40000102"),
            ("< 04 3e 04 09 00 5a5a", "LE Generate DHKey Complete: (4 octets hidden)"),
            ("< 04 3e 01 ee", "event 0x3E: ee"), ("< 04 ff 01 01", "event 0xFF: 01"),
            ("< 04 3e 00", "LE Meta: malformed (Subevent_Code: needs 1 octet, 0 left): "),
            ("< 04 3e 02 01 00", "LE Connection Complete: malformed (connection handle: needs 2 octets, 0 left): 0100"),
        ]
    )
    func named(_ line: String, _ text: String) {
        #expect(ToldCapture(line).events.map(\.text) == [text])
    }

    @Test("packets of the management interface without a decoder are named")
    func namedManagement() {
        func text(_ code: UInt16, _ hex: String, isSent: Bool) -> String {
            let packet = ManagementPacket(code: code, adapter: ManagementIndex(1), parameters: Hex.bytes(hex) ?? [])
            return HCIText.text(of: packet, isSent: isSent)
        }
        #expect(text(0x0006, "010000", isSent: true) == "hci1 Set Discoverable: 010000")
        #expect(text(0x0012, "0000", isSent: true) == "hci1 Load Link Keys: (2 octets hidden)")
        #expect(text(0x0005, "01", isSent: true) == "hci1 Set Powered: on")
        #expect(text(0x0099, "01", isSent: true) == "hci1 command 0x0099: 01")
        #expect(text(0x0013, "0701", isSent: false) == "hci1 Discovering: 0701")
        #expect(text(0x0009, "00", isSent: false) == "hci1 New Link Key: (1 octet hidden)")
        #expect(text(0x0099, "01", isSent: false) == "hci1 event 0x0099: 01")
        #expect(text(0x0006, "ab", isSent: false).hasPrefix("hci1 New Settings: malformed"))
        #expect(text(0x0001, "06000001", isSent: false) == "hci1 Command Complete: Set Discoverable: 01")
        #expect(text(0x0002, "23000a", isSent: false) == "hci1 Command Status: Start Discovery: Busy")
        #expect(text(0x0002, "05000a", isSent: false) == "hci1 Command Status: Set Powered: Busy")
    }

    @Test(
        "a record is malformed if its text says so",
        arguments: [
            ("> 01 4120 03 010001", true), ("> 01 030c 00", false), ("> 01 030c 01 00", true),
            ("< 04 3e 02 01 00", true), ("< 04 05 04 00 4000 13", false), ("< 04 05 03 00 4000", true),
            ("< 04 14 01 00", false), ("> 02 4000 0600 0200 0500 1400", true),
            ("> 02 4000 0700 0300 0400 0a12 00", false),
            ("> 02 4000 0600 0200 0400 0a12", true), ("> 03 4000 02 00", true), ("> 03 4000 01 00", false),
            ("> 02 4000 0600 0100 0400 0a12", true), ("> 01 03", true),
        ]
    )
    func malformed(_ line: String, _ isMalformed: Bool) {
        for isRedacted in [false, true] {
            let event = ToldCapture([line], isRedacted: isRedacted).events.first
            #expect(event?.isMalformed == isMalformed, "\(line)")
            #expect(event?.text.contains("malformed") == isMalformed, "\(event?.text ?? "")")
        }
    }
}
