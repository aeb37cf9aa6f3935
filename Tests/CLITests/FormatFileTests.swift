// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Format files on the command line", .startsPrograms())
struct FormatFileTests {
    @Test(arguments: ManualExample.formats)
    func `each example of the manual is valid and runs`(_ example: ManualExample) async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: example.file)
            try Data(example.text.utf8).write(to: file)
            #expect(!example.lines.isEmpty)
            for line in example.lines {
                let command = TypedCommand(line.replacing("blectl ", with: "", maxReplacements: 1))
                let arguments = command.arguments.map { $0 == example.file ? file.path : $0 }
                let run = try await Blectl.run(arguments)
                #expect(run.status == 0, "\(line): \(run.stderr)")
                #expect(!run.stdout.isEmpty)
            }
        }
    }

    private static let device = """
        {
          "schema": "blectl-device/1",
          "name": "Acme",
          "advertising": [{"data": {"services": ["8e1c0000-4f2a-4b6e-9f0e-2d6c1a5b7c00"], "name": "Acme"}}],
          "services": [{"uuid": "8e1c0000-4f2a-4b6e-9f0e-2d6c1a5b7c00", "characteristics": [{
            "uuid": "8e1c0001-4f2a-4b6e-9f0e-2d6c1a5b7c00", "properties": ["read", "write", "notify"],
            "value": "0x34086401", "every": "1 s"
          }]}]
        }
        """

    @Test func `a private characteristic is treated as an assigned one`() async throws {
        let example = try #require(ManualExample.formats.first)
        try await TemporaryFolder.use { folder in
            let device = folder.appending(path: "acme.json").path
            let formats = folder.appending(path: "formats.json").path
            try Data(Self.device.utf8).write(to: URL(filePath: device))
            try Data(example.text.utf8).write(to: URL(filePath: formats))
            func run(_ words: String...) async throws -> BlectlRun {
                try await Blectl.run(
                    ["--simulate=\(device)", "--simulate-time", "virtual", "--formats", formats] + words
                )
            }
            // The service in the file is that by which the device is found.
            let read = try await run("read", "acme-climate-measurement")
            #expect(read.stdout == "temperature 21 °C, humidity 50 %, mode heating\n", "\(read.stderr)")
            let notified = try await run("notify", "acme-climate-measurement", "--count", "2", "--json").records()
            #expect(notified.count == 2)
            #expect(notified.first?["characteristic_name"] == .string("Acme Climate Measurement"))
            #expect(
                notified.first?["decoded"]
                    == .object([
                        "temperature_c": .integer(21), "humidity_percent": .integer(50), "mode": .string("heating"),
                    ])
            )
            let watched = try await run("watch", "acme-climate-measurement", "--count", "1", "--json").records()
            #expect(watched.last?["characteristic_name"] == .string("Acme Climate Measurement"))
            #expect(watched.last?["text"] == .string("temperature 21 °C, humidity 50 %, mode heating"))
            let tree = try await run("inspect", "--name", "Acme", "--values").stdout
            #expect(tree.contains("service Acme Climate (8e1c0000-4f2a-4b6e-9f0e-2d6c1a5b7c00)"))
            #expect(tree.contains("Acme Climate Measurement (8e1c0001-4f2a-4b6e-9f0e-2d6c1a5b7c00)"))
            #expect(tree.contains("temperature 21 °C"))
            let scanned = try await run("scan", "--count", "1")
            #expect(scanned.stdout.hasSuffix("  Acme  Acme Climate\n"), "\(scanned)")
            for words in [["--count", "1"], ["--summary", "--duration", "2"]] {
                let options = ["--simulate=\(device)", "--simulate-time", "virtual", "--formats", formats, "--json"]
                let scan = try await Blectl.run(options + ["scan"] + words)
                let names = try scan.records().first?["service_names"]
                #expect(names == .array([.string("Acme Climate")]), "\(scan)")
            }
            let empty = try await run("scan", "--name", "nobody", "--service", "acme-climate", "--duration", "2")
            #expect(empty.stderr.contains("none passes: --name nobody --service Acme Climate"), "\(empty)")
            let written = try await run(
                "write",
                "acme-climate-measurement",
                "temperature=-3.5",
                "humidity=not known",
                "mode=off",
                "-v"
            )
            #expect(Trace(written.stderr).writes.first?.value == "a2feff00", "\(written.stderr)")
        }
    }

    @Test func `a comparison names private attributes, and decodes their values`() async throws {
        let example = try #require(ManualExample.formats.first)
        try await TemporaryFolder.use { folder in
            let formats = folder.appending(path: "formats.json")
            let (first, second) = (folder.appending(path: "first.json"), folder.appending(path: "second.json"))
            try Data(example.text.utf8).write(to: formats)
            try Data(Self.device.utf8).write(to: first)
            try Data(Self.device.replacing("0x3408", with: "0x9808").utf8).write(to: second)
            let run = try await Blectl.run(["diff", first.path, second.path, "--formats", formats.path])
            #expect(run.status == 1, "\(run)")
            #expect(run.stdout.contains(" acme-climate/acme-climate-measurement "), "\(run)")
            #expect(run.stdout.contains("temperature 21 °C") && run.stdout.contains("temperature 22 °C"), "\(run)")
        }
    }

    @Test func `the file of the configuration is read, and an invalid one is status 78`() async throws {
        let example = try #require(ManualExample.formats.first)
        try await TemporaryFolder.use { folder in
            let own = folder.appending(path: "blectl")
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            let file = own.appending(path: "formats.json")
            try Data(example.text.utf8).write(to: file)
            let environment = ["XDG_CONFIG_HOME": folder.path]
            let run = try await Blectl.run(
                ["decode", "acme-climate-measurement", "34086401"],
                environment: environment
            )
            #expect(run.stdout == "temperature 21 °C, humidity 50 %, mode heating\n")
            let device = folder.appending(path: "acme.json")
            try Data(Self.device.utf8).write(to: device)
            let scan = try await Blectl.run(
                ["--simulate=\(device.path)", "--simulate-time", "virtual", "scan", "--count", "1"],
                environment: environment
            )
            #expect(scan.stdout.hasSuffix("  Acme  Acme Climate\n"), "\(scan)")
            try Data("{\n \"schema\": 1}".utf8).write(to: file)
            let faulty = try await Blectl.run(["decode", "battery-level", "01"], environment: environment)
            #expect(faulty.status == 78)
            #expect(
                faulty.stderr == """
                    blectl: cannot use \(file.path): it has 1 fault
                      \(file.path):2: schema: expected 'blectl-formats/1', found 1
                    hint: mend it, or move it away: mv \(file.path) \(file.path).old; '--formats FILE' takes another one

                    """
            )
            let other = try await Blectl.run(["version"], environment: environment)
            #expect(other.status == 0)
            let named = try await Blectl.run(["decode", "battery-level", "01", "--formats", file.path])
            #expect(named.status == 65)
            let missing = try await Blectl.run([
                "decode", "battery-level", "01", "--formats", "\(folder.path)/none.json",
            ])
            #expect(missing.status == 66)
        }
    }

    @Test(arguments: ["folder", "parent", "file instead of a folder", "link to nowhere", "link to itself", "relative"])
    func `a configuration that cannot be looked for is none, with at most one remark`(_ trouble: String) async throws {
        try await TemporaryFolder.use { folder in
            let run = try await Blectl.shell(
                """
                cd \(folder.path) && chmod 755 . && mkdir -p config/blectl home && chmod -R 777 home
                echo '{}' >config/blectl/formats.json
                CONFIG=$PWD/config
                case '\(trouble)' in
                folder) chmod 0 config/blectl ;;
                parent) chmod 0 config ;;
                file*) CONFIG=$PWD/config/blectl/formats.json ;;
                *nowhere) ln -s $PWD/nowhere l; CONFIG=$PWD/l ;;
                *itself) ln -s l l; CONFIG=$PWD/l ;;
                relative) CONFIG=config ;;
                esac
                # The rights of a folder do not bind root, so that another user runs the command.
                as=
                if [ $(id -u) = 0 ]; then
                    as="setpriv --reuid 65534 --regid 65534 --clear-groups"
                    $as test -x $BLECTL || { cp $BLECTL blectl; BLECTL=$PWD/blectl; }
                fi
                blectl() { HOME=$PWD/home XDG_CONFIG_HOME=$CONFIG $as $BLECTL "$@"; }
                blectl decode battery-level 57; echo "status $?"
                blectl decode battery-level 57 --quiet; echo "status $?"
                blectl $SIMULATE read battery-level -d 'Pulse HR'; echo "status $?"
                blectl $SIMULATE doctor --json | grep -o '"check":"formats".*"state":"[a-z]*"'
                chmod -R 755 config
                """
            )
            let values = ["87 %", "status 0", "87 %", "status 0", "87 %", "status 0"]
            let lines = run.stdout.split(separator: "\n").map(String.init)
            #expect(Array(lines.prefix(6)) == values, "\(run)")
            let remarks = run.stderr.split(separator: "\n")
            // A folder that is not there, as behind a link to nowhere, or of a path that counts for nothing.
            let isSilent = trouble == "link to nowhere" || trouble == "relative"
            #expect(remarks.count == (isSilent ? 0 : 2), "\(run)")
            for remark in remarks { #expect(remark.hasPrefix("blectl: no formats are read from /"), "\(remark)") }
            #expect(lines.last?.hasSuffix(isSilent ? #""state":"ok""# : #""state":"warning""#) == true, "\(run)")
        }
    }
}
