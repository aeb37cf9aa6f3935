// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Foundation
import Testing

/// A row of the table: an exit status with the tests that produce it.
struct ExitStatusRow: Sendable, CustomTestStringConvertible {
    /// The way in which a run ends with the status.
    enum Origin: Sendable {
        /// A command on simulated devices, in virtual time.
        case typed(TypedCommand)
        /// A line of bash.
        case shell(String)
        /// A case of the kernel lab, by its name and its file in `Tests/KernelLab/cases`.
        case kernelLab(file: String, name: String)
        /// No command that a user can type.
        case unreachable(why: String)
    }

    let status: CommandLineInterface.ExitStatus
    let origins: [Origin]

    init(_ status: CommandLineInterface.ExitStatus, _ origins: Origin...) {
        self.status = status
        self.origins = origins
    }

    var testDescription: String { "\(status.rawValue) \(status.name)" }

    static let table = [
        ExitStatusRow(
            .success,
            .typed(TypedCommand("read battery-level")),
            .typed(TypedCommand("scan --duration 1")),
            .typed(TypedCommand("--version")),
            .typed(TypedCommand("notify service-changed -d Workbench --duration 1")),
            .shell("$BLECTL $SIMULATE watch heart-rate | head -1; exit ${PIPESTATUS[0]}")
        ),
        ExitStatusRow(
            .expectationFailed,
            // The device stores only the three bits that the specification defines.
            .typed(TypedCommand("write client-supported-features 0xff -d Workbench --verify")),
            .typed(TypedCommand("notify heart-rate-measurement --count 9 --duration 2")),
            .typed(TypedCommand("scan --name nothing --count 1 --duration 2")),
            .typed(TypedCommand("watch battery -d 'Thermo 1' --count 3"))
        ),
        ExitStatusRow(
            .usage,
            .typed(TypedCommand("")),
            .typed(TypedCommand("frobnicate")),
            .typed(TypedCommand("scan --frobnicate")),
            .typed(TypedCommand("scan --duration soon")),
            .typed(TypedCommand("read")),
            .typed(TypedCommand("read nonsense")),
            .typed(TypedCommand("read 0x2A19 --service nonsense")),
            .typed(TypedCommand("inspect")),
            .typed(TypedCommand("watch nonsense")),
            .typed(TypedCommand("notify battery-level/0x2902")),
            .shell("$BLECTL scan --simulate-seed 2")
        ),
        ExitStatusRow(
            .badData,
            .typed(TypedCommand("write \(Workbench.variable) xyz -d Workbench")),
            .typed(TypedCommand("write \(Workbench.variable) u8:256 -d Workbench")),
            .typed(TypedCommand("read battery-level --as u16")),
            .shell("head -c 513 /dev/zero | $BLECTL $SIMULATE write \(Workbench.variable) - -d Workbench")
        ),
        ExitStatusRow(
            .cannotOpenInput,
            .typed(TypedCommand("write \(Workbench.variable) @/nowhere/at/all -d Workbench")),
            .typed(TypedCommand("write \(Workbench.variable) @/ -d Workbench"))
        ),
        ExitStatusRow(
            .notFound,
            .typed(TypedCommand("read battery-level -d Nobody")),
            .typed(TypedCommand("read battery-level -d \(World.absent)")),
            .typed(TypedCommand("watch battery --name nobody")),
            .typed(TypedCommand("read 0xFFF1 -d Workbench")),
            .typed(TypedCommand("read health-thermometer/temperature-type -d Workbench")),
            .typed(TypedCommand("read device-name/0x2904 -d Workbench")),
            .typed(TypedCommand("write device-name 0x01 --name '*'")),
            .typed(TypedCommand("write b1ec0651-5ec7-4c3a-9d0e-51a1b1ec0001 01 -d Museum"))
        ),
        ExitStatusRow(
            .bluetoothUnavailable,
            .typed(TypedCommand("scan --adapter hci7")),
            .typed(TypedCommand("read battery-level --adapter hci7"))
        ),
        ExitStatusRow(
            .internalError,
            .unreachable(why: "it is for errors that nothing is written to throw; a command that ends so is wrong")
        ),
        ExitStatusRow(.cannotCreateOutput, .unreachable(why: "no command creates a file that it was asked for yet")),
        ExitStatusRow(
            .ioError,
            .shell("$BLECTL $SIMULATE read battery-level >/dev/full"),
            .shell("$BLECTL --version >/dev/full"),
            .shell("$BLECTL $SIMULATE write \(Workbench.variable) - -d Workbench <&-")
        ),
        ExitStatusRow(
            .temporaryFailure,
            .typed(TypedCommand("read battery-level -d 'Pulse HR' --no-wait --simulate-adapter held")),
            .typed(TypedCommand("watch heart-rate -d 'Flaky HR'"))
        ),
        ExitStatusRow(
            .protocolError,
            .typed(TypedCommand("read \(Workbench.authenticated) -d Workbench")),
            .typed(TypedCommand("read \(Workbench.applicationError) -d Workbench")),
            .typed(TypedCommand("read handle:0xFFFF -d Workbench")),
            .typed(TypedCommand("write \(Workbench.fixed) 0x01 -d Workbench")),
            .typed(TypedCommand("write \(Workbench.long) 0x01 -d Workbench --no-response")),
            .typed(TypedCommand("notify \(Workbench.fixed) -d Workbench"))
        ),
        ExitStatusRow(
            .permissionDenied,
            .kernelLab(file: "failures.py", name: "a_user_without_the_capability")
        ),
        ExitStatusRow(.configurationError, .unreachable(why: "there is no configuration yet")),
        ExitStatusRow(
            .timedOut,
            .typed(TypedCommand("read \(Workbench.silent) -d Workbench")),
            .typed(TypedCommand("read \(Workbench.silent) -d Workbench --timeout 60")),
            .typed(TypedCommand("write \(Workbench.silent) 0x01 -d Workbench --timeout 1")),
            .typed(TypedCommand("read battery-level -d \(World.absent) --address-type random")),
            .typed(TypedCommand("watch heart-rate --deadline 3")),
            .typed(TypedCommand("watch heart-rate -d 'Flaky HR' --reconnect --deadline 22")),
            .typed(TypedCommand("scan --deadline 1"))
        ),
    ]
}

@Suite("Exit statuses", .startsPrograms())
struct ExitStatusTests {
    @Test func `every status is in the table once`() {
        #expect(ExitStatusRow.table.map(\.status.rawValue) == CommandLineInterface.ExitStatus.allCases.map(\.rawValue))
        for row in ExitStatusRow.table { #expect(!row.origins.isEmpty, "\(row.testDescription)") }
    }

    @Test(arguments: ExitStatusRow.table)
    func `each status agrees with the table`(_ row: ExitStatusRow) async throws {
        for origin in row.origins {
            let run: BlectlRun
            switch origin {
            case .typed(let command): run = try await command.run()
            case .shell(let line): run = try await Blectl.shell(line)
            case .kernelLab(let file, let name):
                #expect(try labCases(file).contains("def \(name)("), "the kernel lab has no such case")
                continue
            case .unreachable: continue
            }
            #expect(run.status == row.status.rawValue, "\(origin): \(run.stderr)")
            #expect(run.stderr.hasPrefix("blectl: ") || run.status == 0, "a failure is told: \(origin): \(run.stderr)")
        }
    }

    @Test(arguments: [("TERM", 143), ("HUP", 129), ("KILL", 137)])
    func `a shell sees 128 plus the number of the signal`(_ signal: String, _ status: Int32) async throws {
        let run = try await Blectl.shell(
            "$BLECTL --simulate scan --duplicates >/dev/null & sleep 0.3; kill -\(signal) $!; wait $!"
        )
        #expect(run.status == status)
    }

    @Test func `an interrupted command ends a shell's loop`() async throws {
        // A shell ends only if it sees that SIGINT has ended the command. With an exit status of 130 it continues.
        let run = try await Blectl.shell(
            """
            set -m
            bash -c 'for turn in 1 2 3; do echo $turn; $BLECTL --simulate scan --duration 300 >$HOME/heard; done' &
            until [ -s $HOME/heard ] || ! kill -0 $!; do sleep 0.02; done
            kill -INT -- -$!; wait $!; echo $?
            """
        )
        #expect(run.stdout == "1\n130\n", "\(run.stdout) \(run.stderr)")
    }

    private func labCases(_ file: String) throws -> String {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: tests.appendingPathComponent("KernelLab/cases/\(file)"), encoding: .utf8)
    }
}
