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
            $BLECTL extcap dlts nope; echo $?
            """
        )
        #expect(lines.count == 7, "\(lines) \(errors)")
        #expect(lines.first?.hasPrefix("extcap {version=") == true)
        #expect(lines.dropFirst().first?.hasPrefix("interface {value=blectl-hci0}{display=") == true)
        #expect(lines.dropFirst(2).first?.hasPrefix("interface {value=blectl-world}{display=") == true)
        #expect(lines.dropFirst(3).first?.hasPrefix("dlt {number=201}{name=") == true)
        #expect(lines.suffix(3) == ["config 0", "64", "68"])
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

    @Test func `the interface of a world has what each program there exchanges, also on a link from before`()
        async throws
    {
        let (lines, errors) = try await shell(
            """
            # A link that is open when the capture begins.
            $BLECTL notify heart-rate-measurement -d 'Pulse HR' --json >$HOME/notified 2>&1 & other=$!
            until grep -q '"type":"notification"' $HOME/notified; do sleep 0.05; done
            $BLECTL extcap capture blectl-world --capture $HOME/run.pcapng & extcap=$!
            until $BLECTL trace $HOME/run.pcapng 2>/dev/null | grep -q 'Connection Complete'; do sleep 0.1; done
            count=$(wc -l <$HOME/notified)
            until [ $(wc -l <$HOME/notified) -gt $((count + 2)) ]; do sleep 0.05; done
            $BLECTL read manufacturer-name-string -d SensorTag
            kill -TERM $extcap; wait $extcap
            kill $other; wait $other
            # What was sent on the older link, and what the other program read, with the adapters of both.
            $BLECTL trace $HOME/run.pcapng --handle 0x0010 --json | grep -c '"adapter":"hci0".*"name":"Handle Value Notification"'
            $BLECTL trace $HOME/run.pcapng --values --attribute manufacturer-name-string --format '{adapter} {decoded}'
            $BLECTL trace $HOME/run.pcapng --json | grep -c Advertising.Report
            $BLECTL trace $HOME/run.pcapng --summary | grep -c 'as central'
            """
        )
        #expect(lines.count == 5, "\(lines) \(errors)")
        #expect(lines.first == "Texas Instruments", "\(lines) \(errors)")
        #expect((Int(lines.dropFirst().first ?? "") ?? 0) >= 2, "\(lines) \(errors)")
        #expect(lines.dropFirst(2).first?.hasSuffix("Texas Instruments") == true, "\(lines) \(errors)")
        #expect(lines.dropFirst(2).first?.hasPrefix("hci0") == false, "\(lines) \(errors)")
        #expect((Int(lines.dropFirst(3).first ?? "") ?? 0) > 0, "\(lines) \(errors)")
        #expect(lines.last == "2", "\(lines) \(errors)")
    }

    @Test func `the interface of a session has the packets of the commands on its link`() async throws {
        let (lines, errors) = try await shell(
            """
            $BLECTL session start -d SensorTag >/dev/null
            $BLECTL extcap interfaces | grep -o 'blectl-session-.*'
            $BLECTL extcap capture blectl-session-sensortag --capture $HOME/run.pcapng & extcap=$!
            until $BLECTL trace $HOME/run.pcapng 2>/dev/null | grep -q 'Connection Complete'; do sleep 0.1; done
            $BLECTL read manufacturer-name-string
            $BLECTL session stop >/dev/null
            wait $extcap; echo $?
            $BLECTL trace $HOME/run.pcapng --values --attribute manufacturer-name-string --format '{operation} {decoded}'
            $BLECTL extcap capture blectl-session-other --capture $HOME/other; echo $?
            """
        )
        let expected = [
            "blectl-session-sensortag}{display=Bluetooth LE session: SensorTag (90:59:AF:0B:82:F4)}",
            "Texas Instruments", "0", "read Texas Instruments", "68",
        ]
        #expect(lines == expected, "\(lines) \(errors)")
        #expect(errors.contains("there is no session 'other'"))
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
