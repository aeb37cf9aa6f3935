// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
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

    /// The record that `doctor` prints for each check.
    public static let doctorCheck = RecordSchema(
        "doctor-check",
        by: [.doctor],
        "what a check has found",
        keys: [
            RecordKey("adapter", .string, orNull: true, "the adapter that it is about; null if it is the machine"),
            RecordKey("check", .string, "the check: `kernel`, `rfkill` and so on, always in the same order"),
            RecordKey(
                "state",
                .string,
                "`ok`; `failure`, which keeps a scan or a connection from working; `warning`, which does not; `unchecked`"
            ),
            RecordKey("text", .string, "what was found, and what it means"),
            RecordKey("hint", .string, orNull: true, "what mends it"),
            RecordKey("command", .string, orNull: true, "the hint, if it is a line to type as it stands"),
            RecordKey(
                "status",
                .integer(unit: nil),
                orNull: true,
                "the exit status of a command that fails because of it; null unless it is a failure"
            ),
        ]
    )

    /// The record that `doctor` prints after the checks.
    public static let doctorVerdict = RecordSchema(
        "doctor-verdict",
        by: [.doctor],
        "what follows from the checks",
        keys: [
            RecordKey("adapter", .string, orNull: true, "the adapter that was looked at; null if there is none"),
            RecordKey("scan", .boolean, "whether a scan would work"),
            RecordKey("connection", .boolean, "whether a connection would work"),
            RecordKey("warnings", .integer(unit: nil), "the number of warnings"),
            RecordKey("failures", .integer(unit: nil), "the number of failures"),
        ]
    )

    /// The record that `help` prints.
    public static let help = RecordSchema(
        "help",
        by: [.help],
        "the documentation of blectl or of one command",
        keys: [
            RecordKey("command", .string, orNull: true, "the command; null for blectl as a whole"),
            RecordKey("summary", .string, "its purpose"),
            RecordKey("usage", .string, "its command line"),
            RecordKey("commands", .array(of: .string), "the commands of blectl; none for a command"),
            RecordKey("options", .array(of: .object(optionKeys)), "the options that it accepts"),
            RecordKey("text", .string, "all that `blectl help` prints"),
        ]
    )

    private static let optionKeys = [
        RecordKey("name", .string, "the option with its dashes"),
        RecordKey("short", .string, orNull: true, "its short form"),
        RecordKey("value", .string, orNull: true, "the placeholder of its value; null if it takes none"),
        RecordKey("choices", .array(of: .string), "the words that its value can be; none if it can be anything else"),
        RecordKey("default", .string, orNull: true, "the value that is used if it is not given"),
        RecordKey("summary", .string, "its effect"),
    ]

    /// The record that `completion` prints.
    public static let completion = RecordSchema(
        "completion",
        by: [.completion],
        "the completion script of a shell",
        keys: [
            RecordKey("shell", .string, "the shell"),
            RecordKey("file", .string, "the name that the shell wants for its file"),
            RecordKey("script", .string, "the script"),
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
            RecordKey("record_schema", .string, "the identifier of the JSON Schema of all records, with its version"),
        ]
    )
}
