// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Records
@testable import Toolkit

@Suite("JSON records")
struct RecordSchemaTests {
    /// The keys, and those of nested objects.
    private func all(_ keys: [RecordKey]) -> [[RecordKey]] {
        [keys] + keys.flatMap { all($0.type.keys) }.filter { !$0.isEmpty }
    }

    @Test("no two kinds of record, and no two keys of an object, share a name")
    func unique() {
        #expect(Set(CommandSet.all.records.map(\.type)).count == CommandSet.all.records.count)
        for keys in CommandSet.all.records.flatMap({ all($0.allKeys) }) {
            #expect(Set(keys.map(\.name)).count == keys.count, "\(keys.map(\.name))")
        }
    }

    @Test("keys are in snake case, and a physical unit is part of its key")
    func names() {
        for key in CommandSet.all.records.flatMap({ all($0.allKeys) }).flatMap({ $0 }) {
            #expect(key.name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") }, "\(key.name)")
            if case .integer(let unit?) = key.type, unit != "bytes" {
                #expect(key.name.hasSuffix("_\(unit.lowercased())"), "\(key.name)")
            }
        }
    }

    @Test("every command has its own record, and every record a command")
    func commands() {
        for command in CommandSet.all.table.names {
            let own = CommandSet.all.records(of: command).filter { !$0.isCommon }
            #expect(!own.isEmpty, "\(command.rawValue)")
        }
        for record in CommandSet.all.records { #expect(!CommandSet.all.commands(printing: record).isEmpty) }
    }

    @Test("the units that a path may leave out are those of the keys")
    func units() {
        #expect(KeyUnits.records == Set(CommandSet.all.records.flatMap(\.keys).compactMap { KeyUnits.ending(of: $0) }))
    }
}
