// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost

@Suite("Changes of a link that fail on every link")
struct LastingLinkChangeTests {
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
}
