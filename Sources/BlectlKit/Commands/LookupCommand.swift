// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// `blectl lookup`: searches the assigned numbers.
struct LookupCommand {
    let options: LookupOptions
    let context: CommandContext

    init(_ options: LookupOptions, _ context: CommandContext) {
        self.options = options
        self.context = context
    }

    /// Prints the entries that match. The fields of a format are added only to an exact match, because a search
    /// by a part of a name prints too many entries.
    func run() async throws {
        let formats = context.options.formats
        let entries = options.query.entries(in: options.registries, formats)
        guard !entries.isEmpty else { throw nothing }
        let timestamp = Timestamp(context.time)
        for entry in entries {
            let format = options.query.isExactly(entry) ? entry.format(in: formats) : nil
            try await context.output.emit(
                AssignedNumberResult(entry: entry, formats: formats, format: format, timestamp: timestamp)
            )
        }
    }

    /// The error for no match, which suggests names with a similar spelling. A number has no similar ones.
    private var nothing: BlectlError {
        let near = options.query.isNumber ? [] : AssignedNumbers.suggestions(for: options.text)
        let hint = near.isEmpty ? nil : "did you mean \(Prose.list(near.map { "'\($0)'" }, "or"))?"
        return BlectlError(.notFound, "there is no assigned number or name \(Prose.quoted(options.text))", hint: hint)
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
