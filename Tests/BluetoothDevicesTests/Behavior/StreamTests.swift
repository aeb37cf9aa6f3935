// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@testable import BluetoothDevices

@Suite("Streams")
struct StreamTests {
    private static func counter(_ from: Int = 1) throws -> DeviceValue {
        let generator = NumberGenerator.counter(from: DecimalNumber(from), step: DecimalNumber(1), limit: nil)
        return .number(.generated(generator), try ValueFormat("u8"))
    }

    @Test func `a value is sent regularly while somebody is subscribed`() throws {
        var bench = try DeviceBench(
            DeviceCharacteristic(
                0xFF01,
                [.read, .notify],
                value: Self.counter(),
                stream: .init(every: .fixed(.seconds(2)))
            )
        )
        #expect(bench.run(for: .seconds(10)).isEmpty)
        #expect(try bench.read(0xFF01) == "01")
        #expect(try bench.read(0xFF01) == "01")
        try bench.subscribe(0xFF01)
        #expect(bench.run(for: .seconds(5)) == [.init(time: 12_000, what: "01"), .init(time: 14_000, what: "02")])
        #expect(try bench.read(0xFF01) == "02")
        try bench.subscribe(0xFF01, false)
        #expect(bench.run(for: .seconds(60)).isEmpty)
        #expect(bench.machine.nextDeadline == nil)
        try bench.subscribe(0xFF01)
        #expect(bench.run(for: .seconds(3)) == [.init(time: 77_000, what: "03")])
    }

    @Test func `a second subscriber does not change the rhythm, and the stream ends with the last one`() throws {
        let other = GATTServer.ClientID(2)
        var bench = try DeviceBench(
            DeviceCharacteristic(0xFF01, .notify, value: Self.counter(), stream: .init(every: .fixed(.seconds(2))))
        )
        bench.connect(other)
        try bench.subscribe(0xFF01)
        bench.run(for: .seconds(1))
        try bench.subscribe(0xFF01, true, other)
        #expect(bench.run(for: .seconds(2)).map(\.what) == ["01", "01"])
        bench.disconnect()
        #expect(bench.run(for: .seconds(2)).map(\.what) == ["02"])
        bench.disconnect(other)
        #expect(bench.run(for: .seconds(20)).isEmpty)
    }

    @Test func `the period is the number in another characteristic`() throws {
        var bench = try DeviceBench(
            DeviceCharacteristic(
                0xFF01,
                .notify,
                value: Self.counter(),
                stream: .init(every: .value(of: .any(0xFF02), unit: .milliseconds(10)))
            ),
            DeviceCharacteristic(0xFF02, [.read, .write], value: .octets([100]))
        )
        try bench.subscribe(0xFF01)
        #expect(bench.run(for: .milliseconds(2_500)).map(\.time) == [1_000, 2_000])
        #expect(try bench.write(0xFF02, "32") == "ok")
        // The new period begins with the write.
        #expect(bench.run(for: .milliseconds(1_100)).map(\.time) == [3_000, 3_500])
        // Zero units and no units count as one.
        for value in ["00", ""] {
            #expect(try bench.write(0xFF02, value) == "ok")
            #expect(bench.run(for: .milliseconds(100)).count == 10)
        }
        #expect(try bench.write(0xFF02, "ffffffffffff") == "ok")
        #expect(bench.run(for: .seconds(3_600)).isEmpty)
    }

    @Test func `without its period's characteristic a stream sends nothing; the shortest period is 1 ms`() {
        let reference = CharacteristicReference.label("elsewhere")
        let value = DeviceCharacteristic(
            0xFF01,
            .notify,
            value: .octets([1]),
            stream: .init(every: .value(of: reference, unit: .seconds(1)))
        )
        guard case .value(nil, _)? = StreamPlan(value, handle: { _ in nil })?.period else {
            Issue.record("the period is resolved")
            return
        }
        #expect(StreamPlan.period(of: [0, 0, 0, 0], unit: .nanoseconds(1)) == .milliseconds(1))
        #expect(StreamPlan.period(of: [255, 255, 255, 255, 255], unit: .seconds(1_000_000_000)) > .seconds(1))
    }

    @Test func `a stream runs while its conditions are met, and is idle otherwise`() throws {
        var bench = try DeviceBench(
            DeviceCharacteristic(
                0xFF01,
                [.read, .notify],
                value: .octets([7]),
                stream: .init(
                    every: .fixed(.seconds(1)),
                    while: [.init(.any(0xFF02), is: [1]), .init(.any(0xFF03), is: [2, 2])],
                    idleValue: [0]
                )
            ),
            DeviceCharacteristic(0xFF02, [.read, .write], value: .octets([0])),
            DeviceCharacteristic(
                0xFF03,
                .write,
                onWrite: [
                    WriteRule([.equals([2, 2])], [.delay(.seconds(1)), .store]),
                    WriteRule([], [.refuse(.valueNotAllowed)]),
                ]
            )
        )
        try bench.subscribe(0xFF01)
        #expect(try bench.write(0xFF02, "01") == "ok")
        #expect(bench.run(for: .seconds(5)).isEmpty)
        #expect(try bench.read(0xFF01) == "00")
        #expect(try bench.write(0xFF03, "02") == "error 13")
        #expect(try bench.write(0xFF03, "0202") == "nothing")
        #expect(bench.run(for: .milliseconds(2_500)).map(\.what) == ["13", "07", "07"])
        #expect(try bench.read(0xFF01) == "07")
        #expect(try bench.write(0xFF02, "00") == "ok")
        #expect(bench.run(for: .seconds(5)).isEmpty)
        #expect(try bench.read(0xFF01) == "00")
    }

    @Test func `only changes are sent`() throws {
        let steps = [5, 5, 6, 6, 6, 5].map { DecimalNumber($0) }
        var bench = try DeviceBench(
            DeviceCharacteristic(
                0xFF01,
                .notify,
                value: .number(.generated(.steps(steps, every: .seconds(1))), try ValueFormat("u8")),
                stream: .init(every: .fixed(.seconds(1)), onlyChanges: true)
            )
        )
        try bench.subscribe(0xFF01)
        #expect(
            bench.run(for: .seconds(8)) == [
                .init(time: 2_000, what: "06"), .init(time: 5_000, what: "05"), .init(time: 8_000, what: "06"),
            ]
        )
    }

    @Test func `a replay has its own times, once or repeatedly`() throws {
        let samples: [ValueReplay.Sample] = [
            .init(at: .zero, [1]), .init(at: .milliseconds(300), [2]), .init(at: .milliseconds(300), [3]),
        ]
        var bench = try DeviceBench(
            DeviceCharacteristic(0xFF01, [.read, .notify], value: .replay(ValueReplay(samples))),
            DeviceCharacteristic(
                0xFF02,
                .notify,
                value: .replay(ValueReplay(samples, period: .seconds(1))),
                stream: .init(every: nil)
            ),
            DeviceCharacteristic(0xFF03, .notify, value: .replay(ValueReplay([])))
        )
        #expect(try bench.read(0xFF01) == "01")
        bench.run(for: .seconds(5))
        try bench.subscribe(0xFF01)
        let once = bench.run(for: .seconds(10))
        #expect(
            once == [.init(time: 5_000, what: "01"), .init(time: 5_300, what: "02"), .init(time: 5_300, what: "03")]
        )
        #expect(try bench.read(0xFF01) == "03")
        try bench.subscribe(0xFF02)
        try bench.subscribe(0xFF03)
        #expect(bench.run(for: .milliseconds(1_299)).map(\.what) == ["01", "02", "03", "01"])
    }

    @Test func `a period that is too short for its replay does not turn time back`() {
        let replay = ValueReplay([.init(at: .zero, [1]), .init(at: .seconds(2), [2])], period: .seconds(1))
        #expect(
            (0..<5).map { replay.time(ofSample: $0) } == [.zero, .seconds(2), .seconds(2), .seconds(4), .seconds(4)]
        )
        let empty = ValueReplay([.init(at: .zero, [1])], period: .zero)
        #expect(empty.time(ofSample: 3) == .milliseconds(3))
    }

    @Test func `a stream that was delayed does not catch up`() throws {
        var bench = try DeviceBench(
            DeviceCharacteristic(
                0xFF01,
                .notify,
                value: Self.counter(),
                stream: .init(every: .fixed(.milliseconds(100)))
            )
        )
        try bench.subscribe(0xFF01)
        bench.standStill(for: .seconds(60))
        #expect(bench.run(for: .milliseconds(250)).count == 3)
    }

    @Test func `a delayed replay continues at the present time, and skips the missed values`() throws {
        let samples = (0..<10).map { ValueReplay.Sample(at: .seconds($0), [UInt8($0)]) }
        var once = try DeviceBench(DeviceCharacteristic(0xFF01, .notify, value: .replay(ValueReplay(samples))))
        try once.subscribe(0xFF01)
        once.standStill(for: .milliseconds(4_500))
        #expect(once.run(for: .seconds(1)) == [.init(time: 4_500, what: "04"), .init(time: 5_000, what: "05")])
        once.standStill(for: .seconds(60))
        #expect(once.run(for: .seconds(60)).map(\.what) == ["09"])
        let replay = ValueReplay(samples, period: .seconds(10))
        var again = try DeviceBench(DeviceCharacteristic(0xFF01, .notify, value: .replay(replay)))
        try again.subscribe(0xFF01)
        again.standStill(for: .milliseconds(23_500))
        #expect(again.run(for: .seconds(1)) == [.init(time: 23_500, what: "03"), .init(time: 24_000, what: "04")])
    }

    @Test func `a time selects the last value at or before it, in any round`() {
        let samples: [ValueReplay.Sample] = [.init(at: .seconds(1), [1]), .init(at: .seconds(2), [2])]
        let times: [Duration] = [.zero, .seconds(1), .milliseconds(2_500), .seconds(5), .seconds(6), .seconds(12)]
        #expect(times.map { ValueReplay(samples).sample(at: $0) } == [0, 0, 1, 1, 1, 1])
        #expect(times.map { ValueReplay(samples, period: .seconds(5)).sample(at: $0) } == [0, 0, 1, 1, 2, 5])
    }

    @Test func `the values of a program are sent`() throws {
        var bench = try DeviceBench(
            DeviceCharacteristic(
                0x2A37,
                .notify,
                value: .program(ProgramReference("heart", "rate")),
                stream: .init(every: .fixed(.seconds(1)))
            )
        )
        try bench.subscribe(0x2A37)
        let sent = bench.run(for: .seconds(30))
        #expect(sent.count == 30)
        #expect(sent.allSatisfy { $0.what.hasPrefix("06") || $0.what.hasPrefix("04") })
    }

    @Test func `fields are encoded by the format of their characteristic, and rounded to it`() throws {
        let rates = [72.4, 300].compactMap { DecimalNumber($0) }
        var bench = try DeviceBench(
            DeviceCharacteristic(
                0x2A37,
                .notify,
                value: .fields(
                    0x2A37,
                    .object([
                        .init("heart_rate_bpm", .number(.generated(.steps(rates, every: nil)))),
                        .init("contact", .bool(true)),
                    ])
                ),
                stream: .init(every: .fixed(.seconds(1)))
            )
        )
        try bench.subscribe(0x2A37)
        #expect(bench.run(for: .seconds(2)).map(\.what) == ["0648", "072c01"])
    }

    @Test func `a number that the format cannot hold is an error of the read`() throws {
        let steps = [100, 300].map { DecimalNumber($0) }
        let changing = DeviceValue.fields(0x2A19, .number(.generated(.steps(steps, every: nil))))
        var bench = try DeviceBench(DeviceCharacteristic(0x2A19, .read, value: changing))
        #expect(try bench.read(0x2A19) == "64")
        #expect(try bench.read(0x2A19) == "error 0e")
    }
}
