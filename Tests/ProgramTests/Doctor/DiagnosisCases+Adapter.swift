// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface

@testable import Commands

extension DiagnosisCases {
    /// The adapter, its controller, and the files that blectl keeps.
    static let adapterCases: [Case] = [
        Case(
            "no adapter",
            bare(.noAdapter),
            .adapter,
            .failure,
            "there is no Bluetooth adapter",
            .advice("plug one in, or use blectl --simulate"),
            status: .bluetoothUnavailable
        ),
        Case(
            "not that adapter",
            with {
                $0.wanted = "hci7"
                $0.adapter = nil
                $0.problem = error(.adapterNotFound("hci7"))
                $0.controller = .notAsked
                $0.scan = .notTried
            },
            .adapter,
            .failure,
            "there is no adapter hci7",
            .advice("blectl adapters"),
            status: .bluetoothUnavailable
        ),
        Case(
            "off",
            unusable(.down, .adapterDown),
            .power,
            .failure,
            "the adapter hci0 is down",
            .command("sudo blectl adapter power on"),
            status: .bluetoothUnavailable
        ),
        Case(
            "starting",
            unusable(.starting(isSetUp: true), .adapterStarting),
            .power,
            .failure,
            "the adapter hci0 is starting, and not powered yet",
            .command("sudo blectl adapter power on"),
            status: .bluetoothUnavailable
        ),
        Case(
            "in use",
            unusable(.inUse, .adapterBusy),
            .power,
            .failure,
            "another program uses the adapter exclusively",
            .advice("end that program, or choose another adapter: blectl adapters"),
            status: .bluetoothUnavailable
        ),
        Case(
            "silent",
            with {
                $0.controller = .failed(error(.controllerSilent))
                $0.scan = .notTried
            },
            .controller,
            .failure,
            "the controller does not answer",
            reset,
            status: .temporaryFailure
        ),
        Case(
            "a socket, which has no scan",
            with {
                $0.controller = .failed(error(.noController))
                $0.scan = .notTried
            },
            .controller,
            .failure,
            "a socket has no controller",
            .advice("read, write, notify, watch and inspect need none"),
            status: .bluetoothUnavailable
        ),
        Case(
            "a scan that is refused",
            with { $0.scan = .failed(error(.commandRejected(.hardwareFailure))) },
            .scan,
            .failure,
            "the controller refused: \(HCIStatus.hardwareFailure)",
            status: .temporaryFailure
        ),
        Case(
            "a scan of nobody",
            with { $0.scan = .started(.listeningAlong) },
            .scan,
            .warning,
            "another program scans, or one that has ended has left its scan running; blectl listens along, with its "
                + "parameters",
            reset
        ),
        Case(
            "a scan of the daemon",
            with {
                $0.scan = .started(.listeningAlong)
                $0.facts?.manager = .init(name: "bluetoothd", process: 7)
            },
            .scan,
            .warning,
            "another program scans, probably bluetoothd; blectl listens along, with its parameters",
            .advice("end its search: bluetoothctl scan off")
        ),
        Case(
            "a scan of a killed blectl",
            with {
                $0.scan = .started(.listeningAlong)
                $0.isScanOrphaned = true
            },
            .scan,
            .warning,
            "a blectl that was killed has left its scan running; the next scan ends it",
            .command("blectl scan --duration 1")
        ),
        Case(
            "Low Energy is off",
            with { $0.adapter?.isLowEnergyOn = false },
            .lowEnergy,
            .warning,
            "Low Energy is off on hci0; commands that connect switch it on",
            .command("sudo blectl adapter le on")
        ),
        Case(
            "Low Energy is off, and may not be switched on",
            with {
                $0.adapter?.isLowEnergyOn = false
                $0.facts?.rights?.hasNetAdmin = false
            },
            .lowEnergy,
            .failure,
            "Low Energy is off on hci0, and switching it on needs CAP_NET_ADMIN",
            .command("sudo blectl adapter le on"),
            status: .permissionDenied
        ),
        Case(
            "no Low Energy",
            with { $0.adapter?.lmpFeatures = 1 },
            .lowEnergy,
            .failure,
            "the controller of hci0 has no Low Energy",
            .advice("use another adapter: blectl adapters"),
            status: .bluetoothUnavailable
        ),
        Case(
            "legacy commands, without need",
            with { $0.scan = .started(.legacy) },
            .commands,
            .failure,
            "a program has used legacy commands, so that the controller refuses extended ones: extended advertisements "
                + "are not heard, and connections time out",
            reset,
            status: .timedOut
        ),
        Case(
            "legacy commands, because there are no others",
            with {
                $0.scan = .started(.legacy)
                $0.controller = .given(.init(version: version(), hasExtendedScan: false))
            },
            .commands,
            .ok,
            "legacy commands; the controller has no others"
        ),
        Case(
            "a cache of another user",
            with { $0.cache = .refused(root: "/home/ada/.cache/blectl", reason: "belongs to another user") },
            .cache,
            .warning,
            "nothing can be kept in /home/ada/.cache/blectl: belongs to another user",
            .command("mv /home/ada/.cache/blectl /home/ada/.cache/blectl.old")
        ),
        Case(
            "a cache whose path is no part of a command line",
            with { $0.cache = .refused(root: "/home/a b/blectl", reason: "a link") },
            .cache,
            .warning,
            "nothing can be kept in /home/a b/blectl: a link",
            .advice("move it away")
        ),
        Case(
            "bonds in a folder of another user",
            with { $0.bonds = .refused(root: "/home/ada/.state/blectl", reason: "belongs to another user") },
            .bonds,
            .warning,
            "nothing can be kept in /home/ada/.state/blectl: belongs to another user",
            .command("mv /home/ada/.state/blectl /home/ada/.state/blectl.old")
        ),
        Case(
            "bonds in a folder that may not be entered",
            with { $0.bonds = .refused(root: "/home/ada/.state/blectl", reason: "open .state: Permission denied") },
            .bonds,
            .warning,
            "nothing can be kept in /home/ada/.state/blectl: open .state: Permission denied",
            .advice("name a folder of this user with XDG_STATE_HOME and XDG_CACHE_HOME")
        ),
        Case(
            "bonds below a file",
            with { $0.bonds = .refused(root: "/dev/null/blectl", reason: "open null: Not a directory") },
            .bonds,
            .warning,
            "nothing can be kept in /dev/null/blectl: open null: Not a directory",
            .advice("name a folder of this user with XDG_STATE_HOME and XDG_CACHE_HOME")
        ),
        Case(
            "bonds of a user without a home",
            with { $0.bonds = .refused(root: "/nowhere/.local/state/blectl", reason: "there is no /nowhere") },
            .bonds,
            .warning,
            "nothing can be kept in /nowhere/.local/state/blectl: there is no /nowhere",
            .advice("name a folder of this user with XDG_STATE_HOME and XDG_CACHE_HOME")
        ),
        Case(
            "damaged bonds",
            with { $0.bonds = .damaged(.badData, reason: "the file is damaged", hint: "put a copy in its place") },
            .bonds,
            .failure,
            "the file is damaged",
            .advice("put a copy in its place"),
            status: .badData
        ),
        Case(
            "formats that nobody may look for",
            with { $0.formats = .refused(root: "/home/ada/f.json", reason: "Permission denied") },
            .formats,
            .warning,
            "no formats are read from /home/ada/f.json: Permission denied",
            .advice("name a folder of this user, if formats are wanted: XDG_CONFIG_HOME")
        ),
        Case(
            "damaged formats",
            with { $0.formats = .damaged(.configurationError, reason: "it has 1 fault", hint: "mend it") },
            .formats,
            .failure,
            "it has 1 fault",
            .advice("mend it"),
            status: .configurationError
        ),
    ]
}
