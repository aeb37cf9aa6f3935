// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@Suite("Several credit-based channels by one signal (Vol 3, Part A, 4.25 to 4.28)")
struct EnhancedChannelsTests {
    private typealias Action = CreditBasedChannels.Action

    private let eatt = SPSM.enhancedATT
    private static let limits = CreditBasedLimits(mtu: 100, mps: 64)
    /// 17, an identifier, the length, the SPSM, MTU, MPS, credits and three channels.
    private static let request = "17 01 0e00 2700 6400 4000 0400 4000 4100 4200"

    private static func service(_ requirement: AccessRequirement = .open, most: Int = 5) -> CreditBasedChannels.Service
    {
        var service = CreditBasedChannels.Service(
            limits: limits,
            window: 4,
            mostChannels: most,
            requirement: requirement
        )
        service.isEnhanced = true
        return service
    }

    private func signal(_ hex: String) -> L2CAPFrame {
        L2CAPFrame(.leSignaling, Hex.bytes(hex.filter { $0 != " " }) ?? [])
    }

    private func channel(_ number: UInt16) -> L2CAPChannelID { L2CAPChannelID(rawValue: number) }

    private func server(_ requirement: AccessRequirement = .open, most: Int = 5) -> CreditBasedChannels {
        var channels = CreditBasedChannels()
        #expect(channels.offer(Self.service(requirement, most: most), at: eatt) == true)
        return channels
    }

    private func client(_ count: Int = 3) -> CreditBasedChannels {
        var channels = CreditBasedChannels()
        _ = channels.connect(to: eatt, Self.service(), count: count)
        return channels
    }

    /// The signals that an end answers, in hexadecimal, and the numbers of the channels that open.
    private func answer(
        _ hex: String,
        _ channels: inout CreditBasedChannels,
        _ security: LinkSecurity = .none
    ) -> (sent: String, opened: [UInt16]) {
        var (sent, opened): ([String], [UInt16]) = ([], [])
        for action in channels.receivedAny(signal(hex), security: security) {
            switch action {
            case .send(let frame): sent.append(Hex.string(frame.payload))
            case .opened(let number, _, _, _): opened.append(number.rawValue)
            default: sent.append("\(action)")
            }
        }
        return (sent.joined(separator: " "), opened)
    }

    @Test("two ends open three channels, use each, and close one")
    func life() throws {
        var (near, far) = (CreditBasedChannels(), server())
        let (numbers, request) = near.connect(to: eatt, Self.service(), count: 3)
        #expect(numbers.map(\.rawValue) == [0x40, 0x41, 0x42])
        #expect(request == [.send(signal(Self.request))])
        let response = "18010e0064004000040000004000 41004200".filter { $0 != " " }
        let accepted = answer(Self.request, &far)
        #expect(accepted.sent == response)
        #expect(accepted.opened == [0x40, 0x41, 0x42])
        let opened = near.receivedAny(signal(response), security: .none)
        #expect(opened == numbers.map { .opened($0, eatt, peer: Self.limits, byPeer: false) })

        for number in numbers {
            let sent = near.send([7], on: number)
            #expect(sent == [.send(L2CAPFrame(number, [1, 0, 7]))])
            #expect(far.receivedAny(L2CAPFrame(number, [1, 0, 7]), security: .none) == [.deliver([7], number)])
        }
        #expect(near.areOnly(eatt))
        #expect(near.close(channel(0x41)) == [.send(signal("06 02 0400 4100 4100"))])
        #expect(!near.areOnly(eatt), "one is being closed")
        #expect(answer("06 02 0400 4100 4100", &far).sent == "070204004100" + "4100" + " closed(0x0041, nil)")
        #expect(answer("07 02 0400 4100 4100", &near).sent == "")
        let (again, second) = near.connect(to: eatt, Self.service(), count: 9)
        #expect(again.map(\.rawValue) == [0x41, 0x43, 0x44, 0x45, 0x46], "five at most")
        #expect(second.count == 1)
    }

    @Test(
        "each reason to refuse all channels",
        arguments: [
            ("17 01 0a00 2500 6400 4000 0400 4000", "0200"), ("17 01 0a00 2700 3f00 4000 0400 4000", "0b00"),
            ("17 01 0a00 2700 6400 3f00 0400 4000", "0b00"), ("17 01 0a00 2700 6400 feff 0400 4000", "0b00"),
        ]
    )
    func refusals(request: String, result: String) {
        var channels = server()
        let answer = answer(request, &channels)
        #expect(answer.sent.hasPrefix("18010a00"))
        #expect(answer.sent.hasSuffix(result + "0000"))
        #expect(answer.opened == [])
        #expect(channels.isIdle)
    }

    @Test("a link without encryption, and a request of the other kind at the same service")
    func otherRefusals() {
        var channels = server(AccessRequirement(encryption: true))
        #expect(answer(Self.request, &channels).sent.hasSuffix("0500" + "000000000000"))
        var bonded = LinkSecurity.none
        bonded.hasBond = true
        #expect(answer(Self.request, &channels, bonded).sent.hasSuffix("0800" + "000000000000"))
        (bonded.isEncrypted, bonded.keySize) = (true, 16)
        #expect(answer(Self.request, &channels, bonded).opened.count == 3)
        #expect(answer("14 02 0a00 2700 5000 6400 3200 0400", &channels).sent == "15020a000000000000000000" + "0200")
    }

    @Test("some channels are refused, and the others open")
    func someRefused() {
        var channels = server(most: 3)
        // One outside of the numbers, and one that comes twice.
        let first = answer("17 01 0e00 2700 6400 4000 0400 3f00 5000 5000", &channels)
        #expect(first.sent == "18010e00640040000400" + "0a00" + "000040000000")
        #expect(first.opened == [0x40])
        let second = answer("17 02 0e00 2700 6400 4000 0400 5100 5200 5300", &channels)
        #expect(second.sent == "18020e00640040000400" + "0400" + "410042000000", "there is room for three")
        #expect(second.opened == [0x41, 0x42])
    }

    @Test("answers that open some, none, or come later")
    func answers() {
        var channels = client()
        #expect(answer("18 01 0e00 6400 4000 0400 0d00 0000 0000 0000", &channels).sent == "", "pending")
        #expect(answer("15 01 0a00 4000 6400 4000 0400 0000", &channels).sent == "", "the answer to another request")
        let some = answer("18 01 0e00 6400 4000 0400 0400 4000 0000 4200", &channels)
        #expect(some.opened == [0x40, 0x42])
        #expect(some.sent == "refused(0x0041, 0x0004 no resources available)")
        #expect(answer("18 01 0e00 6400 4000 0400 0000 4500 4600 4700", &channels).sent == "", "it was answered")

        channels = client(2)
        // A number that is in use, and one that is missing.
        let wrong = answer("18 01 0a00 6400 4000 0400 0000 3f00", &channels).sent
        #expect(
            wrong
                == ["0x0040", "0x0041"].map { "refused(\($0), 0x000B unacceptable parameters)" }.joined(separator: " ")
        )
        channels = client(2)
        #expect(answer("18 01 0800 0000 0000 0000 0200", &channels).sent.contains("SPSM not supported"))
        #expect(channels.isIdle)
        channels = client(2)
        #expect(answer("01 01 0200 0000", &channels).sent == "notUnderstood(0x0040) notUnderstood(0x0041)")
        #expect(channels.isIdle)
        channels = client(1)
        let small = answer("18 01 0a00 3f00 4000 0400 0000 4000", &channels).sent
        #expect(small.hasPrefix("060204004000" + "4000 closed(0x0040"), "the peer learns that it is closed")
        #expect(small.contains("MTU 63 and MPS 64"), "and what it has broken is told")
    }

    @Test("channels that were given up are closed when they open")
    func abandoned() {
        var channels = client(2)
        #expect(channels.close(channel(0x40)) == [])
        let opened = answer("18 01 0c00 6400 4000 0400 0000 5000 5100", &channels)
        #expect(opened.sent == "0602040050004000")
        #expect(opened.opened == [0x41])
    }

    @Test("without credits a channel opens, and waits")
    func noCredits() {
        var channels = client(1)
        #expect(answer("18 01 0a00 6400 4000 0000 0000 4000", &channels).opened == [0x40])
        #expect(channels.send([1], on: channel(0x40)) == [])
        #expect(answer("16 02 0400 4000 0100", &channels).sent == Hex.string([1, 0, 1]))
    }

    @Test("the peer raises its limits")
    func reconfiguration() {
        var channels = server()
        _ = answer("17 01 0c00 2700 6400 4800 0400 5000 5100", &channels)
        func result(_ fields: String) -> String { answer("19 02 \(fields)", &channels).sent }
        #expect(result("0600 6300 4800 5000") == "1a0202000100", "a smaller MTU")
        #expect(result("0800 6400 4000 5000 5100") == "1a0202000200", "a smaller MPS of two")
        #expect(result("0600 6400 4000 5200") == "1a0202000300", "a channel that is not there")
        #expect(result("0600 6400 3f00 5000") == "1a0202000400", "an MPS that is too small")
        #expect(channels.channel(channel(0x40))?.peer == CreditBasedLimits(mtu: 100, mps: 72))
        #expect(result("0600 c800 4000 5000") == "1a0202000000")
        #expect(channels.channel(channel(0x40))?.peer == CreditBasedLimits(mtu: 200, mps: 64))
        #expect(channels.channel(channel(0x41))?.peer.mtu == 100)
        #expect(channels.send([UInt8](repeating: 1, count: 200), on: channel(0x40)).count == 4)
        #expect(answer("1a 07 0200 0000", &channels).sent == "", "nothing was asked for")
    }

    @Test("signals that are malformed or too long")
    func strangeSignals() {
        var channels = server()
        #expect(answer("17 01 0800 2700 6400 4000 0400", &channels).sent == "010102000000", "no channel")
        #expect(answer("17 01 0900 2700 6400 4000 0400 40", &channels).sent == "010102000000", "half a number")
        let six = "17 01 1400 2700 6400 4000 0400 4000 4100 4200 4300 4400 4500"
        #expect(answer(six, &channels).sent == "0101040001001700", "six channels are longer than a signal may be")
        #expect(answer("19 01 0400 6400 4000", &channels).sent == "010102000000")
        #expect(answer("18 01 0300 0000 00", &channels).sent == "", "a response is never answered")
        #expect(channels.isIdle)
    }

    @Test("a signal is read as it was written")
    func codec() throws {
        let channels = [channel(0x40), channel(0x7F)]
        let signals: [EnhancedChannelSignal] = [
            .connectionRequest(eatt, Self.limits, credits: 1, channels),
            .connectionResponse(Self.limits, credits: 2, .noResources, channels),
            .reconfigureRequest(Self.limits, channels), .reconfigureResponse(.smallerMPS),
        ]
        for signal in signals {
            guard case .other(let code, let data) = signal.signal else { continue }
            #expect(try EnhancedChannelSignal(code, data) == signal)
        }
        #expect(try EnhancedChannelSignal(0x12, []) == nil)
    }
}
