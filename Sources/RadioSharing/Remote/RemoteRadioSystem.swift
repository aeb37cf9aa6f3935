// SPDX-License-Identifier: MIT

import Bluetooth
public import BluetoothHost
import Synchronization

/// A way to the process that has the radio.
public protocol RemoteConnector: Sendable {
    /// Opens another connection, whose packets keep their boundaries. Does not wait.
    func connect() throws(RadioError) -> any PacketChannel
}

/// Takes a turn, as `Radio.takeTurn` does.
package typealias TurnTaker =
    @Sendable (TurnSubject, Instant, @escaping @Sendable (ProcessReference?) -> Void) async throws(RadioError) ->
    any Turn

/// Where the processes that use an adapter of another process take turns.
package enum RemoteTurns: Sendable {
    /// Nowhere: each has an adapter of its own.
    case none
    /// On this machine.
    case taken(TurnTaker)
    /// At the process that has the radio, with the other programs of its machine.
    case there
}

/// The radio of another process, used like a local one: this process is a machine of its own there, with one adapter.
///
/// The errors are those of the other process. Some of them are seen later: opening a channel to the controller and
/// listening do not wait for the answer, so their error comes with the first packet.
package final class RemoteRadioSystem: RadioSystem {
    /// The machine, which opens a connection for each channel.
    private let machine: RemoteMachine
    /// The connection that has joined. The machine lasts as long as it.
    private let membership: RemoteChannel
    /// Ends when the other process has ended the machine.
    private let membershipEnd: AsyncStream<Never>
    package let time: any TimeSource

    /// Takes over a machine that has joined.
    private init(
        _ machine: RemoteMachine,
        _ membership: RemoteChannel,
        _ membershipEnd: AsyncStream<Never>,
        _ time: any TimeSource
    ) {
        self.time = time
        self.machine = machine
        self.membership = membership
        self.membershipEnd = membershipEnd
    }

    /// Joins the other process's world. The machine lasts as long as the scope, or until `leave`.
    ///
    /// - Parameters:
    ///   - connector: Opens connections to the other process.
    ///   - name: The name of the adapter here; `nil` for that of the other process.
    ///   - turns: Where the processes that use the same adapter there take turns.
    ///   - timeout: The time to wait for the answer.
    ///   - time: The clock of all deadlines.
    ///   - scope: The scope of the receiving tasks.
    package static func join(
        _ connector: any RemoteConnector,
        named name: String? = nil,
        turns: RemoteTurns = .none,
        timeout: Duration = .seconds(5),
        time: any TimeSource,
        scope: TaskScope
    ) async throws(RadioError) -> RemoteRadioSystem {
        let operation = "shared world"
        let state = RemoteAdapterState(named: name)
        let channel = try RemoteChannel(.join, by: connector, during: operation, of: state)
        do {
            let member = try await withDeadline(time.now + timeout, time, operation: operation) {
                while true {
                    if case .joined(let member) = try await channel.next() { return member }
                }
            }
            let (end, continuation) = AsyncStream<Never>.makeStream()
            scope.spawn {
                // The adapter's states come as packets, which the channel takes.
                while (try? await channel.next()) != nil {}
                // The machine has ended with its connection, and so has its adapter.
                state.set(nil)
                channel.close()
                continuation.finish()
            }
            let machine = RemoteMachine(
                connector: connector,
                member: member,
                state: state,
                time: time,
                observers: RemoteObservers(scope: scope),
                scope: scope,
                turns: turns
            )
            return RemoteRadioSystem(machine, channel, end, time)
        } catch let error as RadioError {
            channel.close()
            throw error
        } catch {
            channel.close()
            let cause: RadioError.Cause = error is DeadlineExceeded ? .controllerSilent : .cancelled
            throw RadioError(cause, during: operation)
        }
    }

    package func leave() { membership.close() }

    /// Removes the machine in the other process, and waits for that, so that the next machine to join gets its place.
    /// Observers have seen all frames of their channels then. Does nothing if the scope has ended.
    package func depart() async {
        _ = try? await untilDeadline(time.now + RemoteRadioServer.farewellTimeout, time) { [machine] in
            await machine.observers?.untilAllShown()
        }
        // Any packet is a farewell.
        guard (try? membership.send([0])) != nil else { return }
        _ = try? await untilDeadline(time.now + RemoteRadioServer.farewellTimeout, time) { [membershipEnd] in
            for await _ in membershipEnd {}
        }
        leave()
    }

    /// The adapter as last reported by the other process; empty if it is missing.
    package func adapters() throws(RadioError) -> [AdapterDescription] { machine.state.present.map { [$0] } ?? [] }

    /// The adapter, by its name, by its address or without one. Throws if it cannot be used now.
    package func radio(named name: String?) throws(RadioError) -> any Radio {
        guard let present = machine.state.present else { throw RadioError(.noAdapter, during: name ?? "shared world") }
        if let name, !present.isMeant(by: name) {
            throw RadioError(.adapterNotFound(name), during: "shared world")
        }
        try present.checkUse()
        return RemoteRadio(machine: machine, known: present)
    }

    /// A management channel to the kernel of the other process's machine.
    package func openManagement() throws(RadioError) -> any ManagementChannel {
        try machine.open(.management(machine.member), during: "management channel")
    }
}

/// A machine of this process in the other one.
struct RemoteMachine: Sendable {
    let connector: any RemoteConnector
    let member: RemoteRequest.Member
    let state: RemoteAdapterState
    let time: any TimeSource
    /// The observers of frames; `nil` for a guest, which sees none.
    var observers: RemoteObservers?
    /// The scope of the tasks that receive units; `nil` for a guest without credit-based channels.
    var scope: TaskScope?
    /// Where the processes that use the same adapter take turns.
    var turns = RemoteTurns.none

    func open(
        _ request: RemoteRequest,
        during operation: String,
        lost: RadioError.Cause? = nil
    ) throws(RadioError) -> RemoteChannel {
        let usual = state.isLent ? RadioError.Cause.controllerGone : .adapterRemoved
        return try RemoteChannel(request, by: connector, during: operation, lost: lost ?? usual, of: state)
    }
}

/// The last known state of the adapter in the other process, and of its links.
final class RemoteAdapterState: Sendable {
    private struct State {
        /// The adapter; `nil` if it is missing.
        var adapter: AdapterDescription?
        /// The devices that any program is connected to by it, as far as the other process tells them.
        var linked: [DeviceAddress] = []
        /// The security of links by their handles, which have 16 bits.
        var securities: [UInt16: RemotePacket.Security] = [:]
    }

    /// The name of the adapter here; `nil` for that of the other process.
    private let name: String?
    /// Behind a lock, because news comes over several connections.
    private let state = Mutex(State())

    init(named name: String? = nil) { self.name = name }

    /// Whether several processes use the adapter, which has a name of its own here then.
    var isLent: Bool { name != nil }

    /// The adapter; `nil` if it is missing.
    var present: AdapterDescription? { state.withLock { $0.adapter } }

    /// Takes the adapter's state; `nil` if it is missing from now on.
    func set(_ new: AdapterDescription?) {
        var new = new
        if let name { new?.name = name }
        state.withLock { $0.adapter = new }
    }

    var linked: [DeviceAddress] { state.withLock { $0.linked } }

    /// Takes the devices that any program is connected to from now on.
    func set(linked: [DeviceAddress]) { state.withLock { $0.linked = linked } }

    /// The security of a link; `nil` if it is not known.
    func security(of handle: UInt16) -> LinkSecurity? { state.withLock { $0.securities[handle]?.security } }

    /// Takes news of a link, unless newer ones came before over another connection.
    func take(_ news: RemotePacket.Security) {
        state.withLock { state in
            if let known = state.securities[news.connectionHandle], known.number > news.number { return }
            state.securities[news.connectionHandle] = news
        }
    }
}

/// The adapter in the other process.
struct RemoteRadio: Radio {
    let machine: RemoteMachine
    /// The adapter when this value was made, for errors after it has vanished.
    let known: AdapterDescription
    private var time: any TimeSource { machine.time }

    /// The adapter as last reported.
    var adapter: AdapterDescription { machine.state.present ?? known }

    /// Throws why the adapter cannot be used. Asked here, so that errors are the same as on a local adapter.
    private func checkUse() throws(RadioError) {
        guard let present = machine.state.present else {
            throw RadioError(.adapterRemoved, during: known.name, on: known.name)
        }
        try present.checkUse()
    }

    func openHCI() throws(RadioError) -> any HCIChannel { try openHCI(for: .host) }

    /// A channel for a purpose. It does not wait for the answer, so that a refusal comes with the first packet.
    func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel {
        try checkUse()
        return try machine.open(.hci(machine.member, use), during: "HCI channel")
    }

    func connectedDevice(_ address: BluetoothAddress) -> DeviceAddress? {
        machine.state.linked.first { $0.address == address }
    }

    func connectedAddresses() -> Set<BluetoothAddress> { Set(machine.state.linked.map(\.address)) }

    /// Takes a turn among the programs that use the same adapter.
    func takeTurn(
        _ subject: TurnSubject,
        by deadline: Instant,
        onWait: @escaping @Sendable (ProcessReference?) -> Void
    ) async throws(RadioError) -> any Turn {
        switch machine.turns {
        case .none: FreeTurn()
        case .taken(let take): try await take(subject, deadline, onWait)
        case .there: try await machine.takeTurn(subject, by: deadline, onWait: onWait)
        }
    }

    /// Connects to a device in the other process. Closing the connection there gives the attempt up.
    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        try checkUse()
        // The clocks of the processes need not agree: the other one gets the time that is left.
        let timeout = max(.zero, deadline - time.now)
        let request = RemoteRequest.connect(machine.member, device, timeout: timeout)
        let channel = try machine.open(request, during: "connection to \(device.address)", lost: .linkLost(nil))
        return try await channel.opened(of: machine, by: deadline + RemoteRadioServer.farewellTimeout)
    }

    /// Opens a credit-based channel in the other process.
    func connectL2CAP(
        to device: DeviceAddress,
        _ request: L2CAPRequest,
        deadline: Instant,
        onFrame: FrameObserver?
    ) async throws(RadioError) -> any L2CAPChannel {
        try checkUse()
        // Before the channel is requested, so that the frame of the request is shown, too.
        let frames = await machine.frames(of: onFrame, by: deadline, time)
        do throws(RadioError) {
            let timeout = max(.zero, deadline - time.now)
            let wish = RemoteRequest.connectChannel(
                machine.member,
                device,
                request.betweenProcesses,
                timeout: timeout
            )
            let channel = try machine.open(
                frames.map { .observed(by: $0.number, wish) } ?? wish,
                during: "channel \(request.spsm) to \(device.address)",
                lost: .linkLost(nil)
            )
            var opened = try await channel.openedL2CAP(of: machine, by: deadline + RemoteRadioServer.farewellTimeout)
            opened.frames = frames
            return opened
        } catch {
            // The frames of a refusal are seen before the refusal, as on a local adapter.
            if let frames {
                _ = try? await untilDeadline(time.now + RemoteRadioServer.farewellTimeout, time) {
                    await frames.untilLast(0)
                }
                frames.close()
            }
            throw error
        }
    }

    /// Offers a service in the other process.
    func listenL2CAP(_ request: L2CAPRequest, onFrame: FrameObserver?) throws(RadioError) -> any L2CAPListener {
        try checkUse()
        let frames = machine.arrivingFrames(of: onFrame)
        let wish = RemoteRequest.offer(machine.member, request.betweenProcesses)
        do throws(RadioError) {
            let arrivals = try arrivals(frames.map { .observed(by: $0.number, wish) } ?? wish)
            return RemoteL2CAPListener(arrivals: arrivals, frames: frames)
        } catch {
            frames?.close()
            throw error
        }
    }

    /// Listens for centrals in the other process.
    func listenATT() throws(RadioError) -> any ATTListener {
        try checkUse()
        return RemoteListener(arrivals: try arrivals(.listen(machine.member)))
    }

    /// Opens the connection that announces arrivals.
    private func arrivals(_ request: RemoteRequest) throws(RadioError) -> RemoteArrivals {
        RemoteArrivals(channel: try machine.open(request, during: known.name), machine: machine)
    }
}

/// The listener for centrals in the other process.
struct RemoteListener: ATTListener {
    let arrivals: RemoteArrivals

    /// Takes over the channel of the next central.
    func accept() async throws(RadioError) -> any ATTChannel {
        try await arrivals.next(during: "link to a central", asking: RemoteRequest.accept) {
            [machine = arrivals.machine] (channel, _, deadline) async throws(RadioError) in
            try await channel.opened(of: machine, by: deadline)
        }
    }

    /// Ends the listening in the other process.
    func close() { arrivals.close() }
}
