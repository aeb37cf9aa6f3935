// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
package import Records
package import Toolkit

/// `blectl trace`: shows the packets of a capture.
package struct TraceCommand: Command {
    package static var commandName: CommandName { .trace }
    package static let recordSchemas: [RecordSchema] = [
        PacketResult.record.schema, CapturedOperationResult.record.schema, CaptureResult.record.schema,
        CapturedDeviceResult.record.schema, CapturedLinkResult.record.schema, CapturedAttributeResult.record.schema,
    ]

    /// The direction of a packet, as `--direction` names it.
    enum Direction: String, OptionChoice {
        case sent
        case received

        var summary: String {
            switch self {
            case .sent: "by the host that has captured"
            case .received: "by it"
            }
        }
    }

    static let files = Argument(
        oneOrMore: .text("CAPTURE", completion: .file),
        summary: "a file of packets, such as --capture writes it",
        details: "`-` is standard input. Packets of several are in the order of their times."
    )

    /// `--device`, as elsewhere, because it may stand before the command.
    static let device = Option(
        repeated: "device",
        short: "d",
        .device("ADDRESS|NAME"),
        summary: "only this device",
        details: """
            By its address, or its name in the capture, from advertisements or a read Device Name. May be given \
            several times.
            """
    )

    static let values = Option(
        flag: "values",
        excludes: ["summary", "script", "att", "hci"],
        summary: "the operations of GATT instead of the packets",
        details: """
            A line for each value that was read, written, notified or indicated, in however many packets, and for each \
            refusal.
            """
    )

    static let summary = Option(
        flag: "summary",
        excludes: ["script", "att", "hci"],
        summary: "what happened: devices, links, and how often each attribute was used"
    )

    static let script = Option(
        flag: "script",
        excludes: ["json", "att", "hci"],
        summary: "what the client did, as a script for `run`",
        details: """
            Each operation is a step, with the answer as its expectation. `blectl clone --from CAPTURE` makes the \
            device to run it on.
            """
    )

    static let hint = Option(
        value: "gatt",
        .text("FILE", completion: .file),
        summary: "what the handles of the device are, if the capture does not tell",
        details: """
            A device file, such as of `clone` or `clone --from`, for the devices of `--device`; or another capture, \
            for its devices.
            """
    )

    static let att = Option(
        flag: "att",
        summary: "only ATT packets"
    )

    static let hci = Option(
        flag: "hci",
        summary: "only HCI commands and events"
    )

    static let handles = Option(
        repeated: "handle",
        .attributeHandle,
        summary: "only ATT packets about the attribute with this handle",
        details: "And the answers to them. Repeatable."
    )

    static let attributes = Option(
        repeated: "attribute",
        .target,
        summary: "only this characteristic or descriptor",
        details: "See TARGETS in `blectl(1)`. Repeatable."
    )

    static let direction = Option(
        value: "direction",
        .choice("DIRECTION", of: Direction.self),
        summary: "only what the host has sent, or received",
        details: "With `--values`, what the host has begun, or the device."
    )

    static let begin = Option(
        value: "since",
        .duration,
        summary: "only from this time on, since the first packet"
    )

    static let end = Option(
        value: "until",
        .duration,
        summary: "only until this time, since the first packet"
    )

    package static let spec = CommandSpec(
        commandName,
        [.forItsOutput, .formats, .drawsPackets],
        summary: "print the packets of a capture, or what they mean",
        discussion: [
            """
            Prints each packet of a capture on a line, decoded as by `-v`: time of day, seconds since the first \
            packet, direction, and content. Captures come from `--capture`, `btmon -w`, Wireshark, or a phone: the bug \
            report of Android as it is, or `bluetoothd-hci-latest.pklg` of an iPhone. `blectl help captures` lists the \
            formats.
            """,
            """
            Fragments of a frame are joined, packets of a connection have the address of its device, and answers the \
            time that they took. JSON records also have the number of the answered packet, and the private address of \
            the device on a connection, if the capture has both addresses.
            """,
            """
            Where the capture has the discovery of a device, ATT packets name the characteristic or descriptor, and \
            values are decoded as by `read`. This knowledge outlasts links, until the device announces a change or has \
            another Database Hash. A message at the end names the handles that stayed unknown.
            """,
            """
            A file that is damaged or ends inside a packet is printed up to there; the place is reported, and the \
            status is 65.
            """,
        ],
        arguments: [files.spec],
        options: [
            values.spec, summary.spec, script.spec, device.spec, attributes.spec, handles.spec, direction.spec,
            begin.spec,
            end.spec, att.spec, hci.spec, hint.spec,
        ],
        groups: [.global],
        examples: [
            "blectl trace run.btsnoop --summary": "what happened, on one screen",
            "blectl trace bugreport.zip": "the Bluetooth logs in a bug report of Android",
            "blectl trace btsnoop_hci.log -d F0:F1:F2:F3:F4:F5 --values": "what an app said to a device",
            "blectl trace btsnoop_hci.log.last btsnoop_hci.log": "both logs of a phone",
            "blectl trace run.btsnoop --handle 0x0012 --json": "an attribute, for a program",
            "blectl trace run.btsnoop --script > replay.blectl": "the same again, as a script",
        ],
        seeAlso: ["decode", "clone", "run"]
    )

    let options: TraceOptions

    package init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try TraceOptions(arguments)
    }

    package func action(on found: String?) -> String {
        "read \(options.files.count == 1 ? "the capture" : "the captures") \(options.files.map { DeviceFiles.name(of: $0) }.joined(separator: ", "))"
    }

    package static let stepRefusal: String? = forCommandLine

    package static func takesOperand(likeWorld word: String) -> Bool { true }

    package func run(in context: CommandContext) async throws {
        try await TraceRun(options: options, context: context).run()
    }
}

extension CommandName {
    package static var trace: CommandName { CommandName("trace", TraceCommand.self) }
}
