// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Bluetooth

/// Plays a scripted server to a procedure.
enum ProcedureScript {
    /// The script and the procedure disagree.
    struct Mismatch: Error {}

    /// Runs a procedure against `pdus`, requests and answers by turns as hex, to its end. Every request must match.
    ///
    /// Through a bearer where one is given, whose MTU then holds.
    ///
    /// With `retriesWhenRefused` a request refused for want of security is sent again as it was, once: what a host does that
    /// has secured the link in between.
    static func run<Procedure: GATTProcedure>(
        _ procedure: Procedure,
        mtu: UInt16 = 23,
        through bearer: ATTBearer? = nil,
        retriesWhenRefused: Bool = false,
        _ pdus: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Result<Procedure.Output, GATTError> {
        var procedure = procedure
        var bearer = bearer
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
                let id = ATTTransactionID(rawValue: 1)
                let sent =
                    bearer == nil
                    ? Hex.string(request.encoded()) : octetsSent(bearer?.submit(request, id: id, now: .zero) ?? [])
                #expect(sent == expected, "sent \(request)", sourceLocation: sourceLocation)
                guard sent == expected, let text = rest.popFirst() else { throw Mismatch() }
                let actions = bearer?.pduReceived(octets(text), now: .zero)
                let answer = try actions.map(completion) ?? answer(octets(text))
                if retriesWhenRefused, case .failure(let error) = answer, error.code.isForWantOfSecurity { continue }
                step = procedure.received(answer, mtu: mtu)
            }
        }
    }

    /// A bearer that has exchanged its MTU.
    static func bearer(mtu: UInt16) -> ATTBearer {
        var bearer = ATTBearer(maximumMTU: mtu)
        let request = ATTRequest.exchangeMTU(ExchangeMTURequest(clientRxMTU: mtu))
        _ = bearer.submit(request, id: ATTTransactionID(rawValue: 0), now: .zero)
        _ = bearer.pduReceived(ExchangeMTUResponse(serverRxMTU: mtu).encoded(), now: .zero)
        return bearer
    }

    private static func octetsSent(_ actions: [ATTBearer.Action]) -> String {
        actions.compactMap { action in
            guard case .send(let octets) = action else { return nil }
            return Hex.string(octets)
        }.joined(separator: " ")
    }

    private static func completion(_ actions: [ATTBearer.Action]) throws -> ATTAnswer {
        for case .completed(_, let result) in actions {
            switch result {
            case .success(let response): return .success(response)
            case .failure(.errorResponse(let error)): return .failure(error)
            case .failure(let failure): throw failure
            }
        }
        throw Mismatch()
    }

    /// What a bearer makes of a response.
    static func answer(_ octets: [UInt8]) throws -> ATTAnswer {
        switch try ATTServerPDU(decoding: octets) {
        case .response(let response): .success(response)
        case .error(let error): .failure(error)
        case .notification, .indication, .multipleNotification, .unknown: throw Mismatch()
        }
    }

    /// Runs a procedure against a server.
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

extension ATTErrorCode {
    /// Whether a better secured link may help.
    fileprivate var isForWantOfSecurity: Bool {
        [.insufficientAuthentication, .insufficientEncryption].contains(self)
    }
}
