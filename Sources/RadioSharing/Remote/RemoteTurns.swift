// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// A turn that the process with the radio has taken for this one.
private struct RemoteTurn: Turn {
    let channel: RemoteChannel

    func end() { channel.close() }
}

extension RemoteMachine {
    func takeTurn(
        _ subject: TurnSubject,
        by deadline: Instant,
        onWait: @escaping @Sendable (ProcessReference?) -> Void
    ) async throws(RadioError) -> any Turn {
        let timeout = max(.zero, deadline - time.now)
        let channel = try open(.turn(member, subject, timeout: timeout), during: "turn")
        do {
            let limit = deadline + RemoteRadioServer.farewellTimeout
            try await withDeadline(max(limit, time.now + RemoteRadioServer.farewellTimeout), time, operation: "turn") {
                while true {
                    switch try await channel.next() {
                    case .opened: return
                    case .waiting(let program): onWait(program)
                    default: break
                    }
                }
            }
            return RemoteTurn(channel: channel)
        } catch {
            channel.close()
            switch error {
            case let error as RadioError: throw error
            case is DeadlineExceeded: throw RadioError(.controllerSilent, during: "turn")
            default: throw RadioError(.cancelled, during: "turn")
            }
        }
    }
}

extension RemoteRadioServer {
    /// Takes a turn for a process, which has it until it closes the connection.
    func takeTurn(
        _ subject: TurnSubject,
        of member: RemoteRequest.Member,
        _ timeout: Duration,
        for channel: any PacketChannel
    ) async throws(RadioError) {
        let deadline = time.now + timeout
        let radio = try radio(of: member)
        let turn = try await attempt("turn", for: channel) { () throws(RadioError) in
            try await radio.takeTurn(subject, by: deadline) { program in
                // A process that has gone is seen by the attempt.
                try? channel.send(RemotePacket.waiting(for: program).encoded())
            }
        } close: {
            $0.end()
        }
        defer { turn.end() }
        try channel.send(RemotePacket.opened.encoded())
        await Self.untilEnd(of: channel)
    }
}

extension TurnSubject: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        switch try reader.uint8(name) {
        case 0: self = .device(try reader.field("Device"))
        case 1: self = .serving
        case 2: self = .legacyAdvertising
        case 3: self = .advertising(share: try reader.field("Share"))
        case 4: self = .privacySwitch
        case 5: self = .privacy(user: try reader.field("User"))
        case 6: self = .search
        case let kind: throw DecodeError(name, .invalid(value: UInt64(kind)))
        }
    }

    func write(to writer: inout ByteWriter) {
        switch self {
        case .device(let device): writer.kind(0, device)
        case .serving: writer.kind(1)
        case .legacyAdvertising: writer.kind(2)
        case .advertising(let share): writer.kind(3, share)
        case .privacySwitch: writer.kind(4)
        case .privacy(let user): writer.kind(5, user)
        case .search: writer.kind(6)
        }
    }
}
