// SPDX-License-Identifier: GPL-2.0-or-later

/// The keys below `beacon` in records, of all kinds of beacons together.
///
/// The schema of the records leaves the object open, because the keys depend on the kind. The list finds a mistyped one
/// in a script and in a template. A test compares it with the sources of the formats, so that a new key is not refused.
enum BeaconKeys {
    /// All of them, without `kind`, which the schema has.
    static let all: [RecordKey] = {
        let arrays = BeaconKeys.lists.map { list in
            let members = list.members.map { BeaconKeys.key($0) }
            return RecordKey(list.name, .array(of: .object(members)), "its \(list.name)")
        }
        return BeaconKeys.scalars.map { BeaconKeys.key($0) } + arrays
    }()

    /// The keys of numbers, texts and truth values. Their types do not matter here: none of them has members.
    private static let scalars = [
        // Beacons.
        "uuid", "major", "minor", "measured_power_dbm", "company_id", "identifier", "reference_rssi_dbm", "namespace",
        "instance", "ranging_data_dbm", "url", "tx_power_dbm", "battery_mv", "temperature_c", "advertisement_count",
        "uptime_s",
        // Sensors.
        "acceleration_x_mg", "acceleration_y_mg", "acceleration_z_mg", "address", "address_end", "battery_percent",
        "battery_v", "calibrating", "co2_ppm", "conductivity_us_per_cm", "consumable_percent", "counter",
        "data_format", "door", "encrypted", "flags", "formaldehyde_mg_per_m3", "humidity_percent", "idle_s",
        "illuminance_lx", "layout", "light", "measurement_number", "model", "models", "moisture_percent", "motion",
        "movement_counter", "nox_index", "pm10_ug_per_m3", "pm1_ug_per_m3", "pm2_5_ug_per_m3", "pm4_ug_per_m3", "power",
        "pressure_hpa", "product", "registered", "rest", "sensor", "smoke", "triggered", "version", "voc_index",
        "water",
        // Messages of vendors.
        "device", "device_type", "metadata", "pairs_by", "scenario", "shares_with_all",
    ]

    /// The keys of arrays, with those of their elements.
    private static let lists: [(name: String, members: [String])] = [
        (
            "messages",
            [
                "action", "activity", "airdrop_receiving", "airpods_connected", "bars", "battery",
                "battery_case_percent", "battery_left_percent", "battery_percent", "battery_right_percent", "category",
                "charging", "charging_case", "charging_left", "charging_right", "configuration_number", "data",
                "device", "device_id", "ip_address", "lid_open_count", "message_type", "model", "name", "near_owner",
                "network", "paired", "primary_device", "sequence_number", "state_number", "status", "watch_locked",
                "wifi", "wrist",
            ]
        ), ("measurements", ["id", "name", "unit", "value"]), ("batteries", ["battery_percent", "charging", "part"]),
        ("unknown_objects", ["data", "id"]),
    ]

    private static func key(_ name: String) -> RecordKey { RecordKey(name, .string, "its \(name)") }
}
