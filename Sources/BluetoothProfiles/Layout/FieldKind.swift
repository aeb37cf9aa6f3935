// SPDX-License-Identifier: MIT

/// The kinds of fields, as data: `FieldReader` decodes them, `FieldWriter` encodes them, `FieldDescription` lists them.
indirect enum FieldKind: Hashable, Sendable {
    // Fields without a value of their own.
    /// The flags, which announce the fields that are present.
    case flags(IntegerFormat)
    /// An integer that the fields after it share.
    case word(IntegerFormat)
    /// Octets without a meaning, as they are written.
    case skipped([UInt8])

    // Bits of the flags or of the latest word.
    /// Bits of the flags or of the latest word that select one of several names.
    case part(ClosedRange<Int>, [UInt64: String])
    /// Bits of the flags or of the latest word that are a number.
    case partNumber(ClosedRange<Int>)
    /// A bit of the flags or of the latest word.
    case bit(Int)
    /// A bit of the flags that is shown only if it is set.
    case flag(Int)
    /// A bit of the flags that counts only if another one is set, with its texts for clear and set.
    case supportedBit(Int, supported: Int, texts: [String])

    // Numbers.
    case number(NumberFormat)
    /// Scaled integers up to the end of the value.
    case series(NumberFormat, Series)
    /// An IEEE 11073 number of 16 bits × 10^exponent.
    case sfloat(exponent: Int)
    /// An IEEE 11073 number of 32 bits.
    case medicalFloat
    /// An IEEE 754 number of 32 bits.
    case float32
    /// An octet n that means 1.1^(n−64) seconds.
    case timeExponential
    /// Quarters of an hour from UTC, in minutes.
    case timeZone
    /// Six octets that count units of time, in seconds. Bits 2 and 3 of the flags select the unit.
    case elapsedTime

    // Names.
    /// An integer that selects one of several names.
    case choice(IntegerFormat, [UInt64: String])
    /// An integer whose bits have names.
    case bits(IntegerFormat, BitNames)
    /// The UUID of a unit, as its name.
    case unit

    // Dates.
    /// A date and time of seven octets.
    case dateTime
    /// A date of four octets.
    case date
    /// Days since 1970-01-01, as a date.
    case dateUTC
    /// Seconds since the start of 1900, or of 2000 if bit 6 of the flags is set.
    case epochTime

    // Text and octets.
    /// UTF-8 text of that many octets, or up to the end. A bit of the flags may say whether there is any.
    case text(octets: Int?, announcedBy: Int?)
    /// UTF-8 text that ends with a zero octet.
    case terminatedText
    /// Octets without a known meaning, that many or up to the end, as hex digits.
    case hex(octets: Int?)
    case handle
    case address
    /// Eight octets, the least significant first.
    case eui64
    /// A version 0xJJMN, as JJ.MN.
    case hidVersion
    /// A UUID of two octets.
    case uuid16
    /// A UUID of two or sixteen octets up to the end of the value; an optional one may be missing there.
    case uuid(isOptional: Bool)

    // Fields of fields.
    /// The same field, repeated up to the end of the value.
    case repeated(Field)
    /// Fields with flags of their own.
    case object(FieldGroup)

    struct Series: Hashable, Sendable {
        /// The digits after the decimal point of each number in the text, which is then followed by the unit; `nil` if
        /// numbers are shown as they are, with the unit after the last one.
        var places: Int?
        /// Whether a series that is absent is empty instead of `null`.
        var isEmptyWhenAbsent = false
    }
}
