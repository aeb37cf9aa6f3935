// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Terminal
import Toolkit

extension ServeCommand {
    /// The built-in devices, for completion. A test compares the list with the simulated world, because this module
    /// must not import it.
    static let devices = [
        Choice(word: "pulse-strap", summary: "a heart rate strap"),
        Choice(word: "thermometer", summary: "a thermometer for bodies and rooms"),
        Choice(word: "uart-echo", summary: "a serial port that echoes"),
        Choice(word: "workbench", summary: "values of all kinds and lengths"),
        Choice(word: "ibeacon", summary: "a beacon"),
        Choice(word: "eddystone", summary: "a beacon with several frames"),
        Choice(word: "weather-mast", summary: "a beacon by extended advertising"),
        Choice(word: "shapeshifter", summary: "a device that changes its database on request"),
        Choice(word: "museum", summary: "every oddity of a database"),
        Choice(word: "sports-watch", summary: "twelve services"),
        Choice(word: "flaky-strap", summary: "a heart rate strap that loses its connection"),
        Choice(word: "sensor-tag", summary: "a TI SensorTag with motion, climate and keys"),
        Choice(word: "door-lock", summary: "a lock that asks for pairing"),
        Choice(word: "loose-contact", summary: "a light that drops every third connection"),
        Choice(word: "hostile", summary: "texts that attack the terminal"),
        Choice(word: "scale", summary: "a scale that looks into a body"),
        Choice(word: "pressure-cuff", summary: "a cuff that measures the blood pressure"),
        Choice(word: "glucose-meter", summary: "a glucose meter with stored records"),
        Choice(word: "glucose-sensor", summary: "a glucose sensor that is worn"),
        Choice(word: "oximeter", summary: "a pulse oximeter on a finger"),
        Choice(word: "gym-bike", summary: "a bicycle in a gym"),
        Choice(word: "foot-pod", summary: "a pod on the shoe of a runner"),
        Choice(word: "navigator", summary: "a receiver of satellites on a walk"),
        Choice(word: "desk-clock", summary: "a clock that is set, and rings"),
        Choice(word: "thingy", summary: "a Nordic Thingy:52 on a plate that turns"),
        Choice(word: "bench", summary: "values, a stream and channels to be measured"),
        Choice(word: "mcuboot-board", summary: "a board whose firmware is updated"),
    ]

    static var builtInDevices: [String] { devices.map(\.word) }

    static let device = Argument(
        required: .text("DEVICE", completion: .servedDevice),
        summary: "the device to serve: a file, or one that is simulated",
        details: """
            A device file, if it has a slash or ends with `.json`: the device with all that it says, advertising, values, \
            rules and timeline. Otherwise one of \(Prose.list(builtInDevices.map { "`\($0)`" }, "and")), or the name that one of them advertises, \
            such as 'Pulse HR'.
            """
    )

    static let count = Option(
        value: "count",
        short: "n",
        .integer("NUMBER", in: 1...Int.max),
        summary: "stop after this many connections have ended",
        details: """
            Fewer are status 1: see TIME AND COUNT LIMITS in `blectl(1)`. A connection that blectl closes because it ends \
            is printed and does not count.
            """
    )

    static let duration = Option(
        value: "duration",
        .duration,
        summary: "stop after this time",
        details: "Without it, the device is served until it is interrupted."
    )

    /// How many centrals may be connected if neither the user nor the device says it.
    static let usualCentrals = 8

    static let centrals = Option(
        value: "centrals",
        .integer("NUMBER", in: 1...64),
        summary: "how many centrals may be connected at once",
        details: """
            Without it, as many as the limits of the device file say, or \(usualCentrals). The device is not advertised while that \
            many are connected.
            """
    )

    static let noWait = Option(
        flag: "no-wait",
        summary: "fail at once if another blectl serves on the adapter",
        details: "The exit status is 75 then. Without it, blectl waits until the other one has ended."
    )

    static let exec = Option(
        repeated: "exec",
        .hook,
        summary: "have a program answer for a characteristic",
        details: """
            The characteristic is named as for `read`, and `read` or `write` before it limits the requests: see HOOKS. May \
            be given several times; the last one that fits counts.
            """
    )

    static let execTimeout = Option(
        value: "exec-timeout",
        .duration,
        default: "10",
        // The default is well below the 30 s of an ATT transaction: Core 5.4, Vol 3, Part F, 3.3.3.
        summary: "how long such a program may take",
        details: "It is killed then, and the central gets an error. Most centrals disconnect after 30 seconds."
    )

    static let execRaw = Option(
        flag: "exec-raw",
        summary: "take what the programs print as the bytes of the value",
        details: """
            Without it, it is a text: the value as it is typed for `write`, such as `87`, `high` or `0x57`. Blanks around \
            it do not count.
            """
    )

    static let bondable = Option(
        flag: "bondable",
        excludes: ["no-bondable"],
        summary: "keep the keys of centrals that pair",
        details: "The default with any option of pairing, unless `--no-bondable` is given."
    )

    static let noBondable = Option(
        flag: "no-bondable",
        summary: "pair without keeping keys",
        details: "A central that insists on keeping them is refused by the kernel."
    )

    static let securityRequest = Option(
        flag: "security-request",
        summary: "ask each central without a bond to pair",
        details: "Sends a Security Request when a central has connected. The result is reported like any pairing."
    )

    static let outOfBand = Option(
        repeated: "oob",
        .text("FILE", completion: .file),
        summary: "a central's data, by which it has to prove itself",
        details: """
            As the central's `blectl pair --oob-out FILE` has written it, with the address with which the central connects. \
            May be given several times, for several centrals.
            """
    )

    static let outOfBandOutput = Option(
        value: "oob-out",
        .text("FILE", completion: .file),
        summary: "write this machine's data for centrals, which pair with it",
        details: """
            Give the file to the central, another way than over the air, for its `blectl pair --oob FILE`. It is valid until \
            the adapter is switched off, or its data are written again.
            """
    )

    static let spec = CommandSpec(
        commandName,
        [.common, .radio, .oneAdapter, .showsAddress, .forItsOutput, .servesFaults],
        summary: "act as a device: advertise it and serve centrals",
        discussion: [
            """
            Acts as a device: advertises it on the adapter, and answers each central that connects, with the same code \
            that runs the simulated devices. It says when it is ready, and when a central connects and disconnects; \
            with `-v` every ATT packet is shown, and with `--json` there is a record for each request.
            """,
            """
            The start of the device, from which a timeline counts, is that of blectl. A device that goes out of range ends \
            its links and is not advertised until it is back; one that accepts no connections is advertised as such. An \
            adapter serves one device: several need an adapter each, and a blectl each.
            """,
            """
            With `--radio unix:PATH` it listens on a socket instead, where another blectl, an emulator or any host \
            stack may connect: ATT, one PDU a packet. With `--simulate` a simulated central connects from time to time.
            """,
            """
            Attributes that need an encrypted link are served as soon as the link is encrypted. The kernel does the \
            pairing. With `--io`, `--passkey`, `--confirm`, `--bondable`, `--no-bondable`, `--oob`, `--oob-out` or \
            `--security-request` it asks blectl, as for `blectl pair`: questions are answered at the terminal, or by the options in a script. There is \
            a record of type `pairing` for each step and one of type `paired` in the end; the device in them is the \
            central. That needs the capability `CAP_NET_ADMIN` and an adapter that no other program manages. Without \
            these options the kernel asks bluetoothd with an agent, or btmgmt, and a central is not answered if neither \
            runs. The keys are kept as `blectl pair` keeps them, and the kernel gets those of earlier runs. The \
            subscriptions of a bonded central are kept with its keys: they outlast its connections and the command, and \
            it is told of a database that has changed meanwhile.
            """,
            """
            OUT OF BAND. `--oob-out` writes the file that `blectl pair --oob` reads, for this user only, before the \
            device is advertised. A central that has it needs no digits, also with `--io none`, and the pairing is \
            authenticated. Linux has such data only of adapters with Secure Simple Pairing. `--oob` is the other \
            direction, which every adapter supports: the data of a central, which `blectl pair --oob-out` has written \
            there. That central has to prove itself by them: a pairing that does not is refused, and its keys are \
            dropped. Other centrals pair as the other options say.
            """,
            """
            Anybody can claim the address of a bonded central. So its keys are replaced only by a pairing in which digits \
            were entered or compared, and that is no less secure; a central that has lost its keys needs `blectl unpair` \
            first. The digits of `--passkey` are the same each time, and a stranger who pairs some twenty times can find \
            them: they are for tests. In a simulated world that several commands share, another one's `blectl pair` is a \
            central that pairs. The simulated central of a world of one command does not: there, and over a socket, these \
            options are refused with status 64.
            """,
            """
            Signed writes are checked with the keys of bonds. Each number of a signature counts once, also after a new \
            start: a repetition is refused, and reported.
            """,
            """
            HOOKS. With `--exec 'battery-level=cat level'` a program answers for a characteristic. For a read, its standard \
            output is the value as `write` takes it (`87`, `high`, `0x57`), or with `--exec-raw` its bytes; for a write, its standard input is, and status 0 accepts it. Another status is the ATT \
            error of that number; 1, and numbers that are none, stand for Unlikely Error. The command is split into words \
            at blanks, with quotation marks and backslashes as in a shell, and no shell runs it: `sh -c '...'` does. The \
            program finds `BLECTL_OPERATION` (`read` or `write`), `BLECTL_UUID`, `BLECTL_SERVICE`, `BLECTL_HANDLE`, \
            `BLECTL_VALUE` (the written octets in hex), `BLECTL_CENTRAL` and `BLECTL_CONNECTION` in its environment. Other \
            centrals do not wait for it. At most four programs run at once, those for one characteristic and one central \
            one after the other in the order of the requests; all are killed when blectl ends.
            """,
            """
            `workbench` has values of all kinds and lengths, and some that are refused or never answered. `museum` has \
            no function, but its database has everything that the specification allows and that clients stumble over, \
            up to a service at the last handle; it has no Database Hash. `shapeshifter` changes its database on \
            request: write to `b1ec0501-5ec7-4c3a-9d0e-51a1b1ec0001` one octet for the shape (00: the original, 01: \
            services moved, 02: moved to the last handles, 03: a service removed) and, optionally, one for the delay \
            in seconds. With 0x80 added to the shape it disconnects as well, as a device that restarts does. \
            `flaky-strap` falls silent after 20 seconds of each connection, and its services change places 12 seconds \
            after a central has subscribed.
            """,
            """
            Advertising sends commands to the controller, which needs CAP_NET_RAW. Only one program of a machine can \
            serve attributes to a central: if bluetoothd runs, it may answer the centrals instead. A second `blectl \
            serve` on an adapter waits until the first one has ended. Other programs that serve, such as bluetoothd in \
            some configurations, run for as long as the machine does: blectl does not wait for them, and ends with \
            status 69.
            """,
        ],
        arguments: [device.spec],
        options: [
            count.spec, duration.spec, centrals.spec, noWait.spec, exec.spec, execTimeout.spec, execRaw.spec,
            PairCommand.capability.spec, PairCommand.passkey.spec, PairCommand.confirm.spec, bondable.spec,
            noBondable.spec,
            securityRequest.spec, outOfBand.spec, outOfBandOutput.spec,
        ],
        groups: [.global],
        examples: [
            CommandExample("blectl serve pulse-strap", "act as a heart rate strap until interrupted"),
            CommandExample(
                "blectl --radio unix:/tmp/hr serve pulse-strap --count 1",
                "serve one connection on a socket"
            ),
            CommandExample("blectl --radio unix:/tmp/hr read battery-level", "read from the program at the socket"),
            CommandExample("blectl --simulate serve workbench --json", "the requests of a simulated central"),
        ],
        seeAlso: [.inspect, .notify, .adapters, .pair, .bonds]
    )
}
