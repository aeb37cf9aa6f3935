// SPDX-License-Identifier: MIT

import Bluetooth

/// The infrared thermometer of a SensorTag: the temperature of the object before it follows from a voltage and from the
/// temperature of the chip.
///
/// Spec: TI TMP006 User's Guide (SBOU107), 5.1
enum InfraredThermometer {
    static let fields: [FieldDescription] = [
        FieldDescription(key: "object_c", "object", .number, unit: .celsius, range: -273...999, places: 3),
        FieldDescription(key: "ambient_c", "ambient", .number, unit: .celsius, range: -256...255, places: 3),
    ]

    /// The voltage of one step, in volts.
    private static let step = 1.5625e-7
    /// The coefficient c2 of the guide, in 1/V: the voltage is not quite proportional to the radiation.
    private static let curvature = 13.4
    /// 0 °C in kelvins, because radiation depends on the absolute temperature.
    private static let zero = 273.15

    static func decode(_ reader: inout LenientReader) -> DecodedValue {
        // Without the temperature of the chip the voltage means nothing.
        guard let steps = reader.int16("object_c"), let raw = reader.int16("ambient_c") else {
            return DecodedValue(
                text: "",
                content: .object([.init("object_c", .null), .init("ambient_c", .null)]),
                fault: reader.fault
            )
        }
        let voltage = Double(steps) * step
        let ambient = DecimalNumber(raw).scaled(byPowerOfTwo: -7)
        let chip = Chip(ambient: Double(raw) / 128 + zero)
        let voltageAboveOffset = voltage - chip.offset
        let radiation = voltageAboveOffset + curvature * voltageAboveOffset * voltageAboveOffset
        let fourthPower = chip.fourthPower + radiation / chip.sensitivity
        var object: DecimalNumber?
        // A voltage that no temperature causes gives a negative power, which has no root.
        if fourthPower > 0 {
            object = DecimalNumber(fourthPower.squareRoot().squareRoot() - zero)?.rounded(toPlaces: 3)
        }
        let objectText = object.map { "\($0) °C" } ?? "not known"
        return DecodedValue(
            text: "object \(objectText), ambient \(ambient.rounded(toPlaces: 3)) °C",
            content: .object([
                .init("object_c", object.map { .number($0) } ?? .null), .init("ambient_c", .number(ambient)),
            ])
        )
    }

    static func encode(_ content: DecodedValue.Content) throws(FieldError) -> [UInt8] {
        let members = try Members(content, fields)
        let ambient = try members.number("ambient_c")
        let object = try members.number("object_c")
        guard let raw = ambient.scaled(byPowerOfTwo: 7).rounded(dividedBy: 1).flatMap({ Int16(exactly: $0) }) else {
            throw FieldError([.member("ambient_c")], "\(ambient)", .outOfRange(lowest: "-256", highest: "255.9921875"))
        }
        let chip = Chip(ambient: Double(raw) / 128 + zero)
        let kelvin = object.approximation + zero
        let square = kelvin * kelvin
        let radiation = (square * square - chip.fourthPower) * chip.sensitivity
        // The positive root of curvature × v² + v = radiation.
        let root = (1 + 4 * curvature * radiation).squareRoot()
        let steps = (((root - 1) / (2 * curvature) + chip.offset) / step).rounded()
        guard kelvin >= 0, steps.isFinite, let voltage = Int16(exactly: steps) else {
            throw FieldError(
                [.member("object_c")],
                "\(object)",
                .notAllowed("a temperature that the sensor can measure at \(ambient) °C")
            )
        }
        var writer = ByteWriter()
        writer.int16(voltage)
        writer.int16(raw)
        return writer.bytes
    }

    /// The coefficients that depend on the temperature of the chip, made of S0, a1, a2, and b0 to b2 of the guide. Its
    /// reference temperature is 298.15 K.
    private struct Chip {
        let sensitivity: Double
        let offset: Double
        let fourthPower: Double

        init(ambient kelvin: Double) {
            let difference = kelvin - 298.15
            let square = difference * difference
            sensitivity = 6.4e-14 * (1 + 1.75e-3 * difference - 1.678e-5 * square)
            offset = -2.94e-5 - 5.7e-7 * difference + 4.63e-9 * square
            fourthPower = kelvin * kelvin * kelvin * kelvin
        }
    }
}
