// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
package import CommandLineInterface
import Terminal

/// The adapters that a command uses: the value of `--adapter`. Each has a name, or an address such as
/// `00:1A:7D:DA:71:13` in the place of the name.
package enum AdapterSelection: Hashable, Sendable {
    /// The first one that can be used.
    case first
    /// The one with that name or address.
    case one(String)
    /// Two or more adapters with these names or addresses.
    case several([String])
    /// Every one that can be used.
    case all

    package static let allWord = "all"

    package var isSeveral: Bool {
        switch self {
        case .first, .one: false
        case .several, .all: true
        }
    }

    /// The name or the address of the only adapter; `nil` if any one will do, or if there are several.
    package var name: String? { if case .one(let name) = self { name } else { nil } }

    /// The places of the controllers among them that are not the kernel's.
    package var places: [ControllerPlace] { names.compactMap { ControllerPlace($0) } }

    package var names: [String] {
        switch self {
        case .first, .all: []
        case .one(let name): [name]
        case .several(let names): names
        }
    }

    package func contains(_ adapter: AdapterDescription) -> Bool {
        names.isEmpty || names.contains { adapter.isMeant(by: $0) }
    }

    package var text: String {
        switch self {
        case .first: "first adapter"
        case .all: "all adapters"
        case .one, .several: names.joined(separator: ",")
        }
    }
}

extension ValueSyntax where Value == AdapterSelection {
    /// The name or the address of an adapter or the place of a controller, several with commas, or `all`.
    package static var adapters: ValueSyntax {
        ValueSyntax(name: "hciN", completion: .adapter) { text throws(ValueProblem) in
            if text == AdapterSelection.allWord { return .all }
            let parts = ControllerPlace.names(in: text, isAdapter: isAdapter)
            let names = try parts.map { (name) throws(ValueProblem) -> String in
                // In one spelling, so that the same adapter is found to be named twice.
                guard ControllerPlace.isMeant(by: name) else {
                    return BluetoothAddress(inAnySpelling: name)?.description ?? name
                }
                guard let place = ControllerPlace(name) else {
                    throw ValueProblem(expectation: "expected \(form(of: name))", hint: "see 'blectl help controllers'")
                }
                return place.name
            }
            if names.count == 1, let name = names.first, !isOdd(name) { return .one(name) }
            for (index, name) in names.enumerated() {
                if name == AdapterSelection.allWord {
                    throw ValueProblem(expectation: "'all' stands alone")
                }
                if names.count > 1, name.isEmpty {
                    throw ValueProblem(expectation: "a name is missing beside a comma")
                }
                if isOdd(name) {
                    throw ValueProblem(
                        expectation: "expected an adapter such as 'hci0', its address, several as 'hci0,hci1', "
                            + "'all', or a controller such as 'unix:PATH'",
                        suggestion: Suggestion.closest(to: name, among: [AdapterSelection.allWord])
                    )
                }
                if names[..<index].contains(name) { throw ValueProblem(expectation: "'\(name)' is named twice") }
            }
            return .several(names)
        }
    }

    /// The form of the place that a name is meant as.
    private static func form(of name: String) -> String {
        switch name.prefix(while: { $0 != ":" }) {
        case "unix": "unix:PATH, with a path of at most 107 octets"
        case "tcp": "tcp:HOST:PORT"
        case "serial": "serial:PORT[,SPEED][,flow], such as serial:/dev/ttyACM0,115200,flow"
        case "usb": "usb, usb:VENDOR:PRODUCT such as usb:0a12:0001, or usb:PLACE such as usb:1-1.4"
        case "ssh": "ssh:HOST[:PORT][/ADAPTER]"
        default: "user:hciN"
        }
    }

    /// Whether no adapter and no place has such a name.
    private static func isOdd(_ name: String) -> Bool { ControllerPlace(name) == nil && !isAdapter(name) }

    /// Whether a text means adapters of the kernel: a name, which has the number, an address, or all.
    private static func isAdapter(_ text: String) -> Bool {
        let number = text.dropFirst("hci".count)
        let isName = text.hasPrefix("hci") && !number.isEmpty && number.allSatisfy { ("0"..."9").contains($0) }
        return isName || text == AdapterSelection.allWord || BluetoothAddress(inAnySpelling: text) != nil
    }
}
