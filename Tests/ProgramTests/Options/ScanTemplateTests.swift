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
        // Only failures have a line.
        #expect(problem("--format={message}") == nil)
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
