// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles
package import Records
import Toolkit

/// The names that the results of a step can have: the keys of the records that its command prints, and the fields of
/// its values.
///
/// A field that only other values have is never there, and a condition that no result has to meet would pass unchecked.
package struct ResultScope: Sendable {
    package let keys: [RecordKey]
    /// The fields of the values; empty if the records have no values, and `nil` if the format of a value is not known
    /// before it comes.
    package let fields: [FieldDescription]?

    init(_ request: CommandRequest, of commands: CommandSet) {
        // Failures are not results.
        var schemas = commands.ownRecords(of: request.name)
        for absent in request.command.absentRecords { schemas.removeAll { $0.type == absent.type } }
        keys = RecordSchema.commonKeys + schemas.flatMap(\.keys)
        let decodes = keys.contains { $0.name == LineFormat.openKey }
        fields = decodes ? request.command.fields(in: request.global.formats) : []
    }

    /// Whether the records have a value that can be compared without the name of a field.
    var hasValues: Bool { keys.contains { $0.name == LineFormat.openKey || $0.name == "value" } }

    /// Whether a key of the records is a list of UUIDs, such as the services of an advertisement.
    func listsUUIDs(_ name: String) -> Bool {
        let named = keys.filter { $0.name == name }
        return !named.isEmpty
            && named.allSatisfy { if case .array(of: .uuid) = $0.type { true } else { false } }
    }

    /// Whether the records tell what beacons and sensors advertise.
    var hasBeacons: Bool { keys.contains { $0.name == "beacon" } }
}
