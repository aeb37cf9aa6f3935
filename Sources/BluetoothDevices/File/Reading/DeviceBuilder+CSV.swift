// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension DeviceBuilder {
    /// The maximum number of values of a file.
    private static let csvLimit = 1_000_000

    /// A replay of the numbers in a column of another file.
    mutating func csv(_ cursor: JSONCursor, of uuid: BluetoothUUID?) -> DeviceValue? {
        guard let member = cursor["csv"], let name = member.string else { return nil }
        let bytes: [UInt8]
        do {
            bytes = try file(name)
        } catch {
            faults.add(member, "cannot read '\(name.shortened)': \(error)")
            return nil
        }
        guard bytes.count <= DeviceFile.maximumSize, let table = CSVTable(bytes) else {
            faults.add(member, "'\(name.shortened)' is not text in UTF-8 of at most \(DeviceFile.maximumSize) octets")
            return nil
        }
        // A named column means that the first row has the names.
        var rows = table.rows[...]
        let isNamed = [cursor["column"], cursor["time"]].contains { $0?.string != nil }
        let header = isNamed ? rows.popFirst()?.cells : nil
        guard let column = column(cursor["column"], header, default: 0) else { return nil }
        var times: Int?
        if let time = cursor["time"] {
            guard let column = self.column(time, header, default: 0) else { return nil }
            times = column
        }
        let every = duration(cursor["every"])
        guard times != nil || every != nil else {
            faults.add(cursor, "add 'every', or 'time' with the column of the times")
            return nil
        }
        // A first row without a number is a header, too.
        if header == nil, let first = rows.first, first.cells.indices.contains(column),
            DecimalNumber(first.cells[column]) == nil
        {
            rows.removeFirst()
        }
        var samples: [ValueReplay.Sample] = []
        for row in rows {
            guard !faults.isFull, let octets = octets(row, column, cursor, of: uuid) else { return nil }
            guard let at = time(row, times, every ?? .zero, samples.count, cursor) else { return nil }
            guard at >= samples.last?.at ?? .zero else {
                faults.add(member, "line \(row.line): the time is before the one before it")
                return nil
            }
            samples.append(.init(at: at, octets))
            guard samples.count <= Self.csvLimit else {
                faults.add(member, "the file has more than \(Self.csvLimit) values")
                return nil
            }
        }
        guard let last = samples.last else {
            faults.add(member, "the file has no values")
            return nil
        }
        // The pause before the repetition is `every`, or the last step between two times.
        let step = every ?? (samples.count > 1 ? last.at - samples[samples.count - 2].at : .seconds(1))
        let period = cursor["repeat"]?.bool == true ? last.at + max(step, .milliseconds(1)) : nil
        return .replay(ValueReplay(samples, period: period))
    }

    /// The index of a column that is given by its number or its name.
    private mutating func column(_ cursor: JSONCursor?, _ header: [String]?, default byDefault: Int) -> Int? {
        guard let cursor else { return byDefault }
        if let number: Int = integer(cursor) {
            // The schema has reported a lower number, from which nothing can be subtracted safely.
            return number >= 1 ? number - 1 : nil
        }
        guard let name = cursor.string else { return nil }
        if let index = header?.firstIndex(of: name) { return index }
        faults.add(cursor, "the file has no column '\(name.shortened)'" + FileName.hint(name, among: header ?? []))
        return nil
    }

    /// The octets of the number in a row: in a stated format, or in that of the characteristic's only field.
    private mutating func octets(
        _ row: (line: Int, cells: [String]),
        _ column: Int,
        _ cursor: JSONCursor,
        of uuid: BluetoothUUID?
    ) -> [UInt8]? {
        let text = row.cells.indices.contains(column) ? row.cells[column] : ""
        guard let number = DecimalNumber(text) else {
            faults.add(cursor, "line \(row.line): expected a number, found '\(text.shortened)'")
            return nil
        }
        if let format = cursor["as"]?.string.flatMap({ FileName.numberFormat($0) }) {
            guard let octets = format.octets(of: number) else {
                faults.add(cursor, "line \(row.line): \(number) does not fit the format \(format)")
                return nil
            }
            return octets
        }
        guard let uuid, let format = CharacteristicFormat.of(uuid) else {
            faults.add(cursor, "the format of the numbers is missing: \"as\": \"u16\"")
            return nil
        }
        do {
            return try format.encode(.number(number))
        } catch {
            faults.add(cursor, "line \(row.line): \(error.message)")
            return nil
        }
    }

    /// The time of a row after the subscription: from a column in seconds, or the number of the row times
    /// `every`.
    private mutating func time(
        _ row: (line: Int, cells: [String]),
        _ column: Int?,
        _ every: Duration,
        _ index: Int,
        _ cursor: JSONCursor
    ) -> Duration? {
        guard let column else {
            let (product, overflow) = every.clampedNanoseconds.multipliedReportingOverflow(by: Int64(index))
            return .nanoseconds(overflow ? .max : product)
        }
        let text = row.cells.indices.contains(column) ? row.cells[column] : ""
        // A number alone is in seconds. With a unit, the first attempt fails.
        let time = FileDuration.parse("\(text) s") ?? FileDuration.parse(text)
        if time == nil {
            faults.add(cursor, "line \(row.line): expected a time in seconds, found '\(text.shortened)'")
        }
        return time
    }
}
