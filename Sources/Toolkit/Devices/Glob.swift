// SPDX-License-Identifier: GPL-2.0-or-later

/// A shell pattern for a whole text: `*` matches any run of characters, `?` any character, `[a-f]` and `[!a-f]` one
/// character of a set or outside of it. The case of letters does not matter.
package struct Glob: Sendable, Equatable {
    private enum Element: Sendable, Equatable {
        case one(Set)
        case run
    }

    private struct Set: Sendable, Equatable {
        var ranges: [ClosedRange<Character>] = []
        var isNegated = false

        static let any = Set(isNegated: true)

        func contains(_ character: Character) -> Bool {
            ranges.contains { $0.contains(character) } != isNegated
        }
    }

    package let pattern: String
    private let elements: [Element]

    /// Parses a pattern. A backslash makes the next character literal; a `[` without a `]` is literal.
    package init(_ pattern: String) {
        self.pattern = pattern
        var elements: [Element] = []
        var rest = Array(pattern.lowercased())[...]
        while let character = rest.popFirst() {
            switch character {
            case "*":
                if elements.last != .run { elements.append(.run) }
            case "?":
                elements.append(.one(.any))
            case "[":
                if let set = Self.set(&rest) {
                    elements.append(.one(set))
                } else {
                    elements.append(.one(Set(ranges: ["["..."["])))
                }
            case "\\":
                let literal = rest.popFirst() ?? "\\"
                elements.append(.one(Set(ranges: [literal...literal])))
            default:
                elements.append(.one(Set(ranges: [character...character])))
            }
        }
        self.elements = elements
    }

    package static func == (left: Self, right: Self) -> Bool { left.elements == right.elements }

    /// Reads the inside of brackets; leaves `rest` alone if they are not closed.
    private static func set(_ rest: inout ArraySlice<Character>) -> Set? {
        var inside = rest
        var set = Set()
        if inside.first == "!" || inside.first == "^" {
            set.isNegated = true
            inside.removeFirst()
        }
        var isFirst = true
        while let low = inside.popFirst() {
            // As in a shell, a bracket directly after the opening one is a member of the set.
            if low == "]", !isFirst {
                rest = inside
                return set
            }
            isFirst = false
            if inside.first == "-", let high = inside.dropFirst().first, high != "]" {
                inside.removeFirst(2)
                // A range whose ends are exchanged would trap.
                set.ranges.append(min(low, high)...max(low, high))
            } else {
                set.ranges.append(low...low)
            }
        }
        return nil
    }

    /// Whether the whole text matches. Only the last `*` is ever extended, so the time is bounded by the product of the
    /// lengths.
    package func matches(_ text: String) -> Bool {
        let characters = Array(text.lowercased())
        var position = 0
        var element = 0
        var retry: (element: Int, position: Int)?
        while position < characters.count {
            if element < elements.count, elements[element] == .run {
                retry = (element, position)
                element += 1
            } else if element < elements.count, case .one(let set) = elements[element],
                set.contains(characters[position])
            {
                element += 1
                position += 1
            } else if let last = retry {
                retry = (last.element, last.position + 1)
                element = last.element + 1
                position = last.position + 1
            } else {
                return false
            }
        }
        return elements[element...].allSatisfy { $0 == .run }
    }
}
