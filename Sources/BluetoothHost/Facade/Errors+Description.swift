// SPDX-License-Identifier: MIT

// The causes of a `BluetoothError`, as a print of one shows them.

extension RadioError: CustomStringConvertible {
    /// The operation, and why it failed: `connection to F0:F1:…: the device did not answer`.
    public var description: String { "\(operation): \(reason)" }
}

extension MissingAttribute: CustomStringConvertible {
    /// The missing attribute in words.
    public var description: String { reason }
}

extension DeadlineExceeded: CustomStringConvertible {
    /// The operation and its limit: `read: timed out after 10 s`.
    public var description: String { "\(operation): \(reason)" }
}

extension ConnectFailure: CustomStringConvertible {
    /// Why the last attempt failed, and the number of attempts.
    public var description: String { reason }
}

extension NotObservable: CustomStringConvertible {
    /// What the characteristic allows instead.
    public var description: String { reason }
}
