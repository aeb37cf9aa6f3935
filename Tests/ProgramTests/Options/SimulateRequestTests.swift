// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

/// The requests of `blectl simulate`.
struct SimulateRequestTests {
    @Test func `simulate: the world, the action and what it needs`() throws {
        func options(_ line: String) throws -> SimulateOptions {
            guard let options = (try request("simulate \(line)").command as? SimulateCommand)?.options else {
                throw WrongCommand(.simulate)
            }
            return options
        }
        #expect(
            try options("serve a b --socket s") == SimulateOptions(socket: "s", action: .serve(["a", "b"], seed: 1))
        )
        #expect(try options("list --simulate=s") == SimulateOptions(socket: "s", action: .ask(.list)))
        // The world that the option names; what $BLECTL_SIMULATE names as well is a socket.
        for (line, files) in [
            ("--simulate=security --simulate=x/y.json", ["security", "x/y.json"]), ("--simulate=s", []),
            ("--simulate=/tmp/other", []),
        ] {
            #expect(try options("serve --socket s \(line)").action == .serve(files, seed: 1), "\(line)")
        }
        let twice = #expect(throws: UsageError.self) { try options("serve a --socket s --simulate=security") }
        #expect(twice?.hint == "blectl simulate serve --socket PATH security a")
        let level = WorldRequest.Target.characteristic(0x2A19, service: nil)
        let requests: [(String, WorldRequest)] = [
            ("set X battery-level 12", .set([12], of: level, on: "X")),
            ("set X handle:7 0x0102", .set([1, 2], of: .handle(Handle(7)), on: "X")),
            (
                "set X battery-level/0x2901 text:a",
                .set([0x61], of: .descriptor(0x2901, characteristic: 0x2A19, service: nil), on: "X")
            ),
            ("fault list", .faults(of: nil)), ("fault list X", .faults(of: "X")),
            ("fault clear", .removeFaults(nil, of: nil)),
            ("fault X 'read: lose'", .addFault(FaultText(FaultRule(.read, nil, .lose), of: "X"))),
            ("fault add 'device X: read: lose'", .addFault(FaultText(FaultRule(.read, nil, .lose), of: "X"))),
            ("signal X -80", .signal("X", .strength(-80))), ("out-of-range X", .signal("X", .outOfRange)),
            ("connectable X off", .connectable("X", false)), ("power on", .power(true)), ("stop", .stop),
            ("database X", .database("X", name: nil)), ("database X b", .database("X", name: "b")),
        ]
        for (line, expected) in requests {
            #expect(try options("\(line) --socket s").action == .ask(expected), "\(line)")
        }
        for (word, file) in [("@a/b", "a/b"), ("-", "-")] {
            #expect(
                try options("set X battery-level \(word) --socket s").action
                    == .set(file: file, in: CharacteristicFormat.of(0x2A19), of: level, on: "X")
            )
        }
        let longest = String(repeating: "s", count: 107)
        #expect(try options("list --socket \(longest)").socket == longest)
        for option in ["--socket", "--simulate"] {
            let tooLong = #expect(throws: UsageError.self) { try options("list \(option)=\(longest)s") }
            #expect(tooLong?.message.contains("expected a path of at most 107 octets") == true)
            #expect(tooLong?.exitStatus == .usage)
        }
    }
}
