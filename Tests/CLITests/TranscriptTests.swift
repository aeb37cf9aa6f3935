// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

/// A golden file: a command as a person at a shell sees it, in text and in JSON.
struct Transcript: Sendable, CustomTestStringConvertible {
    let name: String
    let commands: [TypedCommand]

    init(_ name: String, _ commands: [TypedCommand]) {
        self.name = name
        self.commands = commands
    }

    var testDescription: String { name }

    static let all = [
        Transcript("adapters", [TypedCommand("adapters"), TypedCommand("adapters --json")]),
        Transcript(
            "doctor",
            [
                TypedCommand("doctor"),
                TypedCommand("doctor --json"),
                TypedCommand("doctor --simulate-adapter off"),
                TypedCommand("doctor --simulate-adapter blocked"),
                TypedCommand("doctor --simulate-adapter le-off --simulate-adapter unauthorized"),
                TypedCommand("doctor --simulate-adapter gone"),
                TypedCommand("doctor --simulate-adapter no-driver"),
                TypedCommand("doctor --simulate-adapter suspended"),
                TypedCommand("doctor --simulate-adapter managed --simulate-adapter leftover-scan"),
                TypedCommand("doctor --simulate-adapter no-firmware --simulate-adapter legacy-commands --color always"),
                TypedCommand("doctor --simulate-adapter in-use --json"),
            ]
        ),
        Transcript(
            "scan",
            [
                TypedCommand("scan --duration 5"),
                TypedCommand("scan --duration 1 --json"),
                TypedCommand("scan --count 3"),
                TypedCommand("scan --count 3 --json"),
                TypedCommand("scan --duration 1 --duplicates --name 'Pulse*'"),
                TypedCommand("scan --duration 2 --name 'pulse*' --name '*bench'"),
                TypedCommand("scan --duration 2 --service heart-rate --service 0x1809"),
                TypedCommand("scan --duration 2 -d E2:0D:77:41:C3:19 -d 'thermo 1'"),
                TypedCommand("scan --duration 2 --manufacturer apple"),
                TypedCommand("scan --duration 2 --manufacturer 0x004C"),
                TypedCommand("scan --duration 2 --rssi -60"),
                TypedCommand("scan --duration 2 --connectable --sort rssi"),
                TypedCommand("scan --duration 2 --passive --sort name"),
                TypedCommand("scan --duration 2 --phy coded"),
                TypedCommand("scan --duration 2 --name nobody"),
                TypedCommand("scan --count 1 --quiet"),
                TypedCommand("scan --count 1 --color always"),
                TypedCommand("scan --duration 2 --service nonsense"),
                TypedCommand("scan --duration 2 -d E2:0D:77:41:C3"),
                TypedCommand("scan --duration 2 --manufacturer nonsense"),
            ]
        ),
        Transcript(
            "several-adapters",
            [
                TypedCommand("adapters --simulate-adapter second"),
                TypedCommand("scan -i all --simulate-adapter second --count 5"),
                TypedCommand("scan -i hci0,hci1 --simulate-adapter second --count 2 --json"),
                TypedCommand(
                    "scan -i all --simulate-adapter second --simulate-adapter returning --summary --duration 3"
                ),
                TypedCommand("read battery-level -i all --simulate-adapter second -v"),
                TypedCommand("read battery-level -i all --simulate-adapter second --json"),
                TypedCommand("doctor -i hci0,hci1 --simulate-adapter second"),
                TypedCommand("scan -i hci0,hci7 --count 1"),
                TypedCommand("scan -i hci7,hci8"),
                TypedCommand("scan -i hci0,hci0"),
                TypedCommand("serve pulse-strap -i all"),
                TypedCommand("l2cap listen --psm 0x85 -i all --simulate-adapter second"),
            ]
        ),
        Transcript(
            "inspect",
            [
                TypedCommand("inspect 'Thermo 1'"),
                TypedCommand("inspect -d Workbench --values"),
                TypedCommand("inspect --service heart-rate --values --json"),
                TypedCommand("inspect -d Workbench --json"),
                TypedCommand("inspect -d 'Pulse HR' --color always"),
                TypedCommand("inspect -d Nobody --timeout 1"),
                TypedCommand("inspect -d thermo --timeout 1"),
                TypedCommand("inspect -d 'Weather Mast North' --timeout 1"),
                TypedCommand("inspect"),
            ]
        ),
        Transcript(
            "link",
            [
                TypedCommand("link -d 'Pulse HR'"),
                TypedCommand("link -d 'Pulse HR' --json"),
                TypedCommand(
                    "link 'Pulse HR' --link-phy 2m --link-interval 15ms..30ms --link-latency 2 --data-length 100"
                ),
                TypedCommand("link 'Pulse HR' --link-phy 2m --json"),
                TypedCommand("link Museum --data-length 100"),
                TypedCommand("link Museum --link-phy 2m --json"),
                TypedCommand("link -d 'Pulse HR' --signal -n 3"),
                TypedCommand("link -d 'Pulse HR' --signal -n 2 --json"),
                TypedCommand("link -d 'Pulse HR' --link-interval 11ms"),
                TypedCommand("link -d 'Pulse HR' --link-interval 2s --supervision-timeout 1s"),
                TypedCommand("link -d 'Pulse HR' --signal --duration 3 -n 9"),
                TypedCommand("link -d 'Pulse HR' --count 9"),
                TypedCommand("read battery-level --link-interval 15ms -v"),
                TypedCommand("link"),
            ]
        ),
        Transcript(
            "read",
            [
                TypedCommand("read battery-level"),
                TypedCommand("read battery-level --json"),
                TypedCommand("read battery-level", environment: ["BLECTL_DEVICE": "Thermo 1"]),
                TypedCommand("read battery-level --name 'Thermo*'", environment: ["BLECTL_DEVICE": "Pulse HR"]),
                TypedCommand("read heart-rate/body-sensor-location model-number-string --name 'Pulse*'"),
                TypedCommand("read handle:0x0003 0x2A00 -d Workbench"),
                TypedCommand("read \(Workbench.twin) -d Workbench"),
                TypedCommand("read \(Workbench.twin)/0x2901 -d Workbench"),
                TypedCommand("read \(Workbench.voltage)/characteristic-presentation-format -d Workbench --json"),
                TypedCommand("read \(Workbench.long) -d Workbench"),
                TypedCommand("read \(Workbench.fixed) -d Workbench --as u16be"),
                TypedCommand("read \(Workbench.variable) -d Workbench --as utf8"),
                TypedCommand("read \(Workbench.fixed) -d Workbench --as u24"),
                TypedCommand("read battery-level temperature 0xFFF1 model-number-string -d 'Pulse HR'"),
                TypedCommand("read battery-level temperature 0xFFF1 model-number-string -d 'Pulse HR' --json"),
                TypedCommand("read \(Workbench.authenticated) \(Workbench.variable) -d Workbench --json"),
                TypedCommand("read \(Workbench.applicationError) \(Workbench.writeOnly) -d Workbench"),
                TypedCommand("read \(Workbench.silent) \(Workbench.variable) -d Workbench --json"),
                TypedCommand("read \(Workbench.variable)/0x2904 -d Workbench"),
                TypedCommand("read health-thermometer/temperature-type -d 'Pulse HR'"),
                TypedCommand("read handle:0xFFFF -d Workbench"),
                TypedCommand("read device-name"),
                TypedCommand("read device-name --service heart-rate"),
                TypedCommand("read device-name -d \(World.absent)"),
                TypedCommand("read device-name -d \(World.absent) --address-type random"),
                TypedCommand("read device-name -d \(World.iBeacon)"),
                TypedCommand("read device-name -d \(World.strap) --adapter hci7"),
                TypedCommand("read heart-rate"),
                TypedCommand("read nonsense battery-level"),
                TypedCommand("read handle:0"),
            ]
        ),
        Transcript(
            "write",
            [
                TypedCommand("write \(Workbench.variable) 0x0102 -d Workbench"),
                TypedCommand("write \(Workbench.variable) 0x0102 -d Workbench --json"),
                TypedCommand("write \(Workbench.variable) text:hello -d Workbench --verify --json"),
                TypedCommand("write \(Workbench.commandOnly) 0x01 -d Workbench --no-response --json"),
                TypedCommand("write \(Workbench.labelled)/0x2901 'text:new label' -d Workbench --verify --json"),
                TypedCommand("write heart-rate-control-point u8:1"),
                TypedCommand("write client-supported-features 0xff -d Workbench --verify --json"),
                TypedCommand("write \(Workbench.long) 0x01 -d Workbench --no-response"),
                TypedCommand("write \(Workbench.commandOnly) 0x01 -d Workbench"),
                TypedCommand("write \(Workbench.fixed) 0x01 -d Workbench"),
                TypedCommand("write \(Workbench.authenticated) 0x01 -d Workbench"),
                TypedCommand("write \(Workbench.silent) 0x01 -d Workbench --timeout 3"),
                TypedCommand("write battery-level 0x01 -d Workbench"),
                TypedCommand("write battery-level 0x01 --service battery"),
                TypedCommand("write device-name 0x01 --name '*'"),
                TypedCommand("write device-name 0x01"),
                TypedCommand("write \(Workbench.variable) u8:300 -d Workbench"),
                TypedCommand("write \(Workbench.variable) xyz -d Workbench"),
                TypedCommand("write \(Workbench.variable) @/nowhere -d Workbench"),
            ]
        ),
        Transcript(
            "notify",
            [
                TypedCommand("notify heart-rate-measurement --count 3"),
                TypedCommand("notify heart-rate-measurement --count 2 --json"),
                TypedCommand("notify temperature-measurement --count 2 --json"),
                TypedCommand("notify heart-rate-measurement battery-level --duration 4"),
                TypedCommand("notify \(Workbench.ticker) -d Workbench --count 2 --as u32"),
                TypedCommand("notify service-changed -d Workbench --duration 2"),
                TypedCommand("notify \(Workbench.fixed) -d Workbench"),
                TypedCommand("notify battery-level heart-rate-control-point --name 'Pulse*' --duration 2"),
                TypedCommand("notify battery-level/0x2902"),
            ]
        ),
        Transcript(
            "watch",
            [
                TypedCommand("watch heart-rate --count 12"),
                TypedCommand("watch heart-rate --count 2 --json"),
                TypedCommand("watch heart-rate --duration 3"),
                TypedCommand("watch battery --count 2"),
                TypedCommand("watch battery --count 1 --json -d 'Thermo 1'"),
                TypedCommand("watch heart-rate -d Workbench"),
                TypedCommand("watch heart-rate --deadline 2"),
                TypedCommand("watch nonsense"),
            ]
        ),
        Transcript(
            "reconnect",
            [
                TypedCommand("notify heart-rate-measurement -d 'Flaky HR'"),
                TypedCommand("notify heart-rate-measurement -d 'Flaky HR' --reconnect --duration 27"),
                TypedCommand("notify heart-rate-measurement -d 'Flaky HR' --reconnect --count 20 --json"),
                TypedCommand(
                    "notify heart-rate-measurement -d 'Flaky HR' --reconnect --duration 27 --connect-timeout 1"
                ),
                TypedCommand("notify body-sensor-location -d 'Flaky HR' --reconnect"),
                TypedCommand("watch heart-rate -d 'Flaky HR' --reconnect --duration 26"),
                TypedCommand("watch battery -d 'Flaky HR' --reconnect --duration 26"),
                TypedCommand("watch heart-rate -d 'Flaky HR' --reconnect --deadline 22"),
            ]
        ),
        Transcript(
            "program",
            [
                TypedCommand(""),
                TypedCommand("-h"),
                TypedCommand("--version"),
                TypedCommand("version"),
                TypedCommand("version --json"),
                TypedCommand("scna"),
                TypedCommand("scan --durtion 5"),
                TypedCommand("version -h"),
                TypedCommand("completion csh"),
            ]
        ),
        Transcript(
            "trace",
            [
                TypedCommand("read battery-level -d \(World.strap) --address-type random -v"),
                TypedCommand("write \(Workbench.variable) 0x0102 -d Workbench --verify -v"),
                TypedCommand("notify battery-level temperature-measurement -d 'Thermo 1' --count 1 -v"),
                TypedCommand("scan --count 1 -vv"),
            ]
        ),
        scriptFailures,
    ]
}

@Suite("Output for a person", .startsPrograms())
struct TranscriptTests {
    @Test(arguments: Transcript.all)
    func `output, messages and status equal the golden transcripts`(_ transcript: Transcript) async throws {
        var texts: [String] = []
        for command in transcript.commands { texts.append(try await command.transcript()) }
        try Golden.expect(texts.joined(separator: "\n\n") + "\n", equals: "\(transcript.name).txt")
    }
}
