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
        Choice(word: "dfu-watch", summary: "a watch with Legacy DFU, whose firmware is updated"),
    ]

    static var builtInDevices: [String] { devices.map(\.word) }

    static let device = Argument(
        required: .text("DEVICE", completion: .servedDevice),
        summary: "the device to serve: a file, or one that is simulated",
        details: """
            A device file, if it has a slash or ends with `.json`. Otherwise one of \
            \(Prose.list(builtInDevices.map { "`\($0)`" }, "and")), or a name that they advertise, such as 'Pulse HR'.
            """
    )

    static let count = Option.count(
        "stop after this many connections have ended",
        details: """
            Fewer are status 1. Connections that blectl closes at its end \
            are printed, but do not count.
            """
    )

    static let duration = Option.duration(details: "Without it, until it is interrupted.")

    /// How many centrals may be connected if neither the user nor the device says it.
    static let usualCentrals = 8

    static let centrals = Option(
        value: "centrals",
        .integer("NUMBER", in: 1...64),
        summary: "how many centrals may be connected at once",
        details: """
            Without it, the limit of the device file, or \(usualCentrals). While that many are connected, the device \
            is not advertised.
            """
    )

    static let noWait = Option(
        flag: "no-wait",
        summary: "fail at once if another blectl serves on the adapter",
        details: "The status is then 75. Without it, blectl waits for the end of the other."
    )

    static let exec = Option(
        repeated: "exec",
        .hook,
        summary: "have a program answer for a characteristic",
        details: """
            The characteristic is named as for `read`; `read` or `write` before it limits the requests: see HOOKS. \
            Repeatable; the last that fits counts.
            """
    )

    static let execTimeout = Option(
        value: "exec-timeout",
        .duration,
        default: "10",
        // The default is well below the 30 s of an ATT transaction: Core 5.4, Vol 3, Part F, 3.3.3.
        summary: "how long such a program may take",
        details: "It is then killed, and the central gets an error. Most centrals disconnect after 30 seconds."
    )

    static let execRaw = Option(
        flag: "exec-raw",
        summary: "take what the programs print as the bytes of the value",
        details: """
            Without it, it is a value as typed for `write`, such as `87`, `high` or `0x57`; blanks around it do not \
            count.
            """
    )

    static let bondable = Option(
        flag: "bondable",
        excludes: ["no-bondable"],
        summary: "keep the keys of centrals that pair",
        details: "The default with any option of pairing."
    )

    static let noBondable = Option(
        flag: "no-bondable",
        summary: "pair without keeping keys",
        details: "The kernel refuses a central that insists on keeping them."
    )

    static let securityRequest = Option(
        flag: "security-request",
        summary: "ask each central without a bond to pair",
        details: "Sends a Security Request at the connection. The result is reported like any pairing."
    )

    static let outOfBand = Option(
        repeated: "oob",
        .text("FILE", completion: .file),
        summary: "a central's data, by which it has to prove itself",
        details: """
            With the address with which it connects: see OUT OF BAND. Repeatable, for several centrals.
            """
    )

    static let outOfBandOutput = Option(
        value: "oob-out",
        .captureFile,
        summary: "write this machine's data for centrals, which pair with it",
        details: """
            Give it to the central another way than over the air: see OUT OF BAND. Valid until the adapter is switched \
            off, or its data are written again.
            """
    )

    static let spec = CommandSpec(
        commandName,
        [.common, .radio, .oneAdapter, .showsAddress, .forItsOutput, .servesFaults],
        summary: "act as a device: advertise it and serve centrals",
        discussion: [
            """
            Advertises a device on the adapter, and answers each central that connects. It reports when it is ready, \
            and when centrals connect and disconnect; `-v` shows every ATT packet, and `--json` has a record for each \
            request.
            """,
            """
            A timeline counts from the start of blectl. A device out of range has no links and is not advertised; one \
            that accepts no connections is advertised as such. Each served device needs an adapter and a blectl of its \
            own. Values that come faster than a link takes them wait, up to 1024; further ones are dropped, and counted.
            """,
            """
            With `--radio unix:PATH` it listens on a socket, where another blectl, an emulator or any host stack may \
            connect: ATT, one PDU a packet. With `--simulate` a simulated central connects from time to time.
            """,
            """
            A device whose Server Supported Features have bit 0 takes enhanced bearers (EATT), up to five of a link, on a \
            controller that is not the kernel's. Elsewhere the bit is served as 0.
            """,
            """
            Attributes that need an encrypted link are served once it is encrypted. The kernel pairs. With an option \
            of pairing (`--io` and those after it) it asks blectl, as for `blectl pair`; records are `pairing` for \
            each step and `paired` at the end, with the central as device. This needs `CAP_NET_ADMIN` and an adapter \
            that no other program manages. Without these options the kernel asks bluetoothd with an agent, or btmgmt; \
            if neither runs, the central is not answered. Keys are kept as by `blectl pair`, and the kernel gets those \
            of earlier runs. Subscriptions of a bonded central are kept with its keys: they outlast connections and \
            the command, and the central is told of a database that has changed meanwhile.
            """,
            """
            OUT OF BAND. `--oob-out` writes the file that `blectl pair --oob` reads, for this user only, before the \
            device is advertised. A central that has it needs no digits, also with `--io none`, and the pairing is \
            authenticated. Linux has such data only of adapters with Secure Simple Pairing. `--oob`, for every \
            adapter, takes a central's data from its `blectl pair --oob-out`. If that central does not prove itself by \
            them, the pairing is refused, and its keys are dropped. Other centrals pair as the other options say.
            """,
            """
            Anybody can claim the address of a bonded central. Its keys are therefore replaced only by a pairing with \
            entered or compared digits that is no less secure; a central that has lost its keys needs `blectl unpair` \
            first. `--passkey` is for tests: its digits stay the same, and a stranger who pairs some twenty times can \
            find them. In a shared simulated world, another command's `blectl pair` is a central that pairs. In a \
            world of one command, and over a socket, these options are refused with status 64.
            """,
            """
            Signed writes are checked with the keys of bonds. A repeated number of a signature is refused and \
            reported, also after a new start.
            """,
            """
            HOOKS. With `--exec 'battery-level=cat level'` a program answers for a characteristic. For a read, its \
            standard output is the value, or with `--exec-raw` its bytes; for a write, the value is its standard \
            input, and status 0 accepts it. Another status is the ATT error of that number; 1, and numbers of no \
            error, mean Unlikely Error. The command is split into words at blanks, with quotation marks and \
            backslashes as in a shell, but no shell runs it: use `sh -c '...'`. Its environment has `BLECTL_OPERATION` \
            (`read` or `write`), `BLECTL_UUID`, `BLECTL_SERVICE`, `BLECTL_HANDLE`, `BLECTL_VALUE` (the written octets \
            in hex), `BLECTL_CENTRAL` and `BLECTL_CONNECTION`. Other centrals do not wait for it. At most four \
            programs run at once; those for one characteristic and one central run in the order of the requests; all \
            are killed when blectl ends.
            """,
            """
            `workbench` has values of all kinds and lengths, some refused or never answered. `museum` has every oddity \
            that the specification allows, up to a service at the last handle, and no Database Hash. `shapeshifter` \
            changes its database: write to `b1ec0501-5ec7-4c3a-9d0e-51a1b1ec0001` one octet for the shape (00: the \
            original, 01: services moved, 02: moved to the last handles, 03: a service removed) and, optionally, one \
            for the delay in seconds. 0x80 added to the shape also disconnects, like a restart. `flaky-strap` falls \
            silent 20 seconds into each connection, and its services change places 12 seconds after a subscription.
            """,
            """
            Advertising needs CAP_NET_RAW. Only one program of a machine can serve attributes to a central: if \
            bluetoothd runs, it may answer instead. A second `blectl serve` on an adapter waits for the first. Beside \
            other programs that serve, such as bluetoothd in some configurations, blectl ends with status 69.
            """,
        ],
        arguments: [device.spec],
        options: [
            count.spec, duration.spec, centrals.spec, noWait.spec, exec.spec, execTimeout.spec, execRaw.spec,
            PairCommand.capability.spec.brief, PairCommand.passkey.spec.brief, PairCommand.confirm.spec.brief,
            bondable.spec,
            noBondable.spec,
            securityRequest.spec, outOfBand.spec, outOfBandOutput.spec,
        ],
        groups: [.global],
        examples: [
            "blectl serve pulse-strap": "act as a heart rate strap until interrupted",
            "blectl --radio unix:/tmp/hr serve pulse-strap --count 1": "serve one connection on a socket",
            "blectl --radio unix:/tmp/hr read battery-level": "read from the program at the socket",
            "blectl --simulate serve workbench --json": "the requests of a simulated central",
        ],
        seeAlso: ["inspect", "notify", "adapters", "pair", "bonds"]
    )
}
