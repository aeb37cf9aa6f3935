// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CBlueZ
import Glibc

/// A socket of the ATT fixed channel, or of a credit-based channel: l2cap(7).
struct L2CAPSocket: ~Copyable {
    /// The channel identifier of ATT on LE links.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 2.1
    private static let attChannel: UInt16 = 0x0004
    /// The maximum number of centrals that wait to be accepted. Few ever wait, because the I/O thread accepts them at
    /// once.
    private static let backlog: Int32 = 16

    private let descriptor: OwnedFileDescriptor
    /// Whether the link existed already, so that connect(2) finished at once.
    let isConnected: Bool

    /// Begins to connect from an adapter to a device.
    ///
    /// If `source` is all zeros, the kernel chooses the adapter. The kernel stops trying one to two seconds after
    /// `timeout`. Without a service, it is the ATT channel.
    static func connect(
        from source: BluetoothAddress,
        to device: DeviceAddress,
        service: L2CAPRequest? = nil,
        timeout: Duration,
        during operation: String
    ) throws(RadioError) -> L2CAPSocket {
        // A kernel without L2CAP refuses the protocol here. No connection was tried yet, so the phase is `hci`.
        let socket = try RadioError.translating(.hci, "socket", during: operation) { () throws(Errno) in
            try OwnedFileDescriptor.bluetooth(type: BLECTL_SOCK_SEQPACKET, protocol: BTPROTO_L2CAP)
        }
        var local =
            service == nil ? address(DeviceAddress(source, .public)) : address(DeviceAddress(source, .public), nil)
        try RadioError.translating(.beginning, "bind", during: operation) { () throws(Errno) in
            try systemCall { blectl_bind_l2cap(socket.rawValue, &local) }
        }
        if let service { try configure(socket, service, .beginning, during: operation) }
        // The socket's send timeout is the kernel's limit for the attempt; 40 s by default. It ends after the caller's
        // deadline, because the kernel reports it as ECONNREFUSED, which would look like a refusal. It has no other
        // effect, because this module's calls never block.
        let sendTimeout = timeval(
            tv_sec: Int(min(max(timeout, .zero), .seconds(86_400)).components.seconds) + 2,
            tv_usec: 0
        )
        try RadioError.translating(.beginning, "setsockopt", during: operation) { () throws(Errno) in
            try socket.setOption(SOL_SOCKET, SO_SNDTIMEO, sendTimeout)
        }
        var remote = service.map { address(device, $0.spsm) } ?? address(device)
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

    /// Begins to listen for centrals on an adapter.
    ///
    /// If several sockets listen, the kernel gives a new link to the one that began last; the others get no event.
    static func listen(on adapter: BluetoothAddress, during operation: String) throws(RadioError) -> L2CAPSocket {
        let socket = try RadioError.translating(.hci, "socket", during: operation) { () throws(Errno) in
            try OwnedFileDescriptor.bluetooth(type: BLECTL_SOCK_SEQPACKET, protocol: BTPROTO_L2CAP)
        }
        // An adapter without a public address has zeros, which bind(2) takes for any address. The type still has to be
        // that of its links, whose own address is a static random one.
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

    consuming func intoDescriptor() -> OwnedFileDescriptor { descriptor }

    /// Begins to listen for credit-based channels on an adapter. The kernel offers the service on every link.
    static func listen(
        on adapter: BluetoothAddress,
        service: L2CAPRequest,
        during operation: String
    ) throws(RadioError) -> L2CAPSocket {
        let socket = try RadioError.translating(.hci, "socket", during: operation) { () throws(Errno) in
            try OwnedFileDescriptor.bluetooth(type: BLECTL_SOCK_SEQPACKET, protocol: BTPROTO_L2CAP)
        }
        let own = DeviceAddress(adapter, adapter.rawValue == 0 ? .random : .public)
        var local = address(own, service.spsm)
        do throws(Errno) {
            try systemCall { blectl_bind_l2cap(socket.rawValue, &local) }
        } catch {
            switch error.rawValue {
            case EADDRINUSE: throw RadioError(.serviceTaken(service.spsm), during: operation)
            // Numbers that the Bluetooth SIG assigns are for privileged programs.
            case EACCES: throw RadioError(.permissionDenied(capability: "CAP_NET_BIND_SERVICE"), during: operation)
            default: throw RadioError(error, in: .listening, call: "bind", during: operation)
            }
        }
        try configure(socket, service, .listening, during: operation)
        try RadioError.translating(.listening, "listen", during: operation) { () throws(Errno) in
            try systemCall { Glibc.listen(socket.rawValue, backlog) }
        }
        return L2CAPSocket(descriptor: socket, isConnected: false)
    }

    /// Sets the MTU and the security of a channel before it opens.
    private static func configure(
        _ socket: borrowing OwnedFileDescriptor,
        _ service: L2CAPRequest,
        _ phase: SocketPhase,
        during operation: String
    ) throws(RadioError) {
        do throws(Errno) {
            try socket.setOption(SOL_BLUETOOTH, BT_RCVMTU, service.mtu)
            // A new socket has this level already.
            guard service.security > .low else { return }
            let security = bt_security(level: service.security.rawValue, key_size: 0)
            try socket.setOption(SOL_BLUETOOTH, BT_SECURITY, security)
        } catch {
            throw RadioError(error, in: phase, call: "setsockopt", during: operation)
        }
    }

    /// The largest units that an open credit-based channel receives and sends, in octets.
    static func unitLimits(of socket: borrowing OwnedFileDescriptor) -> (receive: UInt16, send: UInt16) {
        // Not by L2CAP_OPTIONS, which the kernel refuses on LE sockets other than those of ATT.
        var (receive, send) = (CreditBasedLimits.least, CreditBasedLimits.least)
        do throws(Errno) {
            try socket.getOption(SOL_BLUETOOTH, BT_RCVMTU, into: &receive)
            try socket.getOption(SOL_BLUETOOTH, BT_SNDMTU, into: &send)
        } catch {
            // The channel has ended already, which its user learns from the socket.
        }
        return (receive, send)
    }

    private static func address(_ address: DeviceAddress) -> sockaddr_l2 {
        var result = self.address(address, nil)
        result.l2_cid = blectl_htobs(attChannel)
        return result
    }

    /// The address of a service; of none, for the near end of a channel.
    private static func address(_ address: DeviceAddress, _ service: SPSM?) -> sockaddr_l2 {
        var result = sockaddr_l2()
        result.l2_family = sa_family_t(AF_BLUETOOTH)
        result.l2_bdaddr = address.address.bdaddr
        result.l2_psm = blectl_htobs(service?.rawValue ?? 0)
        let type = address.type.connectionType == .public ? BDADDR_LE_PUBLIC : BDADDR_LE_RANDOM
        result.l2_bdaddr_type = UInt8(type)
        return result
    }

    /// The security of the link of a connected socket; `none` if the link is gone or the socket has no link.
    static func security(of socket: borrowing OwnedFileDescriptor) -> LinkSecurity {
        var option = bt_security()
        do throws(Errno) {
            try socket.getOption(SOL_BLUETOOTH, BT_SECURITY, into: &option)
            return security(level: Int32(option.level), keySize: option.key_size)
        } catch {
            return .none
        }
    }

    /// The meaning of the kernel's answer, which describes the link and not the socket's request.
    ///
    /// The kernel sets the key size when it begins to encrypt, and raises the level when encryption is on, so that only
    /// both together prove encryption. It does not report whether the key belongs to a bond.
    static func security(level: Int32, keySize: UInt8) -> LinkSecurity {
        guard level >= BT_SECURITY_MEDIUM, keySize > 0 else { return .none }
        return LinkSecurity(
            isEncrypted: true,
            isAuthenticated: level >= BT_SECURITY_HIGH,
            // Only an authenticated key of Secure Connections raises the level that far. A shorter one is less.
            isSecureConnections: level >= BT_SECURITY_FIPS && keySize == 16,
            keySize: keySize
        )
    }

    /// Asks the kernel to raise the security of the link of a connected socket. Returns whether it has begun.
    ///
    /// The kernel suspends the socket until the link has the level. If that fails, it stays suspended unless the link
    /// ends.
    static func raiseSecurity(of socket: borrowing OwnedFileDescriptor, to level: SecurityLevel) -> Bool {
        do throws(Errno) {
            try socket.setOption(SOL_BLUETOOTH, BT_SECURITY, bt_security(level: level.rawValue, key_size: 0))
            return true
        } catch {
            return false
        }
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

    /// The PHYs of a connected socket's link, as last reported to the kernel (BT_PHY); `nil` if the kernel does not
    /// know them.
    static func phys(of socket: borrowing OwnedFileDescriptor) -> (transmit: LEPHY, receive: LEPHY)? {
        var bits: UInt32 = 0
        do throws(Errno) {
            try socket.getOption(SOL_BLUETOOTH, BT_PHY, into: &bits)
        } catch {
            return nil
        }
        return phys(bits)
    }

    /// The meaning of the bits of BT_PHY; `nil` if they do not name exactly one PHY in each direction.
    static func phys(_ bits: UInt32) -> (transmit: LEPHY, receive: LEPHY)? {
        let known: [(phy: LEPHY, transmit: Int32, receive: Int32)] = [
            (.le1M, BT_PHY_LE_1M_TX, BT_PHY_LE_1M_RX), (.le2M, BT_PHY_LE_2M_TX, BT_PHY_LE_2M_RX),
            (.coded, BT_PHY_LE_CODED_TX, BT_PHY_LE_CODED_RX),
        ]
        let transmit = known.filter { bits & UInt32(bitPattern: $0.transmit) != 0 }
        let receive = known.filter { bits & UInt32(bitPattern: $0.receive) != 0 }
        guard transmit.count == 1, receive.count == 1 else { return nil }
        return (transmit[0].phy, receive[0].phy)
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
