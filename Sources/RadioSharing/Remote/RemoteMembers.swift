// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// The machines that processes have joined as, with what waits there for a process to take it over.
final class RemoteMembers: Sendable {
    private struct Member {
        let system: any RadioSystem
        /// The links whose ATT channels the process has.
        let links = RemoteLinks()
        /// The centrals that have connected and whose channels no process has taken over yet.
        var centrals: [UInt32: (channel: any ATTChannel, listener: RemoteRadioServer.Listener)] = [:]
        /// The number of the last central or channel that was offered.
        var lastCentral: UInt32 = 0
        /// The credit-based channels that have opened and wait for their takeover.
        var channels: [UInt32: (opened: OpenedChannel, listener: RemoteRadioServer.Listener)] = [:]
        /// The observers of frames by their numbers, with the number of connections that use each.
        var observers: [UInt32: (frames: TracedFrames, uses: Int)] = [:]
    }

    /// The most centrals of a machine that wait for their channel to be taken over, and the most channels.
    private static let maximumCentrals = 16

    /// The machines by their numbers. Locked, because each connection is served by its own task.
    private let members = Mutex<[RemoteRequest.Member: Member]>([:])

    var count: Int { members.withLock { $0.count } }

    func add(_ system: any RadioSystem) -> RemoteRequest.Member {
        members.withLock { members in
            var number = RemoteRequest.Member.random(in: .min ... .max)
            while number == RemoteRequest.guest || members[number] != nil { number &+= 1 }
            members[number] = Member(system: system)
            return number
        }
    }

    /// Removes a machine, and closes what waits there.
    func remove(_ member: RemoteRequest.Member) {
        let left = members.withLock { $0.removeValue(forKey: member) }
        for central in left?.centrals.values.map(\.channel) ?? [] { central.close() }
        for opened in left?.channels.values.map(\.opened) ?? [] { opened.channel.close() }
        for observer in left?.observers.values.map({ $0 }) ?? [] { observer.frames.end() }
    }

    /// The system of a machine; `nil` if the machine is gone, or was never there.
    func system(of member: RemoteRequest.Member) -> (any RadioSystem)? { members.withLock { $0[member]?.system } }

    /// The links of a machine; `nil` if the machine is gone, or was never there.
    func links(of member: RemoteRequest.Member) -> RemoteLinks? { members.withLock { $0[member]?.links } }

    /// Keeps the channel of a central until a process takes it over, and returns its number; `nil` if too many wait,
    /// or if the machine is gone.
    func add(
        _ central: any ATTChannel,
        of member: RemoteRequest.Member,
        for listener: RemoteRadioServer.Listener
    ) -> UInt32? {
        members.withLock { members -> UInt32? in
            guard let count = members[member]?.centrals.count, count < Self.maximumCentrals else { return nil }
            members[member]?.lastCentral &+= 1
            guard let number = members[member]?.lastCentral else { return nil }
            members[member]?.centrals[number] = (central, listener)
            return number
        }
    }

    /// Keeps a credit-based channel until a process takes it over, and returns its number; `nil` if too many wait, or
    /// if the machine is gone.
    func add(
        _ opened: OpenedChannel,
        of member: RemoteRequest.Member,
        for listener: RemoteRadioServer.Listener
    ) -> UInt32? {
        members.withLock { members -> UInt32? in
            guard let count = members[member]?.channels.count, count < Self.maximumCentrals else { return nil }
            members[member]?.lastCentral &+= 1
            guard let number = members[member]?.lastCentral else { return nil }
            members[member]?.channels[number] = (opened, listener)
            return number
        }
    }

    /// The channel of a central, which the caller owns from now on; `nil` if there is none of that number.
    func takeCentral(_ number: UInt32, of member: RemoteRequest.Member) -> (any ATTChannel)? {
        members.withLock { $0[member]?.centrals.removeValue(forKey: number)?.channel }
    }

    /// The credit-based channel that has opened, which the caller owns from now on; `nil` if there is none of that
    /// number.
    func takeChannel(_ number: UInt32, of member: RemoteRequest.Member) -> OpenedChannel? {
        members.withLock { $0[member]?.channels.removeValue(forKey: number)?.opened }
    }

    /// Closes what has arrived for a listener and was not taken over.
    func withdraw(_ listener: RemoteRadioServer.Listener, of member: RemoteRequest.Member) {
        let (centrals, channels) = members.withLock { members in
            let centrals = members[member]?.centrals.filter { $1.listener === listener } ?? [:]
            let channels = members[member]?.channels.filter { $1.listener === listener } ?? [:]
            for number in centrals.keys { members[member]?.centrals[number] = nil }
            for number in channels.keys { members[member]?.channels[number] = nil }
            return (centrals.values.map(\.channel), channels.values.map(\.opened.channel))
        }
        for central in centrals { central.close() }
        for channel in channels { channel.close() }
    }

    /// The observer of frames with that number, which one connection more uses from now on; `nil` if the machine is
    /// gone. The requests that name it may come before that of the connection on which it sees them.
    func use(_ number: UInt32, of member: RemoteRequest.Member) -> TracedFrames? {
        members.withLock { members -> TracedFrames? in
            guard let known = members[member] else { return nil }
            let (frames, uses) = known.observers[number] ?? (TracedFrames(), 0)
            members[member]?.observers[number] = (frames, uses + 1)
            return frames
        }
    }

    /// A connection does not use an observer any more. The last one removes it. Does nothing without a number.
    func release(_ number: UInt32?, of member: RemoteRequest.Member) {
        guard let number else { return }
        members.withLock { members in
            guard let (frames, uses) = members[member]?.observers[number] else { return }
            members[member]?.observers[number] = uses > 1 ? (frames, uses - 1) : nil
        }
    }
}

/// The devices that any program is connected to by an adapter, for a process elsewhere.
final class LinkedDevices: Sendable {
    private let system: any RadioSystem
    /// What the process knows. Kept, because the kernel tells the type of an address only to an attempt to connect.
    private let known = Mutex<[BluetoothAddress: DeviceAddress]>([:])

    init(_ system: any RadioSystem) { self.system = system }

    /// The devices, if they are others than before.
    func news() -> RemotePacket? {
        guard let radio = try? system.radio(named: nil) else { return nil }
        let present = radio.connectedAddresses()
        return known.withLock { known in
            guard Set(known.keys) != present else { return nil }
            known = known.filter { present.contains($0.key) }
            for address in present where known[address] == nil { known[address] = radio.connectedDevice(address) }
            return .linked(known.values.sorted { $0.address.rawValue < $1.address.rawValue })
        }
    }
}
