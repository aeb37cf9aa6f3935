// SPDX-License-Identifier: MIT

/// The first three measurements of the data formats 5, C5, 6 and E1 of Ruuvi, which have the same octets.
///
/// Spec: docs.ruuvi.com, Bluetooth advertisements (github.com/ruuvi/docs)
struct RuuviClimate {
    /// The temperature in °C.
    let temperature: AdvertisedNumber?
    /// The relative humidity in percent.
    let humidity: AdvertisedNumber?
    /// The air pressure in Pa.
    let pressure: UInt32?

    /// Reads six octets. A measurement that is marked as not available is `nil`.
    init(from reader: inout ByteReader) throws(DecodeError) {
        // The steps are 0.005 °C, 0.0025 % and 1 Pa; the pressure counts from 50,000 Pa.
        temperature = try reader.int16BigEndian("temperature", unavailable: .min).map {
            AdvertisedNumber(Int64($0) * 5, exponent: -3)
        }
        humidity = try reader.uint16BigEndian("humidity", unavailable: .max).map {
            AdvertisedNumber(Int64($0) * 25, exponent: -4)
        }
        pressure = try reader.uint16BigEndian("pressure", unavailable: .max).map { 50_000 + UInt32($0) }
    }

    /// The measurements as facts. Format 3 has them too, in other octets.
    static func facts(
        temperature: AdvertisedNumber?,
        humidity: AdvertisedNumber?,
        pressure: UInt32?
    ) -> [AdvertisedFact] {
        [
            AdvertisedFact("temperature_c", temperature, unit: "°C", label: "temperature", .main),
            AdvertisedFact("humidity_percent", humidity, unit: "%", label: "humidity", .main),
            AdvertisedFact(
                "pressure_hpa",
                pressure.map { AdvertisedNumber($0, exponent: -2) },
                unit: "hPa",
                label: "pressure",
                .main
            ),
        ]
    }
}
