// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Standard streams and environment", .startsPrograms())
struct StreamTests {
    // MARK: - A system without /proc

    private static func canMount() async throws -> Bool {
        try await ProgramSlots.use { _ in
            try await Blectl.shell("unshare -m mount -t tmpfs none /proc").status == 0
        }
    }

    @Test(.enabled("mounts need root, and a container that allows them") { try await canMount() })
    func `the command line works without a proc file system`() async throws {
        func run(_ arguments: String) async throws -> BlectlRun {
            try await Blectl.shell(
                "exec unshare -m bash -c 'mount -t tmpfs none /proc; [ ! -e /proc/self ] && exec $BLECTL $SIMULATE \(arguments)'"
            )
        }
        let read = try await run("read battery-level -d \"Pulse HR\"")
        #expect(read.status == 0 && read.stdout == "87 %\n", "\(read.stderr)")
        let wrong = try await run("read battery-level --json --no-such-option")
        #expect(wrong.status == 64 && wrong.stderr.contains("--no-such-option"))
        // The words also decide the form in which a failure is reported.
        #expect(try wrong.records().map { $0["type"] } == [.string("error")])
    }

    // MARK: - A reader that ends

    @Test(arguments: [
        "$SIMULATE watch heart-rate --json", "$SIMULATE notify heart-rate-measurement", "$SIMULATE scan --duplicates",
        "--simulate scan --json --duplicates", "--simulate scan", "$SIMULATE inspect -d Workbench", "--help",
    ])
    func `a reader that closes early ends the command with 0`(_ arguments: String) async throws {
        let run = try await Blectl.shell("$BLECTL \(arguments) | head -1; exit ${PIPESTATUS[0]}")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout.split(separator: "\n").count == 1)
        #expect(!run.stderr.contains("cannot"), "\(run.stderr)")
    }

    @Test func `a closed reader leaves the device without notifications`() async throws {
        let run = try await Blectl.shell(
            "$BLECTL $SIMULATE notify heart-rate-measurement -v | head -1; exit ${PIPESTATUS[0]}"
        )
        #expect(run.status == 0)
        // The reader ends with a delay, and the connection makes subscriptions of its own.
        let writes = Trace(run.stderr).writes.map(\.value)
        #expect(writes.first == "0100" && writes.last == "0000", "\(writes)")
    }

    @Test func `a closed reader leaves the controller not scanning`() async throws {
        let run = try await Blectl.shell("$BLECTL --simulate scan --duplicates -vv | head -1; exit ${PIPESTATUS[0]}")
        #expect(run.status == 0)
        #expect(Trace(run.stderr).scanSwitches == ["on", "off"])
    }

    @Test(arguments: [
        "scan --json --name nobody", "scan --name nobody", "notify \(Workbench.silent) -d Nobody --timeout 1000",
        "inspect -d Nobody --timeout 1000", "serve sports-watch", "read 0x2A00 -d Nobody --timeout 1000",
        "clone -d Nobody --timeout 1000", "bench read -d Nobody --timeout 1000",
    ])
    func `a closed reader is noticed while there is nothing to print`(_ arguments: String) async throws {
        // By itself it would go on for longer, and then it is 124.
        let run = try await Blectl.shell(
            "timeout 300 $BLECTL --simulate \(arguments) | true; exit ${PIPESTATUS[0]}"
        )
        #expect(run.status == 0, "\(run.stderr)")
        #expect(!run.stderr.contains("cannot"), "\(run.stderr)")
    }

    @Test func `commands that write to a device do so with or without a reader`() async throws {
        let run = try await Blectl.shell(
            "$BLECTL --simulate write \(Workbench.variable) 0x01 -d Workbench -v | true; exit ${PIPESTATUS[0]}"
        )
        #expect(run.status == 0, "\(run.stderr)")
        #expect(Trace(run.stderr).writes.contains { $0.value == "01" }, "\(run.stderr)")
    }

    @Test(arguments: ["/dev/null", "file"])
    func `a file is not a reader that could close`(_ file: String) async throws {
        let run = try await Blectl.shell(
            "cd $HOME; $BLECTL --simulate scan --duration 2 --json --duplicates >\(file); s=$?; cat \(file); exit $s"
        )
        #expect(run.status == 0)
        #expect(run.stderr.contains(" reports from "))
    }

    @Test func `a slow reader gets everything`() async throws {
        let run = try await Blectl.shell(
            "$BLECTL $SIMULATE watch heart-rate --count 600 --json | (sleep 0.3; cat); exit ${PIPESTATUS[0]}"
        )
        #expect(run.status == 0)
        #expect(try run.records().map { $0["sequence"] } == (1...600).map { .integer($0) })
    }

    // MARK: - A reader that has stopped

    /// A run whose standard output nobody reads at first: a pipe of one page, which is full after some records.
    private func stopped(
        _ arguments: [String],
        _ body: (_ child: Child, _ output: Int32, _ messages: OutputCollector) async throws -> Void
    ) async throws {
        let (output, error) = (try PipeEnds(), try PipeEnds())
        defer { close(output.reading) }
        // F_SETPIPE_SZ, which Swift does not see.
        try #require(fcntl(output.writing, 1_031, 4_096) == 4_096)
        let child = try Child(
            Program(Blectl.path, ["--simulate"] + arguments),
            input: FileHandle.nullDevice,
            output: FileHandle(fileDescriptor: output.writing, closeOnDealloc: false),
            error: FileHandle(fileDescriptor: error.writing, closeOnDealloc: false),
            environment: [:]
        )
        for ends in [output, error] { close(ends.writing) }
        try await body(child, output.reading, OutputCollector(error.reading))
        if child.isRunning { child.signal(SIGKILL) }
    }

    @Test func `--deadline holds without a reader, and unwritten output is reported`() async throws {
        let start = ContinuousClock.now
        // Long enough to fill the pipe on a busy machine, too.
        try await stopped(["scan", "--duplicates", "--json", "--deadline", "5", "-vv"]) { child, _, messages in
            try #expect(await child.status() == 124)
            await messages.waitForEnd()
            #expect(messages.text.contains(/blectl: [0-9]+ octets of results not written: the reader does not read\n/))
            #expect(Trace(messages.text).scanSwitches == ["on", "off"])
            let end = try #require(child.endedAt)
            #expect(end - start < .seconds(30), "it would wait without end")
        }
    }

    @Test func `--duration ends the scan without a reader, and a late reader still gets everything`() async throws {
        try await stopped(["scan", "--duplicates", "--json", "--duration", "2", "-vv"]) { child, output, messages in
            try #require(await messages.contains("Scan Enable: off"))
            try #require(await messages.contains(" reports from "))
            #expect(child.isRunning, "it waits for the reader")
            let reader = OutputCollector(dup(output))
            try #expect(await child.status() == 0)
            await reader.waitForEnd()
            let records = try JSON.objects(reader.text)
            #expect(records.count > 20 && records.allSatisfy { $0["type"] == .string("advertisement") })
            #expect(!messages.text.contains("not written"))
        }
    }

    @Test func `--timeout limits the device, and not the reader`() async throws {
        let read = ["inspect", "Workbench", "--json", "--timeout", "4", "-v"]
        try await stopped(read) { child, output, messages in
            // It has all, and more than a page of it waits for the reader, for longer than the device may take.
            try await child.waitUntilIdle()
            try await Task.sleep(for: .seconds(5))
            #expect(child.isRunning)
            let reader = OutputCollector(dup(output))
            try #expect(await child.status() == 0, "\(messages.text.suffix(500))")
            await reader.waitForEnd()
            let plain = try await Blectl.run(["--simulate", "inspect", "Workbench", "--json"])
            #expect(try JSON.objects(reader.text).count == plain.records().count)
        }
    }

    // MARK: - Streams that accept nothing

    @Test func `a file at its size limit is reported, and the device is left without notifications`() async throws {
        let run = try await Blectl.shell(
            "ulimit -f 8; cd $HOME; $BLECTL $SIMULATE watch heart-rate --json -v >file 2>/dev/full; s=$?; cat file; exit $s"
        )
        #expect(run.status == 74)
        #expect(run.stdoutBytes.count == 8_192)
        let told = try await Blectl.shell(
            "ulimit -f 8; cd $HOME; $BLECTL $SIMULATE watch heart-rate -v 2>&1 >file | tail -3 >&2; exit ${PIPESTATUS[0]}"
        )
        #expect(told.status == 74)
        #expect(Trace(told.stderr).writes.last?.value == "0000")
        #expect(told.stderr.hasSuffix("blectl: cannot write to standard output: File too large\n"), "\(told.stderr)")
    }

    @Test(arguments: [
        "--version", "--help", "help read", "completion bash", "$SIMULATE version --json", "$SIMULATE adapters",
        "$SIMULATE scan --duration 1", "$SIMULATE scan --duration 1 --json", "$SIMULATE read battery-level",
        "$SIMULATE read battery-level --as raw", "$SIMULATE inspect -d Workbench", "$SIMULATE watch heart-rate",
        "$SIMULATE notify heart-rate-measurement --json", "$SIMULATE write device-name 0x --json --name 'Pulse*'",
        "$SIMULATE clone 'Thermo 1'", "$SIMULATE link 'Thermo 1'", "$SIMULATE profile time show -d 'Desk Clock'",
        "--simulate=bench --simulate-time virtual bench read", "$SIMULATE doctor", "device list", "device show bench",
        "diff pulse-strap thermometer", "lookup battery", "decode battery-level 40", "encode battery-level 9",
        "extcap interfaces",
    ])
    func `a full disk is reported, with status 74`(_ arguments: String) async throws {
        let arguments = arguments.replacing("device-name 0x", with: "heart-rate-control-point 0x01")
        let run = try await Blectl.shell("$BLECTL \(arguments) >/dev/full")
        #expect(run.status == 74)
        let told = "blectl: cannot write to standard output: No space left on device"
        #expect(run.stderr.split(separator: "\n").filter { $0 == told }.count == 1, "\(run.stderr)")
    }

    @Test(arguments: [
        "simulate serve --socket s", "advertise --simulate --local-name A",
        "--simulate session start --foreground -d Workbench",
    ])
    func `a full disk ends an endless command, and a closed reader does not`(
        _ arguments: String
    ) async throws {
        // No other test finds the session.
        let place = "cd $HOME; export XDG_RUNTIME_DIR=$HOME"
        let full = try await Blectl.shell("\(place); timeout 300 $BLECTL \(arguments) >/dev/full")
        #expect(full.status == 74)
        #expect(full.stderr == "blectl: cannot write to standard output: No space left on device\n")
        // It is 124 for a command that timeout(1) had to end.
        let left = try await Blectl.shell("\(place); timeout 3 $BLECTL \(arguments) | true; exit ${PIPESTATUS[0]}")
        #expect(left.status == 124, "\(left)")
        #expect(left.stderr.isEmpty, "\(left.stderr)")
    }

    @Test(arguments: ["--version", "$SIMULATE read battery-level", "$SIMULATE scan --duration 1"])
    func `a closed standard output is reported, with status 74`(_ arguments: String) async throws {
        let run = try await Blectl.shell("$BLECTL \(arguments) >&-")
        #expect(run.status == 74)
        #expect(run.stderr.contains("blectl: cannot write to standard output: Bad file descriptor\n"), "\(run.stderr)")
    }

    @Test(arguments: [
        "scan", "inspect -d Nobody --timeout 1000", "read 0x2A00 -d Nobody --timeout 1000", "watch heart-rate",
        "notify 0x2A00 -d Nobody --timeout 1000", "link -d Nobody --timeout 1000", "clone -d Nobody --timeout 1000",
        "bench read -d Nobody --timeout 1000", "diff Nobody Nothing --timeout 1000", "serve pulse-strap",
        "advertise --local-name A", "adapters", "doctor", "devices", "bonds",
    ])
    func `a command for its output does not begin without one`(_ arguments: String) async throws {
        let run = try await Blectl.shell("timeout 300 $BLECTL --simulate \(arguments) >&-")
        #expect(run.status == 74)
        #expect(run.stderr == "blectl: cannot write to standard output: Bad file descriptor\n", "\(run.stderr)")
    }

    @Test func `a clone in a file needs no standard output`() async throws {
        let run = try await Blectl.shell("cd $HOME; $BLECTL $SIMULATE clone 'Thermo 1' -o file >&- && [ -s file ]")
        #expect(run.status == 0, "\(run.stderr)")
    }

    @Test func `commands without output need no standard output`() async throws {
        let run = try await Blectl.shell("$BLECTL $SIMULATE write \(Workbench.variable) 0x01 -d Workbench >&-")
        #expect(run.status == 0, "\(run.stderr)")
    }

    @Test(arguments: ["2>&-", "2>/dev/full", "2> >(true)"])
    func `unread messages change neither results nor status`(_ redirection: String) async throws {
        let command = "$BLECTL $SIMULATE read battery-level 0xFFF1 device-name -d 'Pulse HR' -vv"
        let run = try await Blectl.shell("\(command) \(redirection)")
        let plain = try await Blectl.shell(command)
        #expect(run.status == 68)
        #expect(run.stdout == plain.stdout)
        #expect(run.stdout.split(separator: "\n").count == 2)
        let usage = try await Blectl.shell("$BLECTL read nonsense \(redirection)")
        #expect(usage.status == 64)
    }

    @Test(arguments: [0, 1, 2])
    func `a closed stream stays closed: no socket and no file takes its number`(_ number: Int) async throws {
        // Otherwise the program would write its message into the first socket that it opens.
        // Its thread for signals begins after its first sockets, and the next ones come at once.
        let script = """
            "$@" \(number == 0 ? "<" : "\(number)>")&- &
            until [ $(ls /proc/$!/task | wc -l) -gt 1 ] || ! kill -0 $!; do sleep 0.02; done
            sleep 0.5; for end in 0 1 2; do readlink /proc/$!/fd/$end || echo none; done; kill $!; wait $!; exit 0
            """
        // Both search; what has its result in a file needs no standard output.
        let search = number == 1 ? "clone nobody -o $HOME/clone" : "scan --name nobody"
        let run = try await Blectl.shell("set -- $BLECTL --simulate \(search); \(script)")
        let links = run.stdout.split(separator: "\n")
        #expect(links.count == 3, "\(run.stdout) \(run.stderr)")
        #expect(links.dropFirst(number).first == "/dev/null", "\(run.stdout) \(run.stderr)")
    }

    // MARK: - Standard input

    @Test func `a closed standard input is reported if it is needed, and unnoticed otherwise`() async throws {
        let write = try await Blectl.shell("$BLECTL $SIMULATE write \(Workbench.variable) - -d Workbench <&-")
        #expect(write.status == 74)
        #expect(write.stderr == "blectl: cannot read standard input: Bad file descriptor\n")
        let read = try await Blectl.shell("$BLECTL $SIMULATE read battery-level <&-")
        #expect(read.status == 0)
        #expect(read.stdout == "87 %\n")
    }

    @Test func `standard input is left for the next program of a shell script`() async throws {
        let run = try await Blectl.shell(
            "printf '1\\n2\\n' | while read line; do echo $line; $BLECTL $SIMULATE read battery-level; done"
        )
        #expect(run.stdout == "1\n87 %\n2\n87 %\n")
    }

    // MARK: - Colours and languages

    private static let escape: Character = "\u{1B}"

    @Test func `colour comes with --color always, and otherwise never into a file`() async throws {
        let command = ["scan", "--duration", "1"]
        let plain = try await Blectl.run(Blectl.virtual + command)
        let always = try await Blectl.run(Blectl.virtual + command + ["--color", "always"])
        #expect(!plain.stdout.contains(Self.escape))
        #expect(always.stdout.contains("\u{1B}[36mPulse HR\u{1B}[0m"))
        #expect(always.stdout.replacing(/\x1B\[[0-9]*m/, with: "") == plain.stdout)
        for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            let asked = try await Blectl.run(
                Blectl.virtual + command + ["--color", "always"],
                environment: environment
            )
            #expect(asked.stdout == always.stdout, "the option comes before \(environment)")
        }
        let failed = try await Blectl.simulate("read 0xFFF1 -d 'Pulse HR' --color always")
        #expect(failed.stderr.hasPrefix("blectl: \u{1B}[31mcannot read"))
    }

    @Test(arguments: ["C", "POSIX", "de_DE.UTF-8", "tr_TR.UTF-8"])
    func `output does not depend on the language of the machine`(_ language: String) async throws {
        let command = TypedCommand("inspect 'Thermo 1' --values")
        let plain = try await command.run()
        let other = try await Blectl.run(
            Blectl.virtual + command.arguments,
            environment: ["LANG": language, "LC_ALL": language, "TZ": "Asia/Kathmandu"]
        )
        #expect(plain.status == 0 && plain.stdout.contains("°C"))
        #expect(other.stdoutBytes == plain.stdoutBytes)
    }

    // MARK: - Limits

    @Test(arguments: ["--simulate", "$SIMULATE"])
    func `sixteen file descriptors are enough`(_ simulation: String) async throws {
        let run = try await Blectl.shell("ulimit -n 16; exec $BLECTL \(simulation) read battery-level device-name -v")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout.contains("battery-level: 87 %\n"))
    }

    @Test func `they are enough for a session, too`() async throws {
        let run = try await SessionShell.run(
            "ulimit -n 16; blectl session start -d 'Pulse HR' --format '{name}'; blectl session stop"
        )
        #expect(run.lines == ["pulse-hr", "session pulse-hr has ended"], "\(run)")
    }

    @Test(arguments: 4...10)
    func `fewer are reported, and nothing is begun`(_ limit: Int) async throws {
        for arguments in ["--simulate read battery-level -vv", "$SIMULATE scan --duration 1 -vv", "adapters"] {
            let run = try await Blectl.shell("ulimit -n \(limit); exec $BLECTL \(arguments)")
            #expect(run.status == 74)
            #expect(run.stderr == "blectl: the limit of open files is too low\nhint: ulimit -n 64\n")
            #expect(run.stdoutBytes.isEmpty)
        }
        let help = try await Blectl.shell("ulimit -n \(limit); exec $BLECTL --help")
        #expect(help.status == 0 && help.stderr.isEmpty)
    }
}
