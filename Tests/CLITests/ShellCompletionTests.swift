// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Completes command lines in real shells, at a terminal on which the test types.
@Suite("Completion in a shell", .startsPrograms())
struct ShellCompletionTests {
    /// A shell, the arguments that keep it from reading files of the machine, and the line that loads a script.
    struct Shell: Sendable, CustomTestStringConvertible {
        let name: String
        let arguments: [String]
        let setUp: @Sendable (_ script: String, _ folder: String) -> String

        var path: String { "/usr/bin/\(name)" }
        var testDescription: String { name }

        static let bash = Shell(name: "bash", arguments: ["--norc", "--noprofile", "-i"]) { script, _ in
            "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; source '\(script)'"
        }
        static let zsh = Shell(name: "zsh", arguments: ["-f", "-i"]) { _, folder in
            "unset zle_bracketed_paste; setopt NO_BEEP; bindkey -e; fpath=('\(folder)' $fpath); "
                + "autoload -Uz compinit; compinit -u -D"
        }
        static let fish = Shell(name: "fish", arguments: ["--no-config", "-i"]) { script, _ in
            "source '\(script)'"
        }
    }

    /// What is typed before the Tab key, and the last argument that blectl then gets.
    struct Line: Sendable {
        let typed: String
        let argument: String

        init(_ typed: String, _ argument: String) {
            self.typed = typed
            self.argument = argument
        }
    }

    private static let files = ["/image one.bin", "/socket", "/steps.blectl", "/steps.txt", "/steps.blectl.bak"]

    /// A name that a shell must not evaluate.
    private static let hostile = #"it's $(touch hacked) `touch hacked` \ "x""#

    /// `FOLDER` stands for a folder with files.
    static let lines = [
        Line("write 0xFF01 @FOLDER/ima", "@FOLDER/image one.bin"),
        Line("write -d 'Pulse HR' 0xFF01 @FOLDER/im", "@FOLDER/image one.bin"),
        Line("write 0xFF01 @FOLDER/su", "@FOLDER/sub/"),
        Line("--radio uni", "unix:"),
        Line("--radio unix:FOLDER/so", "unix:FOLDER/socket"),
        Line("--radio=unix:FOLDER/so", "--radio=unix:FOLDER/socket"),
        Line("read 0x2A19 -d Pul", "Pulse HR"),
        Line("read 0x2A19 -d pul", "Pulse HR"),
        Line("read 0x2A19 -d 'Pul", "Pulse HR"),
        Line("read 0x2A19 -d \"Pulse H", "Pulse HR"),
        Line("read 0x2A19 -d Pulse\\ ", "Pulse HR"),
        Line("scan --device Desk", "Desk Lamp"),
        Line("read 0x2A19 -d it", hostile),
        Line("read 0x2A19 -d 'it", hostile),
        Line("read 0x2A19 -d \"it", hostile),
        Line("read 0x2A19 -d C8:4B", "C8:4B:1D:3A:90:5E"),
        Line("read 0x2A19 --device=C8:4B", "--device=C8:4B:1D:3A:90:5E"),
        Line("--simulate inspect UART", "UART Echo"),
        Line("inspect Desk", "Desk Lamp"),
        // Heart Rate has four characteristics, of which the strap in the cache has three.
        Line("read heart-rate/body", "heart-rate/body-sensor-location"),
        Line("read immediate-alert/", "immediate-alert/alert-level"),
        Line("--simulate read -d 'Thermo 1' battery/", "battery/battery-level"),
        Line("--simulate -d 'Thermo 1' read temperature-t", "temperature-type"),
        Line("--simulate read --device='thermo 1' manu", "manufacturer-name-string"),
        Line("read battery-level/cc", "battery-level/cccd"),
        Line("--simulate read -d 'Thermo 1' battery-level/cl", "battery-level/client-characteristic-configuration"),
        Line("read x --as u1", "u16"),
        Line("serve museu", "museum"),
        Line("serve FOLDER/ima", "FOLDER/image one.bin"),
        Line("device show museu", "museum"),
        Line("device check FOLDER/ima", "FOLDER/image one.bin"),
        Line("diff FOLDER/ima", "FOLDER/image one.bin"),
        Line("diff Pulse FOLDER/ima", "FOLDER/image one.bin"),
        Line("advertise ibea", "ibeacon"),
        Line("run FOLDER/ste", "FOLDER/steps.blectl"),
        Line("run FOLDER/su", "FOLDER/sub/"),
        Line("run --dry-run first.blectl ste", "steps.blectl"),
    ]

    @Test(arguments: [Shell.bash, .zsh, .fish])
    func `a word is completed to the text that blectl needs`(_ shell: Shell) async throws {
        guard FileManager.default.isExecutableFile(atPath: shell.path) else {
            // `make shells` installs it.
            print("not tested: \(shell.name) is not installed")
            return
        }
        try await TemporaryFolder.use { folder in
            let path = folder.resolvingSymlinksInPath().path
            try prepare(path)
            // Fills the GATT cache of the simulated devices.
            let seen = try await Blectl.run(
                ["--simulate", "inspect", "Thermo 1"],
                environment: ["HOME": path, "XDG_CACHE_HOME": "\(path)/cache", "XDG_STATE_HOME": "\(path)/state"]
            )
            try #require(seen.status == 0, "\(seen.stderr)")
            let arguments = try await complete(Self.lines.map(\.typed), in: shell, path)
            #expect(arguments.count == Self.lines.count)
            for (line, last) in zip(Self.lines, arguments) {
                let wanted = line.argument.replacing("FOLDER", with: path)
                // zsh removes the slash of a folder again when a space follows.
                #expect(last == wanted || last + "/" == wanted, "\(shell.name): blectl \(line.typed)")
            }
            #expect(!FileManager.default.fileExists(atPath: "\(path)/hacked"))
        }
    }

    /// Makes the files, the remembered devices and the place of the completion script.
    private func prepare(_ path: String) throws {
        let manager = FileManager.default
        for name in Self.files { try Data().write(to: URL(filePath: path + name)) }
        let ownOnly: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        for name in ["sub", "scripts", "cache", "state/blectl"] {
            try manager.createDirectory(
                atPath: "\(path)/\(name)",
                withIntermediateDirectories: true,
                attributes: ownOnly
            )
        }
        let devices = #"""
            {"version": 1, "devices": {
              "C8:4B:1D:3A:90:5E": {"type": "random", "name": "Pulse HR", "seen": "2026-11-22T00:00:00Z"},
              "C0:00:00:00:00:11": {"type": "random", "name": "Desk Lamp", "seen": "2026-11-22T00:00:00Z"},
              "C0:00:00:00:00:13": {"type": "random", "name": "it's $(touch hacked) `touch hacked` \\ \"x\"", "seen": "2026-11-22T00:00:00Z"},
              "D0:00:00:00:00:12": {"type": "public", "seen": "2026-11-22T00:00:00Z"}
            }}
            """#
        let file = "\(path)/state/blectl/devices.json"
        try Data(devices.utf8).write(to: URL(filePath: file))
        try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }

    /// Types a line and waits until the shell shows its end, because fish takes a Tab within it for pasted text.
    private func typeAndWait(_ line: String, on terminal: PseudoTerminal) async throws {
        let before = terminal.output.bytes.count
        terminal.type(line)
        let end = Array(line.utf8.suffix(3))
        try await terminal.waits("the line \(line)") { _ in
            terminal.output.bytes.dropFirst(before).firstRange(of: end) != nil
        }
    }

    /// The last argument of each line after the Tab key, as the shell would pass it to blectl.
    private func complete(_ lines: [String], in shell: Shell, _ path: String) async throws -> [String] {
        let script = "\(path)/scripts/_blectl"
        let completion = try await Blectl.run(["completion", shell.name])
        try Data(completion.stdoutBytes).write(to: URL(filePath: script))
        // The shells look for it under this name. The binary under test may have another one.
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/scripts/blectl",
            withDestinationPath: Blectl.path
        )
        let terminal = try PseudoTerminal(columns: 200, rows: 50)
        let child = try Child(
            // Gives the shell the terminal as its controlling one.
            Program("/usr/bin/setsid", ["--ctty", "--wait", shell.path] + shell.arguments),
            input: terminal.device,
            output: terminal.device,
            error: terminal.device,
            environment: [
                "PATH": "\(path)/scripts:/usr/bin:/bin", "HOME": path, "TERM": "dumb", "LC_ALL": "C.UTF-8",
                "XDG_CACHE_HOME": "\(path)/cache", "XDG_STATE_HOME": "\(path)/state",
                "XDG_CONFIG_HOME": "\(path)/config", "XDG_DATA_HOME": "\(path)/data",
            ]
        )
        let result = "\(path)/result"
        do {
            terminal.type("cd '\(path)'; \(shell.setUp(script, "\(path)/scripts")); echo set\"\"-up\r")
            try #require(await terminal.output.contains("set-up"))
            for (index, line) in lines.enumerated() {
                try await typeAndWait("blectl \(line.replacing("FOLDER", with: path))", on: terminal)
                // Behind the Tab key, turns the line into one that writes the arguments of blectl down.
                terminal.type("\t\u{1}printf '%s\\n' \u{5} > '\(result).\(index)'; echo do\"\"ne.\(index).\r")
                try #require(await terminal.output.contains("done.\(index)."), "\(terminal.output.text.suffix(500))")
            }
        } catch {
            child.signal(SIGKILL)
            throw error
        }
        terminal.type("exit\r")
        _ = try await child.status()
        return try lines.indices.map { index in
            let words = try String(contentsOfFile: "\(result).\(index)", encoding: .utf8)
            return words.split(separator: "\n").last.map(String.init) ?? ""
        }
    }
}
