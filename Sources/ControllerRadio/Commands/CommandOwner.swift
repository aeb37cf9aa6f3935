// SPDX-License-Identifier: MIT

import Bluetooth

/// Who has sent a command, and so gets its answer.
enum CommandOwner: Hashable, Sendable {
    case setup
    /// The initiator: a command of that kind.
    case initiator(InitiatorCommand)
    /// The end of a link.
    case disconnect(ConnectionHandle)
    /// The encryption of a link.
    case security(ConnectionHandle)
    /// A link; this host does not need the answer.
    case link(ConnectionHandle)
    /// A change of the controller's resolving list.
    case resolving(ResolvingList.Change)
    /// This host, which does not need the answer.
    case host
    /// The user of an HCI channel, which sees the answer among the events.
    case channel(ChannelID)
}

/// The number of an HCI channel. Each is used once.
struct ChannelID: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt64
}
