// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothProfiles
import Terminal

/// An attribute as TARGET names it, in one of several ways.
///
/// `handle:0x0018`, `0x2A19`, `battery-level`, `battery/battery-level`, `battery-level/0x2901`,
/// `battery/battery-level/0x2901`.
package struct AttributeTarget: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        case handle(Handle)
        case characteristic(BluetoothUUID, service: BluetoothUUID?)
        case descriptor(BluetoothUUID, characteristic: BluetoothUUID, service: BluetoothUUID?)
    }

    package struct Problem: Error, Equatable, Sendable {
        /// The expected form, to follow a colon.
        package let expectation: String
        /// The remedy, for a word that may be anything.
        package var hint: String?
    }

    package let text: String
    package let kind: Kind

    /// Parses a target.
    ///
    /// - Parameter formats: The names of private characteristics, beside the assigned ones.
    package init(_ text: String, in formats: FormatCatalogue = .assigned) throws(Problem) {
        self.text = text
        if text.lowercased().hasPrefix("handle:") {
            kind = .handle(try Self.handle(text.dropFirst("handle:".count)))
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        switch parts.count {
        case 1:
            kind = .characteristic(try Self.uuid(parts[0], .characteristic, formats), service: nil)
        case 2:
            if Self.isDescriptor(parts[1]) {
                kind = .descriptor(
                    try Self.uuid(parts[1], .descriptor, formats),
                    characteristic: try Self.uuid(parts[0], .characteristic, formats),
                    service: nil
                )
            } else {
                kind = .characteristic(
                    try Self.uuid(parts[1], .characteristic, formats),
                    service: try Self.uuid(parts[0], .service, formats)
                )
            }
        case 3:
            kind = .descriptor(
                try Self.uuid(parts[2], .descriptor, formats),
                characteristic: try Self.uuid(parts[1], .characteristic, formats),
                service: try Self.uuid(parts[0], .service, formats)
            )
        default:
            throw Problem(expectation: "expected at most SERVICE/CHARACTERISTIC/DESCRIPTOR")
        }
    }

    package var description: String { text }

    package var characteristic: BluetoothUUID? {
        switch kind {
        case .handle: nil
        case .characteristic(let uuid, _): uuid
        case .descriptor(_, let characteristic, _): characteristic
        }
    }

    package var service: BluetoothUUID? {
        switch kind {
        case .handle: nil
        case .characteristic(_, let service), .descriptor(_, _, let service): service
        }
    }

    package var descriptor: BluetoothUUID? {
        if case .descriptor(let uuid, _, _) = kind { uuid } else { nil }
    }

    /// The format of the values of the characteristic; `nil` if it is not known, and for descriptors and handles.
    package func format(in formats: FormatCatalogue) -> CharacteristicFormat? {
        guard case .characteristic(let uuid, _) = kind else { return nil }
        return formats.format(of: uuid)
    }

    /// The format in which a value for it is typed; `nil` if it is not known, and for handles.
    package func typedFormat(in formats: FormatCatalogue) -> CharacteristicFormat? {
        if let descriptor { return DescriptorValue.format(ofDescriptor: descriptor) }
        return format(in: formats)
    }

    package var handle: Handle? {
        if case .handle(let handle) = kind { handle } else { nil }
    }

    package var isDescriptor: Bool {
        if case .descriptor = kind { true } else { false }
    }

    /// The service to search devices by: the named one, or the one to which the characteristic usually belongs.
    package func likelyService(in formats: FormatCatalogue) -> BluetoothUUID? {
        service ?? characteristic.flatMap { formats.service(ofCharacteristic: $0) }
    }

    // MARK: - Parts

    private static func handle(_ text: Substring) throws(Problem) -> Handle {
        guard let number = UInt16(numeral: text), number != 0 else {
            throw Problem(expectation: "expected a handle from 0x0001 to 0xFFFF, such as handle:0x0018")
        }
        return Handle(number)
    }

    private static func isDescriptor(_ text: Substring) -> Bool {
        // Names first: the short name `cccd` also consists of hexadecimal digits.
        if !AssignedNumbers.uuids(named: String(text), among: [.descriptor]).isEmpty { return true }
        guard let short = BluetoothUUID(text)?.short16 else { return false }
        // The assigned descriptors are in this range. Any other UUID is a characteristic, after a service.
        return (0x2900...0x29FF).contains(short)
    }

    /// The UUID that a part of a target names: digits, an assigned name, or a name of the user's formats.
    private static func uuid(
        _ text: Substring,
        _ kind: AssignedNumber.Kind,
        _ formats: FormatCatalogue
    ) throws(Problem) -> BluetoothUUID {
        // Names first: the short name `cccd` also consists of hexadecimal digits.
        if kind == .descriptor, let named = AssignedNumbers.uuids(named: String(text), among: [.descriptor]).first {
            return named.uuid
        }
        if let uuid = BluetoothUUID(text) { return uuid }
        var matches: [AssignedNumber] = []
        for match in formats.uuids(named: String(text), among: [kind])
        where !matches.contains(where: { $0.uuid == match.uuid }) {
            matches.append(match)
        }
        if let match = matches.first, matches.count == 1 { return match.uuid }
        if matches.count > 1 {
            let list = matches.map { "\($0.uuid)" }.joined(separator: ", ")
            throw Problem(expectation: "'\(text)' is the name of several \(kind.rawValue)s: \(list)")
        }
        throw Problem(expectation: explanation(of: text, kind, formats), hint: hint(for: text, kind))
    }

    private static func explanation(
        of text: Substring,
        _ kind: AssignedNumber.Kind,
        _ formats: FormatCatalogue
    ) -> String {
        if kind == .characteristic, text == "*" {
            return "'*' is all of a service, as in 'battery/*', and only in 'read'"
        }
        if kind == .characteristic, let service = formats.uuids(named: String(text), among: [.service]).first {
            let slugs = (AssignedNumbers.characteristics(ofService: service.uuid) ?? [])
                .compactMap { formats.name(ofCharacteristic: $0).map { AssignedNumber.slug($0) } }
            guard !slugs.isEmpty else {
                return "'\(text)' is a service; name one of its characteristics: \(text)/CHARACTERISTIC"
            }
            return "'\(text)' is a service; name one of its characteristics: \(Prose.list(slugs))"
        }
        if kind == .characteristic, !AssignedNumbers.uuids(named: String(text), among: [.descriptor]).isEmpty {
            return "'\(text)' is a descriptor; name its characteristic: CHARACTERISTIC/\(text)"
        }
        // Other tools take the number of a handle alone, which is too short for a UUID.
        if kind == .characteristic, let number = UInt16(numeral: text), number != 0 {
            return "expected a UUID or the assigned name of a characteristic; a handle is written handle:\(text)"
        }
        let suggestions = AssignedNumbers.suggestions(for: text, kinds: [kind], limit: 2)
        guard !suggestions.isEmpty else {
            return "expected a UUID or the assigned name of a \(kind.rawValue)"
        }
        return
            "no \(kind.rawValue) is called '\(text)'; did you mean \(suggestions.map { "'\($0)'" }.joined(separator: " or "))?"
    }
}

extension AttributeTarget {
    /// The remedy for a word that is the name of no attribute: it may be that of a device.
    package static func hint(for text: Substring, _ kind: AssignedNumber.Kind = .characteristic) -> String? {
        guard kind == .characteristic, !text.isEmpty, text != "*",
            AssignedNumbers.uuids(named: String(text), among: [.service, .descriptor]).isEmpty,
            UInt16(numeral: text) == nil
        else { return nil }
        let word = Prose.word(String(text))
        let isDevice = text.contains(" ") || BluetoothAddress(String(text)) != nil
        return isDevice ? "a device is named by an option: -d \(word)" : "what there is: blectl lookup \(word)"
    }
}

/// Parses the UUID or the assigned name of a service, the value of `--service`.
package func serviceUUID(
    _ text: String,
    in formats: FormatCatalogue = .assigned
) throws(AttributeTarget.Problem) -> BluetoothUUID {
    if let uuid = BluetoothUUID(text) { return uuid }
    if let match = formats.uuids(named: text, among: [.service]).first { return match.uuid }
    let suggestions = AssignedNumbers.suggestions(for: text, kinds: [.service], limit: 2)
    let meant = suggestions.isEmpty ? "" : "; did you mean \(suggestions.map { "'\($0)'" }.joined(separator: " or "))?"
    throw AttributeTarget.Problem(
        expectation: "expected a UUID or the assigned name of a service" + meant,
        hint: text.isEmpty || UInt16(numeral: text) != nil
            ? nil : "what there is: blectl lookup --kind service \(Prose.word(text))"
    )
}

/// The name and UUID of a service: `Heart Rate (0x180D)`.
package func serviceText(_ uuid: BluetoothUUID, _ formats: FormatCatalogue = .assigned) -> String {
    formats.name(ofService: uuid).map { "\($0) (\(uuid))" } ?? uuid.description
}

extension AttributeTarget {
    /// Targets in words, at most three of them.
    package static func list(_ targets: [AttributeTarget]) -> String {
        Prose.list(targets.prefix(3).map(\.text), "and") + (targets.count > 3 ? ", …" : "")
    }
}

extension [AttributeTarget] {
    /// The service to search devices by: that of the first target that has one.
    package func likelyService(in formats: FormatCatalogue) -> BluetoothUUID? {
        lazy.compactMap { $0.likelyService(in: formats) }.first
    }
}
