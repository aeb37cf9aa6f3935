// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothProfiles
import Records

package struct BeaconPresentation {
    package let beacon: Beacon

    package init(_ beacon: Beacon) { self.beacon = beacon }

    /// The beacon on one line. Must be escaped before it is printed.
    package var text: String { beacon.description }

    /// The beacon as an object. It always has `kind`, which decides the other keys.
    package var json: JSONValue {
        let content = beacon.content
        var members = content.facts.members
        members["kind"] = .string(content.kind)
        return .object(members)
    }

    /// The facts that `text` leaves out. The values must be escaped before they are printed.
    package var details: [(label: String, text: String)] { Self.details(of: beacon.content.facts) }

    private static func details(of facts: [AdvertisedFact]) -> [(label: String, text: String)] {
        facts.flatMap { fact -> [(label: String, text: String)] in
            if case .list(let things) = fact.value { return things.flatMap(details(of:)) }
            return fact.place == .detail && !fact.text.isEmpty ? [(fact.label, fact.text)] : []
        }
    }
}

extension [AdvertisedFact] {
    fileprivate var members: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for fact in self { members[fact.key] = fact.value.map(\.json) ?? .null }
        return members
    }
}

extension AdvertisedFact.Value {
    fileprivate var json: JSONValue {
        switch self {
        case .number(let number): number.exponent == 0 ? .number(number.digits) : .number(number.double)
        case .text(let text): .string(text)
        case .octets(let octets): .string(Hex.string(octets))
        case .flag(let flag): .bool(flag)
        case .list(let things): .array(things.map { .object($0.members) })
        }
    }
}
