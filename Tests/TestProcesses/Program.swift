// SPDX-License-Identifier: GPL-2.0-or-later

/// A program to start.
package struct Program: Sendable {
    package let path: String
    package let arguments: [String]

    package init(_ path: String, _ arguments: [String]) {
        self.path = path
        self.arguments = arguments
    }
}
