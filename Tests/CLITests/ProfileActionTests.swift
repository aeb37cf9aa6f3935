// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Profile: actions for clients", .startsPrograms())
struct ProfileActionTests {
    @Test(
        arguments: [
            // Spec: Heart Rate Service 1.0, 3.3; Immediate Alert Service 1.0, 3.1; Fitness Machine Service 1.0, 4.16
            ("heart-rate reset-energy -d 'Pulse HR'", "the expended energy counts from zero", "01", nil),
            ("alert mild", "the device alerts mildly", "01", nil),
            ("alert none", "the device does not alert", "00", nil),
            ("find-me start -d 'Sports Watch'", "the device rings", "02", nil),
            ("link-loss high -d 'Desk Clock'", "when the link is lost, the device alerts", "02", nil),
            ("fitness-machine start", "the training goes on", "07", "800701"),
            ("fitness-machine stop", "the training is over", "0801", "800801"),
            ("glucose count", "5 records", "0401", "05000500"),
            ("glucose count 19", "3 records", "0403011300", "05000300"),
            ("glucose delete first", "the records are deleted", "0205", "06000201"),
            ("glucose delete 99", "no such records", "0203016300", "06000206"),
            (
                "sensortag calibrate", "c1 45697, c2 25592, c3 48894, c4 36174, c5 7001, c6 1990, c7 -2303, c8 1176",
                "02",
                "81b2f863febe4e8d591bc60701f79804"
            ),
        ] as [(String, String, String, String?)]
    )
    func `an action writes the octets of the specification, and reports the result`(
        _ line: String,
        _ text: String,
        _ written: String,
        _ answer: String?
    ) async throws {
        let run = try await Blectl.simulate("profile \(line)")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout == text + "\n")
        let record = try #require(try await Blectl.simulate("profile \(line) --json").records().first)
        #expect(record["type"] == .string("action"))
        #expect(record["written"] == .string(written))
        #expect(record["answer"] == (answer.map { .string($0) } ?? .null))
    }

    @Test func `a clock is set to the time of this machine, and the new time is shown`() async throws {
        // Virtual time begins in 2024, on a Monday.
        let run = try await Blectl.simulate("profile time sync --json")
        #expect(run.status == 0, "\(run.stderr)")
        let record = try #require(try run.records().first)
        guard case .string(let written)? = record["written"] else {
            Issue.record("\(record)")
            return
        }
        // 2024 = 0x07E8, 1 January, shortly after midnight; the reason is a manual update.
        #expect(written.hasPrefix("e8070101000003") || written.hasPrefix("e8070101000002"), "\(written)")
        #expect(written.dropFirst(14).hasPrefix("01") && written.hasSuffix("01"), "\(written)")
        let show = try await Blectl.simulate("profile time show")
        #expect(show.stdout.hasPrefix("date time 2026-01-01T00:00:0"), "\(show.stdout)")
    }

    @Test(arguments: [
        ("heart-rate reset-energy -d 'Thermo 1'", 68, "the device has no service Heart Rate"),
        ("find-me start -d 'Pulse HR'", 68, "the device has no service Immediate Alert"),
        ("cycling-power calibrate", 68, "the device has no characteristic"),
        ("heart-rate reset", 64, "heart-rate can 'reset-energy'"),
        ("glucose forget", 64, "glucose can 'count', 'delete' or 'abort'"),
        ("hart-rate reset-energy", 64, "did you mean 'heart-rate'?"),
        ("alert high last", 64, "alert high takes no records"),
    ])
    func `each impossible action has its status`(_ line: String, _ status: Int32, _ text: String) async throws {
        let run = try await Blectl.simulate("profile \(line)")
        #expect(run.status == status, "\(run.stderr)")
        #expect(run.stderr.contains(text), "\(run.stderr)")
    }
}
