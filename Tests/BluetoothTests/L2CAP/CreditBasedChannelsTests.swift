// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("The credit-based channels of a link (Vol 3, Part A, 4.22 to 4.24)")
struct CreditBasedChannelsTests {
    private typealias Action = CreditBasedChannels.Action

    private static let service = CreditBasedChannels.Service(
        limits: CreditBasedLimits(mtu: 100, mps: 50),
        window: 4,
        mostChannels: 2
    )
    private let psm = SPSM(0x0080)
    private let first = L2CAPChannelID(rawValue: 0x0040)

    private func signal(_ hex: String) -> L2CAPFrame { L2CAPFrame(.leSignaling, octets(hex)) }

    private func server(_ requirement: AccessRequirement = .open) -> CreditBasedChannels {
        var channels = CreditBasedChannels()
        var service = Self.service
        service.requirement = requirement
        #expect(channels.offer(service, at: psm) == true)
        return channels
    }

    /// The refusal that a server answers to a request.
    private func refusal(_ hex: String, _ channels: inout CreditBasedChannels, _ security: LinkSecurity = .none)
        -> String
    {
        let actions = channels.received(signal(hex), security: security)
        guard case .send(let frame)? = actions.first, actions.count == 1 else { return "\(actions)" }
        return Hex.string(frame.payload)
    }

    @Test("two ends open a channel, send both ways, and close it")
    func life() throws {
        var near = CreditBasedChannels()
        var far = server()
        let attempt = near.connect(to: psm, Self.service)
        let (number, request) = try #require(attempt)
        #expect(number == first)
        #expect(request == [.send(signal("14 01 0a00 8000 4000 6400 3200 0400"))])
        let limits = Self.service.limits
        let accepted = far.received(signal("14 01 0a00 8000 4000 6400 3200 0400"), security: .none)
        #expect(
            accepted == [
                .send(signal("15 01 0a00 4000 6400 3200 0400 0000")), .opened(first, psm, peer: limits, byPeer: true),
            ]
        )
        let opened = near.received(signal("15 01 0a00 4000 6400 3200 0400 0000"), security: .none)
        #expect(opened == [.opened(first, psm, peer: limits, byPeer: false)])
        #expect(near.remoteNumber(of: first) == first)

        #expect(near.send([1, 2], on: first) == [.send(L2CAPFrame(first, [2, 0, 1, 2]))])
        #expect(far.received(L2CAPFrame(first, [2, 0, 1, 2]), security: .none) == [.deliver([1, 2], first)])
        #expect(far.unitTaken(on: first) == [])
        #expect(far.received(L2CAPFrame(first, [0, 0]), security: .none) == [.deliver([], first)])
        #expect(far.unitTaken(on: first) == [.send(signal("16 01 0400 4000 0200"))])
        #expect(near.received(signal("16 01 0400 4000 0200"), security: .none) == [])
        #expect(near.channel(first)?.sendCredits == 5)

        #expect(near.close(first) == [.send(signal("06 02 0400 4000 4000"))])
        #expect(near.close(first) == [])
        #expect(
            far.received(signal("06 02 0400 4000 4000"), security: .none)
                == [.send(signal("07 02 0400 4000 4000")), .closed(first, nil)]
        )
        #expect(near.received(signal("07 02 0400 4000 4000"), security: .none) == [])
        let again = near.connect(to: psm, Self.service)
        #expect(again?.0 == first, "the number is free again")
    }

    @Test("each reason to refuse a channel")
    func refusals() {
        var channels = server()
        func answer(_ result: String) -> String { "15010a000000000000000000\(result)" }
        #expect(refusal("14 01 0a00 8100 4000 6400 3200 0400", &channels) == answer("0200"))
        #expect(refusal("14 01 0a00 8000 3f00 6400 3200 0400", &channels) == answer("0900"))
        #expect(refusal("14 01 0a00 8000 8000 6400 3200 0400", &channels) == answer("0900"))
        #expect(refusal("14 01 0a00 8000 4000 1600 3200 0400", &channels) == answer("0b00"))
        #expect(refusal("14 01 0a00 8000 4000 6400 1600 0400", &channels) == answer("0b00"))
        #expect(refusal("14 01 0a00 8000 4000 6400 feff 0400", &channels) == answer("0b00"))
        _ = channels.received(signal("14 01 0a00 8000 4000 6400 3200 0400"), security: .none)
        #expect(refusal("14 01 0a00 8000 4000 6400 3200 0400", &channels) == answer("0a00"))
        _ = channels.received(signal("14 01 0a00 8000 4100 6400 3200 0400"), security: .none)
        #expect(refusal("14 01 0a00 8000 4200 6400 3200 0400", &channels) == answer("0400"))
        channels.withdraw(psm)
        #expect(refusal("14 01 0a00 8000 4200 6400 3200 0400", &channels) == answer("0200"))
    }

    @Test("each lack of security has its result")
    func security() {
        let request = "14 01 0a00 8000 4000 6400 3200 0400"
        func result(_ requirement: AccessRequirement, _ security: LinkSecurity) -> String {
            var channels = server(requirement)
            return String(refusal(request, &channels, security).suffix(4))
        }
        let encryption = AccessRequirement(encryption: true)
        #expect(result(encryption, .none) == "0500")
        #expect(result(encryption, LinkSecurity(hasBond: true)) == "0800")
        let encrypted = LinkSecurity(isEncrypted: true, keySize: 7)
        #expect(result(AccessRequirement(authentication: true), encrypted) == "0500")
        #expect(result(AccessRequirement(minimumKeySize: 16), encrypted) == "0700")
        #expect(result(AccessRequirement(authorization: true), encrypted) == "0600")
        var channels = server(encryption)
        #expect(channels.received(signal(request), security: encrypted).count == 2)
    }

    @Test("a refused channel, one that is not understood, and unexpected answers")
    func answers() throws {
        var channels = CreditBasedChannels()
        _ = channels.connect(to: psm, Self.service)
        #expect(channels.received(signal("15 07 0a00 4000 6400 3200 0400 0000"), security: .none) == [])
        #expect(
            channels.received(signal("15 01 0a00 0000 0000 0000 0000 0400"), security: .none)
                == [.refused(first, .noResources)]
        )
        _ = channels.connect(to: psm, Self.service)
        #expect(channels.received(signal("01 02 0200 0000"), security: .none) == [.notUnderstood(first)])
        #expect(channels.received(signal("01 02 0200 0000"), security: .none) == [])
        // A success with a number out of range opens no channel.
        for answer in ["3f00 6400 3200", "8000 6400 3200"] {
            let attempt = channels.connect(to: psm, Self.service)
            let (number, actions) = try #require(attempt)
            guard case .send(let frame)? = actions.first else { return #expect(Bool(false), "\(actions)") }
            let hex = "15 \(Hex.string([frame.payload[1]])) 0a00 \(answer) 0400 0000"
            #expect(channels.received(signal(hex), security: .none) == [.refused(number, .unacceptableParameters)])
        }
    }

    @Test("an answer for an abandoned channel closes it")
    func lateAnswer() {
        var channels = CreditBasedChannels()
        _ = channels.connect(to: psm, Self.service)
        #expect(channels.close(first) == [])
        #expect(
            channels.received(signal("15 01 0a00 4500 6400 3200 0400 0000"), security: .none)
                == [.send(signal("06 02 0400 4500 4000"))]
        )
        _ = channels.received(signal("07 02 0400 4500 4000"), security: .none)
        let second = channels.connect(to: psm, Self.service)
        #expect(second?.0 == first)
        #expect(channels.close(first) == [])
        // Identifier 2 was that of the disconnection.
        #expect(channels.received(signal("15 03 0a00 0000 0000 0000 0000 0200"), security: .none) == [])
        let third = channels.connect(to: psm, Self.service)
        #expect(third?.0 == first)
    }

    @Test("a channel with sizes that are not allowed is closed at the peer, which has broken a rule")
    func unusableLimits() {
        for (limits, mtu, mps) in [("1600 3200", 22, 50), ("6400 1600", 100, 22), ("6400 feff", 100, 65_534)] {
            let fault = CreditBasedChannel.Fault.limitsOutOfRange(CreditBasedLimits(mtu: UInt16(mtu), mps: UInt16(mps)))
            var channels = CreditBasedChannels()
            _ = channels.connect(to: psm, Self.service)
            #expect(
                channels.received(signal("15 01 0a00 4500 \(limits) 0400 0000"), security: .none)
                    == [.send(signal("06 02 0400 4500 4000")), .closed(first, fault)]
            )
            #expect(!channels.isIdle)
            #expect(channels.received(signal("07 02 0400 4500 4000"), security: .none) == [])
            #expect(channels.isIdle)
        }
    }

    @Test("an abandoned channel without a number at the peer cannot be closed there")
    func abandonedWithoutNumber() {
        var channels = CreditBasedChannels()
        _ = channels.connect(to: psm, Self.service)
        #expect(channels.close(first) == [])
        #expect(channels.received(signal("15 01 0a00 3f00 6400 3200 0400 0000"), security: .none) == [])
        #expect(channels.isIdle)
    }

    @Test("a peer that does not know the channel any more frees its number")
    func rejectedDisconnection() {
        var channels = server()
        _ = channels.received(signal("14 01 0a00 8000 4700 6400 3200 0400"), security: .none)
        #expect(channels.close(first) == [.send(signal("06 01 0400 4700 4000"))])
        // A signal that is no answer to a disconnection, and a reject of another request.
        #expect(channels.received(signal("15 01 0a00 4500 6400 3200 0400 0000"), security: .none) == [])
        #expect(channels.received(signal("01 02 0600 0200 4700 4000"), security: .none) == [])
        #expect(!channels.isIdle)
        #expect(channels.received(signal("01 01 0600 0200 4700 4000"), security: .none) == [])
        #expect(channels.isIdle)
    }

    @Test("the identifier of a disconnection is not used again before its answer")
    func awaitedIdentifier() {
        var channels = server()
        _ = channels.received(signal("14 01 0a00 8000 4700 6400 3200 0400"), security: .none)
        #expect(channels.close(first) == [.send(signal("06 01 0400 4700 4000"))])
        for identifier in UInt8(2)...255 {
            _ = channels.connect(to: psm, Self.service)
            let refusal = "15 \(Hex.string([identifier])) 0a00 0000 0000 0000 0000 0400"
            _ = channels.received(signal(refusal), security: .none)
        }
        let next = channels.connect(to: psm, Self.service)
        #expect(next?.1 == [.send(signal("14 02 0a00 8000 4100 6400 3200 0400"))])
    }

    @Test("a peer that breaks a rule is disconnected, and the consumer gets the reason")
    func fault() {
        var channels = server()
        _ = channels.received(signal("14 01 0a00 8000 4700 6400 3200 0400"), security: .none)
        #expect(
            channels.received(L2CAPFrame(first, [0xFF, 0xFF, 1]), security: .none)
                == [.send(signal("06 01 0400 4700 4000")), .closed(first, .unitTooLong(65_535, limit: 100))]
        )
        #expect(channels.received(L2CAPFrame(first, [1, 0, 1]), security: .none) == [])
        #expect(channels.received(signal("07 01 0400 4700 4000"), security: .none) == [])
        _ = channels.received(signal("14 02 0a00 8000 4700 6400 3200 0400"), security: .none)
        #expect(channels.received(signal("16 03 0400 4700 0000"), security: .none) == [])
        #expect(
            channels.received(signal("16 03 0400 4700 ffff"), security: .none)
                == [.send(signal("06 02 0400 4700 4000")), .closed(first, .creditOverflow(65_539))]
        )
    }

    @Test("signals that are malformed, too long, unknown, or about no channel")
    func strangeSignals() {
        var channels = server()
        func answer(_ hex: String) -> [Action] { channels.received(signal(hex), security: .none) }
        #expect(answer("") == [] && answer("14") == [] && answer("14 00 0000") == [])
        #expect(answer("14 05 0a00 8000") == [.send(signal("01 05 0200 0000"))])
        #expect(answer("12 05 0800 0600 0c00 0000 f401") == [.send(signal("01 05 0200 0000"))])
        #expect(answer("17 05 0800 0600 0c00 0000 f401") == [.send(signal("01 05 0200 0000"))])
        #expect(answer("13 05 0200 0000") == [] && answer("01 05 0100 00") == [])
        let long = "12 05 1400" + String(repeating: "00", count: 20)
        #expect(answer(long) == [.send(signal("01 05 0400 0100 1700"))])
        #expect(answer("06 05 0400 4000 4100") == [.send(signal("01 05 0600 0200 4000 4100"))])
        #expect(answer("07 05 0400 4000 4100") == [] && answer("16 05 0400 4000 0100") == [])
        #expect(channels.received(L2CAPFrame(first, [1, 0, 1]), security: .none) == [])
        _ = answer("14 06 0a00 8000 4000 6400 3200 0400")
        #expect(answer("06 07 0400 4000 4100") == [], "the numbers do not belong together")
        #expect(channels.channel(first) != nil)
    }

    @Test("all numbers can be in use, and no more")
    func numbers() {
        var channels = CreditBasedChannels()
        for _ in 0..<64 {
            let attempt = channels.connect(to: psm, Self.service)
            #expect(attempt != nil)
        }
        let attempt = channels.connect(to: psm, Self.service)
        #expect(attempt == nil)
        #expect(channels.offer(Self.service, at: psm) == true)
        #expect(channels.offer(Self.service, at: psm) == false, "the number is taken")
    }
}
