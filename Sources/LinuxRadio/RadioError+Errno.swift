// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Glibc

/// Which socket, in which phase of its life, failed: the same errno means different things.
enum SocketPhase: Hashable, Sendable, CaseIterable {
    /// A raw HCI socket, or one for asking about adapters.
    case hci
    /// A socket of the management interface.
    case management
    /// The calls that begin a connection: the kernel's own opinion, before anything was on the air.
    case beginning
    /// A socket that listens for centrals.
    case listening
    /// An ATT socket whose connection is under way: what became of it.
    case connecting
    /// An ATT socket on a link.
    case connected
}

/// The one table from errno to cause.
///
/// The kernel turns the status of the controller into an errno (`bt_to_errno`, net/bluetooth/lib.c), and adds its own. See
/// l2cap(7) and hci(7), and net/bluetooth/{l2cap_core,l2cap_sock,hci_sock}.c.
extension RadioError {
    /// What a failed call on a Bluetooth socket means.
    init(_ error: Errno, in phase: SocketPhase, call: String, during operation: String) {
        let meaning = Self.commonMeaning(of: error) ?? Self.meaning(of: error, in: phase)
        self.init(meaning ?? .system(call: call, errno: error.description), during: operation)
    }

    /// Runs a system call; says what its failure means.
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

    /// What does not depend on the phase.
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
        case .connected: connectedMeaning(of: error)
        }
    }

    private static func hciMeaning(of error: Errno) -> Cause? {
        switch error.rawValue {
        // Raw sockets may only send a few harmless commands without it.
        case EPERM, EACCES: .permissionDenied(capability: "CAP_NET_RAW")
        // What a raw socket gets when its adapter is unregistered.
        case EPIPE, EBADFD, ENXIO: .adapterRemoved
        case EHOSTDOWN: .adapterDown
        case EBUSY: .adapterBusy
        case EOPNOTSUPP: .unsupported
        // No BTPROTO_HCI in the kernel.
        case EPROTONOSUPPORT: .noKernelSupport
        default: nil
        }
    }

    /// Where connect(2) itself says something else than SO_ERROR later does.
    private static func beginningMeaning(of error: Errno) -> Cause? {
        switch error.rawValue {
        // Another socket has the fixed channel to this device (l2cap_chan_connect).
        case EBUSY: .channelBusy(by: nil)
        // LE is switched off (hci_connect_le_scan).
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

    private static func connectingMeaning(of error: Errno) -> Cause? {
        switch error.rawValue {
        // HCI 0x04 and 0x3C: the device was silent.
        case EHOSTDOWN: .connectTimedOut
        // HCI 0x08: the link broke while it came about, or the device was heard and did not answer (the kernel asks for
        // 4 s). Weak signals do that; the next attempt may succeed.
        case ETIMEDOUT: .connectFailed(HCIStatus(rawValue: 0x08))
        // The kernel's own timer (l2cap_chan_timeout), which is set to come after ours: the device was silent, or the
        // address type is wrong. HCI 0x0D to 0x0F are not used on LE.
        case ECONNREFUSED: .connectTimedOut
        // No adapter with the address that the socket is bound to: it is down or gone.
        case EHOSTUNREACH: .adapterDown
        // HCI 0x3E, and everything else that has no errno of its own.
        case ENOSYS: .connectFailed(.connectionFailedToBeEstablished)
        // The device hung up (HCI 0x13 to 0x15), we did (0x16), or LMP and LL transactions failed.
        case ECONNRESET, ECONNABORTED, EPROTO, ENOTCONN, EPIPE, EIO: .connectFailed(nil)
        // HCI 0x09 and 0x0A. ENOMEM: HCI 0x07, memory of the controller.
        case EMLINK, ENOMEM: .tooManyConnections
        // HCI 0x0B and 0x0C: someone else is initiating.
        case EALREADY, EBUSY: .initiatorBusy
        // HCI 0x05, 0x06 and 0x18.
        case EACCES, EBADE: .authenticationFailed
        // HCI 0x01, 0x11, 0x1A, 0x20, 0x27, 0x29; a controller without LE.
        case EOPNOTSUPP, EPROTONOSUPPORT, EBADRQC: .unsupported
        default: nil
        }
    }

    private static func connectedMeaning(of error: Errno) -> Cause? {
        switch error.rawValue {
        // Supervision timeout.
        case ETIMEDOUT: .linkLost(HCIStatus(rawValue: 0x08))
        // HCI 0x13 (usually), 0x14 or 0x15.
        case ECONNRESET: .closedByPeer(nil)
        // The other end of the socket was closed.
        case EPIPE, ENOTCONN: .closedByPeer(nil)
        // HCI 0x16: this machine ended the link.
        case ECONNABORTED: .closedLocally
        case EACCES, EBADE: .authenticationFailed
        // HCI 0x22, 0x28, 0x3D, 0x3E and all that has no errno of its own.
        case ENOSYS, EPROTO, EIO, EHOSTDOWN, EHOSTUNREACH, EOPNOTSUPP, EPROTONOSUPPORT, EBADRQC: .linkLost(nil)
        default: nil
        }
    }
}
