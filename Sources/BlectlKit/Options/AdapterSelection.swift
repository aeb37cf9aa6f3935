// SPDX-License-Identifier: GPL-2.0-or-later

/// The adapters that a command uses: the value of `--adapter`.
public enum AdapterSelection: Hashable, Sendable {
    /// The first one that can be used.
    case first
    /// The one with that name.
    case one(String)
    /// Two or more adapters with these names.
    case several([String])
    /// Every one that can be used.
    case all

    /// The word for every adapter.
    static let allWord = "all"

    /// Whether more than one adapter is used.
    public var isSeveral: Bool {
        switch self {
        case .first, .one: false
        case .several, .all: true
        }
    }

    /// The name of the only adapter; `nil` if any one will do, or if there are several.
    public var name: String? { if case .one(let name) = self { name } else { nil } }

    /// The names that were given.
    var names: [String] {
        switch self {
        case .first, .all: []
        case .one(let name): [name]
        case .several(let names): names
        }
    }

    /// Whether an adapter is one of those that are meant.
    func contains(_ adapter: String) -> Bool { names.isEmpty || names.contains(adapter) }

    /// The adapters in words.
    var text: String {
        switch self {
        case .first: "first adapter"
        case .all: "all adapters"
        case .one, .several: names.joined(separator: ",")
        }
    }
}

extension ValueSyntax where Value == AdapterSelection {
    /// The name of an adapter, several with commas, or `all`.
    static var adapters: ValueSyntax {
        ValueSyntax(name: "hciN", completion: .adapter) { text throws(ValueProblem) in
            if text == AdapterSelection.allWord { return .all }
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            if names.count == 1, !text.isEmpty, !isOdd(text) { return .one(text) }
            for (index, name) in names.enumerated() {
                if name == AdapterSelection.allWord {
                    throw ValueProblem(expectation: "'all' stands alone")
                }
                if names.count > 1, name.isEmpty {
                    throw ValueProblem(expectation: "a name is missing beside a comma")
                }
                if isOdd(name) {
                    throw ValueProblem(
                        expectation: "expected an adapter such as 'hci0', several as 'hci0,hci1', or 'all'",
                        suggestion: Suggestion.closest(to: name, among: [AdapterSelection.allWord])
                    )
                }
                if names[..<index].contains(name) { throw ValueProblem(expectation: "'\(name)' is named twice") }
            }
            return .several(names)
        }
    }

    /// Whether no adapter has such a name: the kernel names them by their numbers.
    private static func isOdd(_ name: String) -> Bool {
        let number = name.dropFirst("hci".count)
        return !name.hasPrefix("hci") || number.isEmpty || !number.allSatisfy { ("0"..."9").contains($0) }
    }
}
