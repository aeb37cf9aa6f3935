// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("A credit-based channel (Vol 3, Part A, 3.4 and 10.1)")
struct CreditBasedChannelTests {
    private func channel(
        mtu: UInt16 = 100,
        mps: UInt16 = 23,
        peerMTU: UInt16 = 100,
        peerMPS: UInt16 = 23,
        window: UInt16 = 4,
        credits: UInt16 = 2
    ) -> CreditBasedChannel {
        CreditBasedChannel(
            own: CreditBasedLimits(mtu: mtu, mps: mps),
            peer: CreditBasedLimits(mtu: peerMTU, mps: peerMPS),
            window: window,
            initialCredits: credits
        )
    }

    @Test("a short unit is one frame with its length before it")
    func oneFrame() {
        var channel = channel()
        #expect(channel.send(octets("0102 03")) == [.send(octets("0300 0102 03"))])
        #expect(channel.send([]) == [.send(octets("0000"))])
        #expect(channel.sendCredits == 0)
    }

    @Test("a long unit is cut at the MPS, and waits for credits in the middle")
    func segmentation() {
        var channel = channel(credits: 2)
        let unit = (0..<50).map { UInt8($0) }
        #expect(channel.send(unit) == [.send([50, 0] + unit[..<21]), .send(Array(unit[21..<44]))])
        #expect(channel.waitingOctets == 6 && channel.waitingUnits == 1)
        #expect(channel.send([7]) == [])
        #expect(channel.creditsReceived(0) == [])
        #expect(channel.creditsReceived(1) == [.send(Array(unit[44...]))])
        #expect(channel.creditsReceived(5) == [.send([1, 0, 7])])
        #expect(channel.waitingOctets == 0 && channel.sendCredits == 4)
    }

    @Test(
        "a frame that does not end its unit fills each of its packets to the controller",
        arguments: [(Int?.none, 247), (192, 188), (27, 239), (251, 247), (64, 188), (1_021, 247), (4, 247)]
    )
    func filledPackets(_ packetLength: Int?, _ payload: Int) {
        var channel = channel(peerMTU: 480, peerMPS: 247, credits: 9)
        channel.packetLength = packetLength
        func lengths(_ octets: Int) -> [Int] {
            channel.send([UInt8](repeating: 7, count: octets)).map { action -> Int in
                if case .send(let frame) = action { frame.count } else { 0 }
            }
        }
        let frames = lengths(480)
        #expect(frames.first == payload && frames.reduce(0, +) == 482)
        #expect(lengths(245) == [247], "what fits into one frame is one: the same packets, and fewer credits")
    }

    @Test("without credits nothing is sent; with new ones everything goes in order")
    func noCredits() {
        var channel = channel(credits: 0)
        for number in 0..<200 { #expect(channel.send([UInt8(number)]) == []) }
        var sent: [UInt8] = []
        for _ in 0..<40 {
            for case .send(let payload) in channel.creditsReceived(5) { sent.append(payload[2]) }
        }
        #expect(sent == (0..<200).map { UInt8($0) })
    }

    @Test("a unit longer than the peer's MTU is not sent")
    func tooLongToSend() {
        var channel = channel(peerMTU: 23, credits: 9)
        #expect(channel.send([UInt8](repeating: 1, count: 24)) == [])
        #expect(channel.send([UInt8](repeating: 1, count: 23)).count == 2)
    }

    @Test("more than 65,535 credits end the channel, 65,535 do not")
    func creditOverflow() {
        var channel = channel(credits: 65_535)
        #expect(channel.creditsReceived(0) == [])
        #expect(channel.creditsReceived(1) == [.disconnect(.creditOverflow(65_536))])
        #expect(channel.fault == .creditOverflow(65_536))
        #expect(channel.send([1]) == [] && channel.creditsReceived(1) == [] && channel.frameReceived([1, 0, 1]) == [])
    }

    @Test("frames become a unit; the credits of its first frames come back at once, that of the last when it is taken")
    func reassembly() {
        var channel = channel(window: 4)
        #expect(channel.frameReceived(octets("0500 01")) == [])
        #expect(channel.frameReceived(octets("0203")) == [.grant(2)])
        #expect(channel.receiveCredits == 4)
        #expect(channel.frameReceived(octets("0405")) == [.deliver(octets("0102030405"))])
        #expect(channel.unitTaken() == [])
        #expect(channel.frameReceived(octets("0100 06")) == [.deliver([6])])
        #expect(channel.unitTaken() == [.grant(2)])
        #expect(channel.unitTaken() == [], "nothing is left to take")
    }

    @Test("a consumer that takes nothing holds the peer back, because waiting units give no credits")
    func backPressure() {
        var channel = channel(window: 4)
        for number: UInt8 in 0..<4 { #expect(channel.frameReceived([1, 0, number]) == [.deliver([number])]) }
        #expect(channel.receiveCredits == 0)
        #expect(channel.frameReceived([1, 0, 9]) == [.disconnect(.frameWithoutCredit)])
    }

    @Test("a unit of tiny frames does not exhaust the credits", arguments: [UInt16(1), 2, 3, 8])
    func tinyFrames(window: UInt16) {
        var channel = channel(window: window)
        var delivered: [UInt8] = []
        for round in 0..<10 {
            #expect(channel.receiveCredits > 0)
            _ = channel.frameReceived([60, 0])
            for octet in 0..<60 {
                #expect(channel.receiveCredits > 0)
                for case .deliver(let unit) in channel.frameReceived([UInt8(octet)]) { delivered = unit }
            }
            #expect(delivered == (0..<60).map { UInt8($0) }, "round \(round)")
            _ = channel.unitTaken()
        }
    }

    @Test(
        "a frame that breaks a rule ends the channel",
        arguments: [
            ("", CreditBasedChannel.Fault.lengthMissing),
            ("05", .lengthMissing),
            ("6500 01", .unitTooLong(101, limit: 100)),
            ("ffff 01", .unitTooLong(65_535, limit: 100)),
            ("0100 0102", .unitOverrun(2, announced: 1)),
            ("0000 01", .unitOverrun(1, announced: 0)),
            ("1900 000102030405060708090a0b0c0d0e0f101112131415", .frameTooLong(24, limit: 23)),
        ]
    )
    func brokenRules(hex: String, fault: CreditBasedChannel.Fault) {
        var channel = channel()
        #expect(channel.frameReceived(octets(hex)) == [.disconnect(fault)])
        #expect(channel.frameReceived(octets("0100 01")) == [])
    }

    @Test("a unit that grows beyond its length in a later frame ends the channel")
    func lateOverrun() {
        var channel = channel()
        #expect(channel.frameReceived(octets("0300 0102")) == [])
        #expect(channel.frameReceived(octets("0304")) == [.disconnect(.unitOverrun(4, announced: 3))])
    }

    @Test("a later frame longer than the MPS ends the channel, although its octets belong to the unit")
    func lateLongFrame() {
        var channel = channel()
        #expect(channel.frameReceived(octets("6400 01")) == [])
        let frame = [UInt8](repeating: 2, count: 24)
        #expect(channel.frameReceived(frame) == [.disconnect(.frameTooLong(24, limit: 23))])
    }
}
