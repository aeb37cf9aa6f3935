// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@testable import BluetoothDevices

@Suite("Actions")
struct ActionTests {
    /// A control point at 0xFF01 that carries out actions, beside a value of text at 0xFF02 and a secret at 0xFF03.
    private func bench(rules: WriteRule...) throws -> DeviceBench {
        try DeviceBench(
            DeviceCharacteristic(
                0xFF01,
                [.read, .write, .writeWithoutResponse],
                value: .octets([0xAA]),
                onWrite: rules
            ),
            DeviceCharacteristic(0xFF02, [.read, .write, .notify], label: "text", value: .octets([0x61])),
            DeviceCharacteristic(0xFF03, [.read, .write], onRead: .refuse(.outOfRange))
        )
    }

    private func bench(_ actions: DeviceAction...) throws -> DeviceBench { try bench(rules: WriteRule([], actions)) }

    @Test func `without a rule a write is stored`() throws {
        var bench = try bench(rules: WriteRule([.equals([0xFF, 0xFF])], []))
        #expect(try bench.write(0xFF01, "0102") == "ok")
        #expect(try bench.read(0xFF01) == "0102")
    }

    @Test func `a part of a value of a fixed length leaves the rest as it is, with a rule and without`() throws {
        for rules in [[WriteRule([], [.store])], []] as [[WriteRule]] {
            var bench = try DeviceBench(
                DeviceCharacteristic(
                    0xFF01,
                    [.read, .write],
                    value: .octets([1, 2, 3, 4]),
                    lengths: 4...4,
                    onWrite: rules
                )
            )
            let handle = try bench.handle(0xFF01)
            #expect(bench.exchange("16" + handle + "0100" + "0a") == "17" + handle + "01000a")
            #expect(bench.exchange("1801") == "19")
            #expect(try bench.read(0xFF01) == "010a0304")
            _ = bench.exchange("16" + handle + "0000" + "0b0c")
            #expect(bench.exchange("1801") == "19")
            #expect(try bench.read(0xFF01) == "0b0c0304")
            // A write that is not prepared is the whole value.
            #expect(try bench.write(0xFF01, "0d") == "error 0d")
            #expect(try bench.read(0xFF01) == "0b0c0304")
        }
    }

    @Test func `the first rule whose conditions are met decides`() throws {
        var bench = try bench(
            rules: WriteRule([.equals([1])], [.store]),
            WriteRule([.length(1...1)], [.refuse(ATTErrorCode(rawValue: 0x80))]),
            WriteRule([.starts([9])], [])
        )
        #expect(try bench.write(0xFF01, "01") == "ok")
        #expect(try bench.read(0xFF01) == "01")
        #expect(try bench.write(0xFF01, "02") == "error 80")
        #expect(try bench.write(0xFF01, "0901") == "ok")
        #expect(try bench.read(0xFF01) == "01")
        // No rule applies, so it is stored.
        #expect(try bench.write(0xFF01, "0202") == "ok")
        #expect(try bench.read(0xFF01) == "0202")
    }

    @Test func `a read is refused or never answered`() throws {
        var bench = try DeviceBench(
            DeviceCharacteristic(0xFF01, .read, value: .octets([1]), onRead: .refuse(.outOfRange)),
            DeviceCharacteristic(0xFF02, .read, value: .octets([1]), onRead: .silence)
        )
        #expect(try bench.read(0xFF01) == "error ff")
        #expect(try bench.read(0xFF02) == "nothing")
        #expect(bench.run(for: .seconds(60)).isEmpty)
    }

    @Test func `silence gives no answer, and ends the rule`() throws {
        var bench = try bench(.silence, .set(.label("text"), .value(.octets([2]))))
        try bench.subscribe(0xFF02)
        #expect(try bench.write(0xFF01, "00") == "nothing")
        #expect(bench.run(for: .seconds(60)).isEmpty)
    }

    @Test func `delays add up, for an acceptance and for a refusal`() throws {
        var accepting = try bench(.delay(.seconds(1)), .delay(.milliseconds(500)), .store)
        #expect(try accepting.write(0xFF01, "77") == "nothing")
        #expect(accepting.run(for: .seconds(9)) == [.init(time: 1_500, what: "13")])
        #expect(try accepting.read(0xFF01) == "77")
        var refusing = try bench(.delay(.seconds(1)), .refuse(.valueNotAllowed), .store)
        #expect(try refusing.write(0xFF01, "77") == "nothing")
        #expect(refusing.run(for: .seconds(9)).map(\.what) == ["0112030013"])
        #expect(try refusing.read(0xFF01) == "aa")
    }

    @Test func `a write is echoed, and values are sent, set and appended`() throws {
        var bench = try bench(
            rules: WriteRule([.equals([1])], [.send(.label("text"), .written)]),
            WriteRule([.equals([2])], [.send(.label("text"), .value(.octets([0xBB])))]),
            WriteRule([.equals([3])], [.set(.label("text"), .value(.octets([0xCC])))]),
            WriteRule([.starts([4])], [.append(.label("text"), .written)])
        )
        // Nothing is sent without a subscription.
        #expect(try bench.write(0xFF01, "01") == "ok")
        try bench.subscribe(0xFF02)
        for value in ["01", "02"] { #expect(try bench.write(0xFF01, value) == "ok") }
        #expect(try bench.read(0xFF02) == "61")
        #expect(try bench.write(0xFF01, "03") == "ok")
        #expect(try bench.read(0xFF02) == "cc")
        #expect(try bench.write(0xFF01, "0444") == "ok")
        #expect(try bench.read(0xFF02) == "cc0444")
        #expect(bench.events.map(\.what) == ["01", "bb", "cc", "cc0444"])
        #expect(try bench.write(0xFF02, "10") == "ok")
        #expect(try bench.write(0xFF01, "04") == "ok")
        #expect(try bench.read(0xFF02) == "1004")
        // A write at an offset arrives as a whole value; what is longer than 512 octets is dropped.
        for part in 0..<2 {
            let offset = part == 0 ? "0000" : "c800"
            _ = bench.exchange("16" + (try bench.handle(0xFF01)) + offset + String(repeating: "04", count: 200))
        }
        #expect(bench.exchange("1801") == "19")
        #expect(bench.exchange("1801") == "19")
        #expect(try bench.write(0xFF01, "04" + String(repeating: "00", count: 200)) == "ok")
        let blob = bench.exchange("0c" + (try bench.handle(0xFF02)) + "f401")
        #expect(blob.count == 2 + 2 * 12)
    }

    @Test func `the generators of an action continue`() throws {
        let generator = NumberGenerator.counter(from: DecimalNumber(5), step: DecimalNumber(1), limit: nil)
        let value = DeviceValue.sequence([.octets([9]), .number(.generated(generator), try ValueFormat("u16"))])
        var bench = try bench(.send(.label("text"), .value(value)))
        try bench.subscribe(0xFF02)
        for _ in 0..<3 { #expect(try bench.write(0xFF01, "00") == "ok") }
        #expect(bench.events.map(\.what) == ["090500", "090600", "090700"])
    }

    @Test func `the answer comes before what the write causes`() throws {
        var bench = try bench(.send(.label("text"), .written), .disconnect)
        try bench.subscribe(0xFF02)
        #expect(try bench.write(0xFF01, "05") == "ok")
        #expect(bench.events.map(\.what) == ["05", "hangs up 19"])
    }

    @Test func `actions of the radio are passed to it`() throws {
        var bench = try bench(.connectable(false), .connectable(true), .leave(.seconds(3)))
        #expect(try bench.write(0xFF01, "05") == "ok")
        #expect(
            bench.events.map(\.what) == [
                "connectable false", "connectable true", "hangs up 8", "leaves for 3.0 seconds",
            ]
        )
    }

    @Test func `later actions keep the written value, in their order`() throws {
        var bench = try bench(
            .after(.seconds(2), .send(.label("text"), .written)),
            .after(.seconds(1), .store),
            .after(.seconds(1), .after(.milliseconds(500), .send(.label("text"), .value(.octets([3])))))
        )
        try bench.subscribe(0xFF02)
        #expect(try bench.write(0xFF01, "55") == "ok")
        #expect(try bench.read(0xFF01) == "aa")
        #expect(bench.run(for: .seconds(1)).isEmpty)
        #expect(try bench.read(0xFF01) == "55")
        #expect(bench.run(for: .seconds(5)) == [.init(time: 1_500, what: "03"), .init(time: 2_000, what: "55")])
    }

    @Test func `a command without a response is also carried out, and refused in silence`() throws {
        var bench = try bench(
            rules: WriteRule([.equals([1])], [.refuse(.valueNotAllowed)]),
            WriteRule([], [.delay(.seconds(1)), .store])
        )
        #expect(bench.exchange("52" + (try bench.handle(0xFF01)) + "01").isEmpty)
        #expect(bench.exchange("52" + (try bench.handle(0xFF01)) + "02").isEmpty)
        #expect(bench.run(for: .seconds(5)).isEmpty)
        #expect(try bench.read(0xFF01) == "02")
    }

    @Test func `the agenda is bounded, so that a client cannot fill the memory`() throws {
        var bench = try bench(.after(.seconds(3_600), .send(.label("text"), .written)))
        try bench.subscribe(0xFF02)
        for _ in 0..<2_000 { #expect(try bench.write(0xFF01, "00") == "ok") }
        #expect(bench.run(for: .seconds(7_200)).count == RuleTimeline.limit)
    }

    @Test func `a restart resets everything`() throws {
        let clock = DeviceValue.number(.generated(.clock(unit: .seconds(1))), try ValueFormat("u8"))
        var bench = try DeviceBench(
            DeviceCharacteristic(
                0xFF01,
                [.read, .write],
                value: .octets([1]),
                onWrite: [
                    WriteRule([.equals([0xFF])], [.after(.seconds(9), .store), .restart])
                ]
            ),
            DeviceCharacteristic(0xFF02, [.read, .write], value: .octets([2])),
            DeviceCharacteristic(0xFF03, .read, value: clock)
        )
        bench.run(for: .seconds(20))
        #expect(try bench.read(0xFF03) == "14")
        #expect(try bench.write(0xFF01, "05") == "ok")
        #expect(try bench.write(0xFF02, "06") == "ok")
        #expect(try bench.write(0xFF01, "ff") == "ok")
        #expect(bench.events.map(\.what) == ["hangs up 19"])
        bench.disconnect()
        bench.run(for: .seconds(30))
        bench.connect()
        #expect(try bench.read(0xFF01) == "01")
        #expect(try bench.read(0xFF02) == "02")
        #expect(try bench.read(0xFF03) == "1d")
    }

    @Test func `a program's commands answer the write, and may request further ones`() throws {
        struct Program: DeviceProgram {
            static let values = ["count"]
            static let commands = ["add", "twice", "refuse", "slow", "endless"]
            var count: UInt8 = 0

            mutating func value(_ name: String, isSent: Bool, now: Instant, _ random: inout SeededGenerator) -> [UInt8]
            { [count] }

            mutating func run(_ command: String, _ written: [UInt8], now: Instant) -> [DeviceAction] {
                switch command {
                case "add": count += written.first ?? 0
                case "twice": return [.run(ProgramReference("test", "add")), .run(ProgramReference("test", "add"))]
                case "refuse": return [.refuse(ATTErrorCode(rawValue: 0x81)), .store]
                case "slow": return [.delay(.seconds(1)), .refuse(ATTErrorCode(rawValue: 0x82))]
                default:
                    count += 1
                    return [.run(ProgramReference("test", "endless"))]
                }
                return []
            }
        }
        var programs = DevicePrograms()
        programs.add("test") { Program() }
        let rules = Program.commands.enumerated().map { index, command in
            WriteRule([.starts([UInt8(index)])], [.run(ProgramReference("test", command))])
        }
        var bench = try DeviceBench(
            .bench([
                DeviceCharacteristic(0xFF01, .write, onWrite: rules),
                DeviceCharacteristic(0xFF02, .read, value: .program(ProgramReference("test", "count"))),
            ]),
            programs: programs
        )
        #expect(try bench.write(0xFF01, "01") == "ok")
        #expect(try bench.read(0xFF02) == "02")
        #expect(try bench.write(0xFF01, "02") == "error 81")
        #expect(try bench.write(0xFF01, "03") == "nothing")
        #expect(bench.run(for: .seconds(2)).map(\.what) == ["0112030082"])
        #expect(try bench.write(0xFF01, "04") == "ok")
        #expect(try bench.read(0xFF02) == "0a")
    }
}
