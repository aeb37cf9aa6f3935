// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import Terminal

/// A device as `--device` names it: by its address or by its whole name.
package enum DeviceIdentifier: Sendable, Hashable, CustomStringConvertible {
    case address(BluetoothAddress)
    /// By its name, as typed.
    case name(String)

    /// A text that is neither an address nor accepted as a name.
    package struct Problem: Error, Equatable, Sendable {
        /// The expected form, to follow a colon.
        package let expectation: String
    }

    /// Parses an address in any common spelling, or a name.
    ///
    /// A text that resembles an address and a text with an asterisk are refused, because a search for such a name would
    /// only fail after its time limit. `--name` finds a device that really has such a name.
    package init(_ text: String) throws(Problem) {
        if let address = BluetoothAddress(inAnySpelling: text) {
            self = .address(address)
        } else if AddressText(text).resemblesAddress {
            throw Problem(
                expectation: "expected an address of six octets such as F0:F1:F2:F3:F4:F5, or a name;"
                    + " --name takes any name"
            )
        } else if text.contains("*") {
            throw Problem(expectation: "expected a whole name; a pattern is given as --name \(Prose.quoted(text))")
        } else {
            self = .name(text)
        }
    }

    package var description: String {
        switch self {
        case .address(let address): address.description
        case .name(let name): name
        }
    }

    package func selects(_ address: BluetoothAddress, name: String?) -> Bool {
        switch self {
        case .address(let wanted): address == wanted
        case .name(let wanted): name.map { Self.isSameName($0, wanted) } ?? false
        }
    }

    /// Whether two names of devices are the same. The case of letters does not matter.
    package static func isSameName(_ left: String, _ right: String) -> Bool {
        left == right || left.lowercased() == right.lowercased()
    }
}

extension BluetoothAddress {
    /// Parses an address as tools and logs spell it: `C8:4B:1D:3A:90:5E`, `c8-4b-1d-3a-90-5e`, `C8_4B_1D_3A_90_5E`,
    /// `C84B1D3A905E`, or the D-Bus name of BlueZ, `/org/bluez/hci0/dev_C8_4B_1D_3A_90_5E`.
    package init?(inAnySpelling text: String) {
        let digits = AddressText(text).octets
        let isWhole = digits.count == 1 && digits[0].utf8.count == 12
        guard isWhole || digits.count == 6 && digits.allSatisfy({ $0.utf8.count == 2 }),
            let octets = Hex.bytes(digits.joined())
        else { return nil }
        self.init(rawValue: octets.reduce(0) { $0 << 8 | UInt64($1) })
    }
}

/// A text, as a device address in one of its spellings.
private struct AddressText {
    /// The parts between the separators; the whole text if there is none.
    let octets: [Substring]
    private let separator: Character?

    init(_ text: String) {
        var address = text[...]
        if text.hasPrefix("/"), let slash = text.lastIndex(of: "/") { address = text[text.index(after: slash)...] }
        if address.prefix(4).lowercased() == "dev_" { address = address.dropFirst(4) }
        separator = address.first { ":-_".contains($0) }
        octets = separator.map { address.split(separator: $0, omittingEmptySubsequences: false) } ?? [address]
    }

    /// Whether the text has parts like an address, although it is none: `C8:4B:1D:3A:90:5G`, `C8:4B:1D:3A:90`.
    var resemblesAddress: Bool {
        // Names contain dashes more often than colons.
        guard octets.count >= (separator == ":" ? 4 : 5), octets.count <= 8 else { return false }
        let valid = octets.count { $0.utf8.count == 2 && Hex.bytes($0) != nil }
        return valid >= max(3, octets.count - 2) && octets.allSatisfy { $0.utf8.count <= 3 }
    }
}
