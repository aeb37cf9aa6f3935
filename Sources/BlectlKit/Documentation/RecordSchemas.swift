// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    /// The keys at the beginning of every record.
    public static let commonKeys = [
        RecordKey("type", .string, "the kind of record"),
        RecordKey("time", .string, "the time of day, RFC 3339 in UTC with microseconds"),
        RecordKey("monotonic_ns", .integer(unit: "ns"), "the same moment on a clock that is never set"),
    ]

    /// All kinds of records.
    public static let all: [RecordSchema] = [
        advertisement, service, include, characteristic, descriptor, value, write, notification, indication,
        measurement, linkLost, linkRestored, databaseChanged, valuesDropped, error, serving, connected, disconnected,
        request, adapter,
        version,
    ]

    /// The record that `scan` prints.
    public static let advertisement = RecordSchema(
        "advertisement",
        by: [.scan],
        "a report of the adapter",
        keys: [
            RecordKey("address", .string, orNull: true, "the sender's address; null if it is anonymous"),
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
            RecordKey("services", .array(of: .uuid), "the services that it lists"),
            RecordKey(
                "service_names",
                .array(of: .optional(.string)),
                "their names, in the same order; null for one unknown"
            ),
            RecordKey("manufacturer", .array(of: .object(manufacturerKeys)), "manufacturer data"),
            RecordKey("service_data", .array(of: .object(serviceDataKeys)), "service data"),
            RecordKey("appearance", .integer(unit: nil), orNull: true, "the appearance of the device"),
            RecordKey(
                "beacon",
                .object(beaconKeys, isOpen: true),
                orNull: true,
                "its content, if it is a beacon of a known kind"
            ),
            RecordKey("flags", .array(of: .string), "the names of the flags that are set"),
            RecordKey("data", .hex, "the advertising data of this report"),
            RecordKey("ad", .array(of: .object(structureKeys)), "the structures in that data"),
        ]
    )

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

    private static let beaconKeys = [
        RecordKey("kind", .string, "its kind; the other keys depend on it")
    ]

    private static let structureKeys = [
        RecordKey("type", .integer(unit: nil), "the assigned number of the type"),
        RecordKey("name", .string, orNull: true, "its name"),
        RecordKey("data", .hex, "its data"),
        RecordKey("text", .string, "the data in words"),
    ]

    // MARK: - The tree of a device

    private static let device = RecordKey(
        "device",
        .object([
            RecordKey("address", .string, "its address"),
            RecordKey("address_type", .string, "`public` or `random`"),
            RecordKey("name", .string, orNull: true, "its name"),
        ]),
        "the device"
    )

    private static let handle = RecordKey("handle", .integer(unit: nil), "the handle of the attribute")
    private static let name = RecordKey("name", .string, orNull: true, "its assigned name")
    private static let bytes = RecordKey("value", .hex, "the bytes")
    private static let text = RecordKey("text", .string, orNull: true, "the value in words, if its format is known")

    private static let readValue = [
        RecordKey("value", .hex, orNull: true, "the bytes, if they were read"),
        text,
        RecordKey("error", .string, orNull: true, "why they could not be read"),
    ]

    /// The record that `inspect` prints for a service.
    public static let service = RecordSchema(
        "service",
        by: [.inspect],
        "a service",
        keys: [
            device, RecordKey("uuid", .uuid, "the service"), name, handle,
            RecordKey("end_handle", .integer(unit: nil), "the last handle of the service"),
            RecordKey("primary", .boolean, "whether it is a primary service"),
        ]
    )

    /// The record that `inspect` prints for an included service.
    public static let include = RecordSchema(
        "include",
        by: [.inspect],
        "a service that the service before includes",
        keys: [
            device, handle, RecordKey("uuid", .uuid, "the included service"),
            RecordKey("service_handle", .integer(unit: nil), "its first handle"),
            RecordKey("end_handle", .integer(unit: nil), "its last handle"),
        ]
    )

    /// The record that `inspect` prints for a characteristic.
    public static let characteristic = RecordSchema(
        "characteristic",
        by: [.inspect],
        "a characteristic of the service before",
        keys: [
            device, RecordKey("uuid", .uuid, "the characteristic"), name,
            RecordKey("handle", .integer(unit: nil), "the handle of its declaration"),
            RecordKey("value_handle", .integer(unit: nil), "the handle of its value"),
            RecordKey("properties", .array(of: .string), "what can be done with it"),
        ] + readValue
    )

    /// The record that `inspect` prints for a descriptor.
    public static let descriptor = RecordSchema(
        "descriptor",
        by: [.inspect],
        "a descriptor of the characteristic before",
        keys: [device, RecordKey("uuid", .uuid, "the descriptor"), name, handle] + readValue
    )

    // MARK: - Values

    private static let target = RecordKey("target", .string, "the target as it was given")

    private static let valueKeys = [
        device, target,
        RecordKey("service", .uuid, orNull: true, "the service, if it is known"),
        RecordKey("characteristic", .uuid, orNull: true, "the characteristic, if it is known"),
        RecordKey("characteristic_name", .string, orNull: true, "its assigned name"),
        RecordKey("descriptor", .uuid, orNull: true, "the descriptor, if one was named"),
        handle, bytes,
        RecordKey("length", .integer(unit: "bytes"), "its length"),
        text,
        RecordKey("decoded", .any, orNull: true, "the decoded value, if its format is known; units are in the keys"),
    ]

    private static let sequence = RecordKey(
        "sequence",
        .integer(unit: nil),
        "the number of the value, from 1; dropped values count as well"
    )

    /// The record that `read` prints.
    public static let value = RecordSchema("value", by: [.read], "a value that was read", keys: valueKeys)

    /// The record that `write` prints.
    public static let write = RecordSchema(
        "write",
        by: [.write],
        "a value that was written",
        keys: [
            device, target, handle,
            RecordKey("length", .integer(unit: "bytes"), "its length"),
            RecordKey(
                "chunks",
                .integer(unit: nil),
                "the number of pieces, 1 unless `--chunk` or `--no-response` split it"
            ),
            RecordKey("procedure", .string, "`write-request`, `write-command`, `long-write` or `reliable-write`"),
            RecordKey(
                "verified",
                .boolean,
                orNull: true,
                "whether it read back the same; null without `--verify`"
            ),
        ]
    )

    /// The record that `notify` prints for a notification.
    public static let notification = RecordSchema(
        "notification",
        by: [.notify],
        "a value that the device sent as a notification, which is not confirmed",
        keys: valueKeys + [sequence]
    )

    /// The record that `notify` prints for an indication.
    public static let indication = RecordSchema(
        "indication",
        by: [.notify],
        "a value that the device sent as an indication, which was confirmed",
        keys: valueKeys + [sequence]
    )

    /// The record that `watch` prints.
    public static let measurement = RecordSchema(
        "measurement",
        by: [.watch],
        "a measurement",
        keys: [
            device, RecordKey("profile", .string, "the profile as it was given"),
            RecordKey("characteristic", .uuid, "what was measured"), handle, bytes, text,
            RecordKey("decoded", .any, orNull: true, "the measurement itself; units are in the keys"), sequence,
        ]
    )

    /// The record that `notify` and `watch` print when the link is lost.
    public static let linkLost = RecordSchema(
        "link-lost",
        by: [.notify, .watch],
        "the connection was lost; blectl connects again",
        keys: [device, RecordKey("reason", .string, "why")]
    )

    /// The record that `notify` and `watch` print when the link is restored.
    public static let linkRestored = RecordSchema(
        "link-restored",
        by: [.notify, .watch],
        "the connection is there again, and everything is subscribed to; what the device has sent meanwhile is missing",
        keys: [
            device, RecordKey("gap_ms", .integer(unit: "ms"), "the duration of the gap"),
            RecordKey("attempts", .integer(unit: nil), "the number of attempts"),
        ]
    )

    /// The record that `notify` and `watch` print when the device's attributes have changed.
    public static let databaseChanged = RecordSchema(
        "database-changed",
        by: [.notify, .watch],
        "the device has changed its attributes, and everything is found and subscribed to again",
        keys: [
            device, RecordKey("start_handle", .integer(unit: nil), "the first handle that may have changed"),
            RecordKey("end_handle", .integer(unit: nil), "the last one"),
        ]
    )

    /// The record that `notify` and `watch` print in the place of values that were dropped because they came too fast.
    public static let valuesDropped = RecordSchema(
        "values-dropped",
        by: [.notify, .watch],
        "values arrived faster than they could be written, and were dropped (on a socket, the device is slowed down)",
        keys: [
            device, RecordKey("count", .integer(unit: nil), "how many"),
            RecordKey("first_sequence", .integer(unit: nil), "the number of the first of them"),
        ]
    )

    /// The record that a command prints for a target that failed.
    public static let error = RecordSchema(
        "error",
        by: [.read, .notify],
        "a target that failed; the others go on",
        keys: [
            target,
            RecordKey("message", .string, "what went wrong"),
            RecordKey("status", .integer(unit: nil), "the exit status of that failure"),
            RecordKey("att_error", .integer(unit: nil), orNull: true, "the ATT error code of the device"),
        ]
    )

    // MARK: - The machine

    /// The record that `adapters` and `adapter` print.
    public static let adapter = RecordSchema(
        "adapter",
        by: [.adapters, .adapter],
        "a Bluetooth adapter",
        keys: [
            RecordKey("name", .string, "`hci0` and so on"),
            RecordKey("index", .integer(unit: nil), "the number in that name"),
            RecordKey("address", .string, orNull: true, "its address"),
            RecordKey("state", .string, "`up`, `down`, `starting`, `blocked` or `in-use`"),
            RecordKey("usable", .boolean, "whether blectl can use it"),
            RecordKey("reason", .string, orNull: true, "why it cannot be used, and the remedy"),
            RecordKey("powered", .boolean, "whether it is on"),
            RecordKey("blocked", .string, orNull: true, "`software` or `hardware` where a switch keeps it off"),
            RecordKey("low_energy", .boolean, orNull: true, "whether Low Energy is switched on, if that is known"),
            RecordKey("basic_rate", .boolean, orNull: true, "whether it has Basic Rate, too, if that is known"),
            RecordKey(
                "manager",
                .string,
                orNull: true,
                "the program that manages the adapters, if a process with its name runs: `bluetoothd`"
            ),
            RecordKey("bus", .string, orNull: true, "its connection to the machine"),
            RecordKey("manufacturer", .string, orNull: true, "the company that made the controller"),
            RecordKey("manufacturer_id", .integer(unit: nil), orNull: true, "its assigned number"),
            RecordKey("hci_version", .string, orNull: true, "the version of the specification that it follows"),
            RecordKey("features", .array(of: .string), "the features of its Low Energy part"),
        ]
    )

    /// The record that `version` prints.
    public static let version = RecordSchema(
        "version",
        by: [.version],
        "the version of blectl",
        keys: [
            RecordKey("version", .string, "the version"),
            RecordKey("library", .string, "the library that it is linked with"),
            RecordKey("library_use", .string, "what blectl uses it for"),
        ]
    )
}
