// SPDX-License-Identifier: MIT

package import Bluetooth

/// The way to a process that holds a link.
package struct SessionClient: Sendable {
    /// Opens connections to the process.
    private let connector: any RemoteConnector
    /// The clock of all deadlines.
    private let time: any TimeSource
    /// The connection on which the session was asked, which can be used for the link; `nil` if there is none.
    private let asked: (any AskedSession)?

    /// Creates a client. Opens nothing yet.
    ///
    /// - Parameters:
    ///   - connector: Opens further connections.
    ///   - asked: A connection on which `attach` was sent; `nil` if there is none.
    ///   - time: The clock of all deadlines.
    package init(_ connector: any RemoteConnector, asked: (any AskedSession)? = nil, time: any TimeSource) {
        self.connector = connector
        self.time = time
        self.asked = asked
    }

    /// The request of a process that wants to use the link: the description of the session comes first, and then the
    /// link.
    package static func attach(to address: BluetoothAddress, timeout: Duration) -> [UInt8] {
        // The type has no effect, because a session reaches one device only.
        RemoteRequest.attach(DeviceAddress(address, .public), timeout: timeout).encoded()
    }

    /// The description out of the first answer to `attach`. Throws a `RadioError` if it is none.
    package static func description(of answer: [UInt8]) throws(RadioError) -> SessionDescription {
        do {
            switch try RemotePacket(decoding: answer) {
            case .data(let bytes): return try SessionDescription(decoding: bytes)
            case .ended(let error): throw error
            default: throw DecodeError("Kind", .invalid(value: UInt64(answer.first ?? 0)))
            }
        } catch let error as RadioError {
            throw error
        } catch {
            throw RadioError(.system(call: "receive", errno: "EPROTO"), during: "session")
        }
    }

    /// The description of the session. Throws a `RadioError` if its process does not answer.
    package func describe(timeout: Duration = .seconds(5)) async throws(RadioError) -> SessionDescription {
        try await ask(.describe, timeout)
    }

    /// Ends the session. Returns its last description when its process is about to end.
    package func stop(timeout: Duration = .seconds(5)) async throws(RadioError) -> SessionDescription {
        try await ask(.stop, timeout)
    }

    /// Asks the session a question. Throws `controllerSilent` if its process does not answer in time.
    private func ask(_ request: SessionRequest, _ timeout: Duration) async throws(RadioError) -> SessionDescription {
        let operation = "session"
        let channel = try RemoteChannel(
            .control(request.encoded()),
            by: connector,
            during: operation,
            lost: .closedByPeer(nil)
        )
        defer { channel.close() }
        do {
            let answer = try await untilDeadline(time.now + timeout, time) {
                try SessionDescription(decoding: try await channel.receive())
            }
            guard let answer else { throw RadioError(.controllerSilent, during: operation) }
            return answer
        } catch let error as RadioError {
            throw error
        } catch is DecodeError {
            throw RadioError(.system(call: "receive", errno: "EPROTO"), during: operation)
        } catch {
            throw RadioError(.cancelled, during: operation)
        }
    }

    /// The adapter of a session, as if it were this process's. It reaches the device of the session and no other.
    package func system(of session: SessionDescription) -> any RadioSystem {
        SessionRadioSystem(connector: connector, asked: asked, known: session.adapter, time: time)
    }
}

/// A connection to a process that holds a link, on which `attach` was sent and answered with a description.
package protocol AskedSession: Sendable {
    /// The connection as a channel. Throws if it was taken before.
    func takeChannel() throws(RadioError) -> any PacketChannel
}

/// The adapter of a session.
struct SessionRadioSystem: RadioSystem {
    /// Opens further connections to the process.
    let connector: any RemoteConnector
    /// The first connection; `nil` if there is none.
    let asked: (any AskedSession)?
    /// The adapter as the session has described it. It is not asked again.
    let known: AdapterDescription
    /// The clock of the deadlines.
    let time: any TimeSource

    /// The adapter that has the link.
    func adapters() -> [AdapterDescription] { [known] }

    /// The process of the session as a machine of one adapter.
    private var machine: RemoteMachine {
        let state = RemoteAdapterState()
        state.set(known)
        return RemoteMachine(connector: connector, member: RemoteRequest.guest, state: state)
    }

    /// The adapter as a radio, whatever name is asked for: the session has no other.
    func radio(named name: String?) -> any Radio {
        let radio = RemoteRadio(machine: machine, known: known, time: time)
        return asked.map { AskedRadio(base: radio, asked: $0) } ?? radio
    }

    func openManagement() throws(RadioError) -> any ManagementChannel {
        try machine.open(.management(RemoteRequest.guest), during: "management channel")
    }
}

/// The adapter of a session: the first link is that of the connection on which the session was asked.
private struct AskedRadio: Radio {
    /// The adapter, for everything but the first link.
    let base: RemoteRadio
    /// The connection that the first link uses, which saves a round trip between the processes.
    let asked: any AskedSession

    /// The adapter as the session has described it.
    var adapter: AdapterDescription { base.adapter }

    /// Fails in the other process, which lends a link and no controller.
    func openHCI() throws(RadioError) -> any HCIChannel { try base.openHCI() }
    /// Fails in the other process, which lends a link and no controller.
    func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel { try base.openHCI(for: use) }
    /// Fails in the other process, which lends a link and no controller.
    func listenATT() throws(RadioError) -> any ATTListener { try base.listenATT() }

    /// The link over the connection that was opened already, or over a new one if that was taken.
    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        guard let channel = try? asked.takeChannel() else {
            return try await base.connectATT(to: device, deadline: deadline)
        }
        let operation = "connection to \(device.address)"
        return try await RemoteChannel(channel, during: operation, lost: .linkLost(nil)).opened()
    }
}
