// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

@Suite("Vectors files")
struct VectorFileTests {
    @Test("every line of every file is understood")
    func understandsEveryLine() {
        for folder in Vectors.folders {
            #expect(!folder.files.isEmpty, "\(folder.path) has no *.jsonl")
            for problem in folder.files.flatMap(\.problems) { Issue.record(problem) }
        }
    }

    @Test("our own vectors are complete")
    func hasOurs() throws {
        let files = try #require(Vectors.folders.first).files
        #expect(files.map(\.name) == ["advertising-data.jsonl", "gatt-transcripts.jsonl"])
        #expect(files.map(\.transcripts.count) == [0, 112])
        #expect(files.map(\.databases.count) == [0, 4])
        #expect(files.map(\.advertising.count) == [9, 0])
        #expect(Vectors.transcripts(.server).filter { $0.origin == nil }.count == 46)
        #expect(Vectors.transcripts(.client).filter { $0.origin == nil }.count == 56)
        #expect(Vectors.transcripts(.att).filter { $0.origin == nil }.count == 10)
    }

    @Test(
        "an invalid line is reported, and the others are read",
        arguments: [
            ("{", "The given data was not valid JSON."),
            ("[]", "Expected to decode"),
            (#"{"comment": "x"}"#, "has none of the keys attrs, pdus and hex"),
            (#"{"role": "server", "pdus": []}"#, "the key name is missing"),
            (#"{"name": "x", "role": "waiter", "pdus": []}"#, ".role: Cannot initialize Role"),
            (#"{"name": "x", "role": "server", "pdus": ["02", "3"]}"#, #".pdus[1]: "3" is not hexadecimal"#),
            (#"{"name": "x", "hex": "0g"}"#, #".hex: "0g" is not hexadecimal"#),
            (#"{"db": 1, "attrs": [{"h": 1, "type": "zz", "perm": 1}]}"#, #".attrs[0].type: "zz" is no UUID"#),
            (#"{"db": 1, "attrs": [{"h": 0, "type": "2800", "perm": 1}]}"#, "handleOutOfOrder"),
        ]
    )
    func namesMalformedLines(line: String, problem: String) throws {
        let good = #"{"name": "good", "role": "server", "pdus": [], "of": {"another": "version"}}"#
        let file = VectorFile(name: "some.jsonl") { "\(good)\n\n\(line)\n\(good)\n" }
        #expect(file.transcripts.map(\.name) == ["good", "good"])
        #expect(file.problems.count == 1)
        let text = try #require(file.problems.first).description
        #expect(text.hasPrefix("some.jsonl:3: ") && text.contains(problem), "\(text)")
    }
}
