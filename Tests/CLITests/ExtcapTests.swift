// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Wireshark's external captures", .startsPrograms())
struct ExtcapTests {
    private static let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"

    private static func isSharkInstalled() async throws -> Bool {
        try await ProgramSlots.use { _ in
            try await Blectl.shell("command -v tshark", environment: ["PATH": path]).status == 0
        }
    }

    /// Runs a script of bash in which a world is served at `$BLECTL_SIMULATE`, and in which Wireshark finds blectl.
    private func shell(_ script: String) async throws -> (lines: [String], errors: String) {
        let run = try await TemporaryFolder.use { folder in
            let prelude = """
                export PATH=\(Self.path) HOME=\(folder.path) BLECTL_SIMULATE=\(folder.path)/s
                # Where Wireshark looks depends on its version.
                for d in .config/wireshark/extcap .local/lib/wireshark/extcap; do
                    mkdir -p $HOME/$d && ln -s $BLECTL $HOME/$d/blectl
                done
                $BLECTL simulate serve --socket $BLECTL_SIMULATE >$HOME/world & server=$!
                trap 'kill -9 $server 2>/dev/null' EXIT
                until [ -s $HOME/world ] || ! kill -0 $server 2>/dev/null; do sleep 0.02; done

                """
            return try await Blectl.shell(prelude + script)
        }
        return (run.stdout.split(separator: "\n").map(String.init), run.stderr)
    }

    @Test func `the answers to Wireshark's questions`() async throws {
        let (lines, errors) = try await shell(
            """
            $BLECTL --extcap-interfaces --extcap-version=4.0
            $BLECTL --extcap-interface blectl-hci0 --extcap-dlts
            $BLECTL --extcap-config --extcap-interface blectl-hci0; echo config $?
            $BLECTL extcap dlts; echo $?
            """
        )
        #expect(lines.count == 5, "\(lines) \(errors)")
        #expect(lines.first?.hasPrefix("extcap {version=") == true)
        #expect(lines.dropFirst().first?.hasPrefix("interface {value=blectl-hci0}{display=") == true)
        #expect(lines.dropFirst(2).first?.hasPrefix("dlt {number=201}{name=") == true)
        #expect(lines.suffix(2) == ["config 0", "64"])
    }

    @Test func `a capture into a pipe that is opened later is pcapng, and ends with its reader`() async throws {
        let (lines, errors) = try await shell(
            """
            mkfifo $HOME/fifo
            $BLECTL --capture --extcap-interface blectl-hci0 --fifo $HOME/fifo & blectl=$!
            head -c 4000 $HOME/fifo >$HOME/run
            wait $blectl; echo $?
            $BLECTL trace $HOME/run 2>/dev/null | grep -c 'Advertising Report'
            """
        )
        #expect(lines.first == "0" || lines.first == "74", "\(lines) \(errors)")
        #expect((lines.last.flatMap(Int.init) ?? 0) > 3, "\(lines) \(errors)")
    }

    @Test(.enabled("tshark is not installed") { try await Self.isSharkInstalled() })
    func `tshark lists the interface, and shows the advertisements of a shared world`() async throws {
        let (lines, errors) = try await shell(
            """
            tshark -D 2>/dev/null | grep blectl
            timeout 120 tshark -i blectl-hci0 -c 20 2>/dev/null | grep -c 'Advertising Report'
            """
        )
        #expect(lines.first?.contains("blectl-hci0") == true, "\(lines) \(errors)")
        #expect((lines.last.flatMap(Int.init) ?? 0) > 5, "\(lines) \(errors)")
    }
}
