// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ
import Glibc

/// The socket calls of this module. All are non-blocking and carry whole packets.
extension OwnedFileDescriptor {
    /// Opens a Bluetooth socket. EAFNOSUPPORT means that the kernel has no Bluetooth.
    static func bluetooth(type: Int32, protocol: Int32) throws(Errno) -> OwnedFileDescriptor {
        try OwnedFileDescriptor { blectl_socket(AF_BLUETOOTH, type, `protocol`) }
    }

    /// Opens a raw HCI socket through libbluetooth, bound to an adapter or to `HCI_DEV_NONE`, and makes it
    /// non-blocking. It receives nothing until it has a filter.
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
        guard Self.isTaken(sent, of: packet.count) else { throw .messageTooLong }
    }

    /// Whether send(2), which returned `sent`, has taken a packet of that size.
    ///
    /// A packet socket accepts all octets or none. For a management command that the kernel refuses, send(2) returns 0:
    /// the command was taken, and the answer carries the reason.
    static func isTaken(_ sent: Int, of size: Int) -> Bool { sent == size || sent == 0 }

    /// Receives one packet, or throws `wouldBlock`. An empty one is the end, or a packet without content.
    ///
    /// A packet longer than `limit` is cut to `limit + 1` octets, so that the caller recognizes it: half a packet must
    /// not pass as a whole one.
    borrowing func receive(limit: Int) throws(Errno) -> [UInt8] {
        let descriptor = rawValue
        return try withUnsafeTemporaryAllocation(byteCount: limit + 1, alignment: 1) { buffer throws(Errno) in
            let count = try systemCall { blectl_receive(descriptor, buffer.baseAddress, limit + 1) }
            return [UInt8](UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// The maximum number of packets that `receiveSeveral` returns.
    static let mostPackets = Int(BLECTL_MOST_PACKETS)

    /// Receives the waiting packets, up to `most`, which is at most `mostPackets`, or throws `wouldBlock`. Each is like
    /// the result of `receive`. At the end of a connection all `most` of them are empty, because every recvmsg(2)
    /// inside the call returns 0.
    borrowing func receiveSeveral(limit: Int, most: Int = mostPackets) throws(Errno) -> [[UInt8]] {
        let descriptor = rawValue
        let size = limit + 1
        return try withUnsafeTemporaryAllocation(
            byteCount: most * size,
            alignment: 1
        ) { buffer throws(Errno) in
            try withUnsafeTemporaryAllocation(of: UInt32.self, capacity: most) { lengths throws(Errno) in
                let bytes = buffer.bindMemory(to: UInt8.self)
                let count = try systemCall {
                    blectl_receive_several(descriptor, bytes.baseAddress, size, Int32(most), lengths.baseAddress)
                }
                return (0..<Int(count)).map { index in
                    let start = index * size
                    return [UInt8](UnsafeMutableBufferPointer(rebasing: bytes[start..<start + Int(lengths[index])]))
                }
            }
        }
    }

    /// The pending error of the socket (SO_ERROR). Reading clears it.
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
        // The bits of poll(2) are those of epoll(7). Glibc declares POLLRDHUP only with _GNU_SOURCE.
        var request = pollfd(fd: rawValue, events: Int16(truncatingIfNeeded: BLECTL_EPOLLRDHUP), revents: 0)
        guard poll(&request, 1, 0) == 1 else { return false }
        let bits = BLECTL_EPOLLRDHUP | BLECTL_EPOLLHUP | BLECTL_EPOLLERR
        return UInt32(UInt16(bitPattern: request.revents)) & bits != 0
    }

    /// Waits in the calling thread until something can be received, at most that number of milliseconds. Returns whether
    /// it can, or whether the connection has ended.
    borrowing func isReadable(within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0)
        var result: Int32
        repeat { result = poll(&request, 1, milliseconds) } while result < 0 && errno == EINTR
        return result == 1
    }

    /// Whether the connection is usable and has room for a packet (poll(2): POLLOUT without POLLHUP and POLLERR).
    borrowing func hasRoom() -> Bool {
        var request = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        guard poll(&request, 1, 0) == 1 else { return false }
        return Int32(request.revents) & (POLLOUT | POLLHUP | POLLERR) == POLLOUT
    }

    /// Ends both directions; packets that were received before remain readable. `false` if this kind of socket cannot
    /// do that.
    borrowing func shutDown() -> Bool { shutdown(rawValue, Int32(SHUT_RDWR)) == 0 }

    /// Whether packets with content wait to be received. recv(2) returns 0 at the end and for an empty packet; this
    /// call tells them apart.
    ///
    /// Two calls are needed: SIOCINQ counts the waiting octets, but on L2CAP only those of the first packet, and the
    /// memory of the receive buffer (SO_MEMINFO) counts all packets on L2CAP, but none on unix(7).
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

    /// The number of packets that the kernel dropped because the socket's buffer was full (SO_MEMINFO).
    borrowing func kernelDropCount() -> Int {
        var counters = blectl_meminfo()
        do throws(Errno) {
            try getOption(SOL_SOCKET, SO_MEMINFO, into: &counters)
            return Int(counters.drops)
        } catch {
            return 0
        }
    }

    /// The memory of packets that the kernel has accepted and not sent, in octets (SO_MEMINFO): more than their
    /// content.
    borrowing func unsentMemory() -> Int {
        var counters = blectl_meminfo()
        do throws(Errno) {
            try getOption(SOL_SOCKET, SO_MEMINFO, into: &counters)
            return Int(counters.unsent)
        } catch {
            return 0
        }
    }

    /// Requests a receive buffer of that many octets. Without CAP_NET_ADMIN the kernel limits it to the administrator's
    /// maximum (net.core.rmem_max).
    borrowing func setReceiveBuffer(_ octets: Int32) {
        do throws(Errno) {
            try setOption(SOL_SOCKET, SO_RCVBUFFORCE, octets)
        } catch {
            // The previous size also works.
            try? setOption(SOL_SOCKET, SO_RCVBUF, octets)
        }
    }

    borrowing func getOption<Value: BitwiseCopyable>(
        _ level: Int32,
        _ option: Int32,
        into value: inout Value
    ) throws(Errno) {
        let descriptor = rawValue
        var length = socklen_t(MemoryLayout<Value>.size)
        try systemCall { getsockopt(descriptor, level, option, &value, &length) }
    }

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
