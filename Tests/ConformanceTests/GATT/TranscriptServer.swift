// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization
import Testing

/// The server for a client under test. At first it serves a database, later it plays a recording.
final class TranscriptServer: Sendable {
    private enum Mode {
        /// Answers as the server of a database does.
        case model(GATTServer, mtu: UInt16)
        /// Answers as recorded, and accepts only recorded PDUs.
        case recorded(ArraySlice<[UInt8]>)
    }

    /// A request at the end of a recording, and its answer. If it is the next PDU, the client has sent nothing else.
    static let fence = (handle: Handle.last, request: "0affff", answer: "010affff01")

    private let end: any OtherEnd
    private let mode: Mutex<Mode>
    private let problems = Mutex<[String]>([])

    init(_ end: any OtherEnd, playing pdus: [[UInt8]] = []) {
        self.end = end
        mode = Mutex(.recorded(pdus[...]))
    }

    /// Plays a recording from now on. Its first PDU is the client's.
    func play(_ pdus: [[UInt8]]) { mode.withLock { $0 = .recorded(pdus[...]) } }

    /// Serves a database from now on.
    func serve(_ database: GATTDatabase, mtu: UInt16) {
        var server = GATTServer(database: database)
        _ = server.clientConnected(Self.client)
        mode.withLock { $0 = .model(server, mtu: mtu) }
    }

    /// The differences between the client and the recording.
    var differences: [String] { problems.withLock { $0 } }

    /// Whether the whole recording was played.
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
                // Closed at once, because the client would wait for 30 s.
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
                let actions = server.requestReceived(request, from: .init(Self.client), mtu: mtu, security: .none)
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
        // The client's next turn is empty: the PDUs that follow are sent without a request.
        while rest.first?.isEmpty == true {
            rest.removeFirst()
            if let next = rest.popFirst() { answers.append(next) }
        }
        return answers.filter { !$0.isEmpty }
    }
}

/// Connects a client over a wire to a server that plays a transcript, and runs `body`. Expects that the client has sent
/// the recorded PDUs and no others.
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
        let connection = ATTConnection.start(ours, scope: scope, time: PatientTime())
        scope.spawn { await server.run() }
        defer { connection.close() }
        do {
            if exchange != nil { try await connection.exchangeMTU() }
            try await body(connection, server)
            await #expect(throws: GATTError.self) {
                try await connection.perform(ReadValue(TranscriptServer.fence.handle))
            }
        } catch {
            // A difference explains the failure better than the error.
            if server.differences.isEmpty { throw error }
        }
        #expect(server.differences == [])
        #expect(server.isPlayed, "the recording goes on")
    }
}

extension Transcript {
    /// The client's MTU exchange; `nil` if it begins without one. If a recording ends with the request, the answer
    /// offers the same size.
    fileprivate var exchange: (request: ExchangeMTURequest, answer: [UInt8])? {
        guard let first = pdus.first, let request = try? ExchangeMTURequest(decoding: first) else { return nil }
        let answer = pdus.dropFirst().first ?? ExchangeMTUResponse(serverRxMTU: request.clientRxMTU).encoded()
        return (request, answer)
    }

    /// The PDUs of both sides behind the MTU exchange.
    var pdusBehindExchange: [[UInt8]] { Array(pdus.dropFirst(exchange == nil ? 0 : 2)) }
}
