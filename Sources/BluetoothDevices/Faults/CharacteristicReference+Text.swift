// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension CharacteristicReference {
    /// The characteristic, or the descriptor, that a text names: by its UUID or its assigned name, with that of its
    /// service before it if need be (`180f/2a19`, `battery/battery-level`), or else by its label. `nil` for empty text.
    init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2 {
            if let service = Self.uuid(parts[0], [.service]),
                let uuid = Self.uuid(parts[1], [.characteristic, .descriptor])
            {
                self = .uuid(uuid, service: service)
                return
            }
        } else if parts.count == 1, let uuid = Self.uuid(parts[0], [.characteristic, .descriptor]) {
            self = .uuid(uuid, service: nil)
            return
        }
        self = .label(text)
    }

    private static func uuid(_ text: Substring, _ kinds: Set<AssignedNumber.Kind>) -> BluetoothUUID? {
        BluetoothUUID(text) ?? AssignedNumbers.uuids(named: text, kinds: kinds).first?.uuid
    }

    var text: String {
        switch self {
        case .label(let label): return label
        case .uuid(let uuid, let service):
            let name = Self.word(uuid, [.characteristic, .descriptor]) ?? uuid.description
            guard let service else { return name }
            return "\(Self.word(service, [.service]) ?? service.description)/\(name)"
        }
    }

    /// The assigned name, if only this UUID has it.
    private static func word(_ uuid: BluetoothUUID, _ kinds: Set<AssignedNumber.Kind>) -> String? {
        let isService = kinds.contains(.service)
        let name =
            isService
            ? AssignedNumbers.name(ofService: uuid)
            : AssignedNumbers.name(ofCharacteristic: uuid) ?? AssignedNumbers.name(ofDescriptor: uuid)
        guard let slug = name.map({ AssignedNumber.slug($0) }), self.uuid(slug[...], kinds) == uuid else { return nil }
        return slug
    }
}
