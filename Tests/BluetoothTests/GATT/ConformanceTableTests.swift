// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

@testable import Bluetooth

/// How a case of the GATT test suite is covered here.
private enum Coverage: Sendable {
    /// By the transcripts whose names begin so.
    case transcripts(String)
    /// By a test of that function name.
    case test(String)
    /// Not at all, for that reason.
    case notApplicable(String)
}

/// The cases of the Bluetooth SIG's GATT test suite (GATT.TS.p29) for one LE ATT bearer, without those of BR/EDR, SDP and
/// several bearers, and what covers each at the level of the protocol's values.
private let table: [(cases: String, coverage: [Coverage])] = [
    ("GAC/CL/BV-01", [.transcripts("/TP/GAC/CL/BV-01-C"), .test("agrees")]),
    ("GAC/SR/BV-01", [.transcripts("/TP/GAC/SR/BV-01-C"), .test("readsInParts"), .test("tellsItsMTU")]),
    ("GAD/CL/BV-01", [.transcripts("/TP/GAD/CL/BV-01-C"), .test("findsAll"), .test("endsAfterAllHandles")]),
    ("GAD/SR/BV-01", [.transcripts("/TP/GAD/SR/BV-01-C")]),
    ("GAD/CL/BV-02", [.transcripts("/TP/GAD/CL/BV-02-C"), .test("asksForLongUUIDs")]),
    ("GAD/SR/BV-02", [.transcripts("/TP/GAD/SR/BV-02-C"), .test("findsNothing")]),
    ("GAD/CL/BV-03", [.transcripts("/TP/GAD/CL/BV-03-C"), .test("readsLongUUIDs")]),
    ("GAD/SR/BV-03", [.transcripts("/TP/GAD/SR/BV-03-C")]),
    ("GAD/CL/BV-04, BV-05", [.transcripts("/TP/GAD/CL/BV-04-C"), .test("refusesMalformedDeclarations")]),
    ("GAD/SR/BV-04, BV-05", [.transcripts("/TP/GAD/SR/BV-04-C"), .transcripts("/TP/GAD/SR/BV-05-C")]),
    ("GAD/CL/BV-06", [.transcripts("/TP/GAD/CL/BV-06-C")]),
    ("GAD/SR/BV-06", [.transcripts("/TP/GAD/SR/BV-06-C"), .test("fillsTheMTU")]),
    (
        "GAR/CL/BV-01, BI-02…05",
        ["BV-01-C", "BI-02", "BI-03", "BI-04", "BI-05"].map { .transcripts("/TP/GAR/CL/\($0)") }
    ),
    (
        "GAR/SR/BV-01, BI-01…05",
        [.transcripts("/TP/GAR/SR/BV-01-C"), .transcripts("/TP/GAR/SR/BI-02-C"), .test("enforcesTheTable")]
    ),
    (
        "GAR/CL/BV-03, BI-06, 07, 09…11",
        ["BV-03", "BI-06", "BI-09", "BI-10"].map { .transcripts("/TP/GAR/CL/\($0)") } + [.test("failsWhereNothingIs")]
    ),
    (
        "GAR/SR/BV-03, BI-06…11",
        ["BV-03", "BI-07", "BI-08"].map { .transcripts("/TP/GAR/SR/\($0)") } + [.test("enforcesTheTable")]
    ),
    (
        "GAR/CL/BV-04, BI-12…17",
        ["BV-04", "BI-12", "BI-13", "BI-15", "BI-16", "BI-17"].map { .transcripts("/TP/GAR/CL/\($0)") }
            + [.test("failsWithOtherErrors")]
    ),
    (
        "GAR/SR/BV-04, BI-12…17",
        [
            .transcripts("/TP/GAR/SR/BI-13"), .transcripts("/TP/GAR/SR/BI-14"), .test("readsInParts"),
            .test("enforcesTheTable"),
        ]
    ),
    (
        "GAR/CL/BV-05, BI-18…22",
        ["BI-18", "BI-20", "BI-21", "BI-22"].map { .transcripts("/TP/GAR/CL/\($0)") } + [.test("readsMultiple")]
    ),
    (
        "GAR/SR/BV-05, BI-18…22",
        [.transcripts("/TP/GAR/SR/BV-05"), .transcripts("/TP/GAR/SR/BI-19"), .test("enforcesTheTable")]
    ),
    (
        "GAR/CL/BV-06, BV-07, BI-23…33",
        ["BV-06", "BV-07", "BI-23", "BI-25", "BI-26", "BI-27", "BI-28", "BI-29", "BI-31", "BI-32", "BI-33"]
            .map { .transcripts("/TP/GAR/CL/\($0)") }
    ),
    (
        "GAR/SR/BV-06…08, BI-23…33",
        ["BV-06", "BI-24", "BI-29", "BI-30"].map { .transcripts("/TP/GAR/SR/\($0)") }
            + [.test("readsInParts"), .test("enforcesTheTable")]
    ),
    ("GAR/CL/BI-34, BI-35", [.transcripts("/TP/GAR/CL/BI-34")]),
    ("GAR/CL/BV-08, BV-09, BI-36…44", [.test("readsVariable"), .test("tellsCutValues"), .test("refusesOtherCounts")]),
    (
        "GAR/SR/BV-08, BV-09, BI-36…44",
        [.test("readsMultiple"), .test("fillsVariableLists"), .test("enforcesTheTable")]
    ),
    ("GAR/SR/BI-45", [.test("answersPipelinedRequests"), .test("waits"), .test("boundsWhatWaits")]),
    ("GAW/CL/BV-01", [.transcripts("/TP/GAW/CL/BV-01-C"), .test("writesWhatFits")]),
    ("GAW/SR/BV-01", [.test("commandsAreSilent")]),
    ("GAW/CL/BV-02", [.transcripts("/TP/GAW/CL/BV-02-C"), .test("signs"), .test("signsAnew")]),
    ("GAW/SR/BV-02", [.notApplicable("the server holds no signing keys, and offers no signed writes")]),
    ("GAW/SR/BI-01", [.test("commandsAreSilent")]),
    (
        "GAW/CL/BV-03, BI-02…06",
        ["BV-03", "BI-02", "BI-04", "BI-05", "BI-06"].map { .transcripts("/TP/GAW/CL/\($0)") }
    ),
    (
        "GAW/SR/BV-03, BI-02…06",
        ["BV-03", "BI-02", "BI-03"].map { .transcripts("/TP/GAW/SR/\($0)") } + [.test("enforcesTheTable")]
    ),
    (
        "GAW/CL/BV-05, BI-07…13",
        ["BV-05", "BI-08", "BI-11", "BI-13"].map { .transcripts("/TP/GAW/CL/\($0)") } + [.test("cancelsOnError")]
    ),
    (
        "GAW/SR/BV-05, BI-07…13",
        ["BV-05", "BI-07", "BI-08"].map { .transcripts("/TP/GAW/SR/\($0)") }
            + [.test("judgesAtTheEnd"), .test("enforcesTheTable")]
    ),
    (
        "GAW/CL/BV-06, BI-14…19, BI-32",
        ["BV-06", "BI-15", "BI-17", "BI-18", "BI-19"].map { .transcripts("/TP/GAW/CL/\($0)") }
            + [.test("cancelsOnEcho"), .test("saysWhatAbortNeeds"), .test("writesReliably")]
    ),
    (
        "GAW/SR/BV-06, 07, 10, 11, BI-14…19",
        ["BV-06", "BV-07", "BV-10", "BI-14", "BI-15"].map { .transcripts("/TP/GAW/SR/\($0)") }
            + [.test("executes"), .test("cancels"), .test("judgesOnExecution")]
    ),
    (
        "GAW/CL/BV-08, BV-09, BI-20…30",
        ["BI-20", "BI-21", "BI-23", "BV-09", "BI-25", "BI-29", "BI-30"].map { .transcripts("/TP/GAW/CL/\($0)") }
    ),
    (
        "GAW/SR/BV-08, BV-09, BI-20…31",
        ["BV-08", "BV-09", "BI-20", "BI-21", "BI-25", "BI-26"].map { .transcripts("/TP/GAW/SR/\($0)") }
            + [.test("refusesOddConfigurations")]
    ),
    ("GAW/SR/BI-32, BI-33", [.test("refusesLongValues")]),
    ("GAW/SR/BI-39, BI-40", [.test("commandsAreSilent")]),
    ("GAW/SR/BI-41", [.test("noticesChanges")]),
    ("GAN/CL/BV-01", [.transcripts("/TP/GAN/CL/BV-01-C"), .test("subscribes")]),
    ("GAN/SR/BV-01", [.transcripts("/TP/GAN/SR/BV-01-C"), .test("keepsConfigurationsApart")]),
    ("GAN/SR/BV-02", [.test("notifiesSeveral")]),
    ("GAN/SR/BV-03, GAI/SR/BV-02", [.test("restores")]),
    ("GAI/CL/BV-01", [.test("subscribes")]),
    ("GAI/SR/BV-01", [.transcripts("/TP/GAI/SR/BV-01-C"), .test("confirms")]),
    ("GAS/SR/BV-01", [.test("indicatesServiceChanged")]),
    ("GAS/SR/BV-02", [.test("tellsTheHash"), .test("hashesTheExample"), .test("hashesTheLargeDatabase")]),
    ("GAS/SR/BV-03, BV-04", [.test("keepsFeatures")]),
    ("GAS/SR/BV-05", [.test("tellsOnce")]),
    ("GAS/SR/BV-06", [.test("ignoresCommands"), .test("allowsDiscovery")]),
    ("GAS/SR/BV-07", [.test("allowsDiscovery"), .test("remembersTheHash")]),
    ("GAS/SR/BV-08", [.test("confirmationMakesAware")]),
    ("UNS/SR/BI-01, BI-02", [.transcripts("/robustness/unkown-"), .test("refusesUnknownRequests")]),
    (
        "GAN/CL/BV-02, GAI/CL/BI-01, GAT/CL and SR/BV-01, 02",
        [.notApplicable("the bearer's business, see its tests")]
    ),
    (
        "GAS/CL/BV-01…04, GPA/CL/BV-11, BV-12",
        [.notApplicable("the host's and the profiles' business, above these values")]
    ),
]

@Suite("GATT.TS: what covers which case")
struct ConformanceTableTests {
    @Test("what the table names is there")
    func namesWhatIsThere() throws {
        let names = try #require(Transcripts.sets.first).transcripts.map(\.name)
        let functions = try Self.testFunctions()
        for (cases, coverage) in table {
            #expect(!coverage.isEmpty, "\(cases)")
            for item in coverage {
                switch item {
                case .transcripts(let prefix): #expect(names.contains { $0.hasPrefix(prefix) }, "\(cases): \(prefix)")
                case .test(let function): #expect(functions.contains("func \(function)("), "\(cases): \(function)")
                case .notApplicable(let reason): #expect(!reason.isEmpty)
                }
            }
        }
    }

    @Test("every transcript stands in the table")
    func namesEveryTranscript() throws {
        let prefixes = table.flatMap(\.coverage).compactMap { item in
            if case .transcripts(let prefix) = item { prefix } else { nil }
        }
        let names = try #require(Transcripts.sets.first).transcripts.map(\.name)
        let missing = names.filter { name in !prefixes.contains { name.hasPrefix($0) } }
        #expect(missing == ["/robustness/hash-db"])
    }

    /// The sources of the GATT tests.
    private static func testFunctions() throws -> String {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path())
        return try paths.filter { $0.hasSuffix("Tests.swift") }
            .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
            .joined()
    }
}
