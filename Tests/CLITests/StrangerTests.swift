// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

/// What somebody types who has not read the manual: each mistake is told, with what to type instead.
@Suite("A stranger's command lines", .startsPrograms())
struct StrangerTests {
    /// A command line, its status, and what standard error has.
    struct Row: CustomTestStringConvertible, Sendable {
        let line: String
        let status: Int32
        let words: String

        init(_ line: String, _ status: Int32, _ words: String) {
            (self.line, self.status, self.words) = (line, status, words)
        }

        var testDescription: String { line }
    }

    @Test(arguments: [
        Row("help nope", 64, "hint: see 'blectl help --help'"),
        Row("encode pnp-id nordic", 65, "name the field: vendor_name=nordic"),
        Row("encode appearance wach", 65, "'wach' is not the name of an appearance"),
        Row("encode temperature=36.6C", 64, "hint: as two words: temperature 36.6C"),
        Row("$SIMULATE scan --duration 999999999999", 64, "expected a year at most"),
        Row("$SIMULATE bench read", 68, "hint: bench has a world of its own: --simulate=bench"),
        Row("$SIMULATE mcumgr info", 68, "hint: mcuboot-board has a world of its own"),
        Row("$SIMULATE read battery-level -d Watch", 68, "--simulate=dfu-watch"),
        Row("run x.blectl --test beats", 64, "did you mean --only?"),
        Row("device show 'pulse hr'", 66, "did you mean 'pulse-strap'?"),
        Row("adapter list", 64, "hint: all adapters: blectl adapters"),
        Row("adapter hci1 power on", 64, "hint: --adapter hci1 names it, as in blectl adapter show --adapter hci1"),
        Row("scan -i usb:1234", 64, "expected usb, usb:VENDOR:PRODUCT such as usb:0a12:0001"),
        Row("scan -i serial:/dev/ttyS0,fast", 64, "expected serial:PORT[,SPEED][,flow]"),
        Row("session ls", 64, "did you mean 'list'?"),
        Row("simulate stop --socket /nope", 66, "cannot stop the world: there is no socket /nope"),
        Row("simulate start", 64, "did you mean 'serve'?"),
        Row("read_gatt_char", 64, "did you mean 'read'?"),
        Row("lecc", 64, "'blectl session start' hold the link"),
        Row("scan on", 64, "hint: leave it out"),
        Row("adapters hci0", 64, "hint: --adapter hci0"),
        Row("scan --service nope", 64, "hint: what there is: blectl lookup --kind service nope"),
        Row("advertise --service-data nope:01", 64, "blectl lookup --kind service nope"),
        Row("trace x --attribute nope", 64, "hint: what there is: blectl lookup nope"),
        Row("read -d 'Pulse HR'", 64, "hint: what the device has: blectl inspect -d 'Pulse HR'"),
        Row("advertise ibeacon 0x180D 1 2", 64, "hint: numbers are options: --major, --minor and --power"),
        Row("advertise --uuid 1", 64, "hint: see 'blectl advertise --help'"),
        Row("clone --from /etc/passwd", 65, "/etc/passwd is not a capture"),
        Row("diff", 64, "hint: for example: blectl diff strap.json"),
        Row("decode", 64, "hint: for example: blectl decode heart-rate-measurement"),
        Row("write battery-level", 64, "hint: for example: blectl write -d"),
        Row("battery", 64, "hint: blectl watch battery"),
        Row("heart-rate", 64, "hint: blectl watch heart-rate or blectl profile heart-rate"),
        Row("READ battery-level", 64, "did you mean 'read'?"),
        Row("scan --JSON", 64, "did you mean '--json'?"),
        Row("completion BASH", 64, "did you mean 'bash'?"),
        Row("--simulate pulse-strap read battery-level", 64, "--simulate=WORLD"),
        Row("read battery-level --simulate pulse-strap", 64, "--simulate=WORLD"),
        Row("write --simulate pulse-strap battery-level 1", 64, "--simulate=WORLD"),
        Row(
            "$SIMULATE read battery-level -d pulse-strap",
            68,
            "hint: pulse-strap advertises another name: -d 'Pulse HR'"
        ),
        Row("read '*'", 64, "as in 'battery/*'"),
        Row("encode appearance 0x00c0", 65, "hint: octets are written hex:00c0, the number 192"),
    ])
    func `a mistake is told, with what to type`(_ row: Row) async throws {
        let run = try await Blectl.shell("$BLECTL \(row.line)")
        #expect(run.status == row.status && run.stderr.contains(row.words), "\(run.status) \(run.stderr)")
    }

    @Test(arguments: [
        "device check /", "device show /", "serve /", "trace /", "trace - </", "run /", "--simulate=/ scan", "update /",
        "decode battery-level @/", "decode battery-level --lines @/", "encode battery-level @/", "diff / pulse-strap",
        "$SIMULATE write battery-level @/ -d 'Thermo 1'", "clone --from /", "$SIMULATE scan --keys /",
        "--formats / decode battery-level 40", "trace x --gatt /", "$SIMULATE pair -d 'Door Lock' --oob /",
    ])
    func `a folder is no input`(_ line: String) async throws {
        let run = try await Blectl.shell("cd $HOME; : >x; $BLECTL \(line)")
        #expect(run.status == 66 && run.stderr.contains(": Is a directory"), "\(run.status) \(run.stderr)")
    }

    @Test(arguments: [
        "trace", "read", "decode", "decode battery-level", "encode battery-level", "write battery-level", "device show",
        "run", "session stop", "serve", "forget", "watch", "scan --service", "$SIMULATE scan --duration 1 --name",
        "lookup",
        "$SIMULATE read battery-level -d", "--simulate", "help", "diff x", "simulate list --socket", "--format {}",
    ])
    func `a long word is not echoed`(_ line: String) async throws {
        let words = ["$(printf '%0100000d' 1)", "\"$(yes a | head -50000)\""]
        let run = try await Blectl.shell(words.map { "$BLECTL \(line) \($0)" }.joined(separator: "; "))
        #expect((1..<10_000).contains(run.stderr.utf8.count), "\(run.stderr.utf8.count)")
    }

    @Test func `a word of a title leads to the topic`() async throws {
        let (exit, status) = (try await Blectl.run(["help", "exit"]), try await Blectl.run(["help", "status"]))
        #expect(exit.stdout == status.stdout && exit.status == 0)
    }

    @Test func `a request that the buffers of a board cannot hold is not sent`() async throws {
        let line = "--simulate=mcuboot-board --simulate-time virtual mcumgr echo $(printf '%03000d' 1)"
        let run = try await Blectl.shell("$BLECTL \(line)")
        #expect(run.status == 65 && run.stderr.contains("and the device has room for 2475"), "\(run.stderr)")
    }

    @Test func `a self-test is told in words`() async throws {
        let run = try await Blectl.shell("$BLECTL $SIMULATE profile sensortag self-test -d SensorTag")
        #expect(run.stdout.hasPrefix("thermometer + hygrometer + magnetometer"), "\(run.stdout)")
    }

    @Test func `diff shows advertising data decoded`() async throws {
        let run = try await Blectl.shell("$BLECTL diff pulse-strap thermometer")
        #expect(run.stdout.contains("Complete List of 16-bit Service Class UUIDs: 0x180D, 0x180F →"), "\(run.stdout)")
    }

    @Test func `trace says when the options choose nothing, and refuses an end before the beginning`() async throws {
        let run = try await Blectl.shell(
            """
            cd "$HOME"; $BLECTL $SIMULATE read battery-level -d 'Thermo 1' --capture run.btsnoop
            $BLECTL trace run.btsnoop --since 1h; echo $?
            $BLECTL trace run.btsnoop --handle 0x0999 --json; echo $?
            $BLECTL trace run.btsnoop --since 2 --until 1; echo $?
            """
        )
        #expect(run.stdout == "64 %\n0\n0\n64\n")
        #expect(run.stderr.split(separator: "\n").count { $0.contains("the options choose nothing of ") } == 2)
        #expect(run.stderr.contains("'--until' is before '--since'"))
    }

    @Test func `trace tells only of the handles that were chosen`() async throws {
        let run = try await Blectl.shell(
            """
            cd "$HOME"; $BLECTL $SIMULATE read handle:0x0018 -d 'Thermo 1' --capture run.btsnoop
            for choice in '' '--handle 0x0018' '--since 1h' '--handle 0x0019'; do
                $BLECTL trace run.btsnoop --values $choice 2>&1 | grep -c 'does not tell what 0x0018'
            done
            """
        )
        #expect(run.stdout.hasSuffix("1\n1\n0\n0\n"), "\(run.stdout) \(run.stderr)")
    }

    @Test func `trace leads to a capture with the discovery`() async throws {
        let run = try await Blectl.shell(
            """
            cd "$HOME"; inspect="$BLECTL --simulate inspect -d C8:4B:1D:3A:90:5E --values"
            $inspect >first; $inspect --capture cached.btsnoop >second; cmp first second
            $inspect --no-cache --capture whole.btsnoop >third
            $BLECTL trace cached.btsnoop --values 2>&1 | grep -c 'with --no-cache) may: --gatt FILE$'
            $BLECTL trace whole.btsnoop --values --attribute battery-level --format '{value}'
            """
        )
        #expect(run.stdout == "1\n57\n", "\(run.stdout) \(run.stderr)")
    }

    @Test(arguments: ["192", "watch", "'Watch (0x00C0)'", "appearance=192"])
    func `an appearance is typed as it is printed`(_ value: String) async throws {
        let run = try await Blectl.shell("$BLECTL encode appearance \(value)")
        #expect(run.stdout == "c000\n", "\(run.stderr)")
    }

    @Test func `a device that a script does not declare is told as such`() async throws {
        let run = try await Blectl.shell(
            """
            printf 'read strap battery-level\nread batery-level\n' | $BLECTL $SIMULATE run -
            printf 'device belt -d X\nread strap battery-level\n' | $BLECTL $SIMULATE run -
            printf 'device belt -d X\nread devce-name battery-level\n' | $BLECTL $SIMULATE run -
            """
        )
        #expect(run.stderr.contains("(no device is declared as strap: device strap -d ADDRESS, before the first step)"))
        #expect(run.stderr.contains("(what there is: blectl lookup batery-level)"), "\(run.stderr)")
        #expect(run.stderr.contains("(what there is: blectl lookup devce-name)"), "\(run.stderr)")
        #expect(run.stderr.contains("(a device is declared as belt; this step is for 'belt')"), "\(run.stderr)")
    }

    @Test func `doctor sees that there is no room for files`() async throws {
        // Where the folders are still to be made, and where they are there.
        let run = try await Blectl.shell(
            """
            export XDG_STATE_HOME=$HOME/state XDG_CACHE_HOME=$HOME/cache; mkdir $HOME/state $HOME/cache
            (ulimit -f 0; exec $BLECTL doctor) | cat
            mkdir $HOME/state/blectl $HOME/cache/blectl
            (ulimit -f 0; exec $BLECTL doctor) | cat
            """
        )
        let lines = run.stdout.split(separator: "\n").filter { $0.contains("File too large; hint: make room") }
        #expect(lines.count == 4, "\(run.stdout)")
    }

    @Test func `a session ends with the shared world of its device`() async throws {
        let run = try await Blectl.shell(
            """
            export BLECTL_SIMULATE=$HOME/world
            $BLECTL simulate serve --socket $HOME/world >$HOME/ready &
            until [ -s $HOME/ready ]; do sleep 0.02; done
            $BLECTL session start -d 'Pulse HR' --foreground >$HOME/session 2>$HOME/errors & session=$!
            until [ -s $HOME/session ]; do sleep 0.02; done
            $BLECTL simulate stop --socket $HOME/world
            wait $session; echo $?; cat $HOME/errors
            """
        )
        #expect(run.stdout.contains("75\n") && run.stdout.contains("has ended"), "\(run.stdout) \(run.stderr)")
    }
}
