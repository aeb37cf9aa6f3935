// SPDX-License-Identifier: MIT

public import Bluetooth

/// The calibration of the barometer in a SensorTag, which turns its raw numbers into a temperature and a pressure.
///
/// It computes with 64 bits, because the products do not fit into 32.
///
/// Spec: TI SensorTag User Guide, Barometric Pressure Sensor
public struct SensorTagBarometer: Hashable, Sendable {
    /// The unsigned coefficients c1 to c4, always four.
    public private(set) var unsigned: [UInt16]
    /// The signed coefficients c5 to c8, always four.
    public private(set) var signed: [Int16]

    /// Creates a calibration.
    ///
    /// - Parameters:
    ///   - unsigned: c1 to c4; missing ones are 0.
    ///   - signed: c5 to c8; missing ones are 0.
    public init(unsigned: [UInt16], signed: [Int16]) {
        self.unsigned = Array((unsigned + [0, 0, 0, 0]).prefix(4))
        self.signed = Array((signed + [0, 0, 0, 0]).prefix(4))
    }

    /// The temperature in hundredths of a degree Celsius.
    public func centicelsius(rawTemperature: Int16) -> Int {
        let raw = Int64(rawTemperature)
        // In Swift, unlike in C, a shift binds tighter than a sum, as this formula and those below need it.
        return Int((((c(1) * raw) >> 8 + c(2) << 6) * 100) >> 16)
    }

    /// The pressure in pascals.
    public func pascals(rawTemperature: Int16, rawPressure: UInt16) -> Int {
        let (sensitivity, offset) = line(rawTemperature)
        return Int((sensitivity * Int64(rawPressure) + offset) >> 14)
    }

    /// The pressure as a line over the raw pressure, in 2⁻¹⁴ Pa.
    private func line(_ rawTemperature: Int16) -> (sensitivity: Int64, offset: Int64) {
        let raw = Int64(rawTemperature)
        let sensitivity = c(3) + (c(4) * raw) >> 17 + (((c(5) * raw) >> 15) * raw) >> 19
        let offset = c(6) << 14 + (c(7) * raw) >> 3 + (((c(8) * raw) >> 15) * raw) >> 4
        return (sensitivity, offset)
    }

    private func c(_ number: Int) -> Int64 {
        number <= 4 ? Int64(unsigned[number - 1]) : Int64(signed[number - 5])
    }

    /// The raw temperature that comes nearest to a temperature; `nil` if the calibration does not reach it.
    public func rawTemperature(centicelsius wanted: Int) -> Int16? {
        // The temperature rises with the raw number, because c1 is positive.
        var (low, high) = (Int(Int16.min), Int(Int16.max))
        guard centicelsius(rawTemperature: .min) <= wanted, wanted <= centicelsius(rawTemperature: .max) else {
            return nil
        }
        while low < high {
            let middle = (low + high) >> 1
            if centicelsius(rawTemperature: Int16(truncatingIfNeeded: middle)) < wanted {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return Int16(truncatingIfNeeded: low)
    }

    /// The raw pressure that comes nearest to a pressure at a raw temperature; `nil` if the calibration does not reach
    /// it.
    public func rawPressure(pascals: Int, rawTemperature: Int16) -> UInt16? {
        let (sensitivity, offset) = line(rawTemperature)
        // The limit keeps the shift below from losing bits of a pressure that a user gives.
        guard sensitivity > 0, (0...10_000_000).contains(pascals) else { return nil }
        return UInt16(exactly: (Int64(pascals) << 14 - offset + sensitivity / 2) / sensitivity)
    }
}

extension SensorTagBarometer: WireDecodable, WireEncodable {
    /// Decodes the value of the calibration's characteristic.
    public init(from reader: inout ByteReader) throws(DecodeError) {
        unsigned = []
        signed = []
        for _ in 0..<4 { unsigned.append(try reader.uint16("calibration")) }
        for _ in 0..<4 { signed.append(try reader.int16("calibration")) }
    }

    /// Appends the value of the calibration's characteristic.
    public func encode(into writer: inout ByteWriter) {
        for number in unsigned { writer.uint16(number) }
        for number in signed { writer.int16(number) }
    }
}
