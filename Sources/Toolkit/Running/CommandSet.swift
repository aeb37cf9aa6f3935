// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
package import Records

/// The commands of the program, with all that they can do.
package struct CommandSet: Sendable {
    /// The commands in the order of their documentation.
    private let types: [any Command.Type]
    /// The same as the command line knows them.
    package let table: CommandTable
    /// The command that reads the options of a device which a script declares.
    package let deviceCommand: CommandName

    package init(
        _ types: [any Command.Type],
        deviceCommand: any Command.Type,
        topics: @escaping @Sendable () -> [HelpTopic]
    ) {
        self.types = types
        self.deviceCommand = deviceCommand.commandName
        table = CommandTable(
            types.map { $0.commandName },
            groups: [.device, .link, .global],
            unusual: GlobalSpec.unusual,
            topics: topics
        )
    }

    package func type(of name: CommandName) -> any Command.Type {
        guard let type = types.first(where: { $0.commandName == name }) else {
            preconditionFailure("'\(name.rawValue)' is not in the set of commands")
        }
        return type
    }

    /// The records of a command, without that of a failure.
    package func ownRecords(of command: CommandName) -> [RecordSchema] {
        type(of: command).recordSchemas + (command.has(.pairsOnDemand) ? [PairedResult.record.schema] : [])
    }

    package func records(of command: CommandName) -> [RecordSchema] { ownRecords(of: command) + [.error] }

    /// All kinds of records, in the order of the commands.
    package var records: [RecordSchema] {
        var all: [RecordSchema] = []
        for schema in table.names.flatMap({ ownRecords(of: $0) }) where !all.contains(where: { $0.type == schema.type })
        {
            all.append(schema)
        }
        return all + [.error]
    }

    package func commands(printing record: RecordSchema) -> [CommandName] {
        record.isCommon
            ? table.names : table.names.filter { ownRecords(of: $0).contains { $0.type == record.type } }
    }

    package func jsonSchema(of command: CommandName? = nil) -> String {
        RecordSchema.jsonSchema(
            of: command.map(records) ?? records,
            printedBy: command,
            timing: RecordSchema.timing,
            canBeTimed: canBeTimed
        )
    }

    /// Whether a kind of record has the member `timing` with `--timing`.
    package func canBeTimed(_ record: RecordSchema) -> Bool {
        commands(printing: record).contains { $0.has(.timesRecords) }
            || types.contains { $0.timedRecords.contains { $0.type == record.type } }
    }
}
