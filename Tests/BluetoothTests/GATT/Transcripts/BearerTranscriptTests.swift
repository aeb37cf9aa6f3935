// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Bluetooth

/// A server behind a bearer: octets in, octets out, as on a channel.
private struct ServerBearer {
    var bearer = ATTBearer(maximumMTU: 512, server: .attached)
    var bench: ServerBench

    /// What goes out when these octets have come in, as hex.
    mutating func receive(_ octets: [UInt8]) -> [String] { run(bearer.pduReceived(octets, now: .zero)) }

    mutating func run(_ actions: [ATTBearer.Action]) -> [String] {
        var sent: [String] = []
        for action in actions {
            switch action {
            case .send(let octets):
                sent.append(Hex.string(octets))
            case .serve(let pdu):
                bench.mtu[ServerBench.first] = bearer.mtu
                for answer in bench.send(pdu.encoded()) {
                    guard let answer = try? ProcedureScript.answer(octets(answer)) else { continue }
                    sent += run(bearer.respond(answer))
                }
            case .indicationConfirmed:
                _ = bench.run(bench.server.confirmationReceived(from: ServerBench.first))
            case .completed, .indicationFailed, .received, .close, .report:
                break
            }
        }
        return sent
    }

    /// Sends a value to the client, if it has subscribed.
    mutating func notify(_ value: [UInt8], of handle: Handle) throws -> [String] {
        var sent: [String] = []
        for text in bench.run(bench.server.notify(value, of: handle)) {
            switch try ATTServerPDU(decoding: octets(text)) {
            case .notification(let notification):
                sent += run(try bearer.submitNotification(notification))
            case .indication(let indication):
                sent += run(bearer.submitIndication(indication, id: ATTTransactionID(rawValue: 1), now: .zero))
            default:
                throw ProcedureScript.Mismatch()
            }
        }
        return sent
    }
}

@Suite("GATT transcripts through a bearer")
struct BearerTranscriptTests {
    @Test("a server answers octet by octet", arguments: Transcripts.cases(.server))
    func serves(_ item: Transcripts.Case) throws {
        let database = try #require(item.database)
        let isPlain = item.transcript.writesOddConfiguration(in: database)
        var server = ServerBearer(bench: ServerBench(try database.build(hasPlainConfigurations: isPlain)))
        server.bench.security = .ofTranscripts
        server.bench.values = database.applicationValues()
        var pdus = item.transcript.pdus[...]
        if pdus.first?.hasPrefix("03") == true { pdus = ["020002"] + pdus }
        while let request = pdus.popFirst() {
            let step = item.transcript.step
            let answer =
                request.isEmpty
                ? try server.notify(octets(try #require(step).value), of: Handle(try #require(step).handle))
                : server.receive(octets(request))
            let expected = pdus.popFirst() ?? ""
            #expect(answer == (expected.isEmpty ? [] : [expected]))
        }
    }

    @Test("a request before the answer to the last one is answered in its turn (GAR/SR/BI-45-C)")
    func answersPipelinedRequests() throws {
        let database = try #require(Transcripts.sets.first?.databases[1])
        var server = ServerBearer(bench: ServerBench(try database.build(hasPlainConfigurations: false)))
        server.bench.values = [:]
        let first = server.bearer.pduReceived(octets("0a 0300"), now: .zero)
        let second = server.bearer.pduReceived(octets("0a 0500"), now: .zero)
        #expect(server.run(first + second) == ["0b426c75655a", "0b4d616e756661637475726572204e616d65"])
    }
}
