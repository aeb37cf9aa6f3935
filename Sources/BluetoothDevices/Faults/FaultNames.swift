// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension HCIStatus {
    /// The names that faults use: `connection-timeout`.
    static let faultWords: [String] = named.map(\.word)

    private static let named: [(word: String, status: HCIStatus)] = (UInt8(1)...UInt8.max).compactMap { number in
        let status = HCIStatus(rawValue: number)
        return status.name.map { (AssignedNumber.slug($0), status) }
    }

    /// The status of a number, such as `0x3E`, or of a name; `nil` for other texts.
    init?(faultWord text: String) {
        if let number = FaultWords.number(text) {
            guard let code = UInt8(exactly: number) else { return nil }
            self.init(rawValue: code)
            return
        }
        guard let match = Self.named.first(where: { $0.word == text.lowercased() }) else { return nil }
        self = match.status
    }

    /// The name, or the number if there is none.
    var faultWord: String {
        Self.named.first { $0.status == self }?.word ?? "0x\(Hex.string(rawValue, minimumDigits: 2))"
    }
}

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

    /// A text that names the characteristic.
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
