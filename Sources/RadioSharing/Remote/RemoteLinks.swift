// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// The links of a machine whose ATT channels another process has, and the security of these links.
///
/// Each connection to the process has its own reader, because packets of one connection may overtake those of another.
/// A program that acts on an event of a connection then finds the security that belongs to this event.
final class RemoteLinks: Sendable {
    /// A link, with its last known security.
    private struct Link {
        /// The ATT channel, which knows the present security.
        let channel: any ATTChannel
        /// The number that it was added with.
        let id: UInt64
        /// The security at the last look.
        var security: LinkSecurity
        /// The number of the last news of the link.
        var number: UInt64
    }

    private struct State {
        var links: [UInt16: Link] = [:]
        /// The number that was given last. Numbers are common to all links of the machine.
        var last: UInt64 = 0

        /// Checks the security of each link, and numbers the changes.
        mutating func look() {
            for (handle, link) in links {
                let security = link.channel.security
                guard security != link.security else { continue }
                last += 1
                links[handle]?.security = security
                links[handle]?.number = last
            }
        }
    }

    /// Locked, because each connection has its own task.
    private let state = Mutex(State())

    /// Adds the link of a channel. Its security is news. Returns its number, by which it is removed.
    func add(_ channel: any ATTChannel) -> UInt64 {
        let handle = channel.connectionHandle
        return state.withLock { state in
            state.last += 1
            if let handle {
                let (id, security) = (state.last, channel.security)
                state.links[handle] = Link(channel: channel, id: id, security: security, number: id)
            }
            return state.last
        }
    }

    /// Removes a link, but not the next one, which may have its handle already.
    func remove(_ id: UInt64) { state.withLock { $0.links = $0.links.filter { $1.id != id } } }

    /// The channel of the link with that handle; `nil` if there is none.
    func channel(_ handle: UInt16) -> (any ATTChannel)? { state.withLock { $0.links[handle]?.channel } }

    /// The news after that number, in order.
    fileprivate func news(since number: UInt64) -> [RemotePacket.Security] {
        state.withLock { state in
            state.look()
            return state.links.filter { $1.number > number }.sorted { $0.value.number < $1.value.number }.map {
                RemotePacket.Security(number: $1.number, connectionHandle: $0, security: $1.security)
            }
        }
    }

    /// The reader of one connection, with what that connection has reported.
    final class Reader: Sendable {
        private let links: RemoteLinks
        /// The number of the last news that this connection has sent.
        private let reported = Mutex<UInt64>(0)

        /// A connection that has sent no news yet.
        init(_ links: RemoteLinks) { self.links = links }

        /// The packets with the news that this connection has not sent yet.
        func news() -> [RemotePacket] {
            reported.withLock { reported in
                let news = links.news(since: reported)
                if let last = news.last { reported = last.number }
                return news.map { .security($0) }
            }
        }
    }
}
