// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

/// The options of `blectl lookup`.
struct LookupOptions: Sendable {
    /// The text of the user.
    let text: String
    /// The number or name that is searched for.
    let query: RegistryQuery
    /// The registries to search.
    let registries: Set<Registry>
}

extension LookupOptions {
    /// Reads the options from a command line.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        text = arguments[LookupSpec.words].joined(separator: " ")
        guard let query = RegistryQuery(text) else {
            throw arguments.invalid(LookupSpec.words, text, "expected a number, or letters of a name")
        }
        self.query = query
        let kinds = arguments[LookupSpec.kinds]
        registries = Set(kinds.isEmpty ? Registry.allCases : kinds)
    }
}
