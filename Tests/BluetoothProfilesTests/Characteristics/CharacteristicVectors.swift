// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

/// Values with their decoded forms, derived by hand from the GATT Specification Supplement.
struct CharacteristicVector: Sendable, CustomTestStringConvertible {
    let uuid: BluetoothUUID
    let bytes: String
    let text: String
    let tree: String
    /// Whether every shorter value is an error; `false` if the format ends with a field of any length.
    let isFixed: Bool

    init(_ uuid: BluetoothUUID, _ bytes: String, _ text: String, _ tree: String, isFixed: Bool = true) {
        self.uuid = uuid
        self.bytes = bytes
        self.text = text
        self.tree = tree
        self.isFixed = isFixed
    }

    var testDescription: String { "\(uuid) \(bytes)" }

    func check(on model: DeviceModel? = nil) throws {
        let octets = hex(bytes)
        let format = try #require(CharacteristicFormat.of(uuid)).on(model)
        let decoded = try format.decode(octets)
        #expect(decoded.text == text)
        #expect(json(decoded.content) == tree)
        #expect(decoded.surplus.isEmpty)
        guard isFixed else { return }
        for count in octets.indices {
            #expect(throws: DecodeError.self, "\(count) octets") {
                try format.decode(Array(octets[..<count]))
            }
        }
        let longer = try format.decode(octets + [0xA5])
        #expect(longer.surplus == [0xA5])
        #expect(longer.content == decoded.content)
    }
}

@Suite("Values of GAP, GATT, Device Information and Battery")
struct DeviceVectors {
    static let vectors: [CharacteristicVector] = [
        .init(0x2A00, "50 6F 6C 61 72 00 00", "Polar", #""Polar""#, isFixed: false),
        .init(0x2A00, "", "", #""""#, isFixed: false),
        .init(0x2A01, "41 03", "Heart Rate Belt (0x0341)", #"{"appearance":833,"appearance_name":"Heart Rate Belt"}"#),
        .init(0x2A01, "FF FF", "0xFFFF", #"{"appearance":65535,"appearance_name":null}"#),
        .init(
            0x2A04,
            "10 00 20 00 00 00 90 01",
            "minimum interval 20 ms, maximum interval 40 ms, latency 0, supervision timeout 4000 ms",
            #"{"minimum_interval_ms":20,"maximum_interval_ms":40,"latency":0,"supervision_timeout_ms":4000}"#
        ),
        .init(
            0x2A04,
            "FF FF 07 00 01 00 FF FF",
            "minimum interval not specified, maximum interval 8.75 ms, latency 1, supervision timeout not specified",
            #"{"minimum_interval_ms":null,"maximum_interval_ms":8.75,"latency":1,"supervision_timeout_ms":null}"#
        ),
        .init(
            0x2A05,
            "01 00 FF FF",
            "start handle 0x0001, end handle 0xFFFF",
            #"{"start_handle":1,"end_handle":65535}"#
        ),
        .init(0x2AA6, "01", "supported", #"{"central_address_resolution":"supported"}"#),
        .init(0x2AA6, "07", "reserved (7)", #"{"central_address_resolution":"reserved (7)"}"#),
        .init(
            0x2B29,
            "05",
            "robust caching + multiple handle value notifications",
            #"{"client_features":["robust caching","multiple handle value notifications"]}"#
        ),
        .init(0x2B29, "80", "reserved (bit 7)", #"{"client_features":["reserved (bit 7)"]}"#),
        .init(0x2B3A, "00", "none", #"{"server_features":[]}"#),
        .init(
            0x2B2A,
            "F1CA2D48ECF58BAC8A8830BBB9FBA990",
            "f1ca2d48ecf58bac8a8830bbb9fba990",
            #"{"database_hash":"f1ca2d48ecf58bac8a8830bbb9fba990"}"#
        ),
        .init(
            0x2A23,
            "123456FFFE9ABCDE",
            "DE:BC:9A:FE:FF:56:34:12",
            #"{"system_id":"DE:BC:9A:FE:FF:56:34:12"}"#
        ),
        .init(0x2A29, "41 43 4D 45", "ACME", #""ACME""#, isFixed: false),
        .init(0x2A24, "FF 41", "\u{FFFD}A", "\"\u{FFFD}A\"", isFixed: false),
        .init(
            0x2A50,
            "01 0D 00 01 00 10 01",
            "Texas Instruments Inc., product 0x0001, version 1.1.0",
            #"{"vendor_id_source":"bluetooth","vendor_id":13,"vendor_name":"Texas Instruments Inc.","product_id":1,"#
                + #""product_version":"1.1.0"}"#
        ),
        .init(
            0x2A50,
            "02 15 19 EF BE 34 12",
            "usb vendor 0x1915, product 0xBEEF, version 18.3.4",
            #"{"vendor_id_source":"usb","vendor_id":6421,"vendor_name":null,"product_id":48879,"#
                + #""product_version":"18.3.4"}"#
        ),
        .init(0x2A19, "57", "87 %", #"{"battery_level_percent":87}"#),
        .init(0x2A19, "64", "100 %", #"{"battery_level_percent":100}"#),
        .init(0x2A19, "65", "reserved (101)", #"{"battery_level_percent":null}"#),
        .init(
            0x2BED,
            "02 A3 00 57",
            "battery present yes, wired power connected, wireless power not connected, charge state charging, "
                + "charge level good, charging type not known or not charging, battery fault while charging no, "
                + "external power fault no, other charging fault no, battery level 87 %",
            #"{"battery_present":true,"wired_power":"connected","wireless_power":"not connected","#
                + #""charge_state":"charging","charge_level":"good","charging_type":"not known or not charging","#
                + #""battery_fault_while_charging":false,"external_power_fault":false,"other_charging_fault":false,"#
                + #""identifier":null,"battery_level_percent":87,"service_required":null,"battery_fault":null}"#
        ),
        .init(0x2BEF, "94 4D 00", "2024-05-17", #"{"estimated_service_date":"2024-05-17"}"#),
    ]

    @Test("values have their meaning, and only if they are complete", arguments: vectors)
    func vector(_ vector: CharacteristicVector) throws { try vector.check() }
}

@Suite("Values of the environment and of time")
struct EnvironmentVectors {
    static let vectors: [CharacteristicVector] = [
        .init(0x2A6E, "66 08", "21.5 °C", #"{"temperature_c":21.5}"#),
        .init(0x2A6E, "4D 95", "-273.15 °C", #"{"temperature_c":-273.15}"#),
        .init(0x2A6E, "00 80", "not known", #"{"temperature_c":null}"#),
        .init(0x2A6F, "39 12", "46.65 %", #"{"humidity_percent":46.65}"#),
        .init(0x2A6F, "FF FF", "not known", #"{"humidity_percent":null}"#),
        .init(0x2A6D, "02 76 0F 00", "101325 Pa", #"{"pressure_pa":101325}"#),
        .init(0x2A6C, "FF FF FF", "-0.01 m", #"{"elevation_m":-0.01}"#),
        .init(0x2A74, "0F", "1.5", #"{"gust_factor":1.5}"#),
        .init(0x2A7B, "F6", "-10 °C", #"{"dew_point_c":-10}"#),
        .init(
            0x2AA1,
            "01 00 FF FF 00 80",
            "x 0.1 µT, y -0.1 µT, z -3276.8 µT",
            #"{"x_ut":0.1,"y_ut":-0.1,"z_ut":-3276.8}"#
        ),
        .init(0x2B8C, "A4 01", "420 ppm", #"{"co2_concentration_ppm":420}"#),
        .init(0x2B8C, "FE FF", "65534 or more", #"{"co2_concentration_ppm":null}"#),
        .init(0x2BD6, "0C 80", "120 µg/m³", #"{"pm2_5_concentration_ug_per_m3":120}"#),
        .init(0x2BD6, "FF 07", "not a number", #"{"pm2_5_concentration_ug_per_m3":null}"#),
        .init(
            0x2A2B,
            "E8 07 05 11 0D 2D 09 05 80 01",
            "date time 2024-05-17T13:45:09, day of week friday, fraction 0.5 s, adjust reason manual time update",
            #"{"date_time":"2024-05-17T13:45:09","day_of_week":"friday","fraction_s":0.5,"#
                + #""adjust_reason":["manual time update"]}"#
        ),
        .init(0x2A08, "00 00 0D FF 19 3D 3D", "0000-13-255T25:61:61", #"{"date_time":"0000-13-255T25:61:61"}"#),
        .init(
            0x2A0F,
            "EC 04",
            "time zone UTC-05:00, dst offset daylight time",
            #"{"time_zone_min":-300,"dst_offset":"daylight time"}"#
        ),
        .init(
            0x2A14,
            "01 05 02 03",
            "time source network time protocol, accuracy 625 ms, since update 2 d, since update 3 h",
            #"{"time_source":"network time protocol","accuracy_ms":625,"since_update_days":2,"since_update_h":3}"#
        ),
        // The hours say the same as the days, once.
        .init(
            0x2A14,
            "04 FF FF FF",
            "time source manual, accuracy not known, since update 255 d or more",
            #"{"time_source":"manual","accuracy_ms":null,"since_update_days":null,"since_update_h":null}"#
        ),
        .init(0x2A0E, "80", "not known", #"{"time_zone_min":null}"#),
        .init(0x2A0E, "16", "UTC+05:30", #"{"time_zone_min":330}"#),
        .init(0x2A0E, "7F", "reserved (127)", #"{"time_zone_min":null}"#),
        .init(0x2A07, "FC", "-4 dBm", #"{"tx_power_dbm":-4}"#),
        .init(0x2A06, "02", "high alert", #"{"alert_level":"high alert"}"#),
        .init(0x2B18, "60 01", "5.5 V", #"{"voltage_v":5.5}"#),
        .init(0x2BE0, "40 00 00", "1 V", #"{"high_voltage_v":1}"#),
        .init(0x2B13, "40", "1 s", #"{"time_s":1}"#),
        .init(0x2B13, "00", "0 s", #"{"time_s":0}"#),
        .init(0x2B13, "FD", "66560641 s", #"{"time_s":66560641}"#),
        .init(0x2B13, "FE", "the life of the device", #"{"time_s":null}"#),
        .init(0x2B1C, "00 80", "0.5", #"{"chromaticity":0.5}"#),
        .init(0x2AED, "00 00 00", "not known", #"{"date":null}"#),
        .init(0x2C0A, "01 00 00 00", "0.0000001 m", #"{"length_m":0.0000001}"#),
        .init(
            0x2C21,
            "E4",
            "button 0 not actuated, button 1 pressed, button 2 released, button 3 held",
            #"{"button_0":"not actuated","button_1":"pressed","button_2":"released","button_3":"held"}"#
        ),
    ]

    @Test("values have their meaning, and only if they are complete", arguments: vectors)
    func vector(_ vector: CharacteristicVector) throws { try vector.check() }
}

@Suite("Values of health and sport")
struct HealthVectors {
    static let vectors: [CharacteristicVector] = [
        .init(0x2A38, "01", "chest", #"{"body_sensor_location":"chest"}"#),
        .init(0x2A38, "63", "reserved (99)", #"{"body_sensor_location":"reserved (99)"}"#),
        .init(0x2A39, "01", "reset energy expended", #"{"heart_rate_control_point":"reset energy expended"}"#),
        .init(
            0x2A35,
            "1E 78 00 50 00 5D 00 E8 07 05 11 0D 2D 09 48 00 01 04 00",
            "systolic 120 mmHg, diastolic 80 mmHg, mean arterial pressure 93 mmHg, time stamp 2024-05-17T13:45:09, "
                + "pulse rate 72 bpm, user id 1, status irregular pulse",
            #"{"systolic_mmhg":120,"systolic_kpa":null,"diastolic_mmhg":80,"diastolic_kpa":null,"#
                + #""mean_arterial_pressure_mmhg":93,"mean_arterial_pressure_kpa":null,"#
                + #""time_stamp":"2024-05-17T13:45:09","pulse_rate_bpm":72,"user_id":1,"status":["irregular pulse"]}"#
        ),
        .init(
            0x2A35,
            "01 A0 F0 6B F0 7C F0",
            "systolic 16 kPa, diastolic 10.7 kPa, mean arterial pressure 12.4 kPa",
            #"{"systolic_mmhg":null,"systolic_kpa":16,"diastolic_mmhg":null,"diastolic_kpa":10.7,"#
                + #""mean_arterial_pressure_mmhg":null,"mean_arterial_pressure_kpa":12.4,"time_stamp":null,"#
                + #""pulse_rate_bpm":null,"user_id":null,"status":null}"#
        ),
        .init(
            0x2B35,
            "42 78 00 40 34 21 2E",
            "cuff pressure 120 mmHg, time stamp 2024-07-10T12:00:00",
            #"{"cuff_pressure_mmhg":120,"cuff_pressure_kpa":null,"time_stamp":"2024-07-10T12:00:00","#
                + #""pulse_rate_bpm":null,"user_id":null,"status":null,"user_facing_time":null}"#
        ),
        .init(
            0x2B35,
            "02 78 00 00 00 00 00",
            "cuff pressure 120 mmHg, time stamp 1900-01-01T00:00:00",
            #"{"cuff_pressure_mmhg":120,"cuff_pressure_kpa":null,"time_stamp":"1900-01-01T00:00:00","#
                + #""pulse_rate_bpm":null,"user_id":null,"status":null,"user_facing_time":null}"#
        ),
        .init(
            0x2A18,
            "07 01 00 E8 07 05 11 0D 2D 09 F1 FF 37 C0 11",
            "sequence number 1, base time 2024-05-17T13:45:09, time offset -15 min, glucose 5.5 mmol/l, "
                + "sample type capillary whole blood, sample location finger",
            #"{"sequence_number":1,"base_time":"2024-05-17T13:45:09","time_offset_min":-15,"#
                + #""glucose_mg_per_dl":null,"glucose_mmol_per_l":5.5,"sample_type":"capillary whole blood","#
                + #""sample_location":"finger","sensor_status":null,"context_follows":false}"#
        ),
        .init(
            0x2A18,
            "12 02 00 E8 07 05 11 0D 2D 09 63 B0 F1",
            "sequence number 2, base time 2024-05-17T13:45:09, glucose 99 mg/dl, "
                + "sample type capillary whole blood, sample location not available, context follows yes",
            #"{"sequence_number":2,"base_time":"2024-05-17T13:45:09","time_offset_min":null,"#
                + #""glucose_mg_per_dl":99,"glucose_mmol_per_l":null,"sample_type":"capillary whole blood","#
                + #""sample_location":"not available","sensor_status":null,"context_follows":true}"#
        ),
        .init(
            0x2A9D,
            "00 98 3A",
            "weight 75 kg",
            #"{"weight_kg":75,"weight_lb":null,"time_stamp":null,"user_id":null,"bmi_kg_per_m2":null,"#
                + #""height_m":null,"height_in":null}"#
        ),
        .init(
            0x2A9D,
            "0D 9C 40 FF E7 00 B8 02",
            "weight 165.4 lb, user id unknown, bmi 23.1 kg/m², height 69.6 in",
            #"{"weight_kg":null,"weight_lb":165.4,"time_stamp":null,"user_id":null,"bmi_kg_per_m2":23.1,"#
                + #""height_m":null,"height_in":69.6}"#
        ),
        .init(
            0x2A53,
            "07 80 02 B4 6E 00 10 27 00 00",
            "speed 2.5 m/s, cadence 180 /min, stride length 1.1 m, total distance 1000 m, gait running",
            #"{"speed_mps":2.5,"cadence_per_minute":180,"stride_length_m":1.1,"total_distance_m":1000,"#
                + #""gait":"running"}"#
        ),
        .init(
            0x2A5B,
            "03 0A 00 00 00 00 04 05 00 00 02",
            "wheel revolutions 10, last wheel event 1 s, crank revolutions 5, last crank event 0.5 s",
            #"{"wheel_revolutions":10,"last_wheel_event_s":1,"crank_revolutions":5,"last_crank_event_s":0.5}"#
        ),
        .init(0x2A5D, "0C", "rear wheel", #"{"sensor_location":"rear wheel"}"#),
        .init(
            0x2A63,
            "23 00 FA 00 64 05 00 00 02",
            "power 250 W, pedal power balance 50 %, crank revolutions 5, last crank event 0.5 s, "
                + "pedal power balance reference left, torque source wheel",
            #"{"power_w":250,"pedal_power_balance_percent":50,"accumulated_torque_nm":null,"#
                + #""wheel_revolutions":null,"last_wheel_event_s":null,"crank_revolutions":5,"#
                + #""last_crank_event_s":0.5,"maximum_force_n":null,"minimum_force_n":null,"#
                + #""maximum_torque_nm":null,"minimum_torque_nm":null,"extreme_angles_degrees":null,"#
                + #""top_dead_spot_angle_degrees":null,"bottom_dead_spot_angle_degrees":null,"#
                + #""accumulated_energy_kj":null,"pedal_power_balance_reference":"left","torque_source":"wheel","#
                + #""offset_compensation":false}"#
        ),
        .init(
            0x2A5F,
            "00 62 00 48 00",
            "spo2 98 %, pulse rate 72 bpm",
            #"{"spo2_percent":98,"pulse_rate_bpm":72,"spo2_fast_percent":null,"pulse_rate_fast_bpm":null,"#
                + #""spo2_slow_percent":null,"pulse_rate_slow_bpm":null,"measurement_status":null,"#
                + #""sensor_status":null,"pulse_amplitude_index_percent":null}"#
        ),
        .init(0x2A98, "98 3A", "75 kg", #"{"weight_kg":75}"#),
        .init(0x2A85, "BC 07 0C 1F", "1980-12-31", #"{"date_of_birth":"1980-12-31"}"#),
        .init(
            0x2A67,
            "84 00 C0 3F 2C 1F C0 8A 9A 04",
            "position ok, speed and distance 2d, elevation source positioning system, heading source movement, "
                + "latitude 52.29936 °, longitude 7.7236928 °",
            #"{"position":"ok","speed_and_distance":"2d","elevation_source":"positioning system","#
                + #""heading_source":"movement","speed_mps":null,"total_distance_m":null,"latitude_degrees":52.29936,"#
                + #""longitude_degrees":7.7236928,"elevation_m":null,"heading_degrees":null,"rolling_time_s":null,"#
                + #""utc_time":null}"#
        ),
        .init(
            0x2AD4,
            "64 00 D0 07 0A 00",
            "minimum speed 1 km/h, maximum speed 20 km/h, minimum increment 0.1 km/h",
            #"{"minimum_speed_kmh":1,"maximum_speed_kmh":20,"minimum_increment_kmh":0.1}"#
        ),
        .init(
            0x2AA7,
            "06 00 64 00 05 00",
            "glucose 100 mg/dl, time offset 5 min",
            #"{"records":[{"glucose_mg_per_dl":100,"time_offset_min":5,"status":null,"#
                + #""calibration_and_temperature_status":null,"warning":null,"trend_mg_per_dl_min":null,"#
                + #""quality_percent":null,"e2e_crc":""}]}"#,
            isFixed: false
        ),
    ]

    @Test("values have their meaning, and only if they are complete", arguments: vectors)
    func vector(_ vector: CharacteristicVector) throws { try vector.check() }

    @Test("a bike's resistance level is read in its one-octet and in its earlier two-octet form")
    func resistance() throws {
        for bytes in ["64 00 D0 07 A0 00 05 FA 00", "64 00 D0 07 A0 00 05 00 FA 00"] {
            let value = try #require(try CharacteristicValue.decode(hex(bytes), of: 0x2AD2))
            #expect(value.text == "speed 20 km/h, cadence 80 rpm, resistance level 5, power 250 W")
            #expect(value.surplus.isEmpty)
        }
    }

    @Test("a record of continuous glucose with an impossible size is an error", arguments: 0..<6)
    func recordSize(size: UInt8) {
        #expect(throws: DecodeError.self) {
            try CharacteristicValue.decode([size, 0, 100, 0, 5, 0], of: 0x2AA7)
        }
    }
}
