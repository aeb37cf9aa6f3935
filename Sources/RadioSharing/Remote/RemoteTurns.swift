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

extension ByteReader {
    mutating func turnSubject() throws(DecodeError) -> TurnSubject {
        switch try uint8("Subject") {
        case 0: return .device(try remoteAddress())
        case 1: return .serving
        case 2: return .legacyAdvertising
        case 3: return .advertising(share: try uint8("Share"))
        case 4: return .privacySwitch
        case 5: return .privacy(user: try uint8("User"))
        case 6: return .search
        case let kind: throw DecodeError("Subject", .invalid(value: UInt64(kind)))
        }
    }
}

extension ByteWriter {
    mutating func turnSubject(_ subject: TurnSubject) {
        switch subject {
        case .device(let device):
            uint8(0)
            remoteAddress(device)
        case .serving: uint8(1)
        case .legacyAdvertising: uint8(2)
        case .advertising(let share): append([3, share])
        case .privacySwitch: uint8(4)
        case .privacy(let user): append([5, user])
        case .search: uint8(6)
        }
    }
}
