// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Terminal
import Toolkit

/// All that is known of one advertiser, for a screen.
struct LiveScanDetails {
    private let device: AdvertiserInfo
    private let track: AdvertiserTrack?
    private let formats: FormatCatalogue
    private let now: Instant

    init(_ device: AdvertiserInfo, _ track: AdvertiserTrack?, _ formats: FormatCatalogue, now: Instant) {
        self.device = device
        self.track = track
        self.formats = formats
        self.now = now
    }

    func lines(columns: Int, _ style: TextStyle) -> [StyledLine] {
        let texts = AdvertiserTexts(device, formats)
        var title = StyledLine(texts.name.isEmpty ? "(no name)" : texts.name, .bold)
        title.append("  \(texts.address)  \(device.address.kind.rawValue)")
        var lines = [title, StyledLine()]
        lines += signalLines(columns, style)
        var fields = Fields(columns: columns)
        fields.add(
            "seen",
            "\(count: device.reportCount, "report"), the last \(NumberText.age(now - device.lastSeen)) ago"
        )
        if let interval = track?.interval { fields.add("interval", "about \(NumberText.interval(interval))") }
        fields.add("accepts", device.isConnectable ? "connections" : "no connections")
        if let power = device.txPower { fields.add("TX power", "\(power) dBm") }
        fields.add("PHY", phy)
        if let flags = device.flags { fields.add("flags", "\(flags)") }
        if let appearance = device.appearance {
            let number = "0x" + Hex.string(appearance, minimumDigits: 4)
            fields.add("appearance", AssignedNumbers.appearanceName(appearance).map { "\($0) (\(number))" } ?? number)
        }
        for service in device.services { fields.add("service", named(service)) }
        for service in device.solicitedServices { fields.add("looks for", named(service)) }
        for beacon in device.beacons {
            let presentation = BeaconPresentation(beacon)
            fields.add("beacon", TerminalText.escaped(presentation.text))
            let details = presentation.details.map { "\($0.label) \($0.text)" }.joined(separator: ", ")
            if !details.isEmpty { fields.add("", TerminalText.escaped(details)) }
        }
        for data in device.manufacturerData {
            let company = TerminalText.escaped(AdvertiserTexts.name(ofCompany: data.company))
            fields.add("data of", "\(company): \(hex(data.data))")
        }
        for data in device.serviceData { fields.add("data of", "\(named(data.uuid)): \(hex(data.data))") }
        if device.forgottenCount > 0 {
            fields.add("earlier", "\(count: device.forgottenCount, "content") that made room for newer ones")
        }
        lines += fields.lines
        lines += packetLines("advertisement", track?.advertisement, columns)
        lines += packetLines("scan response", track?.scanResponse, columns)
        return lines
    }

    private func named(_ service: BluetoothUUID) -> String { TerminalText.escaped(serviceText(service, formats)) }

    private func hex(_ octets: [UInt8]) -> String { octets.isEmpty ? "(empty)" : Hex.string(octets) }

    private var phy: String {
        let form = device.isLegacy ? "legacy" : "extended"
        return "\(device.primaryPHY)" + (device.secondaryPHY.map { ", data on \($0)" } ?? "") + ", \(form) advertising"
    }

    /// The strength of the signal, with a curve between the least and the greatest value.
    private func signalLines(_ columns: Int, _ style: TextStyle) -> [StyledLine] {
        guard let signal = track?.signal else { return [] }
        let color = signal.attribute(style)
        var line = StyledLine(Fields.label("signal"), .faint)
        line.append("\(NumberText.decimal(signal.smoothed, places: 0)) dBm", color)
        line.append(
            "  last \(device.rssi.map { "\($0)" } ?? "?"), least \(signal.least), greatest \(signal.greatest)",
            .faint
        )
        let range = Double(signal.least)...Double(max(signal.least, signal.greatest))
        let width = max(1, min(columns - Fields.indent, SignalLevel.historyLength))
        let chart = Chart(style.glyphs).lines(signal.history, columns: width, rows: 4, in: range)
        return [line]
            + chart.map { row in
                var line = StyledLine(String(repeating: " ", count: Fields.indent))
                line.append(row, color)
                return line
            }
    }

    /// A packet: its structures decoded, and its octets.
    private func packetLines(_ title: String, _ report: ScanReport?, _ columns: Int) -> [StyledLine] {
        guard let report else { return [] }
        var fields = Fields(columns: columns)
        for (structure, element) in zip(report.data.structures, report.data.elements) {
            fields.add(
                "  0x" + Hex.string(structure.type.rawValue, minimumDigits: 2),
                TerminalText.escaped(element.description)
            )
        }
        if let issue = report.data.issue { fields.add("  fault", TerminalText.escaped("\(issue)")) }
        fields.add("  octets", hex(report.report.data))
        return [StyledLine(), StyledLine(title, .bold)] + fields.lines
    }

    /// Labels and texts. Long texts go on in the next line.
    private struct Fields {
        static let indent = 12
        let columns: Int
        private(set) var lines: [StyledLine] = []

        init(columns: Int) { self.columns = columns }

        static func label(_ text: String) -> String { TerminalText.padded(text, columns: indent) }

        /// Adds a field, broken into lines by the columns that its characters need.
        mutating func add(_ label: String, _ text: String) {
            let width = max(8, columns - Self.indent)
            var line = StyledLine(Self.label(label), .faint)
            var used = 0
            for character in text {
                let next = TerminalText.width(of: String(character))
                if used + next > width {
                    lines.append(line)
                    line = StyledLine(String(repeating: " ", count: Self.indent))
                    used = 0
                }
                line.append(String(character))
                used += next
            }
            lines.append(line)
        }
    }
}
