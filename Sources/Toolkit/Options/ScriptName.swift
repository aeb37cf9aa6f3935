// SPDX-License-Identifier: GPL-2.0-or-later

/// The names of devices, variables and streams in a script: a letter or an underscore, then letters, digits, underscores
/// and dashes, at most 64 of them.
package enum ScriptName {
    /// The largest number of characters of a name or of a field.
    private static let longest = 64

    package static func isFirst(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_"
    }

    package static func isFurther(_ scalar: Unicode.Scalar) -> Bool {
        isFirst(scalar) || ("0"..."9").contains(scalar) || scalar == "-"
    }

    package static func isValid(_ text: some StringProtocol) -> Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, scalars.count <= longest else { return false }
        return isFirst(first) && scalars.allSatisfy(isFurther)
    }

    /// Whether the text is the name of a field: letters, digits, underscores and dashes.
    package static func isField(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.unicodeScalars.count <= longest && text.unicodeScalars.allSatisfy(isFurther)
    }

    /// Whether the text is a path of fields with dots between them, where the first one begins with a letter.
    package static func isPath(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, isFirst(first) else { return false }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isField)
    }
}
