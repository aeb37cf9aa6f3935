// SPDX-License-Identifier: GPL-2.0-or-later

public import BluetoothProfiles

/// The table's row for `blectl lookup`.
public enum LookupSpec {
    /// `WORD...`
    public static let words = Argument(
        oneOrMore: .text("WORD", completion: .target),
        summary: "a number, or a part of a name",
        details: "Several words are one name."
    )

    /// `--kind`
    public static let kinds = Option(
        repeated: "kind",
        .choice("KIND", of: Registry.self),
        summary: "search only numbers of this kind",
        details: "May be given several times."
    )

    static let command = CommandSpec(
        .lookup,
        summary: "look up assigned numbers, and the fields of characteristics",
        discussion: [
            """
            Searches the assigned numbers of the Bluetooth SIG and of well-known vendors: UUIDs, company identifiers, appearances, \
            units, types of advertising data, errors and others. The whole name or the number comes first, then names that begin \
            with the word, then those that contain it. Only letters and digits count.
            """,
            """
            A number is written `0x2A19`, or as four hex digits, or as a UUID of 128 bits. Other decimal digits are a decimal \
            number.
            """,
            """
            For a characteristic or descriptor that is named exactly, the fields of its value follow, with the keys by which `encode` and \
            `write` take them and the JSON records show them: ranges, units, names of choices, and whether the field may be \
            missing.
            """,
        ],
        arguments: [words.spec],
        options: [kinds.spec],
        examples: [
            CommandExample("blectl lookup battery", "everything about batteries"),
            CommandExample("blectl lookup 0x2A37", "a number, and the fields of its value"),
            CommandExample("blectl lookup --kind company nordic", "the identifier of a company"),
        ],
        seeAlso: [.decode, .encode]
    )
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
