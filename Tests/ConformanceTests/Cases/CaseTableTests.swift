// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@Suite("GATT.TS: coverage of the cases")
struct CaseTableTests {
    private static let table = clientCases + serverCases

    @Test("everything that the table names exists")
    func namesWhatIsThere() throws {
        let transcripts = try #require(Vectors.folders.first).files.flatMap(\.transcripts).map(\.name)
        let functions = try TestFunctions.all()
        for row in Self.table {
            #expect(!row.coverage.isEmpty, "nothing covers \(row.id)")
            for coverage in row.coverage {
                switch coverage {
                case .transcripts(let name):
                    #expect(transcripts.contains { $0.hasPrefix(name) }, "\(row.id): there is no transcript \(name)")
                case .test(let name):
                    #expect(functions.contains(name), "\(row.id): there is no test \(name)")
                case .notApplicable(let reason):
                    #expect(reason.count > 20, "\(row.id): why?")
                }
            }
        }
    }

    @Test("each case has one row, and every transcript belongs to one")
    func isComplete() throws {
        let ids = Self.table.map(\.id)
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.wholeMatch(of: /[A-Z]{3}\/(CL|SR)\/B[VI]-\d\d/) != nil })
        let named = Self.table.flatMap(\.coverage).compactMap { coverage in
            if case .transcripts(let name) = coverage { name } else { nil }
        }
        let transcripts = try #require(Vectors.folders.first).files.flatMap(\.transcripts).map(\.name)
        #expect(transcripts.filter { name in !named.contains { name.hasPrefix($0) } } == [])
    }

    /// The number of cases of each role by group, counted in the test suite's list, so that a missing row is noticed.
    @Test("the table has all cases")
    func hasAllCases() {
        func ids(_ group: String, _ kind: String, _ role: String) -> [Int] {
            Self.table.compactMap { row in
                let prefix = "\(group)/\(role)/\(kind)-"
                return row.id.hasPrefix(prefix) ? Int(row.id.dropFirst(prefix.count)) : nil
            }
        }
        #expect(ids("GAC", "BV", "CL") == [1] && ids("GAC", "BV", "SR") == [1])
        #expect(ids("GAD", "BV", "CL") == Array(1...6) && ids("GAD", "BV", "SR") == Array(1...6))
        #expect(Set(ids("GAR", "BV", "CL")) == [1, 3, 4, 5, 6, 7, 8, 9])
        #expect(Set(ids("GAR", "BV", "SR")) == [1, 3, 4, 5, 6, 7, 8, 9])
        #expect(Set(ids("GAR", "BI", "CL")) == Set(1...35).subtracting([8]).union([36, 38, 40, 42, 44]))
        #expect(Set(ids("GAR", "BI", "SR")) == Set(1...33).union([36, 38, 40, 42, 44, 45]))
        #expect(Set(ids("GAW", "BV", "CL")) == [1, 2, 3, 5, 6, 8, 9])
        #expect(Set(ids("GAW", "BV", "SR")) == [1, 2, 3, 5, 6, 7, 8, 9, 10, 11])
        #expect(Set(ids("GAW", "BI", "CL")) == Set(1...32).subtracting([10]))
        #expect(Set(ids("GAW", "BI", "SR")) == Set(1...33).union([39, 40, 41]).subtracting([10, 28]))
        #expect(ids("GAN", "BV", "CL") == [1, 2] && ids("GAN", "BV", "SR") == [1, 2, 3])
        #expect(ids("GAI", "BV", "CL") == [1] && ids("GAI", "BI", "CL") == [1] && ids("GAI", "BV", "SR") == [1, 2])
        #expect(ids("GAS", "BV", "CL") == Array(1...4) && ids("GAS", "BV", "SR") == Array(1...8))
        #expect(ids("GAT", "BV", "CL") == [1, 2, 3] && ids("GAT", "BV", "SR") == [1])
        #expect(ids("GPA", "BV", "CL") == [11, 12] && ids("GPA", "BV", "SR") == [11, 12])
        #expect(ids("UNS", "BI", "SR") == [1, 2])
    }

    @Test("a function counts as a test only with @Test, and in its own suite")
    func readsSources() {
        let source = """
            struct First {
                @Test("x", arguments: [
                    1
                ])
                func one(_ number: Int) {}
                func helper() {}
            }

            @Suite struct Second {
                @Test func two() {}
            }
            """
        #expect(TestFunctions.functions(in: source) == ["First.one", "Second.two"])
    }
}
