// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
package import Toolkit

struct CapturedPort: Hashable {
    /// Its index; `nil` in a file of one adapter.
    let adapter: ManagementIndex?
    let origin: CapturedOrigin
}

/// A packet of a capture, with everything that the packets before it reveal about it.
package struct CapturedEvent {
    package enum Content {
        /// A command, an event, or a packet of a kind without a decoder.
        case hci(HCIPacket)
        /// An ATT PDU; `pdu` is `nil` if it is malformed, or if octets of it are missing.
        case att([UInt8], pdu: ATTPDU?)
        /// A frame of another channel.
        case frame(L2CAPFrame)
        /// A part of a frame that is not complete, or that no frame belongs to.
        case part(L2CAPReassembler.Result)
        case management(ManagementPacket)
        case remark(String)
        /// Octets that are not a valid or complete packet.
        case malformed(DecodeError, [UInt8])
    }

    /// The request or the indication that a PDU answers.
    package struct Answered: Equatable {
        package let number: Int
        /// The attribute that it is about; `nil` for none.
        package let handle: Handle?
        /// The request; `nil` for an indication, and for one that is too long to be kept.
        package let request: ATTRequest?
        package let delay: Duration
    }

    /// The number of the packet in the file, from 1.
    package let number: Int
    package let time: WallTime
    /// The time since the first packet of the file.
    package let elapsed: Duration
    /// The adapter; `nil` if the file does not record it.
    package let adapter: ManagementIndex?
    /// Sent by the host to the controller, or received from it.
    package let direction: CapturedPacket.Direction
    package let content: Content
    /// Where it was recorded, beside the adapter.
    package var origin = CapturedOrigin()
    /// The connection; `nil` for a packet of none.
    package var connection: ConnectionHandle?
    /// The device at the other end of the connection, or the one that the event is about; `nil` if it is not known.
    package var device: DeviceAddress?
    /// The resolvable private address of that device on the connection; `nil` if no event has named it beside `device`.
    package var privateAddress: BluetoothAddress?
    /// The role of the host in the connection; `nil` if it is not known.
    package var role: LERole?
    /// The MTU of the connection in octets, 23 until an exchange.
    var mtu = ATTBearer.minimumMTU
    /// The attributes that an ATT PDU is about as far as they are known, and the values in it: `CapturedGATT`.
    package var attributes: [CapturedAttribute] = []
    /// The number of the bearer of an ATT PDU: 0 for that of the fixed channel.
    var bearer = 0
    /// The devices of an HCI event about several connections, by all addresses that are known.
    package var furtherDevices: [BluetoothAddress] = []
    /// The channel of a frame or an ATT PDU, if signals have opened it; `nil` for a fixed one.
    package var channel: CapturedChannel?
    /// The request that an ATT PDU answers; `nil` if it answers none.
    package var answered: Answered?
    /// Whether it announces a connection that was announced before.
    var isRepeated = false
    /// Whether its text has no values, names and keys.
    package var isRedacted = false
    /// The number of octets that the file does not have.
    package var missing = 0
    /// Whether it is a packet of the file, and no remark between two, which has the number of the one before.
    package var isPacket = true

    /// The packet alone, as the diagram of a run has it.
    package var withoutAttributes: CapturedEvent {
        var event = self
        event.attributes = []
        return event
    }

    /// The adapter, of the one file or of several.
    var port: CapturedPort { CapturedPort(adapter: adapter, origin: origin) }

    /// The attributes that an ATT PDU is about: those that it names, or those of its request.
    package var handles: [Handle] {
        guard case .att(let octets, let pdu) = content else { return [] }
        let own = pdu?.handles ?? (missing == 0 ? [] : CutPDU.handles(octets))
        return (answered?.handle).map { [$0] + own } ?? own
    }
}

extension LEEnhancedConnectionCompleteEvent {
    /// The resolvable private address that the device uses on the link; `nil` if the event has none.
    package var privateAddress: BluetoothAddress? { peerResolvableAddress.rawValue == 0 ? nil : peerResolvableAddress }
}
