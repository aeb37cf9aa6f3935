// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Mechanical quantities, and the states of doors, buttons and contacts.
    ///
    /// Spec: GATT Specification Supplement
    static func motion(_ formats: inout FormatTable) {
        let notKnown: [UInt64: String] = [0x7FFF_FFFF: "not known"]
        let outOfRange8: [UInt64: String] = [0x7E: "out of range", 0x7F: "not known"]
        let outOfRange16: [UInt64: String] = [0x7FFE: "out of range", 0x7FFF: "not known"]
        formats[0x2C06] = {
            .fields(.number("acceleration", .s32, .metresPerSecondSquared, e: -3, not: notKnown))
        }
        formats[0x2C07] = { .fields(.number("force", .s32, .newtons, e: -3, not: notKnown)) }
        formats[0x2C08] = { .fields(.number("linear position", .s32, .metres, e: -7, not: notKnown)) }
        formats[0x2C09] = { .fields(.number("rotational speed", .s32, .rpm, not: notKnown)) }
        formats[0x2C0A] = {
            .fields(.number("length", .u32, .metres, e: -7, not: [0xFFFF_FFFF: "not known"]))
        }
        formats[0x2C0B] = { .fields(.number("torque", .s32, .newtonMetres, e: -2, not: notKnown)) }
        formats[0x2C1D] = fields([
            .number("x", .s8, .standardGravity, e: -2, not: outOfRange8),
            .number("y", .s8, .standardGravity, e: -2, not: outOfRange8),
            .number("z", .s8, .standardGravity, e: -2, not: outOfRange8),
        ])
        formats[0x2C1E] = fields([
            .number("x", .s16, .standardGravity, e: -3, not: outOfRange16),
            .number("y", .s16, .standardGravity, e: -3, not: outOfRange16),
            .number("z", .s16, .standardGravity, e: -3, not: outOfRange16),
        ])
        formats[0x2C1F] = {
            .fields(.choice("acceleration", .u8, [0: "no change", 1: "change detected"]))
        }
        formats[0x2C20] = {
            .fields(.choice("door or window", .u8, [0: "open", 1: "closed", 2: "tilted or ajar"]))
        }
        formats[0x2C21] = fields([
            .word(.u8),
            .part("button 0", 0...1, buttonStates),
            .part("button 1", 2...3, buttonStates),
            .part("button 2", 4...5, buttonStates),
            .part("button 3", 6...7, buttonStates),
        ])
        formats[0x2C22] = { .fields(.bits("closed contacts", .u8, (0..<8).map { "contact \($0)" })) }
    }

    private static let buttonStates: [UInt64: String] = [0: "not actuated", 1: "pressed", 2: "released", 3: "held"]
}
