// SPDX-License-Identifier: GPL-2.0-or-later

/// What is to be started.
package struct Program: Sendable {
    package let path: String
    package let arguments: [String]

    package init(_ path: String, _ arguments: [String]) {
        self.path = path
        self.arguments = arguments
    }
}
