// SPDX-License-Identifier: MIT

/// Code beside a definition, which is equal only to itself. What runs the definition knows what it is.
struct CodeReference: Hashable, Sendable {
    let code: any AnyObject & Sendable

    static func == (left: Self, right: Self) -> Bool { left.code === right.code }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(code)) }
}
