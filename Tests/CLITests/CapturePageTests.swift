// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Types what `blectl-captures(7)` shows, and compares what is printed.
@Suite("The page about captures", .startsPrograms())
struct CapturePageTests {
    /// A command behind a prompt, and the lines that the page shows below it.
    private struct Step {
        var command: String
        var shown: [String] = []

        /// The steps of a display that is a dialogue with a shell. A command goes on after a backslash.
        static func steps(of display: [String]) -> [Step] {
            var steps: [Step] = []
            for line in display {
                if line.hasPrefix("$ ") {
                    steps.append(Step(command: String(line.dropFirst(2))))
                } else if let last = steps.indices.last {
                    if steps[last].command.hasSuffix("\\"), steps[last].shown.isEmpty {
                        steps[last].command += "\n\(line)"
                    } else {
                        steps[last].shown.append(line)
                    }
                }
            }
            return steps
        }
    }

    /// What a command has printed, and its exit status.
    private struct Printed {
        var lines: [String] = []
        var status: Int32?
    }

    private static let page = "blectl-captures.7"
    private static let examples = ManualText.root.appending(path: "man/examples").path
    /// What a line of the shell begins with that has the status of the command before it.
    private static let mark = "status of the step: "

    /// Types commands into one shell in a folder. `phone` makes a bug report of the capture, and a command without a simulated
    /// world is one for the lamp.
    private static func carryOut(_ commands: [String], in folder: URL) async throws -> [Printed] {
        let typed = commands.map { command in
            "\(command.replacing("/usr/share/doc/blectl/examples", with: examples))\necho \"\(mark)$?\""
        }
        let run = try await Blectl.shell(
            """
            exec 2>&1
            cd '\(folder.path)'
            blectl() {
                case " $* " in
                *" trace "* | *" --from "* | *" --simulate-time "*) "$BLECTL" "$@" ;;
                *" --simulate="*) "$BLECTL" --simulate-time virtual "$@" ;;
                *) "$BLECTL" --simulate=lamp.json --simulate-time virtual "$@" ;;
                esac
            }
            phone() { cp phone.pcapng bugreport.zip; }
            \(typed.joined(separator: "\n"))
            """,
            environment: ["HOME": folder.path]
        )
        var printed: [Printed] = []
        var current = Printed()
        for line in run.stdout.split(separator: "\n").map(String.init) {
            if line.hasPrefix(mark) {
                current.status = Int32(line.dropFirst(mark.count))
                printed.append(current)
                current = Printed()
            } else {
                current.lines.append(line)
            }
        }
        return printed
    }

    /// Whether the shown lines are the printed ones. A line `...` stands for any lines, and one that ends with ` ...` was cut.
    private static func agree(_ shown: ArraySlice<String>, _ printed: ArraySlice<String>) -> Bool {
        guard let expected = shown.first else { return printed.isEmpty }
        if expected == "..." {
            return (printed.startIndex...printed.endIndex).contains { agree(shown.dropFirst(), printed[$0...]) }
        }
        guard let line = printed.first else { return false }
        let isSame = expected.hasSuffix(" ...") ? line.hasPrefix(expected.dropLast(3)) : line == expected
        return isSame && agree(shown.dropFirst(), printed.dropFirst())
    }

    @Test func `the walk prints what the page shows, and the other commands run`() async throws {
        let displays = try ManualText.displays(of: Self.page)
        let steps = displays.flatMap { Step.steps(of: $0) }
        let plain = displays.filter { $0.first?.hasPrefix("blectl ") == true }.flatMap(\.self)
        #expect(steps.count == 16 && plain.count == 9)
        try await TemporaryFolder.use { folder in
            let printed = try await Self.carryOut(steps.map(\.command) + ["phone"] + plain, in: folder)
            try #require(printed.count == steps.count + 1 + plain.count, "\(printed)")
            for (step, result) in zip(steps, printed) {
                #expect(Self.agree(step.shown[...], result.lines[...]), "\(step.command): \(result.lines)")
                let hasFailed = step.shown.contains { $0.contains(" failed in ") }
                #expect(result.status == (hasFailed ? 1 : 0), "\(step.command): \(result.lines)")
            }
            for (command, result) in zip(plain, printed.dropFirst(steps.count + 1)) {
                #expect(result.status == 0, "\(command): \(result.lines)")
            }
        }
    }

    @Test func `the page shows the files of the walk, and no line is wider than a terminal`() throws {
        let displays = try ManualText.displays(of: Self.page)
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.examples).filter { $0.hasPrefix("lamp") }
        #expect(names.count == 3)
        for name in names {
            let text = try String(contentsOfFile: "\(Self.examples)/\(name)", encoding: .utf8)
            #expect(displays.contains(text.split(separator: "\n").map(String.init)), "\(name)")
        }
        for line in displays.joined() { #expect(line.count <= 69, "\(line)") }
    }

    /// What is left of a btsnoop capture of H4 packets if nine octets of each ACL packet are kept, as Android's filter does.
    private static func filtered(_ capture: [UInt8]) -> [UInt8] {
        var result = Array(capture.prefix(16))
        var rest = capture.dropFirst(16)
        while rest.count >= 24 {
            let header = Array(rest.prefix(24))
            let length = header[4..<8].reduce(0) { $0 << 8 | Int($1) }
            let packet = rest.dropFirst(24).prefix(length)
            let kept = packet.first == 2 ? packet.prefix(10) : packet
            result += header[..<4]
            result += [0, 0, UInt8(kept.count >> 8), UInt8(kept.count & 0xFF)]
            result += header[8...]
            result += kept
            rest = rest.dropFirst(24 + length)
        }
        return result
    }

    /// Whether the page explains something that `trace` prints about a capture.
    private static func explains(_ remark: String) throws -> Bool {
        let source = try String(contentsOf: ManualText.root.appending(path: "man/pages/\(page)"), encoding: .utf8)
        return source.contains("\n.It Li \(remark)")
    }

    @Test func `a capture without a discovery, with which the page helps`() async throws {
        try await TemporaryFolder.use { folder in
            // The second run knows the lamp from the first one, which it does not in virtual time.
            let run = try await Blectl.shell(
                """
                cd '\(folder.path)'; cp '\(Self.examples)'/lamp* .
                lamp() { "$BLECTL" --simulate=lamp.json --simulate-time real "$@" >/dev/null; }
                lamp --capture first.pcapng run lamp-level.blectl
                lamp --capture second.pcapng run lamp-level.blectl
                lamp clone -d Glow --listen-time 1 -o live.json
                "$BLECTL" trace second.pcapng --values --attribute 0xffe2
                for gatt in first.pcapng live.json; do
                    "$BLECTL" trace second.pcapng --values --attribute 0xffe2 --format '{value}' --gatt $gatt
                done
                """,
                environment: ["HOME": folder.path]
            )
            #expect(run.stdout == "a5024bf2\na5024bf2\n", "\(run.stdout)\(run.stderr)")
            let remark = "the capture does not tell what 0x0013"
            #expect(run.stderr.contains(remark), "\(run.stderr)")
            #expect(try Self.explains(remark))
        }
    }

    @Test func `a capture that was filtered, of which the page tells`() async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "whole.btsnoop").path
            let script = "\(Self.examples)/lamp-level.blectl"
            let world = ["--simulate=\(Self.examples)/lamp.json", "--simulate-time", "virtual"]
            let run = try await Blectl.run(world + ["--capture", path, "run", script])
            #expect(run.status == 0, "\(run.stdout)\(run.stderr)")
            let whole = [UInt8](try Data(contentsOf: URL(filePath: path)))
            let cut = folder.appending(path: "cut.btsnoop")
            try Data(Self.filtered(whole)).write(to: cut)
            let remark = "the capture has only the beginnings of"
            for view in [["trace", cut.path, "--values"], ["clone", "--from", cut.path, "-d", "DA:AD:90:68:FE:7B"]] {
                let run = try await Blectl.run(view)
                #expect(run.stderr.contains("\(remark) "), "\(run.stdout)\(run.stderr)")
            }
            #expect(try Self.explains(remark))
        }
    }
}
