// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

// The options of `watch uart` and `watch keys`.
extension WatchCommand {
    static let rx = Option(
        value: "rx",
        .target,
        summary: "the characteristic of `uart` that is written to",
        details: """
            For an unknown serial port: see `uart` above. `--rx` or `--tx` alone is for both directions.
            """
    )

    static let tx = Option(
        value: "tx",
        .target,
        summary: "the characteristic of `uart` that sends"
    )

    static let newline = Option(
        value: "newline",
        .choice("NEWLINE", of: SerialOptions.Newline.self),
        summary: "what `uart` sends for the end of a line",
        details: "`lf`, the default, sends the input as it is."
    )

    static let hex = Option(
        flag: "hex",
        summary: "type and show the octets of `uart` in hex",
        details: """
            Each complete line of input is sent; each packet that arrives is a line. A line that is no hex is not \
            sent; unless it was typed, the status is then 65.
            """
    )

    static let noInput = Option(
        flag: "no-input",
        summary: "only receive with `uart`, until it is interrupted"
    )

    static let quietTime = Option(
        value: "quiet-time",
        .duration,
        default: "1",
        summary: "how long `uart` waits for the last answers",
        details:
            "After the input, counted from the last packet. With `--duration` the command goes on until then."
    )

    static let exec = Option(
        repeated: "exec",
        .keyHook,
        summary: "run a program at each press of a key",
        details: """
            A command alone is for all keys, `left=COMMAND` for one: see KEYS. Repeatable; the last \
            that fits counts.
            """
    )

    static let execTimeout = Option(
        value: "exec-timeout",
        .duration,
        default: "10",
        summary: "how long such a program may take",
        details: "It is killed then."
    )

    /// The options that only `uart` has.
    static let ofSerialPort = [rx.spec, tx.spec, newline.spec, hex.spec, noInput.spec, quietTime.spec]

    /// The options that only `keys` has.
    static let ofKeys = [exec.spec, execTimeout.spec]

    /// The part of the manual that both have in common.
    static let terminalDiscussion = [
        """
        `uart` is a terminal over a serial port: the Nordic UART Service, or one of HM-10 (0xFFE0), 0xFFF0 and 0x18F0, \
        whose characteristics are told apart by their properties, or one of `--rx` and `--tx`. What arrives is printed \
        at once: escaped on a terminal, unchanged into a file or pipe. Lines of standard input are sent, in pieces \
        that fit into a packet. Ctrl-D on a terminal ends the command; after other input it goes on until nothing has \
        arrived for `--quiet-time`, or for `--duration`: `echo AT | blectl watch uart`. With `--json` both directions \
        are records.
        """,
        """
        `keys` prints presses and releases of the keys of a SensorTag (and other devices with its service), of \
        Nordic's examples, a micro:bit or a Thingy:52.
        """,
        """
        KEYS. With `--exec`, a program runs at each press: `left`, `right` and `side` are keys of a SensorTag, `a` and \
        `b` of a micro:bit, `button` of the others. The command is split into words as by a shell, but no shell runs \
        it. It has the variables `BLECTL_KEY`, `BLECTL_ACTION` (`press`) and `BLECTL_DEVICE`; its output is a message \
        of blectl. Programs run one after the other; at most 64 presses wait.
        """,
    ]
}
