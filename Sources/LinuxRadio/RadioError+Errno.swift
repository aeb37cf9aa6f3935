// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Glibc

/// The kind of a socket and the phase of its life, because the same errno means different things in each.
enum SocketPhase: Hashable, Sendable, CaseIterable {
    /// A raw HCI socket, or one for ioctls about adapters.
    case hci
    case management
    /// socket(2), bind(2) and connect(2) themselves: they report errors that the kernel finds before it uses the radio.
    case beginning
    case listening
    /// An ATT socket after connect(2) returned EINPROGRESS: SO_ERROR reports how the attempt ended.
    case connecting
    /// The socket of a credit-based channel after connect(2) returned EINPROGRESS.
    case opening
    case connected
    /// A transport to a controller that is not the kernel's, from its beginning to its end.
    case transport
}

/// The one table from errno to cause.
///
/// The kernel turns the status of the controller into an errno (`bt_to_errno`, net/bluetooth/lib.c), and adds its own.
/// See l2cap(7) and hci(7), and net/bluetooth/{l2cap_core,l2cap_sock,hci_sock}.c.
extension RadioError {
    /// The cause for a failed call on a Bluetooth socket; `system` with the errno's name if the table has none.
    init(_ error: Errno, in phase: SocketPhase, call: String, during operation: String) {
        let meaning = Self.commonMeaning(of: error) ?? Self.meaning(of: error, in: phase)
        self.init(meaning ?? .system(call: call, errno: error.description), during: operation)
    }

    /// Runs a system call, and translates its failure.
    @discardableResult
    static func translating<Value: ~Copyable>(
        _ phase: SocketPhase,
        _ call: String,
        during operation: String,
        _ body: () throws(Errno) -> Value
    ) throws(RadioError) -> Value {
        do throws(Errno) {
            return try body()
        } catch {
            throw RadioError(error, in: phase, call: call, during: operation)
        }
    }

    /// Errnos that mean the same in every phase.
    private static func commonMeaning(of error: Errno) -> Cause? {
        switch error.rawValue {
        case EAFNOSUPPORT: .noKernelSupport
        case ERFKILL: .radioBlocked(byHardware: false)
        case ENODEV: .adapterRemoved
        case ENETDOWN: .adapterDown
        case ECANCELED: .cancelled
        default: nil
        }
    }

    private static func meaning(of error: Errno, in phase: SocketPhase) -> Cause? {
        switch phase {
        case .hci, .management: hciMeaning(of: error)
        case .beginning: beginningMeaning(of: error) ?? connectingMeaning(of: error)
        case .listening: listeningMeaning(of: error)
        case .connecting: connectingMeaning(of: error)
        // The device refused the channel. For every reason alike (l2cap_le_connect_rsp).
        case .opening: error.rawValue == ECONNREFUSED ? .channelRefused(nil) : connectingMeaning(of: error)
        case .connected: connectedMeaning(of: error)
        case .transport: transportMeaning(of: error)
        }
    }

    /// The meaning of an error on a raw HCI socket; `nil` if it has no special one there.
    private static func hciMeaning(of error: Errno) -> Cause? {
        switch error.rawValue {
        // Without the capability the kernel accepts only a short list of harmless commands on raw sockets
        // (hci_sec_filter).
        case EPERM, EACCES: .permissionDenied(capability: "CAP_NET_RAW")
        // A raw socket reports these after its adapter was unregistered.
        case EPIPE, EBADFD, ENXIO: .adapterRemoved
        case EHOSTDOWN: .adapterDown
        case EBUSY: .adapterBusy
        case EOPNOTSUPP: .unsupported
        // The kernel was built without BTPROTO_HCI.
        case EPROTONOSUPPORT: .noKernelSupport
        default: nil
        }
    }

    /// Errnos that mean one thing from connect(2) itself and another one from SO_ERROR later.
    private static func beginningMeaning(of error: Errno) -> Cause? {
        switch error.rawValue {
        // Another socket holds the ATT channel to this device (l2cap_chan_connect).
        case EBUSY: .channelBusy(by: nil)
        // LE is switched off on the adapter (hci_connect_le_scan).
        case ECONNREFUSED: .lowEnergyOff
        default: nil
        }
    }

    private static func listeningMeaning(of error: Errno) -> Cause? {
        switch error.rawValue {
        case EADDRINUSE: .attributesServedElsewhere
        // No adapter has the address.
        case EADDRNOTAVAIL, EHOSTUNREACH: .adapterDown
        case EOPNOTSUPP, EPROTONOSUPPORT: .unsupported
        default: nil
        }
    }

    /// The meaning of an error while an L2CAP socket connects. The kernel has translated the HCI status with
    /// `bt_to_errno`, so some causes are known only as a group.
    private static func connectingMeaning(of error: Errno) -> Cause? {
        switch error.rawValue {
        // HCI 0x04 and 0x3C: the device did not answer.
        case EHOSTDOWN: .connectTimedOut
        // HCI 0x08: the link broke while it was established, or the kernel heard the device but got no answer to its
        // connection request within 4 s. Weak signals cause both, so that another attempt may succeed.
        case ETIMEDOUT: .connectFailed(HCIStatus(rawValue: 0x08))
        // HCI 0x0D, with which some controllers refuse a link that they have no room for. The kernel's own timer
        // (l2cap_chan_timeout) is set to expire after ours, so that it is never the cause.
        case ECONNREFUSED: .tooManyConnections
        // No adapter has the address that the socket is bound to, because it is down or gone.
        case EHOSTUNREACH: .adapterDown
        // HCI 0x3E, and every other status that `bt_to_errno` does not know.
        case ENOSYS: .connectFailed(.connectionFailedToBeEstablished)
        // The device hung up (HCI 0x13 to 0x15), this machine did (0x16), or an LL procedure failed.
        case ECONNRESET, ECONNABORTED, EPROTO, ENOTCONN, EPIPE, EIO: .connectFailed(nil)
        // HCI 0x09 and 0x0A. ENOMEM is HCI 0x07: the controller has no memory left.
        case EMLINK, ENOMEM: .tooManyConnections
        // HCI 0x0B and 0x0C: another program initiates a connection. A controller runs one attempt at a time.
        case EALREADY, EBUSY: .initiatorBusy
        // HCI 0x05, 0x06 and 0x18.
        case EACCES, EBADE: .authenticationFailed
        // HCI 0x01, 0x11, 0x1A, 0x20, 0x27, 0x29; also a controller without LE.
        case EOPNOTSUPP, EPROTONOSUPPORT, EBADRQC: .unsupported
        default: nil
        }
    }

    private static func transportMeaning(of error: Errno) -> Cause? {
        switch error.rawValue {
        case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL: .controllerUnreachable
        case EPIPE, ECONNRESET, ECONNABORTED, ETIMEDOUT, EIO: .controllerGone
        default: nil
        }
    }

    /// The meaning of an error on a connected L2CAP socket: the reason of the link's end, as `bt_to_errno` has
    /// translated it.
    private static func connectedMeaning(of error: Errno) -> Cause? {
        switch error.rawValue {
        // HCI 0x08, the supervision timeout.
        case ETIMEDOUT: .linkLost(HCIStatus(rawValue: 0x08))
        // HCI 0x13 (usually), 0x14 or 0x15.
        case ECONNRESET: .closedByPeer(nil)
        // The other end of the socket was closed.
        case EPIPE, ENOTCONN: .closedByPeer(nil)
        // HCI 0x16: this machine ended the link.
        case ECONNABORTED: .closedLocally
        case EACCES, EBADE: .authenticationFailed
        // HCI 0x22, 0x28, 0x3D, 0x3E, and every other status that `bt_to_errno` does not know.
        case ENOSYS, EPROTO, EIO, EHOSTDOWN, EHOSTUNREACH, EOPNOTSUPP, EPROTONOSUPPORT, EBADRQC: .linkLost(nil)
        default: nil
        }
    }
}
