// SPDX-License-Identifier: MIT

public import Bluetooth

/// A UUID with its name and its kind.
public struct AssignedNumber: Hashable, Sendable {
    /// The kind of thing that a UUID identifies.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A GATT service, of the SIG or a vendor.
        case service
        /// A characteristic, of the SIG or a vendor.
        case characteristic
        /// A descriptor or a GATT declaration.
        case descriptor

        var tableLetter: UInt8 {
            switch self {
            case .service: UInt8(ascii: "S")
            case .characteristic: UInt8(ascii: "C")
            case .descriptor: UInt8(ascii: "D")
            }
        }

        init?(tableLetter: UInt8) {
            guard let kind = Self.allCases.first(where: { $0.tableLetter == tableLetter }) else { return nil }
            self = kind
        }
    }

    /// The UUID, in its shortest form.
    public let uuid: BluetoothUUID
    /// The kind of thing that the UUID identifies.
    public let kind: Kind
    /// The name: `Battery Level`.
    public let name: String

    package init(uuid: BluetoothUUID, kind: Kind, name: String) {
        self.uuid = uuid
        self.kind = kind
        self.name = name
    }

    /// The name on a command line: `battery-level`.
    public var slug: String { Self.slug(name) }

    /// Lower-case letters and digits, with one hyphen for each run of other characters between them.
    public static func slug(_ name: some StringProtocol) -> String {
        var octets: [UInt8] = []
        for octet in name.utf8 {
            if let letter = NameKey.letter(octet) {
                octets.append(letter)
            } else if let last = octets.last, last != UInt8(ascii: "-") {
                octets.append(UInt8(ascii: "-"))
            }
        }
        if octets.last == UInt8(ascii: "-") { octets.removeLast() }
        return String(decoding: octets, as: UTF8.self)
    }
}

/// The characters that count when names are compared: ASCII letters in lower case, and digits.
struct NameKey: Hashable {
    let octets: [UInt8]

    init(_ name: some Sequence<UInt8>) {
        var octets: [UInt8] = []
        for octet in name {
            if let letter = Self.letter(octet) { octets.append(letter) }
        }
        self.octets = octets
    }

    /// Whether a name in UTF-8 has this key. It compares in place, because a search runs over all names.
    func matches(_ name: some Sequence<UInt8>) -> Bool {
        var index = 0
        for octet in name {
            guard let letter = Self.letter(octet) else { continue }
            guard index < octets.count, octets[index] == letter else { return false }
            index += 1
        }
        return index == octets.count
    }

    func isPart(of name: some Sequence<UInt8>) -> Bool {
        guard let first = octets.first else { return true }
        let letters = NameKey(name).octets
        guard letters.count >= octets.count else { return false }
        for start in 0...letters.count - octets.count
        where letters[start] == first && letters[start..<start + octets.count].elementsEqual(octets) {
            return true
        }
        return false
    }

    static func letter(_ octet: UInt8) -> UInt8? {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): octet
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): octet | 0x20
        default: nil
        }
    }
}
