// SPDX-License-Identifier: MIT

import Bluetooth
import Synchronization

/// A way to the process that has the radio.
public protocol RemoteConnector: Sendable {
    /// Opens another connection, whose packets keep their boundaries. Does not wait.
    func connect() throws(RadioError) -> any PacketChannel
}

/// The radio of another process, as if it were this one's: a machine of its own there, with one adapter.
///
/// The errors are those of the other process. Only the moment differs at which some of them are seen: opening a channel to
/// the controller or listening does not wait for the answer, so that its error comes with the first packet.
public final class RemoteRadioSystem: RadioSystem {
    private let connector: any RemoteConnector
    private let member: RemoteRequest.Member
    private let state: RemoteAdapterState
    private let membership: RemoteChannel
    public let time: any TimeSource

    private init(
        _ connector: any RemoteConnector,
        _ member: RemoteRequest.Member,
        _ state: RemoteAdapterState,
        _ membership: RemoteChannel,
        _ time: any TimeSource
    ) {
        self.time = time
        self.connector = connector
        self.member = member
        self.state = state
        self.membership = membership
    }

    /// Joins the other process's world. The machine lasts as long as the scope, or until `leave`.
    ///
    /// - Parameters:
    ///   - connector: The way to the other process.
    ///   - patience: The time to wait for the answer.
    ///   - time: The clock of all deadlines.
    ///   - scope: The scope of what receives in the background.
    public static func join(
        _ connector: any RemoteConnector,
        patience: Duration = .seconds(5),
        time: any TimeSource,
        scope: TaskScope
    ) async throws(RadioError) -> RemoteRadioSystem {
        let operation = "shared world"
        let state = RemoteAdapterState()
        let channel = try RemoteChannel(.join, by: connector, during: operation) { state.set($0) }
        do {
            let member = try await withDeadline(time.now + patience, time, operation: operation) {
                while true {
                    if case .joined(let member) = try await channel.next() { return member }
                }
            }
            scope.spawn {
                // The adapter's states come as packets, which the channel takes.
                while (try? await channel.next()) != nil {}
                state.set(nil)
                channel.close()
            }
            return RemoteRadioSystem(connector, member, state, channel, time)
        } catch let error as RadioError {
            channel.close()
            throw error
        } catch {
            channel.close()
            let cause: RadioError.Cause = error is DeadlineExceeded ? .controllerSilent : .cancelled
            throw RadioError(cause, during: operation)
        }
    }

    /// Ends the machine in the other process.
    public func leave() { membership.close() }

    public func adapters() throws(RadioError) -> [AdapterDescription] { state.present.map { [$0] } ?? [] }

    public func radio(named name: String?) throws(RadioError) -> any Radio {
        guard let present = state.present else { throw RadioError(.noAdapter, during: name ?? "shared world") }
        guard name == nil || name == present.name else {
            throw RadioError(.adapterNotFound(name ?? ""), during: "shared world")
        }
        try present.checkUse()
        return RemoteRadio(connector: connector, member: member, state: state, known: present, time: time)
    }

    public func openManagement() throws(RadioError) -> any ManagementChannel {
        try RemoteChannel(.management(member), by: connector, during: "management channel") { [state] in
            state.set($0)
        }
    }
}

/// The last known state of the adapter in the other process.
final class RemoteAdapterState: Sendable {
    private let adapter = Mutex<AdapterDescription?>(nil)

    /// The adapter; `nil` if it is missing.
    var present: AdapterDescription? { adapter.withLock { $0 } }

    func set(_ new: AdapterDescription?) { adapter.withLock { $0 = new } }
}

/// The adapter in the other process.
struct RemoteRadio: Radio {
    let connector: any RemoteConnector
    let member: RemoteRequest.Member
    let state: RemoteAdapterState
    let known: AdapterDescription
    let time: any TimeSource

    var adapter: AdapterDescription { state.present ?? known }

    private func checkUse() throws(RadioError) {
        guard let present = state.present else {
            throw RadioError(.adapterRemoved, during: known.name, on: known.name)
        }
        try present.checkUse()
    }

    func openHCI() throws(RadioError) -> any HCIChannel { try openHCI(for: .host) }

    func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel {
        try checkUse()
        return try RemoteChannel(.hci(member, use), by: connector, during: "HCI channel")
    }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        try checkUse()
        // The clocks of the processes need not agree: the other one gets the time that is left.
        let patience = max(.zero, deadline - time.now)
        let request = RemoteRequest.connect(member, device, patience: patience)
        let channel = try RemoteChannel(
            request,
            by: connector,
            during: "connection to \(device.address)",
            lost: .linkLost(nil)
        )
        return try await channel.opened()
    }

    func listenATT() throws(RadioError) -> any ATTListener {
        try checkUse()
        return RemoteListener(
            try RemoteChannel(.listen(member), by: connector, during: known.name),
            connector: connector,
            member: member
        )
    }
}

extension RemoteChannel {
    /// The channel, once the other process has told that it is open. Throws the error that it tells.
    func opened() async throws(RadioError) -> RemoteATTChannel {
        do throws(RadioError) {
            while true {
                if case .connected(let link) = try await next() { return RemoteATTChannel(channel: self, link: link) }
            }
        } catch {
            close()
            throw error
        }
    }
}

/// The listener for centrals in the other process.
struct RemoteListener: ATTListener {
    private let channel: RemoteChannel
    private let connector: any RemoteConnector
    private let member: RemoteRequest.Member

    init(_ channel: RemoteChannel, connector: any RemoteConnector, member: RemoteRequest.Member) {
        self.channel = channel
        self.connector = connector
        self.member = member
    }

    func accept() async throws(RadioError) -> any ATTChannel {
        while true {
            guard case .central(let number) = try await channel.next() else { continue }
            // A central that has gone meanwhile says nothing about the next one.
            let request = RemoteRequest.accept(member, central: number)
            let central = try RemoteChannel(request, by: connector, during: "link to a central", lost: .linkLost(nil))
            if let opened = try? await central.opened() { return opened }
        }
    }

    func close() { channel.close() }
}
