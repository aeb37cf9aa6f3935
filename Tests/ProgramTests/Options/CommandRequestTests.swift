// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

@Suite("Typed options of a command")
struct CommandRequestTests {
    private static let address = BluetoothAddress("F0:F1:F2:F3:F4:F5")

    @Test func `read: targets, format and device`() throws {
        let parsed = try request("read battery-level battery/0x2A19/0x2901 --as u8 -d Strap --retries 5 --no-wait")
        guard let read = parsed.command as? ReadCommand else { throw WrongCommand(parsed.name) }
        let targets = try ["battery-level", "battery/0x2A19/0x2901"].map { try AttributeTarget($0) }
        #expect(read.options == ReadOptions(targets: targets.map { .attribute($0) }, format: try ValueFormat("u8")))
        var connection = ConnectionOptions()
        connection.retries = 5
        connection.retriesTimeouts = true
        connection.waitsForOthers = false
        connection.security = SecurityPolicy(raisesOnDemand: true)
        #expect(read.target == DeviceOptions(selector: .name("Strap"), connection: connection))
    }

    @Test(arguments: [
        ("read battery-level", SecurityPolicy(raisesOnDemand: true)),
        ("read battery-level --no-pair", SecurityPolicy()),
        ("write battery-level 0x01 --security high", SecurityPolicy(level: .high, raisesOnDemand: true)),
        ("notify battery-level --security low", SecurityPolicy(raisesOnDemand: true)),
        (
            "watch battery --min-key-size 16",
            SecurityPolicy(level: .medium, minimumKeySize: 16, raisesOnDemand: true)
        ),
        (
            "watch battery --min-key-size 16 --security fips",
            SecurityPolicy(level: .fips, minimumKeySize: 16, raisesOnDemand: true)
        ),
        ("inspect Strap", SecurityPolicy()),
        ("inspect Strap --security medium", SecurityPolicy(level: .medium)),
        ("clone Strap", SecurityPolicy()),
    ])
    func `security: the demanded level, and whether the device may demand more`(
        _ line: String,
        _ policy: SecurityPolicy
    ) throws {
        let device = try #require(try request(line).command.device)
        #expect(device.connection.security == policy)
    }

    @Test(arguments: [
        ("read battery-level", DeviceSelector.likely(0x180F)),
        ("read handle:3 0x2A37", .likely(0x180D)),
        ("read 0x180A/0x2A19", .likely(0x180A)),
        ("read handle:3 --name Str*", .advertising(name: Glob("str*"), services: [])),
        ("read handle:3 --service battery --service 0x180D", .advertising(name: nil, services: [0x180F, 0x180D])),
        ("watch battery", .likely(0x180F)),
        ("inspect Strap", .name("Strap")),
        ("inspect -d Strap", .name("Strap")),
    ])
    func `the device is the named one, or one with the service of the command`(
        _ line: String,
        _ selector: DeviceSelector
    ) throws {
        #expect(try request(line).command.device?.selector == selector)
    }

    @Test(arguments: [
        "bench read --size 4", "bench notify --size 4", "bench read --psm 128", "bench write --psm 128",
        "bench notify --one-way",
    ])
    func `bench refuses the options of another action`(_ line: String) throws {
        #expect(throws: UsageError.self) { try request(line) }
    }

    @Test func `bench takes the options of its action`() throws {
        for line in ["bench read", "bench write --size 4 --one-way", "bench l2cap --psm 128 --size 4 --one-way"] {
            _ = try request(line)
        }
    }

    @Test(arguments: ["--passkey 27182", "--passkey 2718281", "--confirm 27182"])
    func `wrong digits are still a secret`(_ option: String) throws {
        let error = #expect(throws: UsageError.self) { try request("pair Strap \(option)") }
        #expect(error?.message.contains("six digits") == true && error?.message.contains("2718") == false)
    }

    @Test func `an address may come with its type`() throws {
        let address = try #require(Self.address)
        let line = "inspect -d \(address)"
        #expect(try request(line).command.device?.selector == .address(address, nil))
        #expect(try request("\(line) --address-type public").command.device?.selector == .address(address, .public))
        #expect(try request("\(line) --address-type random").command.device?.selector == .address(address, .random))
        #expect(try request("\(line) --address-type random").command.device?.selector?.addressType == .random)
    }

    @Test func `scan takes devices by -d as other commands do, and each of several`() throws {
        guard
            let options =
                (try request("scan -d thermo -d c84b1d3a905e --address C8-4B-1D-3A-90-5F").command as? ScanCommand)?
                .options
        else { throw WrongCommand(.scan) }
        let addresses = [0xC84B_1D3A_905E, 0xC84B_1D3A_905F].map { BluetoothAddress(rawValue: $0) }
        #expect(options.filter.devices == [.name("thermo"), .address(addresses[0]), .address(addresses[1])])
        #expect(try request("scan", environment: ["BLECTL_DEVICE": "Mine"]).name == .scan)
    }

    @Test(arguments: [
        ("read 0x2A19 0x2A29 -d Thermo", "read 0x2A19 and 0x2A29 from a device named 'Thermo'"),
        ("read 0x2A19 --name T*", "read 0x2A19 from a device with a name like 'T*'"),
        ("write 0xFF01 01 -d F0:F1:F2:F3:F4:F5", "write 0xFF01 to F0:F1:F2:F3:F4:F5"),
        ("watch heart-rate", "watch heart-rate on a device advertising Heart Rate (0x180D)"),
        (
            "notify 0x2A37 0x2A38 0x2A39 0x2A19 -d X",
            "listen to 0x2A37, 0x2A38 and 0x2A39, … of a device named 'X'"
        ),
        ("scan", "scan"), ("shell", "run the lines of the shell"), ("adapters", "list adapters"),
        ("session start -d X", "start a session with a device named 'X'"), ("session list", "list sessions"),
        ("session stop X", "stop the session 'X'"), ("session stop --all", "stop all sessions"),
        ("adapter reset", "reset the adapter"), ("forget --all", "forget all devices"),
        ("simulate list --socket s", "ask the simulated world at s"), ("device check a b", "read a and b"),
        ("run s/1.blectl -", "run s/1.blectl and standard input"), ("trace -", "read the capture standard input"),
    ])
    func `an error of the whole command names what was asked for`(_ line: String, _ action: String) throws {
        #expect(try request(line).command.action == action)
    }

    @Test(arguments: [
        ("notify 0x2A37", true), ("notify 0x2A37 --count 1", false), ("notify 0x2A37 --duration 1", false),
        ("notify 0x2A37 --deadline 1", false), ("watch heart-rate", true), ("watch heart-rate battery -n 1", false),
        ("watch glucose", false), ("watch device-information", false), ("watch keys", true), ("watch uart", true),
        ("scan", true), ("scan --duration 5", false), ("link X", false), ("link X --signal", true),
        ("link X --signal --count 2", false), ("serve pulse-strap", true), ("serve pulse-strap --count 1", false),
        ("advertise raw 00", true), ("l2cap listen --psm 128", true), ("l2cap connect --psm 128 -d X", false),
        ("bench read -d X", false), ("read 0x2A19", false), ("session start -d X", false),
    ])
    func `a command is endless if it ends only from outside`(_ line: String, _ isEndless: Bool) throws {
        #expect(try request(line).isEndless == isEndless)
    }

    @Test(
        arguments: [
            ("read battery-level", "decoded.batery_level_percent", "decoded.battery_level_percent"),
            ("read battery-level 0x2A37", "decoded.hart_rate", "decoded.heart_rate_bpm"),
            ("notify 0x2A37", "decoded.battery_level", nil), ("watch heart-rate", "decoded.rate", nil),
            ("decode battery-level 57", "decoded.level", nil),
        ] as [(String, String, String?)]
    )
    func `a field that no value can have is refused`(_ line: String, _ key: String, _ suggestion: String?) throws {
        let error = #expect(throws: UsageError.self) { try request("\(line) --format {\(key)|}") }
        #expect(error?.message.contains("has the key '\(key)'") == true, "\(error?.message ?? "")")
        if let suggestion { #expect(error?.message.hasSuffix("did you mean '\(suggestion)'?") == true) }
    }

    @Test(arguments: [
        "read battery-level --format {decoded.battery_level}", "read battery-level 0xFFF1 --format {decoded.x}",
        "read battery-level 0x2A37 --format {decoded.heart_rate}", "read handle:3 -d X --format {decoded.x}",
        "read battery-level/0x2904 --format {decoded.format}", "read battery-level --as u8 --format {decoded.x}",
        "notify 0x2A37 --format {decoded.rr_intervals.0}", "inspect X --values --format {decoded.x}",
        "watch cycling-speed --format {decoded.cadence_rpm}", "watch environment --format {decoded.x}",
        "decode 0xFFF1 57 --format {decoded.x}", "read battery-level --format {decoded}",
    ])
    func `a field that a value may have is accepted`(_ line: String) throws {
        #expect(throws: Never.self) { try request(line) }
    }

    @Test func `the variable names the device, unless the line does`() throws {
        let environment = ["BLECTL_DEVICE": "Mine"]
        #expect(try request("read handle:3", environment: environment).device?.selector == .name("Mine"))
        #expect(try request("read handle:3 -d Yours", environment: environment).device?.selector == .name("Yours"))
        #expect(try request("inspect Yours", environment: environment).device?.selector == .name("Yours"))
        let byName = try request("read handle:3 --name Y*", environment: environment).device?.selector
        #expect(byName == .advertising(name: Glob("Y*"), services: []))
    }

    @Test func `a socket has its device at the other end, and needs no name`() throws {
        let parsed = try request("read handle:3 --radio unix:/tmp/s")
        #expect(parsed.global.radio == .socket(path: "/tmp/s"))
        let device = try #require(parsed.device)
        #expect(device.selector == nil)
    }

    @Test func `only a command that changes the device requires exactly one`() throws {
        #expect(try request("write 0xFF01 01 -d Lamp").device?.mustBeOnlyOne == true)
        for line in ["read 0xFF01 -d Lamp", "notify 0xFF01 -d Lamp", "watch battery", "inspect Lamp"] {
            #expect(try request(line).device?.mustBeOnlyOne == false, "\(line)")
        }
    }

    @Test func `only --reconnect restores a lost link`() throws {
        #expect(try request("notify 0x2A37 --reconnect").device?.connection.reconnects == true)
        #expect(try request("watch battery --reconnect").device?.connection.reconnects == true)
        #expect(try request("watch battery").device?.connection.reconnects == false)
    }

    @Test func `what listens ends after a number, or after a time`() throws {
        guard let notify = (try request("notify 0x2A37 -n 3 --duration 2s --as raw").command as? NotifyCommand)?.options
        else {
            throw WrongCommand(.notify)
        }
        #expect(notify.limits == StopLimits(count: 3, duration: .seconds(2)))
        #expect(notify.isRaw)
        guard let watch = (try request("watch heart-rate -n 1").command as? WatchCommand)?.options else {
            throw WrongCommand(.watch)
        }
        #expect(watch.profiles.map(\.name) == ["heart-rate"])
        #expect(watch.limits == StopLimits(count: 1))
        guard let serve = (try request("serve workbench -n 2 --centrals 3 --no-wait").command as? ServeCommand)?.options
        else {
            throw WrongCommand(.serve)
        }
        let limits = StopLimits(count: 2)
        let expected = ServeOptions(device: "workbench", limits: limits, maximumCentrals: 3, waitsForOthers: false)
        #expect(serve == expected)
    }

    @Test(arguments: [
        ("01ff", ValueInput.octets([0x01, 0xFF]), WriteOptions.Method.withResponse, false),
        ("text:a --no-response", .octets([0x61]), .withoutResponse, false),
        ("u16:500 --reliable --verify", .octets([0xF4, 0x01]), .reliable, false),
        ("01 --chunk 20", .octets([0x01]), .withResponse, true),
        ("- --chunk 20 --no-response", .file("-"), .withoutResponse, true),
        ("@/tmp/f", .file("/tmp/f"), .withResponse, false),
        ("@/tmp/f --no-response", .file("/tmp/f"), .withoutResponse, true),
        ("- --no-response --verify", .file("-"), .withoutResponse, false),
    ])
    func `write: the source of the octets, how they are written, and whether in pieces`(
        _ words: String,
        _ source: ValueInput,
        _ method: WriteOptions.Method,
        _ isPiecewise: Bool
    ) throws {
        guard let options = (try request("write 0xFF01 -d Lamp \(words)").command as? Commands.WriteCommand)?.options
        else {
            throw WrongCommand(.write)
        }
        #expect(options.source == source)
        #expect(options.method == method)
        #expect(options.isPiecewise == isPiecewise)
    }

    @Test(arguments: [
        ("scan", 60, 60), ("scan --scan-interval 100ms", 100, 100), ("scan --scan-window 30ms", 60, 30),
        ("scan --scan-window 30ms --scan-interval 0.3", 300, 30),
    ])
    func `scan: when the radio listens`(_ line: String, _ interval: Int64, _ window: Int64) throws {
        guard let options = (try request(line).command as? ScanCommand)?.options else { throw WrongCommand(.scan) }
        #expect(options.interval == .milliseconds(interval) && options.window == .milliseconds(window))
    }

    @Test(arguments: [
        ("scan", false), ("scan --timeout 5", true), ("scan --timeout 5 --duration 5", false),
        ("scan --timeout 5 -n 1", false), ("scan --timeout 5 --deadline 9", false),
    ])
    func `scan: a timeout without an effect is reported`(_ line: String, _ isTold: Bool) throws {
        guard let options = (try request(line).command as? ScanCommand)?.options else { throw WrongCommand(.scan) }
        #expect((options.misleadingTimeout != nil) == isTold)
    }

    @Test func `scan: the filter, and the shown fields`() throws {
        let line = "scan --passive --duplicates --phy coded --service battery --address F0:F1:F2:F3:F4:F5 --rssi -60"
        guard let options = (try request(line).command as? ScanCommand)?.options else { throw WrongCommand(.scan) }
        var filter = ScanFilter()
        filter.services = [0x180F]
        filter.devices = [.address(try #require(Self.address))]
        filter.minimumRSSI = -60
        #expect(options.filter == filter)
        #expect(!options.isActive)
        #expect(options.showsDuplicates)
        #expect(options.phy == .coded)
    }

    @Test(arguments: [
        ("adapter show", AdapterOptions.show), ("adapter reset", .reset), ("adapter power on", .power(.on)),
        ("adapter le off", .lowEnergy(.off)),
    ])
    func `adapter: the actions`(_ line: String, _ expected: AdapterOptions) throws {
        guard let options = (try request(line).command as? AdapterCommand)?.options else {
            throw WrongCommand(.adapter)
        }
        #expect(options == expected)
    }

    @Test func `the options of every command`() throws {
        let line = "adapters --json -q --color always -i hci1 --wait-adapter 5 --timeout 3 --deadline 1m"
        let global = try request(line).global
        var expected = GlobalOptions()
        expected.streams = .init(isJSON: true, isQuiet: true, verbosity: 0, color: .always)
        expected.adapters = .one("hci1")
        expected.adapterTimeout = .seconds(5)
        expected.timeout = .seconds(3)
        expected.deadline = .seconds(60)
        #expect(global == expected)
        #expect(try request("adapters").global == GlobalOptions())
        #expect(try request("adapters --simulate").global.radio == .simulation(.real))
        #expect(try request("adapters --simulate --simulate-time virtual").global.radio == .simulation(.virtual))
        let joined = try request("adapters --simulate=/tmp/world --simulate-seed 3").global
        #expect(joined.radio == .simulation(.real) && joined.simulatedWorlds == ["/tmp/world"])
        #expect(joined.privateWorldOption == "simulate-seed")
        #expect(try request("adapters", environment: ["BLECTL_SIMULATE": "w"]).global.simulatedWorlds == ["w"])
        #expect(try request("adapters --simulate", environment: ["BLECTL_SIMULATE": "w"]).global.simulatedWorlds == [])
        let lent = ["BLECTL_RADIO": "unix:/r"]
        #expect(try request("adapters", environment: lent).global.adapters == .one("unix:/r"))
        #expect(try request("adapters -i hci1", environment: lent).global.adapters == .one("hci1"))
        #expect(try request("adapters --simulate", environment: lent).global.adapters == .first)
        #expect(try request("adapters --radio unix:/s", environment: lent).global.adapters == .first)
        let both = lent.merging(["BLECTL_SIMULATE": "w"]) { first, _ in first }
        #expect(try request("adapters", environment: both).global.adapters == .first)
        let socket = try request("read handle:3 --radio unix:/s", environment: ["BLECTL_SIMULATE": "w"]).global
        #expect(socket.radio == .socket(path: "/s"))
    }

    @Test func `decode takes octets, files and standard input, and the lines of one`() throws {
        func source(_ line: String) throws -> DecodeOptions.Source {
            guard let options = (try request("decode \(line)").command as? DecodeCommand)?.options else {
                throw WrongCommand(.decode)
            }
            return options.source
        }
        #expect(try source("0x2A19 01 @a u8:2") == .values([.octets([1]), .file("a"), .octets([2])]))
        #expect(try source("0x2A19 -") == .values([.file("-")]))
        #expect(try source("0x2A19 --lines -") == .lines("-") && source("0x2A19 --lines @a") == .lines("a"))
        #expect(throws: UsageError.self) { try source("0x2A19 --lines 01") }
        #expect(throws: UsageError.self) { try source("0x2A19 @") }
    }

    @Test func `--deadline and a given number of attempts are known where they matter`() throws {
        guard let scan = (try request("scan -n 1 --deadline 5").command as? ScanCommand)?.options else {
            throw WrongCommand(.scan)
        }
        #expect(scan.limits == StopLimits(count: 1, hasDeadline: true))
        #expect(try request("read 0x2A19 -d Lamp --retries 2").device?.connection.retriesTimeouts == true)
        #expect(try request("read 0x2A19 -d Lamp").device?.connection.retriesTimeouts == false)
    }

    @Test(arguments: [
        Mistake(
            "read nonsense -d X",
            "invalid value 'nonsense' for TARGET: ",
            hint: "what there is: blectl lookup nonsense"
        ),
        Mistake(
            "notify 0x2A37 nonsense",
            "invalid value 'nonsense' for TARGET: ",
            hint: "what there is: blectl lookup nonsense"
        ),
        Mistake(
            "write nonsense 01 -d X",
            "invalid value 'nonsense' for TARGET: ",
            hint: "what there is: blectl lookup nonsense"
        ),
        Mistake(
            "read 0x2A19 --service nonsense",
            "invalid value 'nonsense' for '--service UUID|NAME': ",
            hint: "what there is: blectl lookup --kind service nonsense"
        ),
        Mistake(
            "scan --service nonsense",
            "invalid value 'nonsense' for '--service UUID|NAME': ",
            hint: "what there is: blectl lookup --kind service nonsense"
        ),
        Mistake("scan -d F0:F1:F2:F3:F4", "invalid value 'F0:F1:F2:F3:F4' for '--device ADDRESS|NAME': "),
        Mistake("inspect F0:F1:F2:F3:F4", "invalid value 'F0:F1:F2:F3:F4' for DEVICE: "),
        Mistake("scan --manufacturer nonsenseandmore", "invalid value 'nonsenseandmore' for '--manufacturer "),
        Mistake(
            "scan --simulate-time virtual",
            "'--simulate-time' is for the simulated world",
            hint: "add --simulate"
        ),
        Mistake(
            "scan --scan-window 61.25ms",
            "the window of the scan is longer than its interval of 60 ms",
            hint: "give a longer one: --scan-interval"
        ),
        Mistake("scan --scan-interval 11ms", "invalid value '11ms' for '--scan-interval TIME': expected a time from "),
        Mistake("scan --scan-interval 10.25", "invalid value '10.25' for '--scan-interval TIME': "),
        Mistake("scan --simulate-seed 1", "'--simulate-seed' is for the simulated world", hint: "add --simulate"),
        Mistake(
            "read 0x2A19 --radio unix:/s --simulate-adapter off",
            "'--simulate-adapter' is for the simulated world",
            hint: "add --simulate"
        ),
        Mistake("simulate list", "no world is given", hint: "--socket PATH"),
        Mistake("simulate set X --socket s", "'set' needs more", hint: "blectl simulate set DEVICE TARGET VALUE"),
        Mistake("simulate stop X --socket s", "'stop' takes no more", hint: "blectl simulate stop"),
        Mistake("simulate list --socket s --seed 3", "'--seed' is for 'blectl simulate serve'"),
        Mistake("simulate connectable X maybe --socket s", "invalid value 'maybe' for 'connectable': "),
        Mistake("simulate signal X out-of-range --socket s", "invalid value 'out-of-range' for 'signal': "),
        Mistake("simulate fault add --socket s", "'fault' needs more", hint: "blectl simulate fault [add] "),
        Mistake("simulate fault list X Y --socket s", "'fault' takes no more", hint: "blectl simulate fault [add] "),
        Mistake("simulate fault nonsense --socket s", "invalid value 'nonsense' for 'fault': column 1: "),
        Mistake("simulate set X nonsense 5 --socket s", "invalid value 'nonsense' for 'set': ", hint: "what "),
        Mistake("mcumgr settings set name 0xg", "invalid value '0xg' for 'settings set': expected octets in hex"),
        Mistake("mcumgr datetime now", "invalid value 'now' for 'datetime': expected a time like "),
        Mistake("simulate fault Y 'device X: read: lose' --socket s", "the fault names its device, and 'Y' is one"),
        Mistake("inspect", "no device is named", hint: "give -d ADDRESS, -d NAME, "),
        Mistake("read handle:3", "no device is named", hint: "give -d ADDRESS, -d NAME, "),
        Mistake("write handle:3 01", "no device is named", hint: "give -d ADDRESS, -d NAME, "),
        Mistake("notify 0x2A37/0x2902", "cannot subscribe to 0x2A37/0x2902: a descriptor does not notify"),
        Mistake("notify 0x2A37 0x2A37/0x2902", "cannot subscribe to 0x2A37/0x2902: a descriptor"),
        Mistake("write 0x2A37/0x2901 01 --chunk 4", "cannot write 0x2A37/0x2901: ", hint: "leave out --chunk"),
        Mistake("write 0x2A37/0x2901 - --no-response", "cannot write 0x2A37/0x2901: ", hint: "leave out --no-resp"),
        Mistake("write 0x2A37/0x2901 01 --no-response", "cannot write 0x2A37/0x2901: ", hint: "leave out --no-resp"),
        Mistake("write 0x2A37/0x2901 01 --reliable", "cannot write 0x2A37/0x2901: ", hint: "leave out --reliable"),
        Mistake("write 0xFF01 01 -d X --reliable --no-response", "'--reliable' and '--no-response' cannot be used "),
        Mistake("write 0xFF01 01 -d X --chunk 1 --verify", "'--chunk' and '--verify' cannot be used together"),
        Mistake("write 0xFF01 01 -d X --chunk 1 --reliable", "'--chunk' and '--reliable' cannot be used together"),
        Mistake("write 0xFF01 xyz -d X", "cannot write 0xFF01: ", status: .badData),
        Mistake("write 0xFF01 u8:256 -d X", "cannot write 0xFF01: ", status: .badData),
        Mistake("decode heart-rate-measurement 164\u{FFFD}0e03", "cannot decode: ", status: .badData),
        Mistake("adapter power", "'power' needs 'on' or 'off'", hint: "blectl adapter power on|off"),
        Mistake("adapter le", "'le' needs 'on' or 'off'", hint: "blectl adapter le on|off"),
        Mistake("adapter show on", "'show' takes neither 'on' nor 'off'"),
        Mistake("adapter reset off", "'reset' takes neither 'on' nor 'off'"),
    ])
    func `an impossible request is refused before anything is done`(_ mistake: Mistake) throws {
        let error = #expect(throws: UsageError.self) { try request(mistake.line) }
        guard let error else { return }
        #expect(error.message.hasPrefix(mistake.message), "\(error.message)")
        #expect(error.exitStatus == mistake.status)
        #expect(error.hint.hasPrefix(mistake.hint), "\(error.text)")
    }

    @Test func `a command without a device may use that of a session`() throws {
        for line in ["inspect", "read handle:3", "write handle:3 01"] {
            let typed = try request(line, hasSessions: true)
            let device = try #require(typed.device)
            #expect(device.selector == nil && device.usesSessions)
            #expect(device.missing?.message == "no device is named")
            for refused in ["\(line) --no-session", "\(line) --simulate --simulate-time virtual"] {
                #expect(throws: UsageError.self) { try request(refused, hasSessions: true) }
            }
        }
        #expect(throws: UsageError.self) { try request("session start", hasSessions: true) }
        #expect(try request("read battery-level -d X --no-session").device?.usesSessions == false)
    }

    @Test func `a message contains nothing that a terminal obeys`() {
        let error = UsageError(.impossible("a\u{1B}[2Jb", hint: "c\u{7}d"), command: .read)
        #expect(error.text == "blectl: a\\u{1B}[2Jb\nhint: c\\u{7}d\n")
    }

    /// A command line that cannot be carried out.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let line: String
        /// How the message begins.
        let message: String
        /// How the hint begins.
        let hint: String
        let status: CommandLineInterface.ExitStatus

        init(
            _ line: String,
            _ message: String,
            hint: String = "see '",
            status: CommandLineInterface.ExitStatus = .usage
        ) {
            self.line = line
            self.message = message
            self.hint = hint
            self.status = status
        }

        var testDescription: String { line }
    }
}

extension CommandRequest {
    /// The device options of a command that has some.
    fileprivate var device: DeviceOptions? { command.device }
}
