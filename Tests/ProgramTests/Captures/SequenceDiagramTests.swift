// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import Captures
@testable import Toolkit

@Suite("SequenceDiagram")
struct SequenceDiagramTests {
    /// A link with a request, an error, an update and two announcements of its end.
    private static let packets: [(flags: UInt32, hex: String)] = [
        (2, "01030c00"), (3, "043e13010040000001f5f4f3f2f1f0180000002a0000"),
        (3, "043e13010040000001f5f4f3f2f1f0180000002a0000"), (0, "0240000700030004000a1200"),
        (1, "02402009000500040001" + "0a120005"), (1, "024020090005000400" + "1b2000aabb"), (3, "04050400400008"),
        (3, "04050400400008"),
    ]

    private func diagram(_ packets: [(flags: UInt32, hex: String)], apart step: Int64) -> SequenceDiagram {
        var decoder = CaptureDecoder()
        var diagram = SequenceDiagram()
        for (index, packet) in packets.enumerated() {
            let timestamp = BTSnoopTimestamp(microsecondsSince1970: Int64(index) * step)
            let record = BTSnoopRecord(Hex.bytes(packet.hex) ?? [], flags: packet.flags, at: timestamp)
            diagram.add(decoder.event(CapturedRecord(record, of: .h4)))
        }
        return diagram
    }

    @Test("as text: a column for each participant, an arrow for each packet, and its time")
    func text() {
        let text = diagram(Self.packets, apart: 1_500).text
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == 6)
        #expect(lines.first?.split(separator: " ") == ["host", "F0:F1:F2:F3:F4:F5"])
        #expect(lines[1].hasPrefix("    0.001500  |-- connect ---"))
        #expect(lines[1].hasSuffix("--->|"))
        #expect(lines[2].hasPrefix("    0.004500  |-- Read Request 0x0012 ---"))
        #expect(lines[3].hasPrefix("    0.006000  |x.. Error Response Read Request 0x0012 0x05 insufficient"))
        #expect(lines[4].hasPrefix("    0.007500  |<~~ Handle Value Notification 0x0020 aabb ~~~"))
        #expect(lines[5].hasPrefix("    0.009000  |x.. link lost: "))
        #expect(Set(lines.dropFirst().map(\.count)).count == 1, "every line ends at the device's column")
    }

    @Test("the same packets at other times differ only in the times")
    func times() {
        func timeless(_ text: String) -> String { text.replacing(/[ ]*\d+\.\d{6}/, with: "T") }
        let (slow, fast) = (diagram(Self.packets, apart: 2_000_000), diagram(Self.packets, apart: 10))
        #expect(slow.text != fast.text && timeless(slow.text) == timeless(fast.text))
        #expect(slow.mermaid == fast.mermaid)
        #expect(slow.svg != fast.svg && timeless(slow.svg) == timeless(fast.svg))
    }

    @Test("in Mermaid's language, with text from the air escaped")
    func mermaid() {
        #expect(
            diagram(Self.packets, apart: 1).mermaid.split(separator: "\n").prefix(7) == [
                "sequenceDiagram", "    participant p0 as host", "    participant p1 as F0:F1:F2:F3:F4:F5",
                "    p0->>p1: connect", "    p0->>p1: Read Request 0x0012",
                "    p1--xp0: Error Response Read Request 0x0012 0x05 insufficient authentication",
                "    p1-)p0: Handle Value Notification 0x0020 aabb",
            ]
        )
    }

    @Test("as a picture: well-formed, with an arrow for each packet")
    func svg() {
        let svg = diagram(Self.packets, apart: 1).svg
        #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\"") && svg.hasSuffix("</svg>\n"))
        #expect(svg.split(separator: "\n").count { $0.hasPrefix("<path ") } == 5)
        #expect(svg.contains(">Read Request 0x0012</text>"))
    }

    @Test("too many packets and devices are counted")
    func limits() {
        let many = [(flags: UInt32, hex: String)](repeating: (0, "0240000700030004000a1200"), count: 6_000)
        let diagram = diagram(many, apart: 1)
        #expect(diagram.arrows.count == SequenceDiagram.arrowLimit)
        #expect(diagram.omission == "1000 packets more")
        #expect(diagram.text.hasSuffix("… 1000 packets more\n"))
        let devices = (0..<20).map {
            (flags: UInt32(0), hex: "02" + Hex.string([UInt8($0), 0]) + "0700030004000a1200")
        }
        #expect(self.diagram(devices, apart: 1).participants.count == SequenceDiagram.participantLimit)
    }

    @Test("the suffix of the file name selects the format")
    func formats() {
        #expect(DiagramFile("a.b/run.svg")?.format == .picture)
        #expect(DiagramFile("run.mmd")?.format == .mermaid && DiagramFile("run.txt")?.format == .text)
        #expect(DiagramFile("run.png") == nil && DiagramFile("svg") == nil)
    }
}
