// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// What `doctor` and other commands say of a controller that is not the kernel's, and cannot be used.
@Suite("Controllers that cannot be used", .startsPrograms())
struct ControllerTroubleTests {
    @Test(
        arguments: [
            ("unix:/nonexistent/x", "start the program that listens there"),
            ("tcp:127.0.0.1:1", "start the controller there"),
            ("serial:/nonexistent", "shows the ports"),
            ("serial:/dev/null,77", "1000000, "),
            ("usb:ffff:ffff", "on USB"),
        ]
    )
    func `doctor finds it, and says what to do`(place: String, hint: String) async throws {
        let run = try await Blectl.run(["-i", place, "doctor", "--json"])
        #expect(run.status == 69 && run.stderr.contains("cannot scan or connect"), "\(run)")
        let lines = run.stdout.split(separator: "\n")
        let finding = try #require(lines.first { $0.contains(#""check":"transport""#) }, "\(run)")
        #expect(finding.contains(#""state":"failure""#) && finding.contains(hint), "\(run)")
        // Nothing is said of the kernel's Bluetooth, which is not used.
        #expect(!run.stdout.contains(#""check":"kernel""#), "\(run)")
    }

    @Test func `ssh that is missing, does not reach the machine, or finds no blectl there`() async throws {
        let run = try await Blectl.shell(
            """
            mkdir here; cd here
            run() { printf '#!/bin/sh\\nexit %s\\n' $1 > ssh; chmod +x ssh; PATH=$PWD "$BLECTL" -i ssh:pi scan; echo "ended $?"; }
            run 255; run 127; run 3
            PATH=/nonexistent "$BLECTL" -i ssh:pi scan; echo "ended $?"
            """,
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        )
        #expect(run.stdout == String(repeating: "ended 69\n", count: 4), "\(run)")
        for words in ["ssh does not reach pi", "ssh pi true", "pi has no blectl", "no controller", "openssh-client"] {
            #expect(run.stderr.contains(words), "\(run)")
        }
    }
}
