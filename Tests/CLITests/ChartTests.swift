// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Charts of runs", .startsPrograms())
struct ChartTests {
    @Test(arguments: [
        ("watch", "watch heart-rate --duration 120"),
        ("scan", "scan --duration 20"),
    ])
    func `a picture of the values`(_ name: String, _ line: String) async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "run.svg").path
            let run = try await Blectl.simulate("\(line) --chart \(path)")
            let plain = try await Blectl.simulate(line)
            #expect(run.status == 0 && run.stdout == plain.stdout, "\(run.stderr)")
            try Golden.expect(
                try String(contentsOfFile: path, encoding: .utf8),
                equals: "chart-\(name).svg",
                in: "Pictures",
                target: "make pictures"
            )
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `an interrupted command leaves the picture too`(_ signal: Int32) async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "run.svg").path
            try await LiveBlectl.start(["--simulate", "scan", "--duplicates", "--json", "--chart", path]) { live in
                try await live.waits(for: "\"type\":\"advertisement\"", on: \.stdout)
                live.child.signal(signal)
                #expect(try await live.end().status == -signal)
            }
            let picture = try String(contentsOfFile: path, encoding: .utf8)
            #expect(picture.hasSuffix("</svg>\n") && picture.contains(" dBm, last "))
        }
    }

    @Test func `an interrupted command tells that its picture could not be written`() async throws {
        let run = try await Blectl.shell(
            """
            cd $HOME; ln -s /dev/full run.svg
            $BLECTL --simulate scan --duplicates --json --chart run.svg >told & pid=$!
            until grep -q advertisement told || ! kill -0 $pid; do sleep 0.02; done
            kill -TERM $pid; wait $pid
            """
        )
        #expect(run.stderr.contains("blectl: cannot write to run.svg: No space left on device\n"), "\(run)")
    }

    @Test func `a failure leaves the picture of the values before it`() async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "run.svg").path
            let run = try await Blectl.simulate("watch heart-rate -d 'Flaky HR' --chart \(path)")
            #expect(run.status == 75)
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains("heart rate (bpm)"))
        }
    }

    @Test func `the limits of what can be drawn, and where`() async throws {
        #expect(try await Blectl.simulate("scan --chart run.png").status == 64)
        #expect(try await Blectl.simulate("watch uart --chart run.svg").status == 64)
        #expect(try await Blectl.simulate("watch device-info --chart run.svg").status == 64)
        #expect(try await Blectl.simulate("notify 0x2A37 --as raw --chart run.svg").status == 64)
        #expect(try await Blectl.simulate("scan --chart /nowhere/run.svg").status == 73)
    }
}
