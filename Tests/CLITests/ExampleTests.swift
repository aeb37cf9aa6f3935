// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import Foundation
import TestProcesses
import Testing

/// Pastes the examples of the manual pages and of README into a shell.
///
/// Two functions of that shell make them run without a radio and without end: `blectl` adds `--simulate` and a deadline in
/// virtual time, where there are no sessions, and `sudo` only runs its command.
@Suite("Examples", .startsPrograms(isLong: true))
struct ExampleTests {
    /// A page, and its examples as a reader copies them.
    struct Page: Sendable, CustomTestStringConvertible {
        let name: String
        let lines: [String]

        var testDescription: String { name }
    }

    private static let root = ManualText.root

    static let pages: [Page] = {
        let folder = root.appending(path: "man")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let manuals = names.filter { $0.hasSuffix(".1") }.sorted().map {
            Page(name: $0, lines: (try? ManualText.displays(of: $0))?.flatMap(\.self) ?? [])
        }
        return manuals + [Page(name: "README.md", lines: examplesOfReadme())]
    }()

    /// The lines behind a prompt.
    private static func examplesOfReadme() -> [String] {
        let text = (try? String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
    }

    @Test func `README shows what a scan of the simulated world prints`() async throws {
        let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let command = "$ blectl --simulate scan --duration 2\n"
        let session = try #require(readme.components(separatedBy: command).dropFirst().first)
        let shown = session.prefix { $0 != "$" }.split(separator: "\n").filter { $0 != "…" }
        #expect(shown.count == 4)
        let run = try await Blectl.simulate("scan --duration 2")
        let printed = (run.stdout + run.stderr).split(separator: "\n")
        for line in shown { #expect(printed.contains(line), "\(line)") }
        #expect(readme.contains("serving a world of \(BuiltInDevice.all.count) devices at "))
    }

    @Test func `README shows what an update prints`() async throws {
        let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let command = "$ blectl --simulate=mcuboot-board update zephyr.signed.bin\n"
        let shown = try #require(readme.components(separatedBy: command).dropFirst().first).prefix { $0 != "`" }
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "zephyr.signed.bin")
            try Data(FirmwareImage.octets(length: 300_000)).write(to: file)
            let options = ["--simulate=mcuboot-board", "--simulate-time", "virtual", "update", file.path]
            let run = try await Blectl.run(options)
            #expect(run.stdout == String(shown), "\(run.stderr)")
        }
    }

    /// The script that README shows.
    private static let script: String = {
        let text = (try? String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)) ?? ""
        let shown = text.components(separatedBy: "$ cat rig.blectl\n").dropFirst().first ?? ""
        return shown.components(separatedBy: "$ ")[0]
    }()

    /// The data of the device 'Out Of Band' of the simulated world `security`.
    private static let outOfBandData = """
        { "schema": "blectl-oob/1", "confirm": "6a1f3c5e7092b4d8f00112233445566a",
          "random": "0f1e2d3c4b5a69788796a5b4c3d2e1f0" }
        """

    private static let functions = #"""
        set -o pipefail
        sudo() { "$@"; }
        blectl() {
            case " $* " in
                *" session "*) command "$BLECTL" --simulate "$@" ;;
                *" -i unix:"* | *" -i serial:"*) command "$BLECTL" "$@" ;;
                *" watch keys "*" --exec "*) command "$BLECTL" --simulate --simulate-time real "$@" ;;
                *" --simulate="*.json*) command "$BLECTL" --simulate-time virtual "$@" ;;
                *" --radio "* | *" --simulate="* | *" simulate "* | *" completion "* | *" help "* | *" version "*) command "$BLECTL" "$@" ;;
                *" --count "* | *" --duration "*) command "$BLECTL" --simulate --simulate-time virtual "$@" ;;
                *) command "$BLECTL" --simulate --simulate-time virtual --deadline 60 "$@" ;;
            esac
        }

        """#

    @Test(arguments: pages)
    func `each runs as pasted`(_ page: Page) async throws {
        try #require(!page.lines.isEmpty, "\(page.name) has no example")
        try await TemporaryFolder.use { folder in
            try FileManager.default.createDirectory(
                at: folder.appending(path: ".zfunc"),
                withIntermediateDirectories: true
            )
            try Data([1, 2, 3]).write(to: folder.appending(path: "image.bin"))
            try Data(FirmwareImage.octets()).write(to: folder.appending(path: "zephyr.signed.bin"))
            try Data(FirmwareArchive.legacy()).write(to: folder.appending(path: "watch.zip"))
            try Data(Self.script.utf8).write(to: folder.appending(path: "rig.blectl"))
            try Data(Self.outOfBandData.utf8).write(to: folder.appending(path: "tag.oob"))
            if page.lines.contains(where: { $0.contains("--keys") }) {
                let keys = #"{"schema": "blectl-keys/1", "devices": []}"#
                try Data(keys.utf8).write(to: folder.appending(path: "keys.json"))
            }
            for example in ManualExample.devices {
                try Data(example.text.utf8).write(to: folder.appending(path: example.file))
            }
            if page.lines.contains(where: { $0.contains("btsnoop") }) {
                let captured = try await run("blectl inspect 'Pulse HR' --values --capture run.btsnoop", in: folder)
                try #require(captured.status == 0, "\(captured.stderr)")
                // The octets tell the format of a file, and not its name.
                for name in ["btsnoop_hci.log", "btsnoop_hci.log.last", "bugreport.zip"] {
                    try FileManager.default.copyItem(
                        at: folder.appending(path: "run.btsnoop"),
                        to: folder.appending(path: name)
                    )
                }
            }
            var served: [Task<BlectlRun, any Error>] = []
            for line in page.lines {
                let socket = "\(folder.path)/socket"
                let world = "\(folder.path)/world"
                let text = line.replacing("/tmp/hr", with: socket).replacing("/tmp/world", with: world)
                // The examples with a socket are one that serves, and others that use it.
                if text.contains("--radio") || text.contains("blectl simulate serve"), text.contains(" serve ") {
                    let serving = text.hasSuffix(" &") ? String(text.dropLast(2)) : text
                    let limited = text.contains("--radio") ? "\(serving) --count 1" : serving
                    served.append(Task { try await run(limited, in: folder) })
                    continue
                }
                let used = text.contains("--radio") ? socket : text.contains(world) ? world : nil
                let wait = used.map { "until [[ -S \($0) ]]; do sleep 0.02; done; " } ?? ""
                let result = try await run(wait + text, in: folder)
                #expect(isExpected(result.status, of: line), "\(line): \(result.status) \(result.stderr)")
            }
            for served in served { #expect(try await served.value.status == 0) }
        }
    }

    /// Runs a line in the shell that it is for.
    private func run(_ line: String, in folder: URL) async throws -> BlectlRun {
        if line.contains("| source"), let fish = ["/usr/bin/fish"].first(where: FileManager.default.isExecutableFile) {
            return try await Blectl.shell("\(fish) --no-config -c 'function blectl; $BLECTL $argv; end; \(line)'")
        }
        guard !line.contains("| source") else { return try await Blectl.shell("true") }
        return try await Blectl.shell(
            "cd '\(folder.path)'\n\(Self.functions)\(line)",
            environment: ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path]
        )
    }

    /// Whether the status is that of success, or that of the deadline for a command that goes on until it is interrupted.
    private func isExpected(_ status: Int32, of line: String) -> Bool {
        // There is no such controller here.
        if line.contains(" -i unix:") || line.contains(" -i serial:") { return status == 69 }
        let isEndless =
            [" scan ", " notify ", " watch ", " serve ", " advertise ", " l2cap listen ", " extcap capture "].contains {
                line.contains($0)
            }
            && !line.contains("--count") && !line.contains("--duration")
        return isEndless ? status == 124 : status == 0
    }

    @Test func `no line of a page is wrapped or wider than a terminal`() async throws {
        for page in Self.pages.dropLast() {
            for line in page.lines { #expect(line.count <= 72, "\(page.name): \(line)") }
        }
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/groff") else { return }
        let folder = Self.root.appending(path: "man").path
        let script =
            "for f in '\(folder)'/*.1; do groff -mdoc -Tascii -P-cbou -rLL=78n \"$f\"; done | awk 'length > 80'"
        let run = try await Blectl.shell(script)
        #expect(run.stdout == "")
    }

    @Test func `README shows devices in the order in which a scan finds them`() async throws {
        let text = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let block = try #require(
            text.components(separatedBy: "$ blectl --simulate scan --duration 2\n").dropFirst().first
        )
        let shown = block.split(separator: "\n").prefix { $0 != "…" }.map { $0.prefix(17) }
        let run = try await Blectl.simulate("scan --duration 2")
        let found = run.stdout.split(separator: "\n").map { $0.prefix(17) }
        #expect(!shown.isEmpty)
        #expect(shown == Array(found.prefix(shown.count)))
    }
}
