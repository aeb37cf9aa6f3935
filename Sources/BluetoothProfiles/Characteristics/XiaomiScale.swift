// SPDX-License-Identifier: MIT

// The scales of Xiaomi send the characteristics of the Weight Scale and Body Composition services in forms of their own:
// they use reserved bits of the flags, and leave out what is mandatory.
//
// Spec: github.com/oliexdev/openScale/wiki, Xiaomi Bluetooth Mi Scale
extension CharacteristicValue {
    /// Weight Measurement of a Mi Scale. It sends while the weight still changes, and once more when the load is taken
    /// off.
    static var xiaomiWeight: CharacteristicFormat {
        .fields(
            .flags(.u8),
            .number("weight", .u16, .kilograms, times: 5, e: -3, if: Field.Condition(set: 0, clear: 0x11)),
            .number("weight", .u16, .pounds, e: -2, if: .set(0)),
            .number("weight", .u16, .jin, e: -2, if: .set(4, clear: 0)),
            .dateTime("time stamp", if: .set(1)),
            .bit("stabilized", 5),
            .bit("load removed", 7)
        )
    }

    /// Body Composition Measurement of a Mi Body Composition Scale: without the body fat, and always with room for the
    /// time, the impedance and the weight.
    static var xiaomiBodyComposition: CharacteristicFormat {
        .fields(
            .flags(.u16),
            .dateTime("time stamp"),
            .number("impedance", .u16, .ohms, if: .set(9)),
            Field("", if: .clear(9), .skipped([0, 0])),
            .number("weight", .u16, .kilograms, times: 5, e: -3, if: Field.Condition(set: 0, clear: 0x4001)),
            .number("weight", .u16, .pounds, e: -2, if: .set(0)),
            .number("weight", .u16, .jin, e: -2, if: .set(14, clear: 0)),
            .bit("stabilized", 13),
            .bit("load removed", 15)
        )
    }
}
