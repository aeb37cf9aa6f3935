// SPDX-License-Identifier: GPL-2.0-or-later

/// An error message for a user: what failed, on what, why, and what to do next.
///
/// The only error with an exit status. Every other error is turned into one of these, once, at the top.
public struct BlectlError: Error, Equatable, Sendable {
    /// The exit status of the program.
    public let status: ExitStatus
    /// One line in lower case without a full stop.
    public let message: String
    /// A command to type, or another way out.
    public let hint: String?
    /// The ATT error code, if the device answered with one.
    public let attError: UInt8?

    /// Makes an error.
    public init(_ status: ExitStatus, _ message: String, hint: String? = nil, attError: UInt8? = nil) {
        self.status = status
        self.message = message
        self.hint = hint
        self.attError = attError
    }
}
