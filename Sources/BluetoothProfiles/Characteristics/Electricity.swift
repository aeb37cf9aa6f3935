// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Electrical quantities.
    ///
    /// Spec: GATT Specification Supplement
    static func electricity(_ formats: inout FormatTable) {
        formats[0x2AE0] = { .fields(current("current"), .timeExponential("sensing duration")) }
        formats[0x2AE1] = { .fields(voltage("voltage"), .timeExponential("sensing duration")) }
        formats[0x2AEE] = { .fields(current("current")) }
        formats[0x2AEF] = { .fields(current("minimum current"), current("maximum current")) }
        formats[0x2AF0] = {
            .fields(current("minimum current"), current("typical current"), current("maximum current"))
        }
        formats[0x2AF1] = fields([
            current("average"),
            current("standard deviation"),
            current("minimum"),
            current("maximum"),
            .timeExponential("sensing duration"),
        ])
        formats[0x2AF2] = { .fields(energy) }
        formats[0x2AF3] = { .fields(energy, timeOfDay("start time"), timeOfDay("end time")) }
        formats[0x2B05] = { .fields(power("power")) }
        formats[0x2B06] = {
            .fields(power("minimum power"), power("typical power"), power("maximum power"))
        }
        formats[0x2B07] = {
            .fields(percentage("relative runtime"), current("minimum current"), current("maximum current"))
        }
        formats[0x2B09] = {
            .fields(percentage("relative value"), voltage("minimum voltage"), voltage("maximum voltage"))
        }
        formats[0x2B18] = { .fields(voltage("voltage")) }
        formats[0x2B19] = {
            .fields(voltage("minimum voltage"), voltage("typical voltage"), voltage("maximum voltage"))
        }
        formats[0x2B1A] = fields([
            voltage("average"),
            voltage("standard deviation"),
            voltage("minimum"),
            voltage("maximum"),
            .timeExponential("sensing duration"),
        ])
        formats[0x2B89] = {
            .fields(.number("apparent energy", .u32, .kilovoltAmpereHours, e: -3, not: notValid32))
        }
        formats[0x2B8A] = {
            .fields(.number("apparent power", .u24, .voltAmperes, e: -1, not: notValid24))
        }
        formats[0x2BA8] = { .fields(.number("energy", .u32, .kilowattHours, e: -3, not: notValid32)) }
        formats[0x2BE0] = { .fields(.number("high voltage", .u24, .volts, b: -6, not: notKnown24)) }
        formats[0x2BE8] = {
            .fields(.number("frequency", .u16, .hertz, not: [0: "dc", 0xFFFE: "not valid", 0xFFFF: "not known"]))
        }
    }

    /// A current in steps of 0.01 A.
    private static func current(_ name: String) -> Field { .number(name, .u16, .amperes, e: -2, not: notKnown16) }

    /// A voltage in steps of 1/64 V, up to 1022 V.
    private static func voltage(_ name: String) -> Field {
        .number(name, .u16, .volts, b: -6, not: notKnown16, in: 0...65_408)
    }

    /// A power in steps of 0.1 W.
    private static func power(_ name: String) -> Field { .number(name, .u24, .watts, e: -1, not: notValid24) }

    private static var energy: Field { .number("energy", .u24, .kilowattHours, not: notKnown24) }
}
