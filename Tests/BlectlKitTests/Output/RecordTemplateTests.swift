// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Synchronization
import Testing

@testable import BlectlKit

@Suite("RecordTemplate")
struct RecordTemplateTests {
    /// Keeps what is written.
    private final class Buffer: ByteSink {
        private let bytes = Mutex<[UInt8]>([])
        var lines: [Substring] { bytes.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\n") }
        func write(_ more: Span<UInt8>) {
            bytes.withLock { bytes in more.withUnsafeBufferPointer { bytes += $0 } }
        }
    }

    /// The record without a template.
    private func whole(_ result: some CommandResult) -> String {
        var json = JSONWriter()
        result.write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func randomReport(_ generator: inout SeededGenerator) -> AdvertisingReport {
        let properties: [AdvertisingReport.Properties] = [
            [.connectable, .scannable, .legacy], .scanRsp, [.scannable], [],
        ]
        let contents: [[UInt8]] = [
            [], [0x02, 0x01, 0x06], [0x05, 0x09, 0x41, 0x22, 0x1B, 0x43], [0x03, 0x03, 0x0D, 0x18, 0x02, 0x0A, 0x04],
            [0x05, 0xFF, 0x6B, 0x00, 0x01, 0x02], [0x09, 0x02],
        ]
        return AdvertisingReport(
            address: DeviceAddress(
                BluetoothAddress(rawValue: UInt64.random(in: 1...3, using: &generator)),
                Bool.random(using: &generator) ? .random : .public
            ),
            properties: properties[Int.random(in: 0..<properties.count, using: &generator)],
            rssi: Bool.random(using: &generator) ? Int8.random(in: -127...20, using: &generator) : nil,
            data: contents[Int.random(in: 0..<contents.count, using: &generator)]
        )
    }

    @Test("an advertisement from a template equals one that is rendered whole")
    func advertisements() throws {
        var generator = SeededGenerator(seed: 11)
        var table = AdvertiserTable()
        let buffer = Buffer()
        let output = Output(buffer, isJSON: true, style: .plain)
        var expected: [String] = []
        var fromTemplates = 0
        var keys: Set<RecordTemplateKey> = []
        for number in 0..<2_000 {
            let report = randomReport(&generator)
            let instant = Instant(nanoseconds: Int64(number) * 1_234_567)
            let wall = WallTime(nanosecondsSince1970: 1_700_000_000_000_000_000 + instant.nanoseconds)
            let scanned = ScanReport(report, instant, wall)
            let result = AdvertisementResult(
                report: scanned,
                device: table.received(report, scanned.data, now: instant)
            )
            if let key = result.templateKey, !keys.insert(key).inserted { fromTemplates += 1 }
            expected.append(whole(result))
            try output.put(result)
        }
        #expect(fromTemplates > 1_000)
        #expect(buffer.lines.map(String.init) == expected)
    }

    @Test("a value from a template equals one that is rendered whole")
    func values() throws {
        let device = DeviceReference(
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC84B_1D3A_905E), .random),
            name: "a \"name\"\u{1B}"
        )
        func attribute(_ uuid: BluetoothUUID, _ handle: Handle) -> AttributeReference {
            AttributeReference(
                device: device,
                target: "\(uuid)",
                handle: handle,
                service: nil,
                characteristic: uuid,
                descriptor: nil
            )
        }
        let attributes = [attribute(0x2A37, 0x0010), attribute(0x2A19, 0x0020), attribute(0xFFF1, 0x0030)]
        var generator = SeededGenerator(seed: 12)
        let buffer = Buffer()
        let output = Output(buffer, isJSON: true, style: .plain)
        var expected: [String] = []
        for number in 0..<600 {
            let attribute = attributes[number % attributes.count]
            let octets = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            let presentation = try ValuePresentation(octets, of: attribute, format: nil)
            let timestamp = Timestamp(
                wall: WallTime(nanosecondsSince1970: Int64(number) * 987_654_321),
                monotonic: Instant(nanoseconds: Int64(number))
            )
            let origin: ValueResult.Origin =
                switch number % 4 {
                case 0: .read
                case 1: .indication(sequence: number)
                default: .notification(sequence: number)
                }
            let value = ValueResult(
                attribute: attribute,
                presentation: presentation,
                origin: origin,
                timestamp: timestamp,
                isLabelled: false
            )
            let measurement = MeasurementResult(
                profile: "heart-rate",
                attribute: attribute,
                presentation: presentation,
                sequence: number,
                timestamp: timestamp
            )
            expected += [whole(value), whole(measurement)]
            try output.put(value)
            try output.put(measurement)
        }
        #expect(buffer.lines.map(String.init) == expected)
    }

    @Test("templates of strangers are evicted, and used ones stay")
    func bound() throws {
        var templates = RecordTemplates()
        func key(_ number: Int) -> RecordTemplateKey {
            let report = AdvertisingReport(
                address: DeviceAddress(BluetoothAddress(rawValue: UInt64(number)), .public),
                properties: [.legacy],
                rssi: nil,
                data: []
            )
            return .advertisement(
                AdvertisementContent(report, AdvertiserInfo(report, AdvertisingData(parsing: []), now: .zero), nil)
            )
        }
        var json = JSONWriter()
        json.string(String(repeating: "x", count: 9_998))
        let template = RecordTemplate(json)
        #expect(template.count == 10_000)
        templates.insert(template, for: key(0))
        for number in 1...10_000 {
            #expect(templates.template(for: key(0)) != nil)
            templates.insert(template, for: key(number))
        }
        #expect(templates.template(for: key(1)) == nil)
        #expect(templates.template(for: key(10_000)) != nil)
        #expect(templates.count <= 2 * (RecordTemplates.limit / 10_000 + 1))
    }
}
