// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

@Suite("Templates of scan")
struct ScanTemplateTests {
    private func problem(_ words: String...) -> String? {
        do throws(UsageError) {
            let invocation = try Invocation(["scan", "--duration=1"] + words, environment: { _ in nil })
            guard case .run(let arguments) = invocation else { return "no command" }
            _ = try CommandRequest(arguments)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func `a template for the other kind of records is refused, because nothing would be printed`() {
        let summary = problem("--summary", "--format={name} {rssi}")
        let lack = "with --summary no record has the key 'rssi', but rssi_min_dbm, rssi_mean_dbm and rssi_max_dbm"
        #expect(summary?.hasSuffix(lack) == true, "\(summary ?? "")")
        let report = problem("--format={name} {rssi_mean}")
        #expect(report?.hasSuffix("without --summary no record has the key 'rssi_mean'") == true, "\(report ?? "")")
    }

    @Test func `a template with lines is accepted`() {
        #expect(problem("--summary", "--format={name} {rssi_mean} {interval}") == nil)
        #expect(problem("--format={name} {rssi} {beacon.temperature_c|}") == nil)
        #expect(problem("--summary", "--format={name} {rssi|}") == nil)
        #expect(problem("--format={name} {message|}") == nil)
    }

    @Test(arguments: [
        ("scan --format {status}", "status", nil), ("scan --format {device.name}", "device.name", "name"),
        ("scan --summary --format {hint}", "hint", nil), ("read battery-level --format {att_error}", "att_error", nil),
        ("watch heart-rate --format {key}", "key", nil),
        ("watch keys --format {decoded.heart_rate}", "decoded.heart_rate", nil),
        ("link x --format {sequence}", "sequence", nil),
    ])
    func `a template for which no result of the run has a line is refused`(
        _ line: String,
        _ key: String,
        _ suggestion: String?
    ) throws {
        let error = #expect(throws: UsageError.self) {
            guard case .run(let arguments) = try Invocation(line.split(separator: " ").map(String.init)) else { return }
            _ = try CommandRequest(arguments)
        }
        let message = try #require(error).message
        #expect(message.contains("no result of this command has the key '\(key)'"), "\(message)")
        #expect(suggestion.map { message.hasSuffix("did you mean '\($0)'?") } ?? !message.contains("did you mean"))
        #expect(error?.exitStatus == .usage)
    }

    @Test(arguments: ["notify battery-level --format {gap}", "watch battery --format {gap}"])
    func `records that a run may have are no mistake`(_ line: String) throws {
        guard case .run(let arguments) = try Invocation(line.split(separator: " ").map(String.init)) else { return }
        _ = try CommandRequest(arguments)
    }

    @Test func `a mistyped key of a beacon is refused, and those of all kinds of beacons are accepted`() {
        let typo = problem("--format={beacon.majr}")
        #expect(typo?.contains("no record of 'scan' has the key 'beacon.majr'") == true, "\(typo ?? "")")
        #expect(typo?.contains("did you mean 'beacon.major'?") == true, "\(typo ?? "")")
        #expect(problem("--format={beacon.major|} {beacon.measured_power|}") == nil)
        #expect(problem("--format={beacon.messages.0.name|} {beacon.kind}") == nil)
        let inList = problem("--summary", "--format={beacon.messages.0.nmae}")
        #expect(inList?.contains("did you mean 'beacon.messages.0.name'?") == true, "\(inList ?? "")")
        let withoutIndex = problem("--format={beacon.messages.name}")
        #expect(withoutIndex?.contains("did you mean 'beacon.messages.0.name'?") == true, "\(withoutIndex ?? "")")
    }
}
