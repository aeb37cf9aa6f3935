// SPDX-License-Identifier: MIT

/// Fields in order, with the flags that they share.
struct FieldGroup: Hashable, Sendable {
    let fields: [Field]
    /// The text between the texts of the fields.
    let separator: String
    /// Whether an octet before the fields holds the size of all, itself included.
    let isSized: Bool
    /// Whether only one field has a key. It needs no name in the text, and no object around it.
    let isAlone: Bool

    init(_ fields: [Field], separator: String = ", ", isSized: Bool = false) {
        self.fields = fields
        self.separator = separator
        self.isSized = isSized
        isAlone = fields.count { !$0.key.isEmpty } == 1
    }

    /// The fields with values of their own.
    var keyed: [Field] { fields.filter { !$0.key.isEmpty } }
}
