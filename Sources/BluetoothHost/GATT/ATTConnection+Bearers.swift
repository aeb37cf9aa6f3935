// SPDX-License-Identifier: MIT

package import Bluetooth

/// A bearer of a link, and the channel that carries its PDUs.
struct BearerLane: Sendable {
    var bearer: ATTBearer
    let channel: any PacketChannel
    /// Whether it is one beside that of every link.
    var isEnhanced = false
    /// The number of procedures that have their requests on it.
    var procedures = 0

    var isOpen: Bool { !bearer.isClosed }
}

// Enhanced bearers, and what else is wanted of the bearers of a link.
extension ATTConnection {
    /// A moment on both clocks.
    typealias ArrivalTime = (instant: Instant, wall: WallTime)

    /// The bearer for the next procedure: of those with the largest MTU the one that has the least to do.
    var lane: Int {
        let open = lanes.indices.filter { lanes[$0].isOpen }
        let mtu = open.map { lanes[$0].bearer.mtu }.max()
        return open.filter { lanes[$0].bearer.mtu == mtu }.min { lanes[$0].procedures < lanes[$1].procedures } ?? 0
    }

    package var bearers: BearerOutcome {
        let enhanced = lanes.filter { $0.isEnhanced && $0.isOpen }.map(\.bearer.mtu)
        return BearerOutcome(request: wanted, mtu: bearer.mtu, enhanced: enhanced, lack: enhanced.isEmpty ? lack : nil)
    }

    /// Gives the link the bearers that are wanted, unless it has them. Callers that arrive meanwhile wait for it.
    ///
    /// Throws a `RadioError` with `unsupported` if the radio has no enhanced bearers. A device without them is no error.
    package func fulfil(_ request: BearerRequest) async throws -> BearerOutcome {
        if request != wanted { fulfilling = nil }
        wanted = request
        try await protect()
        return try await fulfil()
    }

    /// Protects the link and gives it the bearers that are wanted, as the first request would.
    package func prepareBearers() async throws {
        try await protect()
        if !wanted.isUsual { try await fulfil() }
    }

    @discardableResult
    func fulfil() async throws -> BearerOutcome {
        let operation =
            fulfilling
            ?? SharedOperation(in: scope) {
                do {
                    return try await self.makeBearers()
                } catch {
                    // Before the error is passed on, so that later callers make a new attempt.
                    await self.forgetBearers()
                    throw error
                }
            }
        fulfilling = operation
        return try await operation.value()
    }

    private func forgetBearers() { fulfilling = nil }

    private func makeBearers() async throws -> BearerOutcome {
        if case .offering = wanted.exchange { _ = try await exchangeUsualMTU() }
        let missing = wanted.enhanced - lanes.count { $0.isEnhanced && $0.isOpen }
        if missing > 0 { lack = try await openEnhanced(missing) }
        onBearers(bearers)
        return bearers
    }

    /// Opens enhanced bearers. Returns the reason if there are none.
    private func openEnhanced(_ count: Int) async throws -> BearerOutcome.Lack? {
        guard channel.enhancedBearerLimit > 0 else {
            throw RadioError(.unsupported, during: "enhanced bearers to \(peer.address)")
        }
        // Bit 0 of Server Supported Features. Spec: Core 5.4, Vol 3, Part G, 7.4
        guard let server = try await firstValue(of: .serverSupportedFeatures), (server.value.first ?? 0) & 1 == 1 else {
            return .notOffered
        }
        if !security.isEncrypted {
            guard wanted.raisesSecurity else { return .notEncrypted }
            do {
                try await raise(to: .medium, within: protection.policy.timeout)
            } catch let failure as SecurityFailure where failure.problem == .unavailable {
                return .notEncrypted
            }
        }
        // Bits 1 and 2 of Client Supported Features: enhanced bearers, and notifications of several values. Bits that
        // are set stay so. Spec: Core 5.4, Vol 3, Part G, 7.2
        if let client = try await firstValue(of: .clientSupportedFeatures) {
            let features = (client.value.first ?? 0) | 0b110
            if client.value.first != features {
                try await run(WriteValue([features] + client.value.dropFirst(), to: client.handle), on: 0)
            }
        }
        let channels: [any L2CAPChannel]
        do throws(RadioError) {
            channels = try await channel.openEnhancedBearers(count)
        } catch {
            switch error.cause {
            case .channelRefused(let result): return .refused(result)
            case .channelMisused(let rule): return .unusable(rule)
            case .unsupported, .connectTimedOut: return .refused(nil)
            case .cancelled: throw CancellationError()
            default: throw error
            }
        }
        for channel in channels { take(channel) }
        return channels.isEmpty ? .refused(nil) : nil
    }

    /// The first value with that UUID; `nil` if the device has none that can be read.
    private func firstValue(of uuid: BluetoothUUID) async throws -> GATTReadValue? {
        do {
            return try await run(ReadByUUID(uuid, in: .all), on: 0).first
        } catch GATTError.refused {
            return nil
        }
    }

    private func take(_ channel: any L2CAPChannel) {
        let mtu = min(channel.sendMTU, channel.receiveMTU)
        let bearer = ATTBearer(enhancedMTU: mtu, requestLimit: .max)
        let number = lanes.count
        lanes.append(BearerLane(bearer: bearer, channel: channel, isEnhanced: true))
        let isStarted = scope.spawn {
            do throws(RadioError) {
                while true {
                    for pdu in try await channel.receiveAged() {
                        await self.received(pdu, on: number, (self.time.now, self.time.wallClock))
                    }
                }
            } catch {
                await self.ended(number)
            }
        }
        if !isStarted || end != nil { ended(number) }
    }
}

extension ATTRequest {
    /// Whether it changes nothing at the device.
    package var mayBeRepeated: Bool {
        switch self {
        case .write, .prepareWrite, .executeWrite, .exchangeMTU: false
        case .findInformation, .findByTypeValue, .readByType, .read, .readBlob, .readMultiple, .readByGroupType,
            .readMultipleVariable:
            true
        }
    }
}
