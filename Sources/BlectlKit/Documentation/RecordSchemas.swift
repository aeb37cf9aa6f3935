// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    /// The keys at the beginning of every record.
    public static let commonKeys = [
        RecordKey("type", .string, "the kind of record"),
        RecordKey("time", .time, "the time of day, RFC 3339 in UTC with microseconds"),
        RecordKey(
            "monotonic_ns",
            .integer(unit: "ns"),
            "the same moment on the machine's clock that is never set (CLOCK_MONOTONIC), or in virtual time on the world's"
        ),
    ]

    /// All kinds of records.
    public static let all: [RecordSchema] = [
        advertisement, deviceSummary, service, include, characteristic, descriptor, value, write, notification,
        indication,
        measurement, serial, channel, channelUnit, channelEnd, bench, key, action, link, signal, linkLost,
        linkRestored, databaseChanged, valuesDropped, error, serving, privateAddress, connected, secured, disconnected,
        request, advertising, deviceFile, deviceText, clone, difference, comparison, world, worldDevice, worldAdapter,
        packet, scriptStep, scriptTest, scriptEnd, scriptPlan, session, shellDevice, shellJob, pairingStep, paired,
        unpaired, bond, knownDevice, forgotten,
        decodedValue,
        encodedValue, assignedNumber, adapter, doctorCheck, doctorVerdict, help, completion, version,
    ]

    // MARK: - The tree of a device

    private static let deviceKeys = [
        RecordKey("address", .string, orNull: true, "its address; null on a socket, unless one was given"),
        RecordKey("address_type", .string, orNull: true, "`public` or `random`; null if it is not known"),
        RecordKey("name", .string, orNull: true, "its name, if it is known"),
        RecordKey("socket", .string, orNull: true, "`unix:` and a path, if it is at the other end of a socket"),
    ]

    static let device = RecordKey("device", .object(deviceKeys), "the device")

    static let attErrorKeys = [
        RecordKey(
            "att_error",
            .integer(unit: nil),
            orNull: true,
            "the ATT error code, if the device answered with one"
        ),
        RecordKey("att_error_name", .string, orNull: true, "the name of that error"),
    ]

    private static let handle = RecordKey("handle", .integer(unit: nil), "the handle of the attribute")
    private static let name = RecordKey("name", .string, orNull: true, "its assigned name")
    private static let bytes = RecordKey("value", .hex, "the bytes")
    private static let text = RecordKey("text", .string, orNull: true, "the value in words, if its format is known")

    private static let decoded = RecordKey(
        "decoded",
        .any,
        orNull: true,
        "the decoded value, if its format is known; units are in the keys"
    )

    private static let decodingErrorKeys = [
        RecordKey(
            "kind",
            .string,
            "`too-short` or `contradictory` (what is after the field is not decoded), `out-of-range`, `reserved` or "
                + "`surplus`"
        ),
        RecordKey("field", .string, orNull: true, "the way to the field in `decoded`, such as `rr_intervals_ms[1]`"),
        RecordKey("needed", .integer(unit: "bytes"), orNull: true, "what the field needs, if it is cut off"),
        RecordKey("available", .integer(unit: "bytes"), orNull: true, "what was left for it"),
        RecordKey("value", .number, orNull: true, "the number that is not allowed or reserved"),
        RecordKey("lowest", .number, orNull: true, "the lowest number that is allowed"),
        RecordKey("highest", .number, orNull: true, "the highest one"),
        RecordKey("octets", .hex, orNull: true, "the bytes after those of the format"),
        RecordKey("message", .string, "the same in words"),
    ]

    private static let decodingError = RecordKey(
        "decoding_error",
        .object(decodingErrorKeys),
        orNull: true,
        "why the value does not fit its format; null if it does, or if the format is not known"
    )

    private static let readValue =
        [
            RecordKey("value", .hex, orNull: true, "the bytes, if they were read"),
            RecordKey("length", .integer(unit: "bytes"), orNull: true, "their number"),
            text, decoded, decodingError,
            RecordKey("error", .string, orNull: true, "why they could not be read"),
        ] + attErrorKeys

    private static let serviceOfTree = [
        RecordKey("service", .uuid, "the service that it is, or is in"),
        RecordKey("service_handle", .integer(unit: nil), "the first handle of that service"),
    ]

    private static let characteristicOfTree = [
        RecordKey("characteristic", .uuid, "the characteristic that it is, or is under"),
        RecordKey("characteristic_name", .string, orNull: true, "the assigned name of that characteristic"),
        RecordKey("value_handle", .integer(unit: nil), "the handle of the value of that characteristic"),
    ]

    /// The record that `inspect` prints for a service.
    public static let service = RecordSchema(
        "service",
        by: [.inspect],
        "a service",
        keys: [device] + serviceOfTree + [
            RecordKey("uuid", .uuid, "the service"), name, handle,
            RecordKey("end_handle", .integer(unit: nil), "the last handle of the service"),
            RecordKey("primary", .boolean, "whether it is a primary service"),
        ]
    )

    /// The record that `inspect` prints for an included service.
    public static let include = RecordSchema(
        "include",
        by: [.inspect],
        "a service that another one includes",
        keys: [device] + serviceOfTree + [
            handle,
            RecordKey("uuid", .uuid, orNull: true, "the included service; null if the device does not tell it"),
            name,
            RecordKey("included_handle", .integer(unit: nil), "the first handle of the included service"),
            RecordKey("included_end_handle", .integer(unit: nil), "its last handle"),
        ]
    )

    /// The record that `inspect` prints for a characteristic.
    public static let characteristic = RecordSchema(
        "characteristic",
        by: [.inspect],
        "a characteristic",
        keys: [device] + serviceOfTree + characteristicOfTree + [
            RecordKey("uuid", .uuid, "the characteristic"), name,
            RecordKey("handle", .integer(unit: nil), "the handle of its value, as in the records of `read`"),
            RecordKey("declaration_handle", .integer(unit: nil), "the handle of its declaration"),
            RecordKey("properties", .array(of: .string), "what can be done with it"),
        ] + readValue
    )

    /// The record that `inspect` prints for a descriptor.
    public static let descriptor = RecordSchema(
        "descriptor",
        by: [.inspect],
        "a descriptor",
        keys: [device] + serviceOfTree + characteristicOfTree + [
            RecordKey("descriptor", .uuid, "the descriptor"),
            RecordKey("uuid", .uuid, "the descriptor"), name, handle,
        ] + readValue
    )

    // MARK: - Values

    private static let target = RecordKey("target", .string, "the target as it was given")

    private static let attributeKeys = [
        device,
        RecordKey("service", .uuid, orNull: true, "the service, if it is known"),
        RecordKey("characteristic", .uuid, orNull: true, "the characteristic, if it is known"),
        RecordKey("characteristic_name", .string, orNull: true, "its assigned name"),
        RecordKey("descriptor", .uuid, orNull: true, "the descriptor, if one was named"),
        handle,
    ]

    /// The keys of a value and its meaning.
    static let presentationKeys = [
        bytes, RecordKey("length", .integer(unit: "bytes"), "its length"), text, decoded, decodingError,
    ]

    private static let valueKeys = attributeKeys + presentationKeys

    private static let sequence = RecordKey(
        "sequence",
        .integer(unit: nil),
        "the number of the value, from 1; dropped values count as well"
    )

    /// The record that `read` prints.
    public static let value = RecordSchema("value", by: [.read], "a value that was read", keys: valueKeys + [target])

    /// The record that `write` prints.
    public static let write = RecordSchema(
        "write",
        by: [.write],
        "a value that was written",
        keys: attributeKeys + [
            target,
            RecordKey("length", .integer(unit: "bytes"), "its length"),
            RecordKey(
                "chunks",
                .integer(unit: nil),
                "the number of pieces, 1 unless `--chunk` or `--no-response` split it"
            ),
            RecordKey(
                "procedure",
                .string,
                "`write-request`, `write-command`, `long-write`, `reliable-write` or `signed-write-command`"
            ),
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
        keys: valueKeys + [target, sequence]
    )

    /// The record that `notify` prints for an indication.
    public static let indication = RecordSchema(
        "indication",
        by: [.notify],
        "a value that the device sent as an indication, which was confirmed",
        keys: valueKeys + [target, sequence]
    )

    /// The record that `watch` prints.
    public static let measurement = RecordSchema(
        "measurement",
        by: [.watch],
        "a measurement",
        keys: valueKeys + [RecordKey("profile", .string, "the profile as it was given"), sequence]
    )

    /// The record that `watch uart` prints for each packet.
    public static let serial = RecordSchema(
        "serial",
        by: [.watch],
        "octets of a serial port, in one direction",
        keys: [
            device, RecordKey("direction", .string, "`received` or `sent`"),
            RecordKey("data", .hex, "the octets of a packet"),
            RecordKey("length", .integer(unit: "bytes"), "their number"),
            RecordKey("text", .string, "the octets as UTF-8; what is none is replaced"),
            RecordKey("sequence", .integer(unit: nil), "the number of the packet in its direction, from 1"),
        ]
    )

    /// The record that `watch keys` prints.
    public static let key = RecordSchema(
        "key",
        by: [.watch],
        "a press or a release of a key",
        keys: [
            device, RecordKey("key", .string, "the name of the key"),
            RecordKey("action", .string, "`press` or `release`"),
            RecordKey("sequence", .integer(unit: nil), "the number of the event, from 1"),
        ]
    )

    /// The record that `profile` prints.
    public static let action = RecordSchema(
        "action",
        by: [.profile],
        "what a client has done by the means of a profile",
        keys: [
            device, RecordKey("profile", .string, "the profile"), RecordKey("action", .string, "the action"),
            RecordKey("service", .uuid, "the service"),
            RecordKey("characteristic", .uuid, "the characteristic that was written or read last"),
            RecordKey("written", .hex, orNull: true, "the octets that were written last; null if none were"),
            RecordKey("answer", .hex, orNull: true, "the octets that the device has answered; null for none"),
            RecordKey("text", .string, "what has happened, as it is printed"),
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
        "the link is up again, with all subscriptions; values that the device sent meanwhile are missing",
        keys: [
            device, RecordKey("gap_ms", .integer(unit: "ms"), "the duration of the gap"),
            RecordKey("attempts", .integer(unit: nil), "the number of attempts"),
            security(orNull: "the security of the new link; null if it was lost again"),
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

    /// The record of a failure.
    public static let error = RecordSchema(
        "error",
        by: CommandName.allCases,
        "a failure, of the command or of one of several targets",
        keys: [
            RecordKey("action", .string, orNull: true, "what failed"),
            RecordKey("reason", .string, "why"),
            RecordKey("message", .string, "both as one sentence, as it is printed on standard error"),
            RecordKey(
                "details",
                .array(of: .string),
                "what belongs to the reason, such as the faults of a device file"
            ),
            RecordKey("hint", .string, orNull: true, "what to do next"),
            RecordKey("status", .integer(unit: nil), "the exit status of that failure"),
            RecordKey("status_name", .string, "the name of that status, such as `timed-out`"),
            RecordKey("retryable", .boolean, "whether the same command may succeed a little later"),
            RecordKey("adapter", .string, orNull: true, "the adapter, if it failed because of one"),
            RecordKey("device", .object(deviceKeys), orNull: true, "the device, if it was found"),
            RecordKey("target", .string, orNull: true, "the target as it was given"),
            RecordKey("service", .uuid, orNull: true, "the service, if the target names one"),
            RecordKey("characteristic", .uuid, orNull: true, "the characteristic, if the target names one"),
            RecordKey("descriptor", .uuid, orNull: true, "the descriptor, if the target names one"),
            RecordKey("handle", .integer(unit: nil), orNull: true, "the handle, if the target is one"),
        ] + attErrorKeys
    )
}
