// SPDX-License-Identifier: MIT

import Bluetooth

// The exchange of the MTU, which a bearer has once.
extension ATTConnection {
    /// Exchanges the MTU of the bearer that every link has, unless that was done. Callers that arrive meanwhile wait for the same exchange, and get the
    /// same error. A later caller makes another attempt if nothing was sent and the link is still there.
    ///
    /// With a device that hangs up on the request, or never answers it, the link is closed, and the exchange is left out
    /// on the next one: see `MTUExchangeState`.
    /// With enhanced bearers there is no need for it.
    @discardableResult
    public func exchangeMTU() async throws -> UInt16 {
        if !wanted.isUsual { try await fulfil() }
        guard !lanes.contains(where: \.isEnhanced) else { return mtu }
        return try await exchangeUsualMTU()
    }

    /// Exchanges the MTU of the bearer that every link has, also if there are others.
    func exchangeUsualMTU() async throws -> UInt16 {
        guard !isExchangeLeftOut, wanted.exchange != .never else { return bearer.mtu }
        let exchange: SharedOperation<UInt16>
        if let mtuExchange {
            exchange = mtuExchange
        } else {
            let offered = min(wanted.largestMTU, bearer.maximumMTU)
            // A bearer has one exchange only, so it goes on even if the caller that began it has left.
            exchange = SharedOperation(in: scope) {
                do {
                    return try await self.exchangeMTU(offering: offered)
                } catch {
                    // Before the error is passed on, so that later callers make a new attempt.
                    await self.forgetUnsentExchange()
                    throw error
                }
            }
            mtuExchange = exchange
        }
        _ = try await exchange.value()
        isMTUExchanged = true
        return bearer.mtu
    }

    /// Whether the device does not take the exchange, so that it keeps the smallest MTU.
    package nonisolated var isExchangeLeftOut: Bool { mtuHistory?.isRefused ?? false }

    /// Exchanges the MTU, and judges the device by it. Throws `LinkReplaced` if the operation is to be repeated on a link
    /// without the exchange.
    private func exchangeMTU(offering offered: UInt16) async throws -> UInt16 {
        guard let mtuHistory else { return try await run(MTUExchange(offering: offered), on: 0) }
        // A declaration of a service is the first attribute of every device. A refusal proves as much.
        if mtuHistory.needsProof, !isProven {
            do { _ = try await run(ReadValue(Handle(0x0001)), on: 0) } catch is GATTError {}
        }
        // What may take its time, such as a pairing, comes before the clock starts.
        try await protect()
        let wasProven = isProven
        do {
            let (start, patience) = (time.now, mtuHistory.patience)
            let mtu = try await until({ await self.waitForSilence(since: start, of: patience) }) {
                try await self.run(MTUExchange(offering: offered), on: 0)
            }
            if let mtu {
                mtuHistory.exchanged()
                return mtu
            }
            _ = mtuHistory.failed(.silent(patience), isProven: wasProven)
            close(
                RadioError(
                    .closedLocally,
                    during: "connection to \(peer.address): no answer to the exchange of the MTU"
                )
            )
        } catch let error as RadioError where bearer.isMTUExchangeSent && error.meansHangUp {
            guard mtuHistory.failed(.hungUp, isProven: wasProven) else { throw error }
        }
        throw LinkReplaced(reason: .exchange)
    }

    /// Returns when the device has answered nothing for that long. An answer to an earlier request begins the time anew.
    private func waitForSilence(since start: Instant, of patience: Duration) async {
        while !Task.isCancelled {
            let end = max(start, lastAnswer ?? start) + patience
            guard time.now < end else { return }
            guard (try? await time.sleep(until: end)) != nil else { return }
        }
    }

    /// The link could not be prepared or protected. An exchange that was requested stays the only one.
    private func forgetUnsentExchange() {
        if end == nil, !isMTURequested { mtuExchange = nil }
    }
}

extension RadioError {
    /// Whether the device has ended the link. A link that is lost otherwise says nothing about what was asked last.
    package var meansHangUp: Bool { if case .closedByPeer = cause { true } else { false } }
}
