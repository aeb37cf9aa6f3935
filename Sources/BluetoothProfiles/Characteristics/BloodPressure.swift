// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the Blood Pressure service.
    ///
    /// Spec: Blood Pressure Service 1.1.1, 3; GATT Specification Supplement
    static func bloodPressure(_ short: UInt16) -> CharacteristicFormat? {
        switch short {
        case 0x2A35:
            .fields(
                .flags(.u8),
                .sfloat("systolic", .millimetresOfMercury, if: .clear(0)),
                .sfloat("systolic", .kilopascals, if: .set(0)),
                .sfloat("diastolic", .millimetresOfMercury, if: .clear(0)),
                .sfloat("diastolic", .kilopascals, if: .set(0)),
                .sfloat("mean arterial pressure", .millimetresOfMercury, if: .clear(0)),
                .sfloat("mean arterial pressure", .kilopascals, if: .set(0)),
                .dateTime("time stamp", if: .set(1)),
                .sfloat("pulse rate", .bpm, if: .set(2)),
                .number("user id", .u8, not: [0xFF: "unknown"], if: .set(3)),
                measurementStatus
            )
        case 0x2A36:
            .fields(
                .flags(.u8),
                .sfloat("cuff pressure", .millimetresOfMercury, if: .clear(0)),
                .sfloat("cuff pressure", .kilopascals, if: .set(0)),
                .skipped(octets: 4),
                .dateTime("time stamp", if: .set(1)),
                .sfloat("pulse rate", .bpm, if: .set(2)),
                .number("user id", .u8, not: [0xFF: "unknown"], if: .set(3)),
                measurementStatus
            )
        case 0x2B34:
            .fields(
                .flags(.u8),
                .sfloat("systolic", .millimetresOfMercury, if: .clear(0)),
                .sfloat("systolic", .kilopascals, if: .set(0)),
                .sfloat("diastolic", .millimetresOfMercury, if: .clear(0)),
                .sfloat("diastolic", .kilopascals, if: .set(0)),
                .sfloat("mean arterial pressure", .millimetresOfMercury, if: .clear(0)),
                .sfloat("mean arterial pressure", .kilopascals, if: .set(0)),
                .epochTime("time stamp", if: .set(1)),
                .sfloat("pulse rate", .bpm, if: .set(2)),
                .number("user id", .u8, not: [0xFF: "unknown"], if: .set(3)),
                measurementStatus,
                .epochTime("user facing time", if: .set(5))
            )
        case 0x2B35:
            .fields(
                .flags(.u8),
                .sfloat("cuff pressure", .millimetresOfMercury, if: .clear(0)),
                .sfloat("cuff pressure", .kilopascals, if: .set(0)),
                .epochTime("time stamp", if: .set(1)),
                .sfloat("pulse rate", .bpm, if: .set(2)),
                .number("user id", .u8, not: [0xFF: "unknown"], if: .set(3)),
                measurementStatus,
                .epochTime("user facing time", if: .set(5))
            )
        case 0x2A49:
            .fields(
                .bits(
                    "features",
                    .u16,
                    [
                        "body movement detection", "cuff fit detection", "irregular pulse detection",
                        "pulse rate range detection", "measurement position detection", "multiple bonds", "e2e-crc",
                        "user data service", "user facing time",
                    ]
                )
            )
        default: nil
        }
    }

    private static var measurementStatus: Field {
        Field("status", if: .set(4)) { (reader, _) throws(DecodeError) in
            let bits = try reader.uint16("measurement status")
            var found: [String] = []
            for (bit, name) in ["body movement", "cuff too loose", "irregular pulse"].enumerated()
            where bits >> UInt16(bit) & 1 == 1 {
                found.append(name)
            }
            switch bits >> 3 & 0b11 {
            case 1: found.append("pulse rate above the upper limit")
            case 2: found.append("pulse rate below the lower limit")
            case 3: found.append("reserved (3)")
            default: break
            }
            if bits >> 5 & 1 == 1 { found.append("improper measurement position") }
            for bit in 6..<16 where bits >> UInt16(bit) & 1 == 1 { found.append("reserved (bit \(bit))") }
            return Field.Reading(
                .array(found.map { .string($0) }),
                found.isEmpty ? "good" : found.joined(separator: " + ")
            )
        }
    }
}

extension Field {
    /// Seconds since the start of 1900, or of 2000 if bit 6 of the flags is set.
    fileprivate static func epochTime(_ name: String, if condition: Condition) -> Field {
        Field(name, if: condition) { (reader, context) throws(DecodeError) in
            let seconds = Int(try reader.uint32(name))
            let isRecent = context.flags >> 6 & 1 == 1
            let date = CivilDate(daysSinceEpoch: seconds / 86_400 + (isRecent ? 10_957 : -25_567))
            let clock = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60].map { CivilDate.padded($0, 2) }
            let text = "\(date)T\(clock.joined(separator: ":"))"
            return Reading(.string(text), text)
        }
    }

    /// Octets without a meaning.
    static func skipped(octets: Int) -> Field {
        Field("") { (reader, _) throws(DecodeError) in
            _ = try reader.bytes(octets, "unused")
            return Reading(.null, nil)
        }
    }
}
