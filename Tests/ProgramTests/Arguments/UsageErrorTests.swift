// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Terminal
@testable import Toolkit

@Suite("Usage errors")
struct UsageErrorTests {
    struct ErrorCase: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let message: String
        let hint: String

        /// - Parameter line: The arguments, with spaces between them.
        init(_ line: String, _ message: String, hint: String) {
            self.init(line.split(separator: " ").map(String.init), message, hint: hint)
        }

        init(_ arguments: [String], _ message: String, hint: String) {
            self.arguments = arguments
            self.message = message
            self.hint = hint
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    /// The profiles in the words of an error.
    private static let profiles = Prose.list(Profile.all.map(\.name))

    static let scan = "see 'blectl scan --help'"
    static let read = "see 'blectl read --help'"
    static let general = "see 'blectl --help'"
    static let held =
        "every command connects, and disconnects when it ends; 'blectl shell' and 'blectl session start' hold the link"

    static let commands = [
        ErrorCase("--json", "missing COMMAND", hint: general),
        ErrorCase("scna", "unknown command 'scna'; did you mean 'scan'?", hint: general),
        ErrorCase("insp", "unknown command 'insp'; did you mean 'inspect'?", hint: general),
        ErrorCase("frobnicate", "unknown command 'frobnicate'", hint: general),
        ErrorCase("Scan", "unknown command 'Scan'; did you mean 'scan'?", hint: general),
        ErrorCase("frobnicate --help", "unknown command 'frobnicate'", hint: general),
        ErrorCase(
            "help scn",
            "invalid value 'scn' for TOPIC: expected a command, or a topic: device, adapters, controllers, targets, values, time, security, "
                + "faults, captures, json, formats, rig, environment, files, status, device-options, link-options or options; "
                + "did you mean 'scan'?",
            hint: "see 'blectl help --help'"
        ),
        ErrorCase([""], "unknown command ''", hint: general),
        ErrorCase("--simulate tag.json scan", "unknown command 'tag.json'", hint: world),
        ErrorCase("--simulate /tmp/world scan", "unknown command '/tmp/world'", hint: world),
        ErrorCase("--simulate security pair X", "unknown command 'security'", hint: world),
        ErrorCase("scan --simulate tag.json", "unexpected argument for 'scan': 'tag.json'", hint: world),
        ErrorCase(
            "read battery-level --simulate tag.json",
            "unexpected argument for 'read': 'tag.json'",
            hint: world
        ),
        ErrorCase(
            "notify battery-level --simulate security -n 1",
            "unexpected argument for 'notify': 'security'",
            hint: world
        ),
        ErrorCase(
            "write battery-level 01 --simulate ./tag.json",
            "unexpected argument for 'write': './tag.json'",
            hint: world
        ),
        ErrorCase("pair --simulate tag.json", "unexpected argument for 'pair': 'tag.json'", hint: world),
        ErrorCase("inspect --simulate /tmp/world", "unexpected argument for 'inspect': '/tmp/world'", hint: world),
        ErrorCase("bench read --simulate bench", "unexpected argument for 'bench': 'bench'", hint: world),
        ErrorCase("run rig.blectl --simulate tag.json", "unexpected argument for 'run': 'tag.json'", hint: world),
        ErrorCase("tag.json scan --simulate", "unknown command 'tag.json'", hint: general),
        ErrorCase("--simulate scna", "unknown command 'scna'; did you mean 'scan'?", hint: general),
    ]

    static let onlyThat = "only devices with that name: --name here"
    static let world = "a world is part of the word of its option: --simulate=WORLD"

    static let options = [
        ErrorCase("scan --durtion 5", "unknown option '--durtion' for 'scan'; did you mean '--duration'?", hint: scan),
        ErrorCase(
            "scan -i hci0,hci0",
            "invalid value 'hci0,hci0' for '--adapter hciN': 'hci0' is named twice",
            hint: scan
        ),
        ErrorCase(
            "scan -i hci0,",
            "invalid value 'hci0,' for '--adapter hciN': a name is missing beside a comma",
            hint: scan
        ),
        ErrorCase(
            "scan -i al",
            "invalid value 'al' for '--adapter hciN': expected an adapter such as 'hci0', its address, several as "
                + "'hci0,hci1', 'all', or a controller such as 'unix:PATH'; did you mean 'all'?",
            hint: scan
        ),
        ErrorCase("scan -i all,hci0", "invalid value 'all,hci0' for '--adapter hciN': 'all' stands alone", hint: scan),
        ErrorCase("serve strap -i hci1,hci0", "'serve' uses one adapter", hint: "name it: -i hci1"),
        ErrorCase(
            "radio serve --socket /tmp/radio",
            "'radio' lends a controller that is not the kernel's, and '--adapter' names none",
            hint: "blectl radio serve -i tcp:localhost:6402 --socket /tmp/radio; see 'blectl help controllers'"
        ),
        ErrorCase("radio serve -i unix:/tmp/hci", "no socket is given", hint: "--socket PATH, or --stdio for ssh"),
        ErrorCase(
            "radio serve -i unix:/tmp/hci --socket /tmp/radio --simulate",
            "'radio' lends a controller, and '--simulate' and '--radio' use none",
            hint: "see 'blectl radio --help'"
        ),
        ErrorCase("scan --privacy -i all", "'--privacy' is for one adapter", hint: "name it: -i hci0"),
        ErrorCase("adapter power off -i all", "'adapter' uses one adapter", hint: "name it: -i hci0"),
        ErrorCase("scan --dur=5", "unknown option '--dur' for 'scan'; did you mean '--duration'?", hint: scan),
        ErrorCase("scan --foo", "unknown option '--foo' for 'scan'", hint: scan),
        ErrorCase("scan --=5", "unknown option '--' for 'scan'", hint: scan),
        ErrorCase("scan ---json", "unknown option '---json' for 'scan'; did you mean '--json'?", hint: scan),
        ErrorCase("scan -x", "unknown option '-x' for 'scan'", hint: scan),
        ErrorCase("scan -vx", "unknown option '-x' for 'scan'", hint: scan),
        ErrorCase("scan -duration 5", "unknown option '-duration' for 'scan'; did you mean '--duration'?", hint: scan),
        ErrorCase("read x -device Y", "unknown option '-device' for 'read'; did you mean '--device'?", hint: read),
        ErrorCase("--jsno scan", "unknown option '--jsno' for 'scan'; did you mean '--json'?", hint: scan),
        ErrorCase("--jsno", "unknown option '--jsno'; did you mean '--json'?", hint: general),
        ErrorCase("subscribe 0x2A37", "unknown command 'subscribe'; did you mean 'notify'?", hint: general),
        ErrorCase("discover", "unknown command 'discover'; did you mean 'scan'?", hint: general),
        ErrorCase("list", "unknown command 'list'; did you mean 'scan'?", hint: general),
        ErrorCase("char-read", "unknown command 'char-read'; did you mean 'read'?", hint: general),
        ErrorCase("char-write-req x 01", "unknown command 'char-write-req'; did you mean 'write'?", hint: general),
        ErrorCase("primary", "unknown command 'primary'; did you mean 'inspect'?", hint: general),
        ErrorCase("connect C8:4B:1D:3A:90:5E", "unknown command 'connect'", hint: held),
        ErrorCase("-I", "unknown option '-I'", hint: held),
        ErrorCase("interactive", "unknown command 'interactive'; did you mean 'shell'?", hint: general),
        ErrorCase("exec 'a; b'", "unknown command 'exec'; did you mean 'run'?", hint: general),
        ErrorCase(
            "rssi",
            "unknown command 'rssi'",
            hint: "blectl scan, or for the signal of a link: blectl link --signal"
        ),
        ErrorCase(
            "sniff",
            "unknown command 'sniff'",
            hint: "--capture FILE writes the packets of a command; blectl trace FILE prints such a file"
        ),
        ErrorCase(
            "inspect --primary",
            "unknown option '--primary' for 'inspect'",
            hint: "leave it out: 'inspect' prints them"
        ),
        ErrorCase(
            "read --primary",
            "unknown option '--primary' for 'read'",
            hint: "it is a command: blectl inspect"
        ),
        ErrorCase("scan --uuid 180d", "unknown option '--uuid' for 'scan'; did you mean '--service'?", hint: scan),
        ErrorCase("scan --min-rssi -60", "unknown option '--min-rssi' for 'scan'; did you mean '--rssi'?", hint: scan),
        ErrorCase("scan --time 5", "unknown option '--time' for 'scan'; did you mean '--duration'?", hint: scan),
        ErrorCase(
            "scan --raw",
            "option '--raw' does not apply to 'scan'",
            hint: "--json has the octets of each report"
        ),
        ErrorCase(
            "scan --interval 100ms",
            "option '--interval' does not apply to 'scan'",
            hint: "when the radio listens: --scan-interval TIME, --scan-window TIME"
        ),
        ErrorCase(
            "serve x --exec-text",
            "unknown option '--exec-text' for 'serve'",
            hint: "leave it out: what programs print is text, and --exec-raw takes their bytes"
        ),
        ErrorCase(
            "clone x --listen 5",
            "option '--listen' does not apply to 'clone'",
            hint: "did you mean --listen-time?"
        ),
        ErrorCase("read x --raw", "option '--raw' does not apply to 'read'", hint: "--as raw"),
        ErrorCase(
            "read x --sec-level high",
            "unknown option '--sec-level' for 'read'; did you mean '--security'?",
            hint: read
        ),
        ErrorCase(
            "scan --no-color",
            "unknown option '--no-color' for 'scan'",
            hint: "--color never, or the variable NO_COLOR=1"
        ),
        ErrorCase(
            "write x 01 --with-response",
            "unknown option '--with-response' for 'write'",
            hint: "writes have a response unless --no-response is given"
        ),
        ErrorCase(
            "write x 01 --without-response",
            "unknown option '--without-response' for 'write'; did you mean '--no-response'?",
            hint: "see 'blectl write --help'"
        ),
        ErrorCase("trust x", "unknown command 'trust'; did you mean 'pair'?", hint: general),
        ErrorCase("read -b x", "unknown option '-b' for 'read'; did you mean '--device'?", hint: read),
        ErrorCase("read -t random x", "unknown option '-t' for 'read'; did you mean '--address-type'?", hint: read),
        ErrorCase("scan --dev x", "unknown option '--dev' for 'scan'; did you mean '--device'?", hint: scan),
        ErrorCase("read --char-read", "unknown option '--char-read' for 'read'", hint: read),
        ErrorCase("scan --char-read", "unknown option '--char-read' for 'scan'", hint: "it is a command: blectl read"),
        ErrorCase("--discover", "unknown option '--discover'", hint: "it is a command: blectl scan"),
        ErrorCase(
            "notify x --indicate",
            "unknown option '--indicate' for 'notify'",
            hint: "see 'blectl notify --help'"
        ),
        ErrorCase("write x --set", "unknown option '--set' for 'write'", hint: "see 'blectl write --help'"),
        ErrorCase("scan --show", "unknown option '--show' for 'scan'", hint: scan),
        ErrorCase(
            "read x --interval 15ms",
            "option '--interval' does not apply to 'read'",
            hint: "did you mean --link-interval?"
        ),
        ErrorCase(
            "notify x --exec cat",
            "option '--exec' does not apply to 'notify'",
            hint: "--exec is an option of watch and serve"
        ),
        ErrorCase(
            "read x --exec cat",
            "option '--exec' does not apply to 'read'",
            hint: "--exec is an option of watch and serve"
        ),
        ErrorCase(
            "read --handle=0x18",
            "option '--handle' does not apply to 'read'",
            hint: "the attribute is an argument: handle:0x0018, 0x2A19, battery-level"
        ),
        ErrorCase(
            "update x.bin --confirm",
            "option '--confirm' does not apply to 'update'",
            hint: "an image that runs is confirmed unless --test is given; --permanent confirms it before"
        ),
        ErrorCase("--foo 5 scan", "unknown option '--foo'", hint: general),
        ErrorCase("help --generat list", "unknown option '--generat' for 'help'", hint: "see 'blectl help --help'"),
        ErrorCase("scan --retries 1", "option '--retries' does not apply to 'scan'", hint: scan),
        ErrorCase("--retries 1 scan", "option '--retries' does not apply to 'scan'", hint: scan),
        ErrorCase("read battery-level -n 5", "'--count' needs '--every'", hint: "once a second: --every 1"),
        ErrorCase("scan --json=yes", "option '--json' takes no value", hint: scan),
        ErrorCase("scan --help=me", "option '--help' takes no value", hint: scan),
        ErrorCase("scan --active --passive", "'--active' and '--passive' cannot be used together", hint: scan),
        ErrorCase("scan --passive --active", "'--active' and '--passive' cannot be used together", hint: scan),
        ErrorCase("scan -qv", "'--verbose' and '--quiet' cannot be used together", hint: scan),
        ErrorCase("read x -d Y --name Z", "'--device' and '--name' cannot be used together", hint: read),
        ErrorCase(
            "inspect X -d Y",
            "'DEVICE' and '--device' cannot be used together",
            hint: "see 'blectl inspect --help'"
        ),
    ]

    static let values = [
        ErrorCase(
            "advertise ibeacon 0x180D --major 65536",
            "invalid value '65536' for '--major NUMBER': expected a whole number from 0 to 65535",
            hint: "see 'blectl advertise --help'"
        ),
        ErrorCase("scan --name", "missing value for '--name GLOB'", hint: scan),
        ErrorCase("scan -n", "missing value for '--count NUMBER'", hint: scan),
        ErrorCase("scan -vn", "missing value for '--count NUMBER'", hint: scan),
        ErrorCase("read x -d", "missing value for '--device ADDRESS|NAME'", hint: read),
        ErrorCase(
            "scan --name --json",
            "missing value for '--name GLOB'; found '--json'",
            hint: "a value that begins with '-' is written '--name=--json'"
        ),
        ErrorCase(
            "scan --name -- x",
            "missing value for '--name GLOB'; found '--'",
            hint: "a value that begins with '-' is written '--name=--'"
        ),
        ErrorCase(["scan", "--name="], "invalid value '' for '--name GLOB': it is empty", hint: scan),
        ErrorCase(
            "read x -d C8:4B:1D:3A:90:5G",
            "invalid value 'C8:4B:1D:3A:90:5G' for '--device ADDRESS|NAME': expected an address of six octets such as "
                + "F0:F1:F2:F3:F4:F5, or a name; --name takes any name",
            hint: read
        ),
        ErrorCase(
            "read x -d Thermo*",
            "invalid value 'Thermo*' for '--device ADDRESS|NAME': expected a whole name; a pattern is given as --name "
                + "'Thermo*'",
            hint: read
        ),
        ErrorCase(["read", ""], "invalid value '' for TARGET: it is empty", hint: read),
        ErrorCase(
            "scan --duration soon",
            "invalid value 'soon' for '--duration SECONDS': expected a time such as 5, 1.5, 500ms, 2s, 1m or 8h",
            hint: scan
        ),
        ErrorCase(
            "scan --duration 0",
            "invalid value '0' for '--duration SECONDS': expected more than zero",
            hint: scan
        ),
        ErrorCase(
            "scan --count 0",
            "invalid value '0' for '--count NUMBER': expected a whole number, 1 or more",
            hint: scan
        ),
        ErrorCase(
            "scan --count 99999999999999999999",
            "invalid value '99999999999999999999' for '--count NUMBER': expected a whole number from 1 to \(Int.max)",
            hint: scan
        ),
        ErrorCase(
            "scan --rssi -200",
            "invalid value '-200' for '--rssi DBM': expected a whole number from -127 to 20",
            hint: scan
        ),
        ErrorCase(
            "scan --color alwasy",
            "invalid value 'alwasy' for '--color WHEN': expected 'auto', 'always' or 'never'; did you mean 'always'?",
            hint: scan
        ),
        ErrorCase(
            "scan --color x",
            "invalid value 'x' for '--color WHEN': expected 'auto', 'always' or 'never'",
            hint: scan
        ),
        ErrorCase(
            "read x --as u17",
            "invalid value 'u17' for '--as FORMAT': expected a format such as hex, utf8, raw, u8, s16 or u32be; "
                + "did you mean 'u16'?",
            hint: read
        ),
        ErrorCase(
            "watch hart-rate",
            "invalid value 'hart-rate' for PROFILE: expected a characteristic, or a profile: \(profiles); "
                + "did you mean 'heart-rate'?",
            hint: "see 'blectl watch --help'"
        ),
        // The only word is named once, and is not suggested again.
        ErrorCase(
            "profile heart-rate reset-enrgy",
            "invalid value 'reset-enrgy' for ACTION: heart-rate can 'reset-energy'",
            hint: "see 'blectl profile --help'"
        ),
        ErrorCase(
            "watch handle:3",
            "invalid value 'handle:3' for PROFILE: expected a profile or a characteristic; "
                + "other values: blectl notify handle:3",
            hint: "see 'blectl watch --help'"
        ),
        ErrorCase(
            "doctor --privacy",
            "'doctor' sends nothing that could have a private address",
            hint: "'--privacy' is for commands that scan, connect or advertise"
        ),
        ErrorCase(
            "session list --privacy",
            "'--privacy' is for 'session start', which makes the link",
            hint: "see 'blectl session --help'"
        ),
        ErrorCase(
            "pair --oob-out f --privacy",
            "--oob-out gives away the adapter's own address, which --privacy hides",
            hint: "see 'blectl pair --help'"
        ),
        ErrorCase(
            "serve f.json --privacy --radio unix:/s",
            "'--privacy' and '--radio' cannot be used together",
            hint: "see 'blectl serve --help'"
        ),
        ErrorCase(
            "help --generate x",
            "invalid value 'x' for '--generate FILE': expected 'list' or a name that it prints",
            hint: "see 'blectl help --help'"
        ),
    ]

    static let arguments = [
        ErrorCase("read", "missing TARGET for 'read'", hint: "what the device has: blectl inspect"),
        ErrorCase("watch", "missing PROFILE for 'watch'", hint: "for example: blectl watch heart-rate"),
        ErrorCase("lookup", "missing WORD for 'lookup'", hint: "for example: blectl lookup battery"),
        ErrorCase("completion", "missing SHELL for 'completion'", hint: "SHELL is 'bash', 'zsh' or 'fish'"),
        ErrorCase("adapter", "missing ACTION for 'adapter'", hint: "ACTION is 'show', 'power', 'le' or 'reset'"),
        ErrorCase("profile alert", "missing ACTION for 'profile'", hint: "ACTION is 'none', 'mild' or 'high'"),
        ErrorCase("profile heart_rate", "missing ACTION for 'profile'", hint: "ACTION is 'reset-energy'"),
        ErrorCase("scan here", "unexpected argument for 'scan': 'here'", hint: onlyThat),
        ErrorCase("scan here and now", "unexpected arguments for 'scan': 'here', 'and', 'now'", hint: onlyThat),
        ErrorCase("session", "missing ACTION for 'session'", hint: "ACTION is 'start', 'list' or 'stop'"),
        ErrorCase(
            "adapter off",
            "invalid value 'off' for ACTION: expected 'show', 'power', 'le' or 'reset'",
            hint: "blectl adapter power off"
        ),
        ErrorCase(
            "scan 1 2 3 4 5 6",
            "unexpected arguments for 'scan': '1', '2', '3', '4', ...",
            hint: "only devices with that name: --name 1"
        ),
        ErrorCase(
            "scan -- --duration 1",
            "unexpected arguments for 'scan': '--duration', '1'",
            hint: "options stand before '--'"
        ),
        ErrorCase(
            ["scan", "Pulse HR"],
            "unexpected argument for 'scan': 'Pulse HR'",
            hint: "only devices with that name: --name 'Pulse HR'"
        ),
        ErrorCase(
            "inspect a b",
            "unexpected argument for 'inspect': 'b'",
            hint: "a name of several words is quoted, as in 'My Sensor'"
        ),
        ErrorCase(
            "clone a b",
            "unexpected argument for 'clone': 'b'",
            hint: "a name of several words is quoted, as in 'My Sensor'"
        ),
        ErrorCase(
            "bench read b c",
            "unexpected argument for 'bench': 'c'",
            hint: "a device is named by an option: -d c"
        ),
        ErrorCase("l2cap connect 128", "unexpected argument for 'l2cap': '128'", hint: "--psm 128"),
        ErrorCase(
            ["read", "Pulse HR"],
            "invalid value 'Pulse HR' for TARGET: expected a UUID or the assigned name of a characteristic",
            hint: "a device is named by an option: -d 'Pulse HR'"
        ),
        ErrorCase(
            ["watch", "Pulse HR"],
            "invalid value 'Pulse HR' for PROFILE: expected a characteristic, or a profile: \(profiles)",
            hint: "a device is named by an option: -d 'Pulse HR'"
        ),
        ErrorCase(
            "read nope",
            "invalid value 'nope' for TARGET: expected a UUID or the assigned name of a characteristic",
            hint: "what there is: blectl lookup nope"
        ),
        ErrorCase(
            "read heart-rate",
            "invalid value 'heart-rate' for TARGET: 'heart-rate' is a service; name one of its characteristics: "
                + "heart-rate-measurement, body-sensor-location or heart-rate-control-point",
            hint: read
        ),
        ErrorCase(
            "read --all",
            "option '--all' does not apply to 'read'",
            hint: "all values of a device: blectl inspect --values; those of a service: blectl read 'SERVICE/*'"
        ),
        ErrorCase(
            "session start -d x --name foo",
            "'--device' and '--name' cannot be used together: both say which device is meant",
            hint: "the name of the session: --label foo"
        ),
    ]

    @Test(
        "each mistake is reported in one line, with a remedy in a second one",
        arguments: [commands, options, values, arguments].flatMap { $0 }
    )
    func message(_ errorCase: ErrorCase) throws {
        let error = #expect(throws: UsageError.self) {
            guard case .run(let arguments) = try Invocation(errorCase.arguments) else { return }
            _ = try CommandRequest(arguments)
        }
        #expect(error?.message == errorCase.message)
        #expect(error?.hint == errorCase.hint)
        #expect(error?.text == "blectl: \(errorCase.message)\nhint: \(errorCase.hint)\n")
        #expect(error?.exitStatus == .usage)
    }

    @Test("blectl alone prints its short help as an error")
    func nothingGiven() throws {
        let error = #expect(throws: UsageError.self) { try Invocation([]) }
        #expect(error?.text == HelpText(nil).short())
        #expect(error?.exitStatus == .usage)
    }

    @Test("a variable with a wrong value is named")
    func environment() throws {
        let spec = try #require(CommandName.read.spec.option(named: "device"))
        #expect(spec.environment == "BLECTL_DEVICE")
        let reason = UsageError.Reason.invalidValue("x", of: "$BLECTL_DEVICE", expectation: "no", suggestion: nil)
        #expect(UsageError(reason, command: .read).message == "invalid value 'x' for $BLECTL_DEVICE: no")
    }

    @Test("the first mistake is reported")
    func first() throws {
        let error = #expect(throws: UsageError.self) { try Invocation(["scan", "--foo", "--bar", "--name"]) }
        #expect(error?.reason == .unknownOption("--foo"))
    }
}
