// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

/// A glucose meter with stored measurements: `records` in a device file. The characteristics have the labels `record`,
/// `context` and `access`.
///
/// Spec: Glucose Service 1.0.1, 3
struct RecordsProgram: DeviceProgram {
    /// None: the meter sends only on request.
    static let values: [String] = []
    /// A write to the Record Access Control Point.
    static let commands = ["request"]

    private struct Record {
        /// The sequence number, which grows from record to record.
        let number: UInt16
        /// The day of November 2026.
        let day: UInt8
        let hour: UInt8
        let minute: UInt8
        /// The concentration of glucose.
        let milligramsPerDecilitre: UInt16
        /// Before a meal, after one, or fasting; `nil` if it has no context.
        let meal: UInt8?
    }

    private static let pause = Duration.milliseconds(60)

    /// The records, oldest first. They can be deleted.
    private var records = [
        Record(number: 17, day: 19, hour: 7, minute: 5, milligramsPerDecilitre: 94, meal: 3),
        Record(number: 18, day: 19, hour: 13, minute: 40, milligramsPerDecilitre: 142, meal: 2),
        Record(number: 19, day: 20, hour: 7, minute: 11, milligramsPerDecilitre: 99, meal: 3),
        Record(number: 20, day: 20, hour: 19, minute: 58, milligramsPerDecilitre: 161, meal: nil),
        Record(number: 21, day: 21, hour: 7, minute: 2, milligramsPerDecilitre: 91, meal: 3),
    ]

    /// Never called, because there are no values.
    mutating func value(_ name: String, isSent: Bool, now: Instant, _ random: inout SeededGenerator) -> [UInt8] { [] }

    /// Answers a request at the Record Access Control Point, with the response codes of the specification.
    mutating func run(_ command: String, _ written: [UInt8], now: Instant) -> [DeviceAction] {
        guard let code = written.first else { return [.refuse(.invalidAttributeValueLength)] }
        // Response codes: 1 success, 2 op code not supported, 3 invalid operator, 4 operator not supported, 6 no
        // records found.
        guard let request = RecordAccess.Request(rawValue: code) else { return [answer(code, 2)] }
        if request == .abort { return [answer(code, 1)] }
        guard written.count > 1 else { return [answer(code, 3)] }
        guard let chosen = chosen(Array(written.dropFirst())) else { return [answer(code, 4)] }
        switch request {
        // The Number of Stored Records Response takes the place of a response code.
        case .count: return [send([5, 0, UInt8(clamping: chosen.count), 0], after: Self.pause)]
        case .delete:
            guard !chosen.isEmpty else { return [answer(code, 6)] }
            records.removeAll { record in chosen.contains { $0.number == record.number } }
            return [answer(code, 1)]
        case .report, .abort:
            guard !chosen.isEmpty else { return [answer(code, 6)] }
            return report(chosen)
        }
    }

    /// The records of an operator and its operand; `nil` if they are not supported.
    private func chosen(_ filter: [UInt8]) -> [Record]? {
        // All records, the first one, the last one, and those from a sequence number (filter type 1) on.
        switch filter[0] {
        case 1: return records
        case 5: return Array(records.prefix(1))
        case 6: return Array(records.suffix(1))
        case 3 where filter.count == 4 && filter[1] == 1:
            let first = UInt16(filter[2]) | UInt16(filter[3]) << 8
            return records.filter { $0.number >= first }
        default: return nil
        }
    }

    /// Sends the records with a pause between them, each followed by its context, and then the response.
    private func report(_ chosen: [Record]) -> [DeviceAction] {
        var actions: [DeviceAction] = []
        var time = Self.pause
        for record in chosen {
            actions.append(.after(time, .send(.label("record"), .value(.octets(measurement(record))))))
            if let meal = record.meal {
                actions.append(.after(time, .send(.label("context"), .value(.octets(context(record, meal))))))
            }
            time += Self.pause
        }
        actions.append(send([6, 0, 1, 1], after: time))
        return actions
    }

    private func answer(_ request: UInt8, _ code: UInt8) -> DeviceAction {
        send([6, 0, request, code], after: Self.pause)
    }

    private func send(_ octets: [UInt8], after time: Duration) -> DeviceAction {
        .after(time, .send(.label("access"), .value(.octets(octets))))
    }

    private func measurement(_ record: Record) -> [UInt8] {
        var writer = ByteWriter()
        // Concentration in kg/l, and a context where there is one.
        writer.uint8(record.meal == nil ? 0x02 : 0x12)
        writer.uint16(record.number)
        DateTime(year: 2026, month: 11, day: record.day, hours: record.hour, minutes: record.minute, seconds: 0)
            .encode(into: &writer)
        // mg/dl are 10⁻⁵ kg/l; the exponent has the upper four bits.
        writer.uint16(0xB000 | record.milligramsPerDecilitre)
        // Capillary whole blood of a finger.
        writer.uint8(0x11)
        return writer.bytes
    }

    /// A Glucose Measurement Context with the same sequence number, which says how the record relates to meals.
    private func context(_ record: Record, _ meal: UInt8) -> [UInt8] {
        var writer = ByteWriter()
        // Flags: the meal is present.
        writer.uint8(0x02)
        writer.uint16(record.number)
        writer.uint8(meal)
        return writer.bytes
    }
}
