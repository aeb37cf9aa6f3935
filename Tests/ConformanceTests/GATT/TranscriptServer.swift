// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization
import Testing

/// The server that a client under test meets: first one with a database, then one that plays a recording.
final class TranscriptServer: Sendable {
    private enum Mode {
        /// Answers as the server of a database does.
        case model(GATTServer, mtu: UInt16)
        /// Answers what was recorded, and takes what was recorded only.
        case recorded(ArraySlice<[UInt8]>)
    }

    /// A request behind the recording, and its answer: when it comes next, the client has sent nothing that it ought not to.
    static let fence = (handle: Handle.last, request: "0affff", answer: "010affff01")

    private let end: any OtherEnd
    private let mode: Mutex<Mode>
    private let problems = Mutex<[String]>([])

    init(_ end: any OtherEnd, playing pdus: [[UInt8]] = []) {
        self.end = end
        mode = Mutex(.recorded(pdus[...]))
    }

    /// Plays a recording from now on, the client's PDU first.
    func play(_ pdus: [[UInt8]]) { mode.withLock { $0 = .recorded(pdus[...]) } }

    /// Serves a database from now on.
    func serve(_ database: GATTDatabase, mtu: UInt16) {
        var server = GATTServer(database: database)
        _ = server.clientConnected(Self.client)
        mode.withLock { $0 = .model(server, mtu: mtu) }
    }

    /// Where client and recording differed.
    var differences: [String] { problems.withLock { $0 } }

    /// Whether all of the recording has been played.
    var isPlayed: Bool {
        mode.withLock { mode in
            if case .recorded(let rest) = mode { rest.isEmpty } else { true }
        }
    }

    /// Answers until the connection ends.
    func run() async {
        while let pdu = try? await end.receive() {
            do {
                for answer in try answers(to: pdu) { try end.send(answer) }
            } catch {
                problems.withLock { $0.append("\(error)") }
                // A client that waits in vain would wait for 30 s.
                return end.close()
            }
        }
    }

    private static let client = GATTServer.ClientID(1)

    private struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    private func answers(to pdu: [UInt8]) throws -> [[UInt8]] {
        try mode.withLock { mode in
            switch mode {
            case .model(var server, let mtu):
                let request = try ATTClientPDU(decoding: pdu)
                let actions = server.requestReceived(request, from: Self.client, mtu: mtu, security: .none)
                mode = .model(server, mtu: mtu)
                return actions.compactMap { action in
                    if case .respond(_, let answer) = action { ATTServerPDU(answer).encoded() } else { nil }
                }
            case .recorded(var rest):
                let answers = try Self.play(&rest, to: pdu)
                mode = .recorded(rest)
                return answers
            }
        }
    }

    private static func play(_ rest: inout ArraySlice<[UInt8]>, to pdu: [UInt8]) throws -> [[UInt8]] {
        let sent = Hex.string(pdu)
        guard let expected = rest.popFirst() else {
            if sent == fence.request { return [octets(fence.answer)] }
            throw Difference(description: "the client sent \(sent) behind the end of the recording")
        }
        guard pdu == expected else {
            throw Difference(
                description: "the client sent \(sent) where the recorded one sent \(Hex.string(expected))"
            )
        }
        var answers = rest.popFirst().map { [$0] } ?? []
        // In its next turn the client sends nothing: what follows comes unasked.
        while rest.first?.isEmpty == true {
            rest.removeFirst()
            if let next = rest.popFirst() { answers.append(next) }
        }
        return answers.filter { !$0.isEmpty }
    }
}

/// Connects a client over a wire to a server that plays a transcript, and lets `body` use it. Whatever comes of that, the
/// client has sent what was recorded and nothing else.
func connected(
    to transcript: Transcript,
    over wire: Wire,
    _ body: @escaping @Sendable (ATTConnection, TranscriptServer) async throws -> Void
) async throws {
    let exchange = transcript.exchange
    let (ours, theirs) = try wire.connect(mtu: exchange?.request.clientRxMTU ?? 517)
    let prologue = exchange.map { [$0.request.encoded(), $0.answer] } ?? []
    let server = TranscriptServer(theirs, playing: prologue)
    try await withTaskScope { scope in
        let connection = ATTConnection.start(ours, scope: scope, time: SystemTimeSource.testing)
        scope.spawn { await server.run() }
        defer { connection.close() }
        do {
            if exchange != nil { try await connection.exchangeMTU() }
            try await body(connection, server)
            await #expect(throws: GATTError.self) {
                try await connection.perform(ReadValue(TranscriptServer.fence.handle))
            }
        } catch {
            // The difference is the better reason where there is one.
            if server.differences.isEmpty { throw error }
        }
        #expect(server.differences == [])
        #expect(server.isPlayed, "the recording goes on")
    }
}

extension Transcript {
    /// The MTU exchange with which a client begins; `nil` where it begins with something else. Some recordings end with the
    /// request: such a server has what it is asked for.
    fileprivate var exchange: (request: ExchangeMTURequest, answer: [UInt8])? {
        guard let first = pdus.first, let request = try? ExchangeMTURequest(decoding: first) else { return nil }
        let answer = pdus.dropFirst().first ?? ExchangeMTUResponse(serverRxMTU: request.clientRxMTU).encoded()
        return (request, answer)
    }

    /// What a client says and hears behind the MTU exchange.
    var pdusBehindExchange: [[UInt8]] { Array(pdus.dropFirst(exchange == nil ? 0 : 2)) }
}
