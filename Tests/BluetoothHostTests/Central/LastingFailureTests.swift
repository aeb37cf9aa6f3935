// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost

@Suite("Failures that recur on every link")
struct LastingFailureTests {
    private static func isHopeless(_ outcome: LinkUpdate.Outcome) -> Bool {
        let result = LinkUpdate.Result(setting: .parameters, outcome: outcome)
        let change = LinkChange(request: LinkRequest(), before: LinkState(), after: LinkState(), results: [result])
        return LinkChangeFailure(change: change, result: result, limit: .seconds(5)).isLasting
    }

    @Test("a refusal because of another procedure may not recur on the next link; any other refusal does")
    func refusals() {
        #expect(!Self.isHopeless(.rejected(.commandDisallowed)))
        #expect(!Self.isHopeless(.rejected(.controllerBusy)))
        #expect(Self.isHopeless(.rejected(.unknownHCICommand)))
        #expect(Self.isHopeless(.rejected(.invalidHCICommandParameters)))
        #expect(Self.isHopeless(.refused(.unacceptableConnectionParameters)))
        #expect(!Self.isHopeless(.unanswered))
    }

    private struct GuardsReason: Error {}

    @Test("a missing or weak key is hopeless; a link that breaks meanwhile is not")
    func keys() {
        func isHopeless(
            _ problem: SecurityFailure.Problem,
            _ cause: (any Error)? = nil,
            mayPass: Bool = false
        ) -> Bool {
            let failure = SecurityFailure(
                peer: .scripted,
                level: .medium,
                problem: problem,
                cause: cause,
                causeMayPass: mayPass
            )
            return failure.isLasting
        }
        let refusals: [RadioError.Cause] = [
            .authenticationFailed, .closedLocally, .closedByPeer(.authenticationFailure), .linkLost(.pinOrKeyMissing),
            .closedByPeer(.connectionTerminatedDueToMICFailure),
        ]
        for cause in refusals {
            #expect(isHopeless(.failed(RadioError(cause, during: "test"))), "\(cause)")
        }
        let losses: [RadioError.Cause] = [
            .linkLost(nil), .linkLost(.connectionTimeout), .closedByPeer(nil),
            .closedByPeer(.remoteUserTerminatedConnection), .adapterDown, .adapterRemoved,
        ]
        for cause in losses {
            #expect(!isHopeless(.failed(RadioError(cause, during: "test"))), "\(cause)")
        }
        #expect(isHopeless(.insufficient(LinkSecurity(isEncrypted: true, keySize: 7))))
        #expect(!isHopeless(.insufficient(.none)))
        #expect(!isHopeless(.timedOut(.seconds(30))))
        #expect(isHopeless(.unavailable))
        #expect(isHopeless(.unavailable, GuardsReason()))
        #expect(!isHopeless(.unavailable, GuardsReason(), mayPass: true))
    }
}
