// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    /// The record that `scan` prints.
    public static let advertisement = RecordSchema(
        "advertisement",
        by: [.scan],
        "a report of the adapter that tells something new, or with `--duplicates` every one",
        keys: [
            RecordKey("adapter", .string, orNull: true, "the adapter that has heard it, if several listen"),
            RecordKey("address", .string, orNull: true, "the sender's address; null if it is anonymous"),
        ] + addressTypeKeys + [
            RecordKey("rssi_dbm", .integer(unit: "dBm"), orNull: true, "the strength of the signal"),
            RecordKey("tx_power_dbm", .integer(unit: "dBm"), orNull: true, "the power that it was sent with"),
            RecordKey("connectable", .boolean, "whether the sender accepts a connection"),
            RecordKey("scannable", .boolean, "whether the sender answers scan requests"),
            RecordKey("scan_response", .boolean, "whether this is such an answer"),
            RecordKey("directed", .boolean, "whether it is meant for one receiver"),
            RecordKey("legacy", .boolean, "whether it is in the format before Bluetooth 5"),
            RecordKey("primary_phy", .string, "the PHY of the primary channel"),
            RecordKey("secondary_phy", .string, orNull: true, "the PHY of the secondary channel"),
            RecordKey("advertising_sid", .integer(unit: nil), orNull: true, "the advertising set of the sender"),
            RecordKey("name", .string, orNull: true, "the name of the device, from this or an earlier report"),
            RecordKey("name_raw", .hex, orNull: true, "the bytes of that name"),
        ] + serviceKeys + [
            RecordKey("manufacturer", .array(of: .object(manufacturerKeys)), "manufacturer data"),
            RecordKey("service_data", .array(of: .object(serviceDataKeys)), "service data"),
            RecordKey("appearance", .integer(unit: nil), orNull: true, "the appearance of the device"),
            RecordKey(
                "beacon",
                .object(beaconKeys, isOpen: true),
                orNull: true,
                "its first content that is a beacon, a sensor, a tracker or a vendor's message of a known kind"
            ),
            RecordKey(
                "beacons",
                .array(of: .object(beaconKeys, isOpen: true)),
                "all such contents of the report, the first one included"
            ),
            RecordKey("flags", .array(of: .string), "the names of the flags that are set"),
            RecordKey("data", .hex, "the advertising data of this report"),
            RecordKey("ad", .array(of: .object(structureKeys)), "the structures in that data"),
        ]
    )

    /// The record that `scan --summary` prints.
    public static let deviceSummary = RecordSchema(
        "device",
        by: [.scan],
        "a device as the whole scan has heard it, for `--summary`",
        keys: [
            RecordKey("adapter", .string, orNull: true, "the adapter that hears it best, if several listen"),
            RecordKey("address", .string, orNull: true, "its address; null if it is anonymous"),
        ] + addressTypeKeys + [
            RecordKey("name", .string, orNull: true, "its name"),
            RecordKey("name_raw", .hex, orNull: true, "the bytes of that name"),
            RecordKey("count", .integer(unit: nil), "the number of its reports"),
            RecordKey("first_seen", .time, "the time of the first one"),
            RecordKey("last_seen", .time, "the time of the last one"),
            RecordKey(
                "interval_ms",
                .integer(unit: "ms"),
                orNull: true,
                "its advertising interval, estimated in spite of missed reports; null if fewer than two were heard"
            ),
            RecordKey("rssi_min_dbm", .integer(unit: "dBm"), orNull: true, "the weakest signal"),
            RecordKey("rssi_mean_dbm", .integer(unit: "dBm"), orNull: true, "the mean of the signals"),
            RecordKey("rssi_max_dbm", .integer(unit: "dBm"), orNull: true, "the strongest signal"),
            RecordKey("tx_power_dbm", .integer(unit: "dBm"), orNull: true, "the power that it was sent with"),
            RecordKey("connectable", .boolean, "whether it accepts a connection"),
            RecordKey("scannable", .boolean, "whether it answers scan requests"),
        ] + serviceKeys + [
            RecordKey(
                "manufacturer",
                .array(of: .object(manufacturerKeys)),
                "manufacturer data: the last of each that it sends side by side, in its scan response, or in turn"
            ),
            RecordKey("service_data", .array(of: .object(serviceDataKeys)), "service data, in the same way"),
            RecordKey("appearance", .integer(unit: nil), orNull: true, "its appearance"),
            RecordKey(
                "beacon",
                .object(beaconKeys, isOpen: true),
                orNull: true,
                "the content of its last beacon, sensor, tracker or vendor's message of a known kind"
            ),
            RecordKey(
                "beacons",
                .array(of: .object(beaconKeys, isOpen: true)),
                "the last content of each of them, in the order in which they were first heard, at most 8"
            ),
            RecordKey("flags", .array(of: .string), "the names of the flags that were set last"),
            RecordKey(
                "forgotten",
                .integer(unit: nil),
                """
                the number of older beacons and data that made room for new ones: 8 beacons, 8 manufacturer data and 16 \
                service data are kept
                """
            ),
        ]
    )

    private static let addressTypeKeys = [
        RecordKey(
            "address_type",
            .string,
            "`public`, `random`, `public-identity`, `random-identity` or `anonymous`"
        ),
        RecordKey(
            "address_kind",
            .string,
            "`public`, `random-static`, `resolvable`, `non-resolvable`, `anonymous` or `reserved`"
        ),
    ]

    private static let serviceKeys = [
        RecordKey("services", .array(of: .uuid), "the services that it lists"),
        RecordKey(
            "service_names",
            .array(of: .optional(.string)),
            "their names, in the same order; null for one unknown"
        ),
    ]

    private static let manufacturerKeys = [
        RecordKey("company_id", .integer(unit: nil), "the assigned number of the company"),
        RecordKey("company_name", .string, orNull: true, "its name"),
        RecordKey("data", .hex, "its data"),
    ]

    private static let serviceDataKeys = [
        RecordKey("uuid", .uuid, "the service"),
        RecordKey("name", .string, orNull: true, "its name"),
        RecordKey("data", .hex, "its data"),
    ]

    static let beaconKeys = [
        RecordKey(
            "kind",
            .string,
            "its kind, on which the other keys depend: \(BeaconKeys.kinds)"
        )
    ]

    private static let structureKeys = [
        RecordKey("type", .integer(unit: nil), "the assigned number of the type"),
        RecordKey("name", .string, orNull: true, "its name"),
        RecordKey("data", .hex, "its data"),
        RecordKey("text", .string, "the data in words"),
    ]
}
