// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Toolkit

/// The words that a value for a target can be, where its format has names for values or for fields.
enum TypedValueOffers {
    /// The names that the only field can have, or the fields of several, each with an equals sign.
    static func words(for target: String) -> [Choice] {
        guard let format = (try? AttributeTarget(target))?.typedFormat(in: .assigned) else { return [] }
        let fields = format.possibleFields.filter { !$0.isOfEarlierEdition }
        guard let field = fields.first else { return [] }
        guard fields.count > 1 else {
            return (field.choices + field.special).map { Choice(word: $0, summary: "") }
        }
        return fields.map {
            Choice(word: "\($0.key)=", summary: $0.choices.isEmpty ? $0.unit : $0.choices.joined(separator: ", "))
        }
    }
}
