// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import Testing

@testable import Commands
@testable import Terminal
@testable import Toolkit

@Suite("LiveScan")
struct LiveScanTests {
    /// A scan in the hand of a test: devices with names, and their reports.
    private struct Bench {
        var table = AdvertiserTable()
        var scan: LiveScan
        var now = Instant.zero
        var reports = 0

        init(_ order: ScanOrder = .seen, filter: String = "", formats: FormatCatalogue = .assigned) {
            scan = LiveScan(order: order, filterWords: filter, formats: formats, start: .zero)
        }

        mutating func hear(_ name: String, at number: UInt64, rssi: Int8 = -60, data more: [UInt8] = []) {
            let address = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F400 + number), .random)
            let data = [UInt8(name.utf8.count + 1), 0x09] + Array(name.utf8) + more
            let report = ScanReport(
                AdvertisingReport(address: address, properties: .advInd, rssi: rssi, data: data),
                now,
                WallTime(nanosecondsSince1970: 0)
            )
            scan.received(report, table.received(report.report, report.data, now: now))
            reports += 1
        }

        mutating func tick(_ duration: Duration = .milliseconds(500), dropped: Int = 0) {
            now = now + duration
            let status = ScanStatus(now: now, reports: reports, devices: table.count, dropped: dropped)
            scan.refreshed(table.advertisers, status)
        }

        mutating func press(_ text: String) {
            for character in text { #expect(scan.pressed(.character(character)) == .redraw) }
        }

        mutating func screen(_ columns: Int = 100, _ rows: Int = 12, _ style: TextStyle = .plain) -> [String] {
            scan.lines(ScreenSize(columns: columns, rows: rows), style, message: nil).map {
                $0.rendered(style, columns: columns - 1)
            }
        }

        var names: [String] { scan.rows.map { $0.device.name?.text ?? "" } }
    }

    private func three(_ order: ScanOrder = .seen) -> Bench {
        var bench = Bench(order)
        bench.hear("Charlie", at: 3, rssi: -50)
        bench.now = bench.now + .milliseconds(100)
        bench.hear("Alpha", at: 1, rssi: -80)
        bench.now = bench.now + .milliseconds(100)
        bench.hear("Bravo", at: 2, rssi: -40)
        bench.tick()
        return bench
    }

    @Test("keys sort, and the table keeps the selected device")
    func sorting() {
        var bench = three()
        #expect(bench.names == ["Charlie", "Alpha", "Bravo"])
        bench.press("j")
        #expect(bench.scan.selected == bench.scan.rows[0].key)
        bench.press("s")
        #expect(bench.scan.order == .rssi && bench.names == ["Bravo", "Charlie", "Alpha"])
        #expect(bench.scan.selected == bench.scan.rows[1].key, "Charlie")
        bench.press("3")
        #expect(bench.names == ["Alpha", "Bravo", "Charlie"])
        bench.press("4")
        #expect(bench.scan.order == .address && bench.names == ["Alpha", "Bravo", "Charlie"])
        #expect(bench.scan.pressed(.up) == .redraw)
        #expect(bench.scan.selected == bench.scan.rows[1].key)
        #expect(bench.scan.pressed(.character("q")) == .quit)
    }

    @Test("a filter applies while it is typed, and Esc clears it")
    func filtering() {
        var bench = three()
        bench.press("/")
        bench.press("LPH")
        #expect(bench.names == ["Alpha"])
        #expect(bench.screen().contains { $0.contains("/LPH_") })
        bench.press("x")
        #expect(bench.names.isEmpty)
        #expect(bench.screen().contains("  none of 3 devices contains 'LPHx'"))
        #expect(bench.scan.pressed(.backspace) == .redraw)
        #expect(bench.scan.pressed(.enter) == .redraw)
        #expect(bench.names == ["Alpha"] && !bench.scan.isTyping)
        #expect(bench.scan.pressed(.escape) == .redraw)
        #expect(bench.names.count == 3)
        bench.press("/q")
        #expect(bench.scan.search == "q", "no key has its meaning while a filter is typed")
        for _ in 0..<200 { _ = bench.scan.pressed(.character("x")) }
        #expect(bench.scan.search.count <= 60)
    }

    @Test("a pause freezes the table, and the scan goes on")
    func pause() {
        var bench = three()
        bench.press(" ")
        bench.hear("Delta", at: 4)
        bench.tick()
        #expect(bench.names.count == 3)
        #expect(bench.screen().contains { $0.hasPrefix("PAUSED") })
        bench.press(" ")
        #expect(bench.names == ["Charlie", "Alpha", "Bravo", "Delta"])
    }

    @Test("an empty table says why")
    func empty() {
        var bench = Bench(filter: "--name x")
        bench.tick()
        #expect(bench.screen().contains("  listening…"))
        bench.tick(.seconds(10))
        #expect(bench.screen().contains("  nothing was heard in 10 s"))
        bench.reports = 7
        bench.now = bench.now + .seconds(1)
        bench.scan.refreshed([], ScanStatus(now: bench.now, reports: 7, devices: 2, dropped: 0))
        #expect(bench.screen().contains("  2 devices heard, but none passes: --name x"))
    }

    @Test("the footer shows time, devices, rate and drops")
    func footer() {
        var bench = three()
        for _ in 0..<10 {
            for _ in 0..<5 { bench.hear("Alpha", at: 1) }
            bench.tick(dropped: 2)
        }
        #expect(bench.screen().contains { $0.hasPrefix("5 s · 3 devices · 10.0 reports/s · 2 dropped") })
    }

    @Test("a page of details is complete, and scrolls")
    func details() {
        var bench = Bench()
        let url: [UInt8] = [0x0B, 0x16, 0xAA, 0xFE, 0x10, 0xF6, 0x03] + Array("blue".utf8) + [0x07]
        let uid: [UInt8] = [0x15, 0x16, 0xAA, 0xFE, 0x00, 0xEE] + Array(1...16)
        for number in 0..<20 {
            bench.hear(
                "Beacon",
                at: 1,
                rssi: number.isMultiple(of: 2) ? -60 : -70,
                data: number.isMultiple(of: 2) ? url : uid
            )
            bench.tick(.milliseconds(100))
        }
        let row = bench.scan.rows[0]
        #expect(AdvertiserTexts(row.device).beacons("|").split(separator: "|").count == 2, "both frames")
        #expect(bench.scan.pressed(.enter) == .redraw)
        let lines = bench.screen(100, 40).joined(separator: "\n")
        for part in [
            "Beacon  F0:F1:F2:F3:F4:01  random-static", "least -70, greatest -60", "Eddystone URL https://blue.com",
            "Eddystone UID 0102030405060708090a", "about 100 ms", "connections", "0x09  ", "20 reports",
            Hex.string(Array("Beacon".utf8)),
        ] {
            #expect(lines.contains(part), "\(part) in\n\(lines)")
        }
        #expect(bench.screen(40, 8).allSatisfy { TerminalText.width(of: $0) <= 39 })
        for _ in 0..<100 { bench.press("j") }
        _ = bench.screen(40, 8)
        guard case .details(_, let first) = bench.scan.page else { return #expect(Bool(false), "no details") }
        #expect(first < 60, "not beyond the end")
        #expect(bench.scan.pressed(.escape) == .redraw && bench.scan.page == .table)
    }

    @Test(
        "every size has enough room, and no line is wider than the screen",
        arguments: [1, 2, 10, 20, 39, 40, 60, 80, 120, 160, 300]
    )
    func sizes(columns: Int) {
        var bench = three()
        bench.hear(String(repeating: "心拍計 ", count: 5), at: 9)
        for _ in 0..<30 { bench.hear("Device", at: UInt64.random(in: 10...40)) }
        bench.tick()
        for page in ["", "j", "?"] {
            if page != "" { bench.press(page) }
            for rows in [1, 2, 3, 4, 6, 24, 60] {
                for style in [TextStyle.plain, TextStyle(usesColor: false, isTerminal: false)] {
                    let lines = bench.screen(columns, rows, style)
                    #expect(lines.count <= rows)
                    #expect(
                        lines.allSatisfy { TerminalText.width(of: $0) <= max(1, columns - 1) },
                        "\(columns)×\(rows)"
                    )
                }
            }
        }
        bench.press("?")
        guard columns >= 40 else { return }
        #expect(bench.screen(columns, 24).contains { $0.contains("F0:F1:F2:F3:F4:09") }, "a long name leaves room")
    }

    /// How often neighbours change places in 24 pictures of a scan of five devices that are about as far away.
    private func changesOfOrder(_ names: (Bench) -> [String]) -> Int {
        var generator = SeededGenerator(seed: 1)
        var bench = Bench(.rssi)
        var orders: [[String]] = []
        for picture in 0..<24 {
            for _ in 0..<5 {
                for device in 0..<5 {
                    let noise = Int8((0..<4).reduce(0) { sum, _ in sum + Int.random(in: -3...3, using: &generator) })
                    bench.hear("Device \(device)", at: UInt64(device), rssi: -60 - Int8(device) + noise)
                }
                bench.now = bench.now + .milliseconds(100)
            }
            bench.tick(.zero)
            if picture > 0 || !orders.isEmpty { orders.append(names(bench)) } else { orders = [names(bench)] }
        }
        return zip(orders, orders.dropFirst()).count { $0 != $1 }
    }

    @Test("the order by signal is stable")
    func steadyOrder() {
        let before = changesOfOrder { bench in bench.table.advertisers.sorted(by: .rssi).map { $0.name?.text ?? "" } }
        let after = changesOfOrder(\.names)
        #expect(before >= 18, "what the table did before: \(before) of 23")
        #expect(after <= 4, "\(after) of 23")
    }

    @Test("a device that comes near moves up within seconds")
    func followsChanges() {
        var bench = Bench(.rssi)
        for second in 0..<20 {
            for _ in 0..<10 {
                bench.hear("Still", at: 1, rssi: -60)
                bench.hear("Moving", at: 2, rssi: second < 10 ? -80 : -45)
                bench.tick(.milliseconds(100))
            }
            if second == 9 { #expect(bench.names == ["Still", "Moving"]) }
        }
        #expect(bench.names == ["Moving", "Still"])
        #expect(bench.scan.rows[0].track?.signal.map { $0.smoothed > -48 } == true)
    }

    @Test("the interval is estimated despite missed advertisements")
    func interval() throws {
        var bench = Bench()
        for number in 0..<40 {
            bench.now = .zero + .milliseconds(number * 200 + number % 7)
            if number % 3 != 1 { bench.hear("Regular", at: 1) }
        }
        bench.tick(.zero)
        let interval = try #require(bench.scan.rows[0].track?.interval)
        #expect(interval > .milliseconds(190) && interval < .milliseconds(215), "\(interval)")
    }

    @Test("an endless number of devices needs bounded memory")
    func bounded() {
        var scan = LiveScan(order: .rssi, start: .zero)
        var table = AdvertiserTable(limit: 100)
        for number in 0..<30_000 {
            let address = DeviceAddress(BluetoothAddress(rawValue: UInt64(number)), .random)
            let report = ScanReport(
                AdvertisingReport(address: address, properties: .advInd, rssi: -50, data: []),
                .zero,
                WallTime(nanosecondsSince1970: 0)
            )
            scan.received(report, table.received(report.report, report.data, now: .zero))
        }
        #expect(scan.trackCount <= 20_000)
        scan.refreshed(table.advertisers, ScanStatus(now: .zero))
        #expect(scan.trackCount <= 100)
    }

    @Test func `a private service has the name of the format file in the table, the search and the details`() {
        var bench = Bench(formats: FormatCatalogue(services: [FormatCatalogue.Service(0xFFF0, "Acme Climate")]))
        bench.hear("Acme", at: 1, data: [0x03, 0x03, 0xF0, 0xFF])
        bench.hear("Other", at: 2)
        bench.tick()
        let table = bench.screen(160)
        #expect(table.contains { $0.contains("Acme Climate") }, "\(table)")
        bench.press("/climate")
        #expect(bench.names == ["Acme"])
        #expect(bench.scan.pressed(.enter) == .redraw)
        #expect(bench.scan.pressed(.enter) == .redraw)
        let details = bench.screen(100, 40)
        #expect(details.contains { $0.contains("Acme Climate (0xFFF0)") }, "\(details)")
    }
}
