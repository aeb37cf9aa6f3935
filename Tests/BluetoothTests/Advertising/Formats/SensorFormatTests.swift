// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("Sensors in advertisements")
struct SensorFormatTests {
    /// From docs.ruuvi.com, data formats 3 and 5, "Test vectors".
    static let ruuvi = [
        FormatVector(
            "format 5, valid data",
            "ff9904 0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F",
            "ruuvi",
            "Ruuvi 24.3 °C 53.49 % 1000.44 hPa 2.977 V",
            [
                "acceleration_x_mg": "4 mg", "acceleration_y_mg": "-4 mg", "acceleration_z_mg": "1036 mg",
                "tx_power_dbm": "4 dBm", "movement_counter": "66", "measurement_number": "205",
                "address": "CB:B8:33:4C:88:4F", "data_format": "5",
            ]
        ),
        FormatVector(
            "format 5, maximum values",
            "ff9904 057FFFFFFEFFFE7FFF7FFF7FFFFFDEFEFFFECBB8334C884F",
            "ruuvi",
            "Ruuvi 163.835 °C 163.835 % 1155.34 hPa 3.646 V",
            ["acceleration_x_mg": "32767 mg", "tx_power_dbm": "20 dBm", "movement_counter": "254"]
        ),
        FormatVector(
            "format 5, minimum values",
            "ff9904 058001000000008001800180010000000000CBB8334C884F",
            "ruuvi",
            "Ruuvi -163.835 °C 0 % 500 hPa 1.6 V",
            ["acceleration_z_mg": "-32767 mg", "tx_power_dbm": "-40 dBm", "measurement_number": "0"]
        ),
        FormatVector(
            "format 5, invalid values",
            "ff9904 058000FFFFFFFF800080008000FFFFFFFFFFFFFFFFFFFFFF",
            "ruuvi",
            "Ruuvi",
            [
                "acceleration_x_mg": "", "tx_power_dbm": "", "movement_counter": "", "measurement_number": "",
                "address": "", "temperature_c": "", "humidity_percent": "", "pressure_hpa": "", "battery_v": "",
            ]
        ),
        FormatVector(
            "format 3, valid data",
            "ff9904 03291A1ECE1EFC18F94202CA0B53",
            "ruuvi",
            "Ruuvi 26.3 °C 20.5 % 1027.66 hPa 2.899 V",
            ["acceleration_x_mg": "-1000 mg", "acceleration_y_mg": "-1726 mg", "acceleration_z_mg": "714 mg"]
        ),
        FormatVector(
            "format 3, maximum values",
            "ff9904 03FF7F63FFFF7FFF7FFF7FFFFFFF",
            "ruuvi",
            "Ruuvi 127.99 °C 127.5 % 1155.35 hPa 65.535 V"
        ),
        FormatVector(
            "format 3, minimum values",
            "ff9904 0300FF6300008001800180010000",
            "ruuvi",
            "Ruuvi -127.99 °C 0 % 500 hPa 0 V"
        ),
    ]

    /// From docs.ruuvi.com, data formats C5, 6 and E1, "Test vectors", with 0xFF as reserved octets.
    static let laterRuuvi = [
        FormatVector(
            "format C5, valid data",
            "ff9904 C512FC5394C37CAC364200CDCBB8334C884F",
            "ruuvi",
            "Ruuvi 24.3 °C 53.49 % 1000.44 hPa 2.977 V",
            [
                "acceleration_x_mg": "", "tx_power_dbm": "4 dBm", "movement_counter": "66",
                "measurement_number": "205", "address": "CB:B8:33:4C:88:4F", "data_format": "197",
            ]
        ),
        FormatVector(
            "format 6, valid data",
            "ff9904 06170C5668C79E007000C90501D9FFCD004C884F",
            "ruuvi-air",
            "Ruuvi Air 29.5 °C 55.3 % 1011.02 hPa CO2 201 ppm PM2.5 11.2 µg/m³ VOC 10 NOx 2 13026.67 lx",
            [
                "measurement_number": "205", "calibrating": "no", "address_end": "4C:88:4F", "address": "",
                "pm1_ug_per_m3": "", "data_format": "6",
            ]
        ),
        FormatVector(
            "format 6, maximum values",
            "ff9904 067FFF9C40FFFE27109C40FAFAFEFFFF074C8F4F",
            "ruuvi-air",
            "Ruuvi Air 163.835 °C 100 % 1155.34 hPa CO2 40000 ppm PM2.5 1000 µg/m³ VOC 500 NOx 500 65535 lx",
            ["measurement_number": "255", "calibrating": "yes"]
        ),
        FormatVector(
            "format 6, minimum values, and the ninth bits of the indices",
            "ff9904 0680010000000000000000000000FF00C04C884F",
            "ruuvi-air",
            "Ruuvi Air -163.835 °C 0 % 500 hPa CO2 0 ppm PM2.5 0 µg/m³ VOC 1 NOx 1 0 lx"
        ),
        FormatVector(
            "format 6, invalid values",
            "ff9904 068000FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
            "ruuvi-air",
            "Ruuvi Air",
            ["voc_index": "", "nox_index": "", "illuminance_lx": "", "address_end": ""]
        ),
        FormatVector(
            "format E1, valid data",
            "ff9904 E1170C5668C79E0065007004BD11CA00C90A0213E0ACFFFFFFDECDEE01FFFFFFFFFFCBB8334C884F",
            "ruuvi-air",
            "Ruuvi Air 29.5 °C 55.3 % 1011.02 hPa CO2 201 ppm PM2.5 11.2 µg/m³ VOC 20 NOx 4 13027 lx",
            [
                "pm1_ug_per_m3": "10.1 µg/m³", "pm4_ug_per_m3": "121.3 µg/m³", "pm10_ug_per_m3": "455.4 µg/m³",
                "measurement_number": "14601710", "calibrating": "yes", "address": "CB:B8:33:4C:88:4F",
                "address_end": "", "data_format": "225",
            ]
        ),
        FormatVector(
            "format E1, invalid values",
            "ff9904 E18000FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFFFFFFFFFFFFFFFFFF",
            "ruuvi-air",
            "Ruuvi Air",
            ["measurement_number": "", "address": "", "calibrating": "no"]
        ),
    ]

    /// The octets of advertisements that the tests of ble_monitor and xiaomi-ble contain.
    static let xiaomi = [
        FormatVector(
            "ATC, format of atc1441",
            "161a18 a4c1380283f400a22f5f0bf819",
            "atc",
            "ATC 16.2 °C 47 % battery 95 % 3.064 V",
            ["counter": "25", "address": "A4:C1:38:02:83:F4", "layout": "atc1441"]
        ),
        FormatVector(
            "ATC, format of pvvx",
            "161a18 f4830238c1a4a9066911b60b58f70d",
            "atc",
            "ATC 17.05 °C 44.57 % battery 88 % 2.998 V",
            ["counter": "247", "address": "A4:C1:38:02:83:F4", "layout": "pvvx", "flags": "13"]
        ),
        FormatVector(
            "MiBeacon 2, LYWSDCGQ",
            "1695fe 5020aa01da219335342d580d1004fe004802",
            "mibeacon",
            "MiBeacon LYWSDCGQ 25.4 °C 58.4 %",
            ["counter": "218", "address": "58:2D:34:35:93:21", "version": "2", "encrypted": "no"]
        ),
        FormatVector(
            "MiBeacon 3, LYWSD03MMC",
            "1695fe 50305b05034c94b438c1a40d10041001ea01",
            "mibeacon",
            "MiBeacon LYWSD03MMC 27.2 °C 49 %",
            ["counter": "3", "address": "A4:C1:38:B4:94:4C", "version": "3"]
        ),
        FormatVector(
            "MiBeacon 2 with capability, HHCCJCY01",
            "1695fe 7120980012f34f6b8d7cc40d041002c400",
            "mibeacon",
            "MiBeacon HHCCJCY01 19.6 °C",
            ["counter": "18", "address": "C4:7C:8D:6B:4F:F3"]
        ),
        FormatVector(
            "MiBeacon 3 with an object without a decoder, XMMF01JQD",
            "1695fe 5030e1048e54d3e63053e20110030100 00",
            "mibeacon",
            "MiBeacon XMMF01JQD",
            ["counter": "142", "unknown_objects": "010000"]
        ),
        FormatVector(
            "MiBeacon 5, encrypted, LYWSD03MMC",
            "1695fe 58585b0550f4830238c1a495ef58763c26000097e2abb5",
            "mibeacon",
            "MiBeacon, encrypted LYWSD03MMC",
            ["counter": "80", "address": "A4:C1:38:02:83:F4", "encrypted": "yes", "version": "5"]
        ),
    ]

    /// The manufacturer data that the tests of govee-ble and ble_monitor contain.
    static let govee = [
        FormatVector("H5075", "ff88ec 0003215d6400", "govee", "Govee 20.5 °C 14.9 % battery 100 %"),
        FormatVector("H5075 below zero", "ff88ec 0081c2896400", "govee", "Govee -11.5 °C 33.7 % battery 100 %"),
        FormatVector("H5075, out of range", "ff88ec 004A00283b00", "govee", "Govee battery 59 %"),
        FormatVector("H5074", "ff88ec 0088078c116402", "govee", "Govee 19.28 °C 44.92 % battery 100 %"),
        FormatVector("H5051", "ff88ec 00ba0af90f63020101", "govee", "Govee 27.46 °C 40.89 % battery 99 %"),
        FormatVector("H5102", "ff0100 010103cb0164", "govee", "Govee 24.8 °C 57.7 % battery 100 %"),
        FormatVector("H5106", "ff0100 01010ed13298", "govee", "Govee 24.8 °C 59.1 % PM2.5 0 µg/m³"),
        // Octets that would be 95.0 °C, 78.1 % and a charge of 76 % of a thermometer.
        FormatVector(
            "H5106, like a hot thermometer",
            "ff0100 01010e81fd4c",
            "govee",
            "Govee 24.3 °C 40 % PM2.5 12 µg/m³"
        ),
        FormatVector("H5178", "ff0100 01010003A00F640000", "govee", "Govee 23.7 °C 58.3 % battery 100 % sensor 0"),
        FormatVector(
            "H5178, remote",
            "ff0100 01010102FC87640002",
            "govee",
            "Govee 19.5 °C 71.9 % battery 100 % sensor 1"
        ),
        FormatVector("H5179", "ff0188 ec0001010a0aa40664", "govee", "Govee 25.7 °C 17 % battery 100 %"),
    ]

    @Test("examples of the specifications and of devices", arguments: ruuvi + laterRuuvi + xiaomi + govee)
    func vector(_ vector: FormatVector) throws { try vector.check() }

    @Test("a beacon after Govee's values is left out")
    func appendedBeacon() throws {
        let vector = FormatVector(
            "H5105",
            "ff0100 0101033aed64 4c000215494e54454c4c495f524f434b535f48575075f2ff0c",
            "govee",
            "Govee 21.1 °C 69.3 % battery 100 %"
        )
        #expect(vector.data.beacon?.description == vector.text)
    }

    @Test("hundredths above 99 are not a temperature")
    func strangeHundredths() {
        let beacon = AdvertisingData(parsing: octets("11ff9904 03291A64CE1EFC18F94202CA0B53")).beacon
        #expect(beacon?.description == "Ruuvi 20.5 % 1027.66 hPa 2.899 V")
    }

    @Test("data that are cut short or of another kind are not decoded")
    func almost() {
        for vector in Self.ruuvi + Self.laterRuuvi + Self.govee.prefix(1) + Self.xiaomi.prefix(2) {
            let structure = octets(vector.hex)
            for length in 1..<structure.count {
                let cut = AdvertisingData(parsing: [UInt8(length)] + structure.prefix(length))
                #expect(cut.beacon == nil, "\(vector.name) with \(length) octets")
            }
        }
        let strange = [
            "04ff990404", "09ff0100 020103cb0164", "09ff0100 010103cb0165", "0bff0100 0101033dee023e00",
            // Humidity or charge above 100 %.
            "10161a18 a4c1380283f400a2655f0bf819", "12161a18 f4830238c1a4a9066911b60b65f70d",
            // Versions that do not exist.
            "0c1695fe 0000aa01da219335342d", "081695fe 5060aa01da",
        ]
        for hex in strange { #expect(AdvertisingData(parsing: octets(hex)).beacon == nil, "\(hex)") }
    }
}
