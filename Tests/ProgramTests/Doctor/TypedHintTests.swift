// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@testable import Commands

/// Troubles of a machine, and the lines of `doctor` typed into a shell until all is well.
@Suite("Hints to be typed")
struct TypedHintTests {
    /// A trouble, and the checks whose lines are typed, in their order.
    struct Trouble: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let checks: [DoctorCheck]
        let make: @Sendable (MadeUpMachine) throws -> Void

        init(_ name: String, _ checks: DoctorCheck..., make: @escaping @Sendable (MadeUpMachine) throws -> Void) {
            testDescription = name
            self.checks = checks
            self.make = make
        }
    }

    static let troubles =
        [
            Trouble("suspended, and silent", .usb) { try $0.plugIn(isSuspended: true) },
            Trouble("suspended, and it wakes", .usb) {
                try $0.plugIn(isSuspended: true)
                try $0.folders.file("wakes", "")
            },
            Trouble("no driver", .driver, .power) { try $0.plugIn(hasDriver: false) },
            Trouble("no Bluetooth in the kernel, and no driver", .kernel, .driver, .power) {
                try $0.plugIn(hasDriver: false)
                try FileManager.default.removeItem(at: $0.folders.url.appending(path: "sys/module/bluetooth"))
            },
            Trouble("no firmware, and a driver that goes on", .firmware, .power) {
                try $0.plugIn(vendor: "0bda")
                try $0.set(.readOnlyMemory)
            },
            Trouble("no firmware, and apt does not know the component", .firmware, .power) {
                try $0.plugIn(vendor: "0bda")
                try $0.set(.failed)
                try $0.folders.file(
                    "etc/apt/sources.list",
                    "# deb cdrom:[Debian]/ bookworm main non-free-firmware\n"
                        + "deb http://deb.debian.org/debian bookworm main contrib\n"
                )
            },
            Trouble("no firmware, and apt does not know the component, in the newer form", .firmware, .power) {
                try $0.plugIn(vendor: "0bda")
                try $0.set(.failed)
                try $0.folders.file("etc/apt/sources.list", "# see sources.list.d\n")
                try $0.folders.file(
                    "etc/apt/sources.list.d/debian.sources",
                    "Types: deb\nURIs: http://deb.debian.org/debian\nSuites: bookworm\nComponents: main\n"
                )
            },
            Trouble("blocked", .rfkill, .power) {
                try $0.set(.down)
                try $0.folders.file("sys/class/rfkill/rfkill0/type", "bluetooth\n")
                try $0.folders.file("sys/class/rfkill/rfkill0/soft", "1\n")
            },
            Trouble("the daemon of a service", .manager) {
                try $0.folders.folder("run/systemd/system")
                try $0.folders.file("proc/612/comm", "bluetoothd\n")
            },
        ]
        + MachineChecks.firmwarePackages.keys.sorted().map { vendor in
            Trouble("no firmware for \(vendor)", .firmware, .power) {
                try $0.plugIn(vendor: vendor)
                try $0.set(.failed)
            }
        }

    /// A line that was typed, or is to be, and the check that prints it.
    struct Line: Hashable {
        let check: DoctorCheck
        let text: String
    }

    /// The findings that report a fault.
    private static func troubled(_ diagnosis: Diagnosis) -> [Finding] {
        diagnosis.findings.filter { $0.state == .failure || $0.state == .warning }
    }

    /// Makes a trouble and types the first line that is printed, again and again, until all is well. Returns all lines
    /// that have mended something.
    private static func mend(_ trouble: Trouble) async throws -> [Line] {
        try await MadeUpFolders.use { folders in
            let machine = try MadeUpMachine(folders)
            try #require(troubled(try machine.diagnosis()).isEmpty, "the machine is well")
            try trouble.make(machine)
            var lines: [Line] = []
            for check in trouble.checks {
                let before = troubled(try machine.diagnosis())
                let finding = try #require(before.first)
                #expect(finding.check == check, "\(finding.text)")
                let line = try #require(finding.remedy?.command, "\(finding.text)")
                let output = try await machine.type(line)
                let after = try machine.diagnosis().findings
                for said in before where said.remedy?.command == line {
                    let now = try #require(after.first { $0.check == said.check })
                    #expect(now.state == .ok || now.state == .unchecked, "\(line): \(now.text)\n\(output)")
                    lines.append(Line(check: said.check, text: line))
                }
            }
            let end = try machine.diagnosis()
            #expect(troubled(end).isEmpty && end.error == nil, "\(troubled(end).map(\.text))")
            for check in trouble.checks {
                #expect(end.findings.first { $0.check == check }?.state == .ok, "\(check)")
            }
            return lines
        }
    }

    @Test("Each printed command repairs its fault", arguments: troubles)
    func typed(_ trouble: Trouble) async throws {
        _ = try await Self.mend(trouble)
    }

    // MARK: - All lines

    /// A test elsewhere that types a line, because it needs the program or a kernel.
    private struct Elsewhere {
        let check: DoctorCheck
        let line: String
        let file: String
        let name: String

        init(_ check: DoctorCheck, _ line: String, _ file: String, _ name: String) {
            self.check = check
            self.line = line
            self.file = file
            self.name = name
        }
    }

    private static let program = "Tests/CLITests/DoctorTests.swift"
    private static let ofProgram = "func `the command in a hint of blectl repairs the fault`("
    private static let ofFiles = "func `unusable files are named, and the command of the hint repairs them`("
    private static let lab = "Tests/KernelLab/cases/doctor.py"
    private static let usb = "Tests/KernelLab/cases/usb.py"

    private static let elsewhere = [
        Elsewhere(.power, "sudo blectl adapter power on", program, ofProgram),
        Elsewhere(.transport, "sudo apt install libusb-1.0-0", usb, "def what_keeps_it_from_being_used_is_said("),
        Elsewhere(.capability, DiagnosisCases.grant.text, lab, "def a_user_without_the_capabilities("),
        Elsewhere(.controller, "sudo blectl adapter reset", program, ofProgram),
        Elsewhere(.scan, "sudo blectl adapter reset", program, ofProgram),
        Elsewhere(.scan, "blectl scan --duration 1", lab, "def a_scan_that_a_killed_blectl_has_left("),
        Elsewhere(.lowEnergy, "sudo blectl adapter le on", program, ofProgram),
        Elsewhere(.commands, "sudo blectl adapter reset", program, ofProgram),
        Elsewhere(.manager, "sudo kill 7", lab, "def a_manager_that_is_no_service("),
        Elsewhere(.cache, "mv /home/ada/.cache/blectl /home/ada/.cache/blectl.old", program, ofFiles),
        Elsewhere(.bonds, "mv /home/ada/.state/blectl /home/ada/.state/blectl.old", program, ofFiles),
    ]

    @Test("A test runs every command that doctor prints, and every check has one")
    func coverage() async throws {
        var typed = Set(Self.elsewhere.map { Line(check: $0.check, text: $0.line) })
        for trouble in Self.troubles { typed.formUnion(try await Self.mend(trouble)) }
        let printed = Set(
            DiagnosisCases.all.compactMap { row in
                row.remedy?.command.map { Line(check: row.check, text: $0) }
            }
        )
        #expect(printed.subtracting(typed).isEmpty, "nobody types these")
        // A damaged file of formats is advice with a command in it, which a test of the program types.
        #expect(Set(typed.map(\.check)) == Set(DoctorCheck.allCases).subtracting([.formats]))
        for test in Self.elsewhere {
            #expect(printed.contains(Line(check: test.check, text: test.line)), "nobody prints \(test.line)")
            let content = try String(contentsOf: GeneratedFileTests.root.appending(path: test.file), encoding: .utf8)
            #expect(content.contains(test.name), "\(test.file) has no test '\(test.name)'")
        }
    }
}
