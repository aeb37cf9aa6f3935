// SPDX-License-Identifier: GPL-2.0-or-later

/// An error in the words of the person who typed the command: what failed, on what, why, and what to type next.
///
/// The only error with an exit status. Everything thrown below ends up as one of these, once, at the top.
public struct BlectlError: Error, Equatable, Sendable {
    /// How the program ends.
    public let status: ExitStatus
    /// One line in lower case without a full stop.
    public let message: String
    /// A command to type, or another way out.
    public let hint: String?
    /// The ATT error code, where the device answered with one.
    public let attError: UInt8?

    /// Makes an error.
    public init(_ status: ExitStatus, _ message: String, hint: String? = nil, attError: UInt8? = nil) {
        self.status = status
        self.message = message
        self.hint = hint
        self.attError = attError
    }
}
