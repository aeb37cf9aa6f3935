// SPDX-License-Identifier: MIT

import Bluetooth

/// The centrals whose links are known, and the observations on other links.
struct PairingLinks: Sendable {
    /// The maximum number of links whose central is not known yet.
    private static let limit = 16
    /// The maximum number of PDUs that wait on such a link, the latest ones: a pairing has four.
    private static let pduLimit = 8

    private var centrals: [ConnectionHandle: DeviceAddress] = [:]
    /// The identities that centrals have distributed on their links. The kernel reports the end of a link by them.
    private var identities: [ConnectionHandle: DeviceAddress] = [:]
    /// The centrals of links that have ended. A controller gives their handles to other links.
    private var former: [ConnectionHandle: DeviceAddress] = [:]
    private var waiting: [ConnectionHandle: (pdus: [SecurityManagerPDU], latest: Instant)] = [:]

    /// The central on whose link a PDU was seen. If it is not known yet, the PDU waits for it.
    ///
    /// - Parameters:
    ///   - pairing: The centrals whose pairings run.
    ///   - now: When it was seen.
    mutating func resolveCentral(
        of seen: SecurityObserver.Observation,
        pairing: Set<DeviceAddress>,
        at now: Instant
    ) -> DeviceAddress? {
        if let central = centrals[seen.link] { return central }
        if case .pairingRequest = seen.pdu { former[seen.link] = nil }
        // The reason of a failure may be read after the end of the link.
        if let central = former[seen.link], pairing.contains(central) { return central }
        // The centrals on links of other programs never become known, so a full list is emptied.
        if waiting[seen.link] == nil, waiting.count >= Self.limit { waiting = [:] }
        let earlier = waiting[seen.link]?.pdus.suffix(Self.pduLimit - 1) ?? []
        waiting[seen.link] = (earlier + [seen.pdu], now)
        return nil
    }

    /// Why a pairing has failed on the only link whose central is not known and where one has failed that lately: the kernel
    /// hands nobody a link that ends before it is accepted.
    func onlyFailure(within time: Duration, before now: Instant) -> PairingFailure? {
        let failures = waiting.values.filter { now - $0.latest <= time }.compactMap { link in
            link.pdus.compactMap { pdu in if case .pairingFailed(let reason) = pdu { reason } else { nil } }.last
        }
        return failures.count == 1 ? failures.first : nil
    }

    /// A central has connected. Returns the observations on its link.
    mutating func connected(_ central: DeviceAddress, over link: ConnectionHandle) -> [SecurityManagerPDU] {
        centrals[link] = central
        identities[link] = nil
        former[link] = nil
        return waiting.removeValue(forKey: link)?.pdus ?? []
    }

    /// Takes an event of the kernel about the end of a link, or about the identity of a central.
    mutating func received(_ event: ManagementEvent) {
        switch event {
        case .known(let event as NewIdentityResolvingKeyEvent):
            let address = DeviceAddress(event.privateAddress, .random)
            for (link, central) in centrals where central == address { identities[link] = event.key.device.device }
        case .known(let event as DeviceDisconnectedEvent):
            guard let gone = event.device.device else { return }
            for (link, central) in centrals where central == gone || identities[link] == gone {
                centrals[link] = nil
                identities[link] = nil
                former[link] = central
            }
        default: break
        }
    }
}
