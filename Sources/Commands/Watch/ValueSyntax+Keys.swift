// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

extension ValueSyntax where Value == KeyHook {
    /// A key and the command that runs when it is pressed, or a command for all keys.
    static var keyHook: ValueSyntax {
        ValueSyntax(name: "REF=COMMAND") { text throws(ValueProblem) in try KeyHook(text) }
    }
}
