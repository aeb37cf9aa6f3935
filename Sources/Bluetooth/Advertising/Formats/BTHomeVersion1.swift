// SPDX-License-Identifier: MIT

extension BTHome {
    /// Version 1 of the format, in which each object states its length and the form of its number.
    ///
    /// Spec: bthome.io, format v1
    public enum Version1 {
        /// The service whose data contain readable objects: the number of User Data.
        public static let service: BluetoothUUID = 0x181C
        /// The service whose data contain encrypted objects: the number of Bond Management.
        public static let encryptedService: BluetoothUUID = 0x181E

        /// The objects, until one is unknown or cut short.
        static func objects(_ reader: inout ByteReader) -> [Object] {
            var objects: [Object] = []
            while !reader.isAtEnd {
                var attempt = reader
                guard let object = try? object(&attempt) else { break }
                objects.append(object)
                reader = attempt
            }
            return objects
        }

        /// The next object; `nil` if it is of an unknown type or form.
        private static func object(_ reader: inout ByteReader) throws(DecodeError) -> Object? {
            let control = try reader.uint8("object's control octet")
            // The length counts the type, and the upper three bits are the form.
            let length = Int(control & 0x1F)
            var part = try reader.slice(length, "object")
            guard let type = BTHomeObjectType.with(id: try part.uint8("object identifier")), length > 1 else {
                return nil
            }
            return try value(of: type, form: control >> 5, &part).map { Object(type: type, value: $0) }
        }

        private static func value(
            of type: BTHomeObjectType,
            form: UInt8,
            _ reader: inout ByteReader
        ) throws(DecodeError) -> Value? {
            // Larger numbers would not fit after they are multiplied.
            let isNumber = reader.remaining <= 4
            switch (type.form, form) {
            case (.unsigned(_, let factor, let exponent), 0) where isNumber,
                (.signed(_, let factor, let exponent), 0) where isNumber:
                let number = try reader.unsigned(reader.remaining, type.name)
                return .number(AdvertisedNumber(number * factor, exponent: exponent))
            case (.unsigned(_, let factor, let exponent), 1) where isNumber,
                (.signed(_, let factor, let exponent), 1) where isNumber:
                let number = try reader.signed(reader.remaining, type.name)
                return .number(AdvertisedNumber(number * factor, exponent: exponent))
            case (.unsigned(_, let factor, let exponent), 2), (.signed(_, let factor, let exponent), 2):
                return float(reader.rest()).flatMap { number(Double(factor) * $0, exponent: exponent) }
            case (.text, 3): return .text(String(decoding: reader.rest(), as: UTF8.self))
            case (.octets, _): return .octets(reader.rest())
            case (.state, 0), (.button, 0), (.dimmer, 0), (.time, 0), (.time, 5):
                let value = try type.value(&reader)
                return reader.isAtEnd ? value : nil
            default: return nil
            }
        }

        /// A floating-point number of two, four or eight octets, the least significant first.
        private static func float(_ octets: [UInt8]) -> Double? {
            let bits = octets.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return switch octets.count {
            case 2: half(UInt16(truncatingIfNeeded: bits))
            case 4: Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
            case 8: Double(bitPattern: bits)
            default: nil
            }
        }

        /// A number of IEEE 754 in 16 bits. Swift has no such type on all processors.
        private static func half(_ bits: UInt16) -> Double {
            let (exponent, fraction) = (Int(bits >> 10 & 0x1F), Double(bits & 0x3FF))
            let magnitude: Double =
                switch exponent {
                case 0: scaled(fraction, by: -24)
                case 0x1F: fraction == 0 ? .infinity : .nan
                default: scaled(fraction + 1_024, by: exponent - 25)
                }
            return bits & 0x8000 == 0 ? magnitude : -magnitude
        }

        private static func scaled(_ number: Double, by exponent: Int) -> Double {
            number * Double(sign: .plus, exponent: exponent, significand: 1)
        }

        /// The number times 10^`exponent`, to six places more; `nil` if it has no such form.
        private static func number(_ number: Double, exponent: Int) -> Value? {
            let digits = (number * 1_000_000).rounded()
            // The limit is exact in binary, and far from overflow.
            guard digits.magnitude < 0x1p62, exponent >= -3 else { return nil }
            return .number(AdvertisedNumber(Int64(digits), exponent: exponent - 6))
        }
    }
}
