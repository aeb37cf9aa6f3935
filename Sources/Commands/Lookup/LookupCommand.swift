// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
public import BluetoothProfiles
public import CommandLineInterface
import Records
import Terminal
import Toolkit

extension CommandName {
    static var lookup: CommandName { CommandName("lookup", LookupCommand.self) }
}

/// `blectl lookup`: searches the assigned numbers.
struct LookupCommand: Command {
    static var commandName: CommandName { .lookup }

    static let words = Argument(
        oneOrMore: .text("WORD", completion: .target),
        summary: "a number, or a part of a name",
        details: "Several words are one name."
    )

    static let kinds = Option(
        repeated: "kind",
        .choice("KIND", of: Registry.self),
        summary: "search only numbers of this kind",
        details: "Repeatable."
    )

    static let spec = CommandSpec(
        commandName,
        [.forItsOutput, .formats],
        summary: "look up assigned numbers, and the fields of characteristics",
        discussion: [
            """
            Searches assigned numbers of the Bluetooth SIG and well-known vendors: UUIDs, company identifiers, \
            appearances, units, types of advertising data, errors and others. The whole name or number comes first, \
            then names that begin with the word, then those that contain it. Only letters and digits count.
            """,
            """
            A number is `0x2A19`, four hex digits, or a UUID of 128 bits. Other decimal digits are a decimal number.
            """,
            """
            For an exactly named characteristic or descriptor, its fields follow, by the keys of `encode`, `write` and \
            the JSON records: ranges, units, names of choices, and whether the field may be missing.
            """,
        ],
        arguments: [words.spec],
        options: [kinds.spec],
        groups: [.global],
        examples: [
            "blectl lookup battery": "everything about batteries",
            "blectl lookup 0x2A37": "a number, and the fields of its value",
            "blectl lookup --kind company nordic": "the identifier of a company",
        ],
        seeAlso: ["decode", "encode"]
    )

    static let recordSchemas = [AssignedNumberResult.record.schema]

    static func takesOperand(likeWorld word: String) -> Bool { true }

    private let text: String
    private let query: RegistryQuery
    private let registries: Set<Registry>

    init(_ arguments: ParsedArguments) throws(UsageError) {
        text = arguments[Self.words].joined(separator: " ")
        guard let query = RegistryQuery(text) else {
            throw arguments.invalid(Self.words, text, "expected a number, or letters of a name")
        }
        self.query = query
        let kinds = arguments[Self.kinds]
        registries = Set(kinds.isEmpty ? Registry.allCases : kinds)
    }

    func action(on found: String?) -> String { "look up \(text)" }

    /// Prints the entries that match. The fields of a format are added only to an exact match, because a search
    /// by a part of a name prints too many entries.
    func run(in context: CommandContext) async throws {
        let formats = context.options.formats
        let entries = query.entries(in: registries, formats)
        guard !entries.isEmpty else { throw nothing }
        let timestamp = Timestamp(context.time)
        for entry in entries {
            let format = query.isExactly(entry) ? entry.format(in: formats) : nil
            try await context.output.emit(
                AssignedNumberResult(entry: entry, formats: formats, format: format, timestamp: timestamp)
            )
        }
    }

    /// The error for no match, which suggests names with a similar spelling. A number has no similar ones.
    private var nothing: BlectlError {
        let near = query.isNumber ? [] : AssignedNumbers.suggestions(for: text)
        let hint = near.isEmpty ? nil : "did you mean \(Prose.list(near.map { "'\($0)'" }, "or"))?"
        return BlectlError(.notFound, "there is no assigned number or name \(Prose.quoted(text))", hint: hint)
    }
}

extension RegistryEntry {
    /// The format of the values of a characteristic or descriptor; `nil` for other entries and for unknown formats.
    fileprivate func format(in formats: FormatCatalogue) -> CharacteristicFormat? {
        guard let uuid else { return nil }
        switch registry {
        case .characteristic: return formats.format(of: uuid)
        // The declarations are in the same list, and nobody writes their values.
        case .descriptor where uuid.short16.map { $0 >= 0x2900 } ?? false:
            return DescriptorValue.format(ofDescriptor: uuid)
        default: return nil
        }
    }
}

extension Registry: OptionChoice {
    public var summary: String {
        switch self {
        case .service: "GATT services"
        case .characteristic: "GATT characteristics"
        case .descriptor: "GATT descriptors and declarations"
        case .member: "16-bit UUIDs of companies"
        case .standardsOrganization: "16-bit UUIDs of standards organisations"
        case .serviceClass: "service classes of Bluetooth Classic"
        case .protocol: "protocols of Bluetooth Classic"
        case .meshProfile: "profiles of lighting control in a mesh"
        case .objectType: "types of objects"
        case .unit: "units of measurement"
        case .company: "company identifiers"
        case .appearance: "appearance values"
        case .adType: "types of advertising data"
        case .formatType: "types of values in a Presentation Format"
        case .description: "descriptions in a Presentation Format"
        case .uriScheme: "schemes of URIs in advertising data"
        case .attError: "errors of a GATT server"
        case .hciError: "errors of a controller"
        }
    }
}
