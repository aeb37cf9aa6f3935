// SPDX-License-Identifier: MIT

public import Bluetooth

/// A question to the program beside a device.
public struct HookQuestion: Hashable, Sendable {
    /// Identifies the question in the answer.
    public let question: GATTServer.Token
    /// The client that reads or writes.
    public let client: GATTServer.ClientID
    /// The handle of the value.
    public let handle: Handle
    /// The UUID of the characteristic.
    public let uuid: BluetoothUUID
    /// The UUID of its service; `nil` if it is in none.
    public let service: BluetoothUUID?
    /// The written value; `nil` for a read.
    public let written: [UInt8]?
}

/// The answer of the program beside a device.
public enum HookAnswer: Hashable, Sendable {
    /// The value that is read, or the acceptance of a write.
    case accepted([UInt8])
    /// An error for the client.
    case refused(ATTErrorCode)
}
