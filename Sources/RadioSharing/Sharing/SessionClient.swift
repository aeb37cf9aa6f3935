// SPDX-License-Identifier: MIT

import Bluetooth
package import BluetoothHost

/// The way to a process that holds a link.
package struct SessionClient: Sendable {
    private let connector: any RemoteConnector
    private let time: any TimeSource

    /// Creates a client. Opens nothing yet.
    package init(_ connector: any RemoteConnector, time: any TimeSource) {
        self.connector = connector
        self.time = time
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
    ///
    /// - Parameter scope: The scope of the tasks that receive for credit-based channels; `nil` if there will be none.
    package func system(of session: SessionDescription, scope: TaskScope? = nil) -> any RadioSystem {
        SessionRadioSystem(connector: connector, known: session.adapter, time: time, scope: scope)
    }
}

struct SessionRadioSystem: RadioSystem {
    /// Opens further connections to the process.
    let connector: any RemoteConnector
    /// The adapter as the session has described it. It is not asked again.
    let known: AdapterDescription
    let time: any TimeSource
    let scope: TaskScope?

    func adapters() -> [AdapterDescription] { [known] }

    /// The process of the session as a machine of one adapter.
    private var machine: RemoteMachine {
        let state = RemoteAdapterState()
        state.set(known)
        return RemoteMachine(connector: connector, member: RemoteRequest.guest, state: state, time: time, scope: scope)
    }

    /// The adapter as a radio, whatever name is asked for: the session has no other.
    func radio(named name: String?) -> any Radio {
        RemoteRadio(machine: machine, known: known)
    }

    func openManagement() throws(RadioError) -> any ManagementChannel {
        try machine.open(.management(RemoteRequest.guest), during: "management channel")
    }
}

extension RemoteRadioServer {
    /// Lends a link to other processes, and answers their questions about it.
    ///
    /// - Parameters:
    ///   - guests: The system for the guests.
    ///   - time: The clock of the requests' deadlines.
    ///   - describe: Describes the session.
    ///   - capture: Begins a capture of all packets of the session.
    ///   - onStop: Called when a process has ended the session, after it was answered.
    package convenience init(
        guests: SharedRadioSystem,
        time: any TimeSource,
        describe: @escaping @Sendable () -> SessionDescription,
        capture: (@Sendable () -> any PacketChannel)? = nil,
        onStop: @escaping @Sendable () -> Void
    ) {
        self.init(
            time: time,
            guests: guests,
            answer: { bytes in
                guard let request = try? SessionRequest(decoding: bytes) else { return Answer(packets: []) }
                return Answer(packets: [describe().encoded()]) { if request == .stop { onStop() } }
            },
            capture: capture
        )
    }
}
