// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

extension ScanCommand {
    static let duration = Option.duration(
        details: """
            Without it, until it is interrupted. See TIME AND COUNT LIMITS in `blectl(1)`.
            """
    )

    static let count = Option.count(
        "stop after this many devices",
        details: """
            With `--json`, `--format` or `--duplicates`, and without `--summary`, shown reports count. Fewer are \
            status 1.
            """
    )

    static let name = Option(
        repeated: "name",
        .text("GLOB"),
        summary: "only devices with this name",
        details: "A pattern: see CHOOSING A DEVICE in `blectl(1)`."
    )

    static let service = Option(
        repeated: "service",
        .text("UUID|NAME", completion: .serviceName),
        summary: "only devices that advertise this service"
    )

    static let device = Option(
        repeated: "device",
        short: "d",
        .device("ADDRESS|NAME"),
        summary: "only the device with this address or name"
    )

    /// `--address`, an older name of `--device`.
    static let address = Option(
        repeated: "address",
        .device("ADDRESS"),
        isHidden: true,
        summary: "only the device with this address"
    )

    static let manufacturer = Option(
        repeated: "manufacturer",
        .text("ID|NAME"),
        summary: "only devices with data of this company",
        details: "An identifier such as `0x004C`, or a part of the name."
    )

    static let rssi = Option(
        value: "rssi",
        // The range of an RSSI: Core 5.4, Vol 4, Part E, 7.7.65.2.
        .integer("DBM", in: -127...20),
        summary: "only signals at least this strong, in dBm",
        details: "Such as `--rssi -70`."
    )

    static let connectable = Option(
        flag: "connectable",
        summary: "only devices that accept a connection"
    )

    static let active = Option(
        flag: "active",
        excludes: ["passive"],
        summary: "ask devices for their scan responses (the default)"
    )

    static let passive = Option(
        flag: "passive",
        summary: "send nothing, only listen",
        details: "Names in scan responses are then missing."
    )

    static let duplicates = Option(
        flag: "duplicates",
        summary: "show every report, not every device once",
        details: "With `--json`, also those without new data."
    )

    static let summary = Option(
        flag: "summary",
        excludes: ["duplicates"],
        summary: "show each device once, when the scan has ended",
        details: """
            With its reports, signal strengths, estimated advertising interval, and all that it has sent.
            """
    )

    static let phy = Option(
        value: "phy",
        .choice("PHY", of: ScanPHY.self),
        default: "all",
        summary: "which radio modes to listen on"
    )

    static let scanInterval = Option(
        value: "scan-interval",
        .scanTime,
        summary: "the time between two windows of listening",
        details: "2.5ms to 10.24s, a multiple of 0.625 ms; without it, 60 ms. Each window is on the next channel."
    )

    static let scanWindow = Option(
        value: "scan-window",
        .scanTime,
        summary: "how long the radio listens in each of them",
        details: """
            Without it, all the time. Less leaves time for links, and for Wi-Fi on the same chip: `--scan-interval \
            300ms --scan-window 30ms` listens a tenth of the time.
            """
    )

    static let sort = Option(
        value: "sort",
        .choice("ORDER", of: ScanOrder.self),
        default: "seen",
        summary: "the order of the table or of the summary",
        details: "Elsewhere lines come as devices are found."
    )

    static let chart = Option(
        value: "chart",
        .chartFile,
        summary: "draw the signals over time to this file, as SVG",
        details:
            "With a line for each of the devices heard most often. Written at the end, also after Ctrl-C."
    )

    static let keys = Option(
        value: "keys",
        .text("FILE", completion: .file),
        summary: "a file with the keys of devices that encrypt what they send",
        details: """
            See ENCRYPTED ADVERTISEMENTS; without it, FILES in `blectl(1)`. `-` is standard input.
            """
    )

    static let spec = CommandSpec(
        commandName,
        [.common, .radio, .showsAddress, .timesRecords, .forItsOutput, .formats, .stream],
        summary: "list the devices that advertise",
        discussion: [
            """
            Shows the senders of advertisements: name, address, signal strength, services, manufacturer, beacons; on a \
            terminal as a live table, elsewhere as a line for each device when first heard, and for each further \
            beacon. `--json` writes a record, with raw bytes, and `--format` a line, for each report whose data or \
            kind is new from its sender; `--duplicates` one for every report, `--summary` one for each device at the \
            end.
            """,
            """
            Decodes the beacons \(BeaconKeys.beacons), the sensors \(BeaconKeys.sensors), the trackers \
            \(BeaconKeys.trackers), and the messages of \(BeaconKeys.messages), with Find My, as far as they are not \
            encrypted. A device may send several, side by side or in turn (`beacon` and `beacons` in JSON); the last \
            content of each is kept, of at most 8 for a device. In JSON, `kind` is \(BeaconKeys.kinds).
            """,
            """
            ENCRYPTED ADVERTISEMENTS. With the keys of devices, blectl decrypts BTHome, MiBeacon from version 4, \
            Victron (Instant Readout), and Encrypted Advertising Data. The file of `--keys` is JSON, `{"schema": \
            "blectl-keys/1", "devices": [{"address": "A4:C1:38:8D:18:B2", "key": "231d..."}]}`, with an object for \
            each device: its `address`, and in hex digits its `key` of 16 octets (the bind key of BTHome and MiBeacon, \
            the encryption key of Victron), or for Encrypted Advertising Data the `session_key` of 16 and the `iv` of \
            8 octets, as in its Encrypted Data Key Material. A device with changing addresses has to be bonded, and is \
            given by its identity address. A faulty file is status 65 if `--keys` names it, otherwise 78. A file that \
            other users can read is noted.
            """,
            """
            Content without a key, or whose key does not fit, is shown as such. Decrypted data, such as a name, count \
            for filters. A counter below an earlier one is reported, and the content shown: the device has begun anew, \
            or somebody repeats an old packet. In JSON, `decryption` is `no-key`, `wrong-key` or `decrypted`, and \
            `counter_went_back` tells of the counter. No output contains a key; packets in `trace`, captures and `-vv` \
            are as sent.
            """,
            """
            Keys of the table: `q` ends the scan, `s` sorts by another column, `/` shows only what contains the typed \
            text, space holds the table still, arrows select a device, Enter shows all that is known of it, `?` lists \
            the keys. Signal strengths are smoothed. At the end the whole table is printed.
            """,
            """
            A device has to match one value of each kind of filter. Its name is the last that it sent, in an \
            advertisement or scan response.
            """,
            """
            At the end, standard error has the numbers of reports and dropped ones. If nothing was shown, it says that \
            no device passes the filters, or, after 5 seconds or more, that nothing was heard. A scan that ends by \
            `--duration` is status 0 even if it heard nothing, unless `--count` is given.
            """,
        ],
        options: [
            duration.spec, count.spec, device.spec, name.spec, service.spec, address.spec, manufacturer.spec, rssi.spec,
            connectable.spec, active.spec, passive.spec, duplicates.spec, summary.spec, phy.spec, scanInterval.spec,
            scanWindow.spec, sort.spec, chart.spec, keys.spec,
        ],
        groups: [.global],
        examples: [
            "blectl scan --duration 10": "what is heard in ten seconds",
            "blectl scan --service heart-rate --count 1": "wait for the first heart rate sensor",
            "blectl scan --rssi -60 --connectable": "connectable devices nearby",
            "blectl scan --json --manufacturer 0x004C": "raw and decoded reports of one company",
            "blectl scan --duration 30 --summary --json": "frequency and strength of each device",
            "blectl scan --duration 3 --summary --sort rssi": "the nearest devices first",
            "blectl scan --keys keys.json": "decrypt what devices encrypt",
            "blectl scan --duration 10 --privacy": "without showing the adapter's address",
            "blectl scan --format '{address}\\t{rssi}\\t{name|-}'": "a line for a script",
        ],
        seeAlso: ["inspect", "adapters"]
    )
}

package enum ScanPHY: String, OptionChoice {
    case all
    case oneM = "1m"
    case coded

    package var summary: String {
        switch self {
        case .all: "every one that the adapter supports"
        case .oneM: "LE 1M, which all devices use"
        case .coded: "LE Coded, the long range"
        }
    }
}
