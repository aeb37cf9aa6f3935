// SPDX-License-Identifier: MIT

public import Bluetooth

/// The value of Heart Rate Measurement (0x2A37).
///
/// Spec: Heart Rate Service 1.0, 3.1; GATT Specification Supplement, Heart Rate Measurement
public struct HeartRateMeasurement: Hashable, Sendable {
    /// The sensor's report on its contact with the skin.
    public enum SensorContact: Hashable, Sendable {
        /// The sensor cannot detect contact.
        case notSupported
        /// No or poor contact.
        case notDetected
        /// Contact.
        case detected
    }

    /// Beats per minute.
    public var heartRate: UInt16
    /// Contact with the skin.
    public var contact: SensorContact
    /// Kilojoules since the last reset; `nil` if the measurement does not contain them.
    public var energyExpended: UInt16?
    /// Times between beats in units of 1/1024 s, oldest first; empty if the measurement contains none.
    public var rrIntervals: [UInt16]

    /// The heart rate has two octets instead of one.
    private static let wideRate: UInt8 = 0x01
    /// The skin is touched. Without a meaning unless `contactSupported` is set as well.
    private static let contactDetected: UInt8 = 0x02
    /// The sensor can detect whether it touches the skin.
    private static let contactSupported: UInt8 = 0x04
    /// The energy expended follows the heart rate.
    private static let energyPresent: UInt8 = 0x08
    /// RR intervals follow up to the end of the value.
    private static let rrPresent: UInt8 = 0x10

    /// Creates a measurement.
    public init(
        heartRate: UInt16,
        contact: SensorContact = .notSupported,
        energyExpended: UInt16? = nil,
        rrIntervals: [UInt16] = []
    ) {
        self.heartRate = heartRate
        self.contact = contact
        self.energyExpended = energyExpended
        self.rrIntervals = rrIntervals
    }

    /// An RR interval in milliseconds, without rounding.
    public static func milliseconds(rrInterval: UInt16) -> DecimalNumber {
        DecimalNumber(UInt32(rrInterval) * 1_000).scaled(byPowerOfTwo: -10)
    }
}

extension HeartRateMeasurement: WireDecodable, WireEncodable {
    /// Decodes the measurement and leaves the cursor after it.
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let flags = try reader.uint8("flags")
        if flags & Self.wideRate == 0 {
            heartRate = UInt16(try reader.uint8("heart rate"))
        } else {
            heartRate = try reader.uint16("heart rate")
        }
        if flags & Self.contactSupported == 0 {
            contact = .notSupported
        } else {
            contact = flags & Self.contactDetected == 0 ? .notDetected : .detected
        }
        energyExpended = flags & Self.energyPresent == 0 ? nil : try reader.uint16("energy expended")
        rrIntervals = []
        guard flags & Self.rrPresent != 0 else { return }
        while !reader.isAtEnd {
            rrIntervals.append(try reader.uint16("rr interval"))
        }
    }

    /// Appends the measurement's octets.
    public func encode(into writer: inout ByteWriter) {
        var flags: UInt8 = 0
        if heartRate > 0xFF { flags |= Self.wideRate }
        if contact != .notSupported { flags |= Self.contactSupported }
        if contact == .detected { flags |= Self.contactDetected }
        if energyExpended != nil { flags |= Self.energyPresent }
        if !rrIntervals.isEmpty { flags |= Self.rrPresent }
        writer.uint8(flags)
        if heartRate > 0xFF {
            writer.uint16(heartRate)
        } else {
            writer.uint8(UInt8(truncatingIfNeeded: heartRate))
        }
        if let energyExpended { writer.uint16(energyExpended) }
        for interval in rrIntervals { writer.uint16(interval) }
    }
}

extension HeartRateMeasurement {
    /// `72 bpm, contact, energy 12 kJ, rr 833 ms`
    public var decoded: DecodedValue { DecodedValue(self, in: .heartRateMeasurement) }
}

extension CharacteristicFormat {
    static var heartRateMeasurement: Self {
        .fields(
            .flags(.u8),
            .number("heart rate", .u8, .bpm, wider: .init(bit: 0, integer: .u16)).labelled(""),
            Field("contact", .supportedBit(1, supported: 2, texts: ["no contact", "contact"])).labelled(""),
            .number("energy expended", .u16, .kilojoules, if: .set(3)).labelled("energy"),
            .series(
                "rr intervals",
                .u16,
                .milliseconds,
                times: 1_000,
                b: -10,
                .init(places: 0, isEmptyWhenAbsent: true),
                if: .set(4)
            ).labelled("rr")
        )
    }
}

extension CharacteristicValue {
    /// Characteristics of the Heart Rate service.
    ///
    /// Spec: Heart Rate Service 1.0, 3
    static func heartRate(_ formats: inout FormatTable) {
        formats[0x2A37] = { .heartRateMeasurement }
        formats[0x2A38] = { .fields(.choice("body sensor location", .u8, BodySensorLocation.names)) }
        formats[0x2A39] = {
            .fields(.choice("heart rate control point", .u8, [1: "reset energy expended"]))
        }
    }
}
