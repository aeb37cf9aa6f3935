// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Synchronization

/// The centrals that visit while the only adapter of a world advertises and a program listens, so that `serve` can be
/// tried without a second machine.
struct Visitors: Sendable {
    /// The maximum number of visitors at the same time.
    static let most = 3
    /// The shortest time until the next visitor comes.
    private static let pause = Duration.seconds(1)
    /// The part of the time that varies.
    private static let variation = Duration.seconds(6)

    /// Whether there are any: a world that several adapters share has none.
    let areInvited: Bool
    /// Makes the visitors and the times between them.
    var generator: SeededGenerator
    var isComing = false
    var present = 0

    /// No visitor at first. The stream of the seed is separate, so that visitors change nothing else in the world.
    init(seed: UInt64, areInvited: Bool) {
        self.areInvited = areInvited
        generator = SeededGenerator(seed: seed, stream: 0x6765_7374)
    }

    mutating func next() -> (VisitingCentral, after: Duration) {
        let delay = Self.pause + generator.duration(below: Self.variation)
        return (VisitingCentral(&generator), delay)
    }
}

extension SimulatedAdapter {
    /// Schedules the next visitor if one could connect. Called after each change, with the lock held.
    func invite(_ state: inout RunningWorld.State) {
        guard let adapter = state.adapters[number], !adapter.visitors.isComing, adapter.isOpenToVisitors else { return }
        state.adapters[number]?.visitors.isComing = true
        guard let (visitor, delay) = state.adapters[number]?.visitors.next() else { return }
        scope.spawn { [self] in
            guard (try? await time.sleep(for: delay)) != nil, let end = take(visitor) else { return }
            let link = end.link
            let channel = PeerATTChannel(link, peer: DeviceAddress(description.address, .public), time: time)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [time, scope] in await visitor.visit(over: channel, time, scope) }
                let ending = await link.run(time) { channel.deliver($0) }
                channel.end()
                ended(end, ending.reason)
                link.finish()
            }
        }
    }

    /// Connects a visitor that has come; `nil` if it finds no connectable advertisement any more.
    private func take(_ visitor: VisitingCentral) -> LinkEnd? {
        let (end, waiters) = world.state.withLock { state -> (LinkEnd?, [ConnectWaiters.Waiter]) in
            state.adapters[number]?.visitors.isComing = false
            guard let adapter = state.adapters[number], adapter.isOpenToVisitors, let listener = adapter.listener,
                let handle = state.adapters[number]?.makeHandle()
            else { return (nil, []) }
            let link = SimulatedLink(handle, peer: visitor.address, parameters: visitor.link, anchor: time.now)
            let end = LinkEnd(
                link: link,
                side: .near,
                handle: handle,
                peer: visitor.address,
                role: .peripheral,
                sender: nil
            )
            state.adapters[number]?.visitors.present += 1
            state.adapters[number]?.take(end)
            if let terminated = state.adapters[number]?.controller.connectionTaken(handle) {
                state.adapters[number]?.emit(terminated)
            }
            let waiters = state.updateAdvertising(of: number, now: time.now)
            listener.push(SimulatedATTChannel(link: link, time: time))
            invite(&state)
            return (end, waiters)
        }
        for waiter in waiters { waiter.finish() }
        return end
    }

    /// Reports the end of a visitor's link, and lets the next one come.
    private func ended(_ end: LinkEnd, _ reason: HCIStatus) {
        world.state.withLock { state in
            state.adapters[number]?.visitors.present -= 1
            state.adapters[number]?.ended(end, reason)
            linkEnded(end, &state)
            invite(&state)
        }
    }
}

extension AdapterState {
    fileprivate var isOpenToVisitors: Bool {
        visitors.areInvited && listener != nil && visitors.present < Visitors.most
            && controller.advertising.isOpenToAll && hasRoom
    }
}
