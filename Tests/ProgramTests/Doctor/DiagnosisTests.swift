// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import Testing

@testable import Commands
@testable import Records
@testable import Terminal
@testable import Toolkit

/// Each check is a function of a snapshot, so that these tests need no real machine.
@Suite("What doctor concludes")
struct DiagnosisTests {
    private typealias Cases = DiagnosisCases

    @Test("A healthy machine has only good findings")
    func well() {
        let diagnosis = Diagnosis(Cases.healthy)
        #expect(diagnosis.findings.map(\.check) == DoctorCheck.allCases.filter { $0 != .transport })
        for finding in diagnosis.findings { #expect(finding.state == .ok, "\(finding.check): \(finding.text)") }
        #expect(diagnosis.error == nil)
    }

    @Test(
        "Each fault is found and named, with a remedy",
        arguments: DiagnosisCases.all
    )
    func trouble(_ row: DiagnosisCases.Case) throws {
        let diagnosis = Diagnosis(row.snapshot)
        let finding = try #require(diagnosis.findings.first { $0.check == row.check })
        #expect(finding.state == row.state)
        #expect(finding.text == row.text)
        #expect(finding.remedy == row.remedy)
        #expect((diagnosis.error?.status ?? .success) == row.status)
        #expect((finding.status == nil) == (row.state != .failure))
        if row.state == .failure { #expect(diagnosis.error?.reason == row.text) }
    }

    /// A machine without an adapter, and the remedy that brings one.
    struct Absence: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let snapshot: MachineSnapshot
        let remedy: Remedy

        init(_ name: String, _ remedy: Remedy, _ change: (inout MachineFacts) -> Void) {
            testDescription = name
            snapshot = DiagnosisCases.bare(.noAdapter, change)
            self.remedy = remedy
        }
    }

    @Test(
        "Nobody is asked to plug in an adapter that is there",
        arguments: [
            Absence("no device", .advice("plug one in, or use blectl --simulate")) { _ in },
            Absence("no driver", .command("sudo modprobe btusb")) {
                ($0.driverless, $0.hasUSBDriver) = ([DiagnosisCases.dongle], false)
            },
            Absence("left by its driver", .advice("plug it in again; the driver says in 'sudo dmesg' why it left it")) {
                ($0.driverless, $0.hasUSBDriver) = ([DiagnosisCases.dongle], true)
            },
            Absence("taken off the bus by a switch", .advice("turn the switch on")) {
                $0.switches = [.init(name: "laptop", isBlockedBySoftware: false, isBlockedByHardware: true)]
            },
        ]
    )
    func absence(_ row: Absence) throws {
        let diagnosis = Diagnosis(row.snapshot)
        let finding = try #require(diagnosis.findings.first { $0.check == .adapter })
        #expect(finding.state == .failure && finding.status == .bluetoothUnavailable)
        #expect(finding.text == "there is no Bluetooth adapter")
        #expect(finding.remedy == row.remedy)
        #expect(diagnosis.error?.hint == row.remedy.text)
    }

    @Test("A command without an adapter refers to doctor, which knows whether there is one")
    func reference() {
        let error = BlectlError(RadioError(.noAdapter, during: "test"), doing: "scan")
        #expect(error.hint == "'blectl doctor' looks for the reason; '--simulate' needs none")
    }

    @Test("Every check has a failing case")
    func coverage() {
        let bad = Cases.all.filter { $0.state == .failure || $0.state == .warning }
        #expect(Set(bad.map(\.check)) == Set(DoctorCheck.allCases))
    }

    @Test("The status is that of the scan; if that works, that of the connection")
    func verdict() {
        let both = Cases.with {
            $0.adapter?.isLowEnergyOn = false
            $0.facts?.rights = .init(hasNetRaw: false, hasNetAdmin: false)
            $0.bonds = .damaged(.badData, reason: "damaged", hint: nil)
        }
        #expect(Diagnosis(both).error?.message.hasPrefix("cannot scan or connect: ") == true)
        #expect(Diagnosis(both).obstacle(to: .scan)?.check == .capability)
        #expect(Diagnosis(both).obstacle(to: .connection)?.check == .lowEnergy)
        let scan = Cases.with { $0.scan = .failed(Cases.error(.permissionDenied(capability: "CAP_NET_RAW"))) }
        #expect(Diagnosis(scan).error?.message == "cannot scan: the capability CAP_NET_RAW is missing")
        let connection = Cases.with { $0.bonds = .damaged(.badData, reason: "damaged", hint: nil) }
        #expect(Diagnosis(connection).error?.message == "cannot connect: damaged")
    }

    @Test(
        "The version of a controller",
        arguments: [
            (DiagnosisCases.version(), nil),
            (DiagnosisCases.version(hci: 0x3031), FirmwareQuirk.counterfeit.text),
            (DiagnosisCases.version(company: 0x000D), FirmwareQuirk.counterfeit.text),
        ] as [(HCIReadLocalVersionInformation.ReturnParameters, String?)]
    )
    func counterfeit(_ version: HCIReadLocalVersionInformation.ReturnParameters, _ text: String?) {
        expect(version, Cases.dongle, shows: text)
    }

    @Test("The revision shows firmware that is not loaded; other companies' numbers mean nothing")
    func firmware() {
        expect(Cases.version(company: 0x005D, lmp: 0x8761), nil, shows: FirmwareQuirk.realtek.text)
        expect(Cases.version(company: 0x005D, lmp: 0xD922), nil, shows: nil)
        expect(Cases.version(company: 0x0002, lmp: 0x8761), nil, shows: nil)
        expect(Cases.version(company: 0x000F, hci: 0x1000), nil, shows: FirmwareQuirk.broadcom.text)
        expect(Cases.version(company: 0x000F, hci: 0x16E1), nil, shows: nil)
        // A genuine number on another device.
        expect(Cases.version(hci: 0x3031), nil, shows: nil)
    }

    private func expect(
        _ version: HCIReadLocalVersionInformation.ReturnParameters,
        _ usb: MachineFacts.USBDevice?,
        shows text: String?,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let snapshot = Cases.with {
            $0.facts?.attachments["hci0"]?.usb = usb
            $0.controller = .given(.init(version: version, hasExtendedScan: true))
        }
        let finding = Diagnosis(snapshot).findings.first { $0.check == .firmware }
        #expect(finding?.state == (text == nil ? .ok : .warning), sourceLocation: location)
        if let text { #expect(finding?.text == text, sourceLocation: location) }
    }

    @Test("Text from outside is escaped in text, and whole in the record")
    func hostile() {
        let snapshot = Cases.with { $0.facts?.attachments["hci0"]?.driver = "bt\u{1B}[2Jusb" }
        let timestamp = Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)
        let results = Diagnosis(snapshot).findings.map {
            FindingResult(finding: $0, adapter: nil, timestamp: timestamp)
        }
        let lines = results.compactMap { $0.text(.plain) }
        #expect(lines.allSatisfy { !$0.unicodeScalars.contains("\u{1B}") })
        #expect(lines.contains { $0.hasSuffix("hci0 by bt\\u{1B}[2Jusb") }, "\(lines)")
        #expect(results.contains { record($0)["text"] == .string("hci0 by bt\u{1B}[2Jusb") })
    }

    @Test("In ASCII the marks differ, and the names are aligned")
    func marks() {
        var style = TextStyle.plain
        let timestamp = Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)
        func lines() -> [String] {
            Diagnosis(Cases.unusable(.down, .adapterDown)).findings.compactMap {
                FindingResult(finding: $0, adapter: nil, timestamp: timestamp).text(style)
            }
        }
        #expect(lines().contains("✗ power       the adapter hci0 is down; hint: sudo blectl adapter power on"))
        #expect(lines().contains("- controller  not checked: the adapter hci0 is down"))
        style.usesUnicode = false
        #expect(lines().contains("x power       the adapter hci0 is down; hint: sudo blectl adapter power on"))
        #expect(lines().contains("+ cache       3 devices in /c"))
    }
}
