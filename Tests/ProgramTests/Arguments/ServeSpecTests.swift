// SPDX-License-Identifier: GPL-2.0-or-later

import SimulatedRadio
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

@Suite("blectl serve: the command line")
struct ServeSpecTests {
    @Test func `the suggested devices are those of the simulated world`() throws {
        let names = try (SimulatedWorld.builtIn().devices + SimulatedDevice.builtInApart()).map(\.name)
        #expect(ServeCommand.builtInDevices == names)
    }

    @Test func `a radio is unix and a path of limited length`() throws {
        #expect(RadioChoice("unix:/tmp/s") == .unix(path: "/tmp/s"))
        #expect(RadioChoice("unix:s") == .unix(path: "s"))
        let longest = String(repeating: "ü", count: 53) + "x"
        #expect(RadioChoice("unix:\(longest)") == .unix(path: longest))
        for text in ["", "unix", "unix:", "tcp:1", "UNIX:/x", "unix:\(longest)x"] {
            #expect(RadioChoice(text) == nil, "\(text)")
        }
    }

    @Test(arguments: [["--simulate"], ["--adapter", "hci0"]])
    func `there is one radio`(other: [String]) throws {
        #expect(throws: UsageError.self) {
            _ = try Invocation(["--radio", "unix:/x", "scan"] + other) { _ in nil }
        }
    }
}
