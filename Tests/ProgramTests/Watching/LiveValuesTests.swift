// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Testing

@testable import Records
@testable import Terminal
@testable import Toolkit

@Suite("LiveValues")
struct LiveValuesTests {
    private static let device = DeviceReference(
        address: DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random),
        name: "Strap\u{1B}[31m"
    )

    private static func lines(_ values: LiveValues, _ columns: Int = 100, _ rows: Int = 20) -> [String] {
        var values = values
        let size = ScreenSize(columns: columns, rows: rows)
        return values.lines(size, .plain, message: nil).map { $0.rendered(.plain, columns: size.lineColumns) }
    }

    /// Values of a heart rate, one a second.
    private static func watch(_ rates: [UInt8]) -> LiveValues {
        var values = LiveValues(subject: "Heart Rate")
        watch(rates, &values)
        return values
    }

    private static func watch(_ rates: [UInt8], _ values: inout LiveValues) {
        for (second, rate) in rates.enumerated() {
            let presentation = ValuePresentation([0x00, rate], ofCharacteristic: 0x2A37)
            values.received(
                presentation,
                from: device,
                label: nil,
                at: .zero + .seconds(second),
                local: "12:00:0\(second % 10).000"
            )
            values.ticked(.zero + .seconds(second))
        }
    }

    @Test("the device, the numbers with their statistics, the values and the counts are shown")
    func picture() {
        let lines = Self.lines(Self.watch([60, 70, 65]))
        #expect(lines[0] == "Strap\\u{1B}[31m (F0:F1:F2:F3:F4:F5)  Heart Rate")
        #expect(lines[1].hasPrefix("heart rate  65 bpm      min 60  mean 65.0  max 70"))
        #expect(lines[1].hasSuffix("▁█▅"))
        #expect(lines[4] == "12:00:02.000  65 bpm")
        #expect(lines[18] == "3 values · 1.00/s · no drops · link never lost · last 0 s ago")
        #expect(lines[19] == "q quit  space pause")
    }

    @Test("drops and lost links are counted, and are gaps in the chart")
    func gaps() {
        var values = Self.watch([60, 70])
        let timestamp = Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)
        for kind in [
            InterruptionResult.Kind.lost("gone"), .restored(after: .seconds(1), attempts: 1, LinkSecurity.none),
            .dropped(5, first: 3),
        ] {
            values.interrupted(InterruptionResult(device: Self.device, kind: kind, timestamp: timestamp), local: "12")
        }
        #expect(values.summary(", ") == "2 values, 1.00/s, 5 dropped, link lost once")
        #expect(values.series[0].values.values == [60, 70, nil], "one gap")
        #expect(Self.lines(values).contains("12  gone; connecting again"))
    }

    @Test("a pause freezes the lines, while values are counted")
    func pause() {
        var values = Self.watch([60])
        #expect(values.pressed(.character(" ")) == .redraw)
        values.received(
            ValuePresentation([0x00, 99], ofCharacteristic: 0x2A37),
            from: Self.device,
            label: nil,
            at: .zero + .seconds(1),
            local: "late"
        )
        #expect(!Self.lines(values).contains { $0.hasPrefix("late") })
        #expect(Self.lines(values).contains { $0.hasPrefix("PAUSED · 2 values") })
        #expect(values.pressed(.character(" ")) == .redraw)
        #expect(Self.lines(values).contains { $0.hasPrefix("late") })
        #expect(values.pressed(.character("q")) == .quit)
    }

    @Test("a pause freezes the lines, however many values come")
    func longPause() {
        var values = Self.watch([60, 70, 65])
        _ = values.pressed(.character(" "))
        Self.watch([UInt8](repeating: 99, count: 3_000), &values)
        #expect(values.lines.count <= 1_100)
        #expect(Self.lines(values)[4] == "12:00:02.000  65 bpm")
        _ = values.pressed(.character(" "))
        #expect(!Self.lines(values).contains("12:00:02.000  65 bpm"))
    }

    @Test("an endless number of values needs bounded memory, and the end reports omissions")
    func bounded() {
        let values = Self.watch((0..<3_000).map { UInt8($0 % 200) })
        #expect(values.lines.count <= 1_100 && values.forgotten == 3_000 - values.lines.count)
        #expect(values.series[0].values.values.count <= 2 * ValueSeries.length)
        #expect(values.series[0].values.count == 3_000)
        let report = values.report(.plain, columns: 79)
        #expect(report[1] == "(\(values.forgotten) older lines left out)")
    }

    @Test("a device with ever new numbers gets few charts")
    func manyNumbers() {
        var found: Set<NumberKey> = []
        let members = (0..<100).map { DecodedValue.Member("key\($0)_ms", .number($0)) }
        for (key, _) in NumberKey.numbers(in: .object(members), label: "x") { found.insert(key) }
        #expect(found.count == 100 && found.contains(NumberKey("key7_ms", label: "x")))
        #expect(NumberKey("heart_rate_bpm", label: nil).name == "heart rate")
        #expect(NumberKey("battery_level_percent", label: nil).unit == "%")
        #expect(
            NumberKey.numbers(in: .array([.number(1), .null, .object([.init("a", .number(2))])]), label: nil).map(\.1)
                == [1, 2]
        )
    }

    @Test("the unit of every number of the assigned characteristics is known from its key")
    func units() {
        func check(_ fields: [FieldDescription], of uuid: BluetoothUUID, in group: String = "") {
            for field in fields {
                let key = group + field.key
                check(field.members, of: uuid, in: field.key.isEmpty ? group : key + "_")
                guard field.kind == .number, !field.key.isEmpty else { continue }
                #expect(NumberKey(key, label: nil).unit == field.unit, "\(uuid) \(key)")
            }
        }
        var count = 0
        for uuid in CharacteristicFormat.all {
            let fields = CharacteristicFormat.of(uuid)?.fields ?? []
            count += fields.count
            check(fields, of: uuid)
        }
        #expect(count > 100)
    }

    /// A value with numbers of these keys.
    private static func receive(_ keys: [String], _ values: inout LiveValues, at second: Int = 0) {
        let members = keys.map { DecodedValue.Member($0, .number(DecimalNumber(second))) }
        let meaning = DecodedValue(text: "value", content: .object(members))
        values.received(
            ValuePresentation([0], meaning: meaning),
            from: device,
            label: nil,
            at: .zero + .seconds(second),
            local: "12"
        )
    }

    @Test("a chart has one line where more do not fit, and what is hidden is counted")
    func manyCharts() {
        var values = LiveValues(subject: "Sensors")
        Self.receive((0..<14).map { "n\($0)_g" }, &values)
        let lines = Self.lines(values, 80, 24)
        #expect(lines.count { $0.hasPrefix("n") && $0.contains(" g") } == 14 && !lines.contains { $0.contains("more") })
        for second in 1...30 { Self.receive((0..<14).map { "n\($0)_g" }, &values, at: second) }
        let full = Self.lines(values, 80, 24)
        #expect(full.count { $0.hasPrefix("n") } == 9 && full.contains("+5 more in a taller window"), "\(full)")
        #expect(full.count { $0.hasPrefix("12  ") } == 11, "the values have their half")
        #expect(full.count == 24)
    }

    @Test("numbers that are derived come first, and counts and times of events have no chart")
    func derivedNumbers() {
        var values = LiveValues(subject: "Cycling Power")
        let raw = ["power_w", "wheel_revolutions", "last_wheel_event_s", "crank_revolutions", "last_crank_event_s"]
        Self.receive(raw, &values)
        Self.receive(raw + ["speed_kmh", "cadence_rpm"], &values, at: 1)
        #expect(values.series.map(\.key.name) == ["speed", "cadence", "power"])
    }

    @Test("the rate is that of the whole time, also when nothing comes any more")
    func silence() {
        var values = LiveValues(subject: "Heart Rate")
        for tenth in 0...1 {
            values.received(
                ValuePresentation([0x00, 60], ofCharacteristic: 0x2A37),
                from: Self.device,
                label: nil,
                at: .zero + .milliseconds(100 * tenth),
                local: "12"
            )
        }
        values.ticked(.zero + .milliseconds(150))
        #expect(values.summary(", ").hasPrefix("2 values, 10.00/s"))
        values.ticked(.zero + .milliseconds(5_100))
        #expect(values.summary(", ").hasPrefix("2 values, 0.20/s"))
    }

    @Test("one value prints a line, and several a summary")
    func report() {
        #expect(Self.watch([60]).report(.plain, columns: 79).dropFirst() == ["12:00:00.000  60 bpm"])
        let report = Self.watch([60, 62]).report(.plain, columns: 119)
        #expect(report.last == "2 values · 1.00/s · no drops · link never lost")
        #expect(LiveValues(subject: "x").report(.plain, columns: 79).isEmpty)
    }

    @Test("every size has enough room", arguments: [1, 5, 20, 40, 80, 300])
    func sizes(columns: Int) {
        let values = Self.watch(Array(60..<90))
        for rows in [1, 2, 3, 6, 24] {
            let lines = Self.lines(values, columns, rows)
            #expect(lines.count <= rows && lines.allSatisfy { TerminalText.width(of: $0) <= max(1, columns - 1) })
        }
    }
}
