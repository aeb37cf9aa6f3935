// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Diagrams", .startsPrograms())
struct DiagramTests {
    @Test(arguments: ["txt", "mmd", "svg"])
    func `a run and the capture of it have the same diagram`(_ end: String) async throws {
        try await TemporaryFolder.use { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path }
            let run = try await Blectl.simulate(
                "watch heart-rate --count 2 --capture \(path("run.btsnoop")) --diagram \(path("run.\(end)"))"
            )
            #expect(run.status == 0 && run.stderr.isEmpty)
            let drawn = try String(contentsOfFile: path("run.\(end)"), encoding: .utf8)
            #expect(drawn.contains("connect") && drawn.contains("Handle Value Notification"))
            let trace = try await Blectl.run(["trace", path("run.btsnoop"), "--diagram", path("again.\(end)")])
            #expect(trace.status == 0)
            #expect(try String(contentsOfFile: path("again.\(end)"), encoding: .utf8) == drawn)
            #expect(trace.stdout.isEmpty, "a picture is not printed, too")
            let records = try await Blectl.run(["trace", path("run.btsnoop"), "--diagram", path("b.\(end)"), "--json"])
            #expect(!(try records.records().isEmpty))
        }
    }

    @Test func `real time and virtual time differ only in the times`() async throws {
        try await TemporaryFolder.use { folder in
            let texts = try await ["real", "virtual"].asyncMap { clock in
                let path = folder.appending(path: "\(clock).txt").path
                let line = "--simulate --simulate-time \(clock) read battery-level -d 'Pulse HR' --diagram \(path)"
                #expect(try await Blectl.run(TypedCommand(line).arguments).status == 0)
                return try String(contentsOfFile: path, encoding: .utf8).replacing(/\d+\.\d{6}/, with: "T")
            }
            #expect(texts[0].split(separator: "\n").count == 5)
            #expect(texts[0].replacing(/[ ]+T/, with: "T") == texts[1].replacing(/[ ]+T/, with: "T"))
        }
    }

    @Test func `a name without a known end, and a file that cannot be created`() async throws {
        #expect(try await Blectl.simulate("scan --diagram run.png").status == 64)
        #expect(try await Blectl.simulate("lookup battery --diagram run.txt").status == 64)
        #expect(try await Blectl.simulate("scan --diagram /nowhere/run.txt").status == 73)
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
