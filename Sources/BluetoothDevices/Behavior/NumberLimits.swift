// SPDX-License-Identifier: MIT

import BluetoothProfiles

struct NumberLimits: Hashable, Sendable {
    var lowest: Double
    var highest: Double
    /// The distance between neighbouring numbers.
    var resolution: Double

    func nearest(to number: Double) -> Double { min(max(number, lowest), highest) }

    func contains(_ number: Double) -> Bool { number >= lowest && number <= highest }

    /// A number that is not negative, as a device counts it that begins again at 0 after the highest number.
    func wrapped(_ number: Double) -> Double {
        let period = highest + resolution
        return number <= highest || period <= 0 ? number : number.truncatingRemainder(dividingBy: period)
    }
}

extension ValueFormat {
    /// The numbers that an integer of the format may be; `nil` for other formats.
    var limits: NumberLimits? {
        switch kind {
        case .unsigned(let size):
            NumberLimits(lowest: 0, highest: Double(UInt64.max >> UInt64(64 - 8 * size)), resolution: 1)
        case .signed(let size):
            NumberLimits(
                lowest: -Double(Int64.max >> Int64(64 - 8 * size)) - 1,
                highest: Double(Int64.max >> Int64(64 - 8 * size)),
                resolution: 1
            )
        case .hex, .raw, .utf8, .utf16, .float, .medicalFloat: nil
        }
    }
}

extension FieldDescription {
    /// The numbers that the field may be; `nil` if it is no number, or if its numbers have no even distances.
    var limits: NumberLimits? {
        guard let lowest, let highest, let resolution else { return nil }
        return NumberLimits(lowest: lowest.double, highest: highest.double, resolution: resolution.double)
    }
}

extension NumberGenerator {
    /// Whether it may leave the range of a format. The bounds of the others are checked when a file is read.
    fileprivate var isEndless: Bool {
        switch self {
        case .counter, .clock, .follower: true
        case .ramp, .sine, .walk, .random, .steps, .timetable: false
        }
    }
}

extension FieldTemplate {
    /// Whether a number in it may leave the range of its field.
    var isEndless: Bool { generators.contains { $0.isEndless } }
}
