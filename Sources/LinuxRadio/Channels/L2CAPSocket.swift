// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CBlueZ
import Glibc

/// A socket of the ATT fixed channel: l2cap(7).
struct L2CAPSocket: ~Copyable {
    /// Channel identifier of ATT on LE links.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 2.1
    private static let attChannel: UInt16 = 0x0004
    /// How many centrals may wait to be taken in.
    private static let backlog: Int32 = 16

    private let descriptor: OwnedFileDescriptor
    /// The link stood already: no need to wait.
    let isConnected: Bool

    /// Begins to connect from an adapter to a device.
    ///
    /// A `source` of zeros leaves the choice of the adapter to the kernel, which gives up by itself soon after `patience`.
    static func connect(
        from source: BluetoothAddress,
        to device: DeviceAddress,
        patience: Duration,
        during operation: String
    ) throws(RadioError) -> L2CAPSocket {
        // A kernel without L2CAP refuses the protocol: that is about the kernel, not yet about a connection.
        let socket = try RadioError.translating(.hci, "socket", during: operation) { () throws(Errno) in
            try OwnedFileDescriptor.bluetooth(type: BLECTL_SOCK_SEQPACKET, protocol: BTPROTO_L2CAP)
        }
        var local = address(DeviceAddress(source, .public))
        try RadioError.translating(.beginning, "bind", during: operation) { () throws(Errno) in
            try systemCall { blectl_bind_l2cap(socket.rawValue, &local) }
        }
        // The kernel's own timer for the attempt is the socket's send timeout, 40 s unless it is told otherwise. Calls of
        // ours never block, so that is all it does.
        let timeout = timeval(
            tv_sec: Int(min(max(patience, .zero), .seconds(86_400)).components.seconds) + 2,
            tv_usec: 0
        )
        try RadioError.translating(.beginning, "setsockopt", during: operation) { () throws(Errno) in
            try socket.setOption(SOL_SOCKET, SO_SNDTIMEO, timeout)
        }
        var remote = address(device)
        do throws(Errno) {
            try systemCall { blectl_connect_l2cap(socket.rawValue, &remote) }
            return L2CAPSocket(descriptor: socket, isConnected: true)
        } catch .inProgress {
            return L2CAPSocket(descriptor: socket, isConnected: false)
        } catch {
            throw RadioError(error, in: .beginning, call: "connect", during: operation)
        }
    }

    private init(descriptor: consuming OwnedFileDescriptor, isConnected: Bool) {
        self.descriptor = descriptor
        self.isConnected = isConnected
    }

    /// Begins to listen for centrals that connect to an adapter.
    ///
    /// The kernel hands a link's channel to the socket that began to listen last, and says nothing to the others.
    static func listen(on adapter: BluetoothAddress, during operation: String) throws(RadioError) -> L2CAPSocket {
        let socket = try RadioError.translating(.hci, "socket", during: operation) { () throws(Errno) in
            try OwnedFileDescriptor.bluetooth(type: BLECTL_SOCK_SEQPACKET, protocol: BTPROTO_L2CAP)
        }
        var local = address(DeviceAddress(adapter, adapter.rawValue == 0 ? .random : .public))
        try RadioError.translating(.listening, "bind", during: operation) { () throws(Errno) in
            try systemCall { blectl_bind_l2cap(socket.rawValue, &local) }
        }
        try RadioError.translating(.listening, "listen", during: operation) { () throws(Errno) in
            try systemCall { Glibc.listen(socket.rawValue, backlog) }
        }
        return L2CAPSocket(descriptor: socket, isConnected: false)
    }

    /// The device at the other end of a connected socket; `nil` if the link is gone already.
    static func peer(of socket: borrowing OwnedFileDescriptor) -> DeviceAddress? {
        var address = sockaddr_l2()
        let descriptor = socket.rawValue
        do throws(Errno) {
            try systemCall { blectl_peer_l2cap(descriptor, &address) }
        } catch {
            return nil
        }
        let type: AddressType = address.l2_bdaddr_type == UInt8(BDADDR_LE_RANDOM) ? .random : .public
        return DeviceAddress(BluetoothAddress(address.l2_bdaddr), type)
    }

    /// Hands over the socket.
    consuming func intoDescriptor() -> OwnedFileDescriptor { descriptor }

    private static func address(_ address: DeviceAddress) -> sockaddr_l2 {
        var result = sockaddr_l2()
        result.l2_family = sa_family_t(AF_BLUETOOTH)
        result.l2_bdaddr = address.address.bdaddr
        result.l2_cid = blectl_htobs(attChannel)
        let type = address.type.connectionType == .public ? BDADDR_LE_PUBLIC : BDADDR_LE_RANDOM
        result.l2_bdaddr_type = UInt8(type)
        return result
    }

    /// How the link of a connected socket is secured now; nothing is, where the link is gone, or where there never was one.
    static func security(of socket: borrowing OwnedFileDescriptor) -> LinkSecurity {
        var option = bt_security()
        do throws(Errno) {
            try socket.getOption(SOL_BLUETOOTH, BT_SECURITY, into: &option)
            return security(level: Int32(option.level), keySize: option.key_size)
        } catch {
            return .none
        }
    }

    /// What the kernel's answer means: it is about the link, not about what the socket had asked for.
    ///
    /// The kernel sets the size of the key when it begins to encrypt, and raises the level when that is done: only both
    /// together say that the link is encrypted. It does not tell whether the key is one of a bond.
    static func security(level: Int32, keySize: UInt8) -> LinkSecurity {
        guard level >= BT_SECURITY_MEDIUM, keySize > 0 else { return .none }
        return LinkSecurity(isEncrypted: true, isAuthenticated: level >= BT_SECURITY_HIGH, keySize: keySize)
    }

    /// The HCI handle of a connected socket's link; `nil` if the link is gone already.
    static func connectionHandle(of socket: borrowing OwnedFileDescriptor) -> UInt16? {
        var info = l2cap_conninfo()
        do throws(Errno) {
            try socket.getOption(SOL_L2CAP, L2CAP_CONNINFO, into: &info)
            return info.hci_handle
        } catch {
            return nil
        }
    }

    /// The largest packets that a connected socket receives and sends, in octets.
    static func packetLimits(of socket: borrowing OwnedFileDescriptor) -> (receive: UInt16, send: UInt16) {
        var options = l2cap_options()
        do throws(Errno) {
            try socket.getOption(SOL_L2CAP, L2CAP_OPTIONS, into: &options)
            return (options.imtu, options.omtu)
        } catch {
            return (UInt16(L2CAP_DEFAULT_MTU), UInt16(L2CAP_DEFAULT_MTU))
        }
    }
}
