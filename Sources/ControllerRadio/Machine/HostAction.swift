// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// What the owner of a `HostMachine` has to do, in the order of the actions.
enum HostAction: Equatable, Sendable {
    /// Send the packet to the controller.
    case transmit([UInt8])
    /// Show a command to every HCI channel except the one that has sent it.
    case showCommand([UInt8], from: ChannelID?)
    case showEvent([UInt8])
    /// Show a packet of the Security Managers, with the headers of HCI and L2CAP, to those who observe pairings.
    case showPairing([UInt8])
    /// End an HCI channel: the controller has forgotten the scan or the advertising of its user.
    case endChannel(ChannelID, RadioError.Cause)
    case manage(ManagementPacket, ManagementAudience)
    /// An attempt to raise the security of a link has ended; `nil` for no error.
    case raised(RaisingID, RadioError.Cause?)
    /// The controller is ready, for the first time or again after it had failed.
    case ready(ControllerFacts)
    case linkBegan(ConnectionHandle, LinkOrigin)
    /// An attempt to connect has ended: with a link, or without one.
    case attemptEnded(AttemptID, Result<ConnectionHandle, AttemptFailure>)
    /// A frame has come for a channel of a link.
    case received(L2CAPFrame, on: ConnectionHandle)
    /// All frames of a link are sent.
    case drained(ConnectionHandle)
    case linkEnded(ConnectionHandle, RadioError.Cause)
    /// The controller cannot be used, or not any more.
    case failed(RadioError.Cause)
}

/// Who gets a management packet.
enum ManagementAudience: Hashable, Sendable {
    /// The program with that channel; none if it has ended.
    case reply(ChannelID?)
    /// All programs, but not that one.
    case event(except: ChannelID?)
}

struct AttemptFailure: Error, Equatable, Sendable {
    let cause: RadioError.Cause
}
