// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ
import Glibc

/// What this module asks of a socket: non-blocking, whole packets.
extension OwnedFileDescriptor {
    /// A Bluetooth socket. EAFNOSUPPORT means that the kernel has no Bluetooth.
    static func bluetooth(type: Int32, protocol: Int32) throws(Errno) -> OwnedFileDescriptor {
        try OwnedFileDescriptor { blectl_socket(AF_BLUETOOTH, type, `protocol`) }
    }

    /// A raw HCI socket that is bound to an adapter, or to `HCI_DEV_NONE`: libbluetooth's, made non-blocking. It sees nothing
    /// before it has a filter.
    static func rawHCI(adapter index: Int32) throws(Errno) -> OwnedFileDescriptor {
        let socket = try OwnedFileDescriptor { hci_open_dev(index) }
        let descriptor = socket.rawValue
        try systemCall { blectl_unblock(descriptor) }
        return socket
    }

    /// Binds an HCI socket to an adapter (or to `HCI_DEV_NONE`) and a channel.
    borrowing func bindHCI(index: Int32, channel: Int32) throws(Errno) {
        var address = sockaddr_hci()
        address.hci_family = sa_family_t(AF_BLUETOOTH)
        address.hci_dev = UInt16(truncatingIfNeeded: index)
        address.hci_channel = UInt16(truncatingIfNeeded: channel)
        let descriptor = rawValue
        try systemCall { blectl_bind_hci(descriptor, &address) }
    }

    /// Sends one packet, or throws `wouldBlock`.
    borrowing func send(_ packet: [UInt8]) throws(Errno) {
        let descriptor = rawValue
        let sent = try systemCall { packet.withUnsafeBytes { blectl_send(descriptor, $0.baseAddress, $0.count) } }
        // A packet socket takes all or nothing; anything else is not one of ours. Of a management command that the kernel
        // refuses send(2) says 0: it was taken, and the answer tells why it is refused.
        guard sent == packet.count || sent == 0 else { throw .messageTooLong }
    }

    /// Receives one packet, or throws `wouldBlock`. An empty one is the end, or a packet without content.
    ///
    /// Of a packet longer than `limit`, whose rest is lost, one octet more comes: half a packet is no packet, and is not to be
    /// taken for one.
    borrowing func receive(limit: Int) throws(Errno) -> [UInt8] {
        let descriptor = rawValue
        return try withUnsafeTemporaryAllocation(byteCount: limit + 1, alignment: 1) { buffer throws(Errno) in
            let count = try systemCall { blectl_receive(descriptor, buffer.baseAddress, limit + 1) }
            return [UInt8](UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// How many packets `receiveSeveral` receives at most.
    static let mostPackets = Int(BLECTL_MOST_PACKETS)

    /// Receives the packets that there are, up to `mostPackets`, or throws `wouldBlock`. Each is as of `receive`; an end is
    /// so many empty packets as there is room for.
    borrowing func receiveSeveral(limit: Int) throws(Errno) -> [[UInt8]] {
        let descriptor = rawValue
        let size = limit + 1
        return try withUnsafeTemporaryAllocation(
            byteCount: Self.mostPackets * size,
            alignment: 1
        ) { buffer throws(Errno) in
            try withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Self.mostPackets) { lengths throws(Errno) in
                let bytes = buffer.bindMemory(to: UInt8.self)
                let count = try systemCall {
                    blectl_receive_several(descriptor, bytes.baseAddress, size, lengths.baseAddress)
                }
                return (0..<Int(count)).map { index in
                    let start = index * size
                    return [UInt8](UnsafeMutableBufferPointer(rebasing: bytes[start..<start + Int(lengths[index])]))
                }
            }
        }
    }

    /// The pending error of the socket (SO_ERROR), which reading clears.
    borrowing func takeError() -> Errno? {
        var value: Int32 = 0
        do throws(Errno) {
            try getOption(SOL_SOCKET, SO_ERROR, into: &value)
        } catch {
            return error
        }
        return value == 0 ? nil : Errno(value)
    }

    /// Whether the other end, or the link, is gone (poll(2): POLLHUP, POLLRDHUP or POLLERR).
    borrowing func isHungUp() -> Bool {
        var request = pollfd(fd: rawValue, events: Int16(truncatingIfNeeded: BLECTL_EPOLLRDHUP), revents: 0)
        guard poll(&request, 1, 0) == 1 else { return false }
        let bits = BLECTL_EPOLLRDHUP | BLECTL_EPOLLHUP | BLECTL_EPOLLERR
        return UInt32(UInt16(bitPattern: request.revents)) & bits != 0
    }

    /// Ends both directions; what was received before can still be read. `false`: a socket of this kind cannot do that.
    borrowing func shutDown() -> Bool { shutdown(rawValue, Int32(SHUT_RDWR)) == 0 }

    /// Whether packets wait to be received, besides such as have no content and are the last. Behind an end recv(2) returns
    /// nothing, as it does for a packet without content: this tells them apart.
    ///
    /// SIOCINQ has the octets of what waits, on L2CAP those of the first packet only; the memory that packets take in the
    /// receive buffer (SO_MEMINFO) counts all of them there, and on unix(7) none.
    borrowing func hasUnread() -> Bool {
        let descriptor = rawValue
        var octets: Int32 = 0
        if ioctl(descriptor, UInt(FIONREAD), &octets) == 0, octets > 0 { return true }
        var counters = blectl_meminfo()
        do throws(Errno) {
            try getOption(SOL_SOCKET, SO_MEMINFO, into: &counters)
            return counters.received > 0
        } catch {
            return false
        }
    }

    /// How many packets the kernel received for the socket and dropped, because its buffer was full (SO_MEMINFO).
    borrowing func kernelDropCount() -> Int {
        var counters = blectl_meminfo()
        do throws(Errno) {
            try getOption(SOL_SOCKET, SO_MEMINFO, into: &counters)
            return Int(counters.drops)
        } catch {
            return 0
        }
    }

    /// Asks for room for so many octets of packets not yet received; without CAP_NET_ADMIN the kernel gives what the
    /// administrator allows.
    borrowing func setReceiveBuffer(_ octets: Int32) {
        do throws(Errno) {
            try setOption(SOL_SOCKET, SO_RCVBUFFORCE, octets)
        } catch {
            // What was there before also works.
            try? setOption(SOL_SOCKET, SO_RCVBUF, octets)
        }
    }

    /// Reads a socket option of fixed size.
    borrowing func getOption<Value: BitwiseCopyable>(
        _ level: Int32,
        _ option: Int32,
        into value: inout Value
    ) throws(Errno) {
        let descriptor = rawValue
        var length = socklen_t(MemoryLayout<Value>.size)
        try systemCall { getsockopt(descriptor, level, option, &value, &length) }
    }

    /// Writes a socket option of fixed size.
    borrowing func setOption<Value: BitwiseCopyable>(
        _ level: Int32,
        _ option: Int32,
        _ value: Value
    ) throws(Errno) {
        let descriptor = rawValue
        var value = value
        try systemCall { setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Value>.size)) }
    }
}
