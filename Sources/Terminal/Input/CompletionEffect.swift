// SPDX-License-Identifier: GPL-2.0-or-later

/// The effect of Tab on the word before the cursor.
package enum CompletionEffect: Equatable {
    case nothing
    /// So many characters before the cursor give way to a text.
    case replace(count: Int, with: String)
    /// Several words fit, and the text has all that they have in common.
    case list([String])
}
