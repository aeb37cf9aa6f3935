// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

/// Runs procedures against scripted servers.
enum ProcedureScript {
    /// The procedure's request differs from the script.
    struct Mismatch: Error {}

    /// Runs a procedure to its end against `pdus`: requests and answers in turn, in hexadecimal. Every request must
    /// match.
    static func run<Procedure: GATTProcedure>(
        _ procedure: Procedure,
        mtu: UInt16 = 23,
        _ pdus: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Result<Procedure.Output, GATTError> {
        var procedure = procedure
        var rest = pdus[...]
        var step = procedure.start(mtu: mtu)
        while true {
            switch step {
            case .done(let output):
                #expect(rest.isEmpty, "the script goes on", sourceLocation: sourceLocation)
                return .success(output)
            case .failed(let error):
                #expect(rest.isEmpty, "the script goes on", sourceLocation: sourceLocation)
                return .failure(error)
            case .send(let request):
                let expected = rest.popFirst()?.filter { $0 != " " }
                let sent = Hex.string(request.encoded())
                #expect(sent == expected, "sent \(request)", sourceLocation: sourceLocation)
                guard sent == expected, let text = rest.popFirst() else { throw Mismatch() }
                let answer = try answer(octets(text))
                step = procedure.received(answer, mtu: mtu)
            }
        }
    }

    /// The answer that a bearer makes of a response.
    static func answer(_ octets: [UInt8]) throws -> ATTAnswer {
        switch try ATTServerPDU(decoding: octets) {
        case .response(let response): .success(response)
        case .error(let error): .failure(error)
        case .notification, .indication, .multipleNotification, .unknown: throw Mismatch()
        }
    }

    /// Runs a procedure against a real server.
    static func run<Procedure: GATTProcedure>(
        _ procedure: Procedure,
        mtu: UInt16 = 23,
        against bench: inout ServerBench
    ) throws -> Result<Procedure.Output, GATTError> {
        var procedure = procedure
        bench.mtu[ServerBench.first] = mtu
        var step = procedure.start(mtu: mtu)
        while true {
            switch step {
            case .done(let output): return .success(output)
            case .failed(let error): return .failure(error)
            case .send(let request):
                let sent = bench.send(request.encoded())
                step = procedure.received(try answer(octets(try #require(sent.first))), mtu: mtu)
            }
        }
    }
}
