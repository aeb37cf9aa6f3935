// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Terminal

/// The formats of beacons, sensors and messages in the words of the manual pages and of the schemas.
package enum BeaconKeys {
    /// The keys below `beacon` in records, of all formats together, without `kind`, which the schema has.
    ///
    /// The schema of the records leaves the object open, because the keys depend on the kind. The list finds a mistyped
    /// one in a script and in a template. A test compares it with the sources of the formats.
    package static let all: [RecordKey] = {
        let registrations = FormatRegistry.registrations
        let lists = Dictionary(registrations.flatMap(\.lists)) { $0 + $1 }.sorted { $0.key < $1.key }
        return BeaconKeys.keys(registrations.flatMap(\.keys))
            + lists.map { RecordKey($0.key, .array(of: .object(BeaconKeys.keys($0.value))), "its \($0.key)") }
    }()

    /// Keys of numbers, texts and truth values. Their types do not matter here: none of them has members.
    private static func keys(_ names: [String]) -> [RecordKey] {
        Set(names).sorted().map { RecordKey($0, .string, "its \($0)") }
    }

    /// The values of `kind` as a list for the manual.
    package static let kinds = Prose.list(FormatRegistry.registrations.flatMap(\.kinds).map { "`\($0)`" })

    /// The names of the formats as lists for the manual.
    package static let beacons = names(of: .beacon)
    package static let sensors = names(of: .sensor)
    package static let trackers = names(of: .tracker)
    package static let messages = names(of: .message)

    private static func names(of purpose: FormatRegistration.Purpose) -> String {
        var names: [String] = []
        for registration in FormatRegistry.registrations where registration.purpose == purpose {
            // A family of formats is named once.
            if !names.contains(registration.name) { names.append(registration.name) }
        }
        return Prose.list(names, "and")
    }
}
