// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension DiffCommand {
    private static let words = """
        A word is a device file if there is a file of that name, a device of blectl if it is the label of one such as \
        `pulse-strap`, and otherwise a live device by its address or its name. `-` is standard input, and `device:` before \
        a word makes it a live device in any case.
        """

    static let first = Argument(
        required: .text("A", completion: .file),
        summary: "the device that is compared with",
        details: words
    )

    static let second = Argument(
        required: .text("B", completion: .file),
        summary: "the device that is compared"
    )

    static let ignoreHandles = Option(
        flag: "ignore-handles",
        summary: "do not compare handles",
        details:
            "Otherwise those inside a service are compared by their distance from its own, so that a move is reported once."
    )

    static let ignoreValues = Option(
        flag: "ignore-values",
        summary: "do not compare values, what reading them needs, and when they are sent"
    )

    static let ignoreAdvertising = Option(
        flag: "ignore-advertising",
        summary: "do not compare advertising"
    )

    static let spec = CommandSpec(
        commandName,
        [
            .radio, .showsAddress, .pairsOnDemand, .timesRecords, .forItsOutput, .formats, .namesDevices,
            .comparesDevices,
        ],
        summary: "compare two devices",
        discussion: [
            """
            Compares two devices as their clients see them: services, included services, characteristics, their properties, \
            descriptors, handles, values, and advertising. Each line is a difference: `-` for what only A has, `+` for what \
            only B has, `~` for what both have in different forms, with its place. The exit status is 0 if there are no \
            differences, and 1 if there are.
            """,
            """
            A live device is cloned first, as by `blectl clone --values`. A value that one side generates and the other states, \
            and a value that one side does not state, as in a clone without `--values`, is not compared; a note tells how \
            many there are, and with `-v` which. Two generated values are the same if their generators are. Values that \
            need security are the same if a client without a key gets the same error.
            """,
            """
            Advertising is compared if both sides have any. Intervals that differ by less than 10 ms or a tenth are the \
            same, because a clone can only estimate them. Addresses, rules for writes, limits and faults are not compared.
            """,
        ],
        arguments: [first.spec, second.spec],
        options: [
            ignoreHandles.spec, ignoreValues.spec, ignoreAdvertising.spec, DeviceSpec.connectTimeout.spec,
            DeviceSpec.retries.spec, DeviceSpec.noWait.spec, DeviceSpec.noCache.spec, DeviceSpec.security.spec,
            DeviceSpec.minimumKeySize.spec, DeviceSpec.noPair.spec,
        ],
        groups: [.global],
        examples: [
            CommandExample("blectl clone C8:4B:1D:3A:90:5E --values -o strap.json", "keep what a device is"),
            CommandExample("blectl diff strap.json C8:4B:1D:3A:90:5E", "what has changed since then"),
            CommandExample("blectl diff strap.json 'Pulse HR' --ignore-values", "without the values"),
        ],
        seeAlso: [.clone, .inspect]
    )
}
