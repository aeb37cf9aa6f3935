// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension CloneCommand {
    static let values = Option(
        flag: "values",
        summary: "read every value that can be read",
        details: "Without it, only those of Generic Access and of descriptors are read."
    )

    static let record = Option(
        value: "record",
        .duration,
        summary: "record notifications and indications for this time",
        details: """
            Subscribes to all characteristics that notify or indicate, and keeps up to 20,000 values. The clone sends them \
            again with the same timing, and from the beginning after this time.
            """
    )

    static let listenTime = Option(
        value: "listen-time",
        .duration,
        default: "3",
        summary: "how long to listen to its advertisements",
        details: """
            The longer, the better the interval is known, and the more of data that change. A device that is not heard on LE 1M \
            is listened to on LE Coded.
            """
    )

    static let capture = Option(
        value: "from",
        .text("CAPTURE", completion: .file),
        excludes: ["values", "record", "listen-time"],
        summary: "clone a device from a capture of its traffic",
        details: """
            Such as the file of `--capture`, of `btmon -w` or of a phone. Without a device, it must have links to one only.
            """
    )

    static let hint = Option(
        value: "gatt",
        .text("FILE", completion: .file),
        summary: "what its handles are, if CAPTURE does not tell",
        details: "A device file, or another capture. It is for `--from`."
    )

    static let output = Option(
        value: "output",
        short: "o",
        .text("FILE", completion: .file),
        summary: "write the device file there, not to standard output"
    )

    static let spec = CommandSpec(
        commandName,
        [.deviceCommand],
        summary: "write a live device as a device file",
        discussion: [
            """
            Listens to the advertisements of a device, connects, discovers everything, and prints a device file. It has the \
            advertising sets with their data, scan responses and intervals, all services, included services, \
            characteristics and descriptors at their handles, and the largest MTU.
            """,
            """
            Values that need a pairing are noted with the security that the device seems to ask for: the error of a device \
            does not say whether it wants an encrypted or an authenticated link, and the weaker one is assumed. Values that \
            the device refuses or never answers are cloned as such. An interval is estimated from the times of the \
            advertisements. What writes do cannot be seen; in the clone they replace the value.
            """,
            """
            With `--from`, nothing is sent. The clone has what a capture tells: the attributes that were discovered, the values \
            that were read, what was sent and when, what was refused, and its advertising. A value that was sent after a write \
            to the same service is its answer in the clone, too.
            """,
            """
            A device that accepts no connections, such as a beacon, is cloned as far as it advertises; `--name` and \
            `--service` choose such a device only if no other one that fits is heard in the time of `--listen-time`. Standard \
            error has what could not be cloned exactly.
            """,
        ],
        arguments: [DeviceSpec.operand.spec],
        options: [values.spec, record.spec, listenTime.spec, capture.spec, hint.spec, output.spec],
        groups: [.device, .link, .global],
        examples: [
            CommandExample("blectl clone C8:4B:1D:3A:90:5E --values > strap.json", "a device with its values"),
            CommandExample(
                "blectl clone --name 'Pulse *' --record 30s --output strap.json",
                "with half a minute of what it sends"
            ),
            CommandExample(
                "blectl clone --from btsnoop_hci.log -d 'Pulse HR' > strap.json",
                "what a phone has seen of it"
            ),
        ],
        seeAlso: [.inspect, .diff, .serve, .trace]
    )
}
