// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost

@testable import Bluetooth

/// One end of a link against a hostile peer. Steps are frames of the peer, on the signalling channel or on the first channels,
/// or what the owner of a channel does. What the machine sends is read, and the credits are counted beside it.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var end = End(input.octet())
    var steps = Bound(65_536, "the input")
    while let step = input.step() {
        steps.step()
        end.play(step)
    }
}

private struct End {
    private var channels = CreditBasedChannels()
    private let limits: CreditBasedLimits
    private let window: UInt16
    /// The units that wait for the owner.
    private var untaken: [L2CAPChannelID: Int] = [:]
    private var lastSecurity = LinkSecurity.none

    init(_ settings: UInt8) {
        limits = CreditBasedLimits(mtu: settings & 1 == 0 ? 64 : 512, mps: settings & 2 == 0 ? 23 : 247)
        window = UInt16(settings >> 2 & 0x0F)
        let service = CreditBasedChannels.Service(limits: limits, window: window, mostChannels: 4)
        check(channels.offer(service, at: SPSM(0x0080)), "the first service is refused")
        check(channels.offer(enhanced, at: .enhancedATT), "the second service is refused")
    }

    /// A service whose channels are opened several at once.
    private var enhanced: CreditBasedChannels.Service {
        var service = CreditBasedChannels.Service(limits: limits, window: window, mostChannels: 4)
        service.isEnhanced = true
        return service
    }

    mutating func play(_ step: FuzzInput.Step) {
        let number = L2CAPChannelID(rawValue: 0x0040 + UInt16(step.kind >> 4 & 3))
        switch step.kind & 0x0F {
        case 0, 1: receive(L2CAPFrame(.leSignaling, step.bytes))
        case 2: receiveSignal(step.bytes)
        case 3, 4: receive(L2CAPFrame(number, step.bytes))
        case 5: receive(L2CAPFrame(number, [UInt8(step.bytes.count & 0xFF), 0] + step.bytes))
        case 6, 7:
            // Units beyond what the peer takes are not sent; nobody hands them over.
            perform(channels.send(step.bytes, on: number))
        case 8:
            guard let waiting = untaken[number], waiting > 0 else { return }
            untaken[number] = waiting - 1
            perform(channels.unitTaken(on: number))
        case 9:
            perform(channels.close(number))
        case 10:
            let service = CreditBasedChannels.Service(limits: limits, window: window)
            if let (_, actions) = channels.connect(to: SPSM(0x0081), service) { perform(actions) }
        case 11: lastSecurity = LinkSecurity(isEncrypted: step.bytes.count & 1 == 1, keySize: 16)
        case 12: perform(channels.connect(to: .enhancedATT, enhanced, count: Int(step.kind >> 4)).1)
        default: receive(L2CAPFrame(L2CAPChannelID(rawValue: UInt16(step.kind)), step.bytes))
        }
    }

    /// A signal whose length field is right: its code, its identifier, and its fields.
    private mutating func receiveSignal(_ bytes: [UInt8]) {
        guard bytes.count >= 2 else { return }
        let data = bytes.dropFirst(2)
        receive(L2CAPFrame(.leSignaling, [bytes[0], bytes[1], UInt8(data.count & 0xFF), 0] + data))
    }

    private mutating func receive(_ frame: L2CAPFrame) {
        if frame.channel == .leSignaling, let command = try? L2CAPCommand(decoding: frame.payload) {
            check((try? L2CAPCommand(decoding: command.encoded())) == command, "\(command) is read back differently")
        }
        let before = channels.channel(frame.channel)
        perform(channels.receivedAny(frame, security: lastSecurity))
        if let before, before.receiveCredits == 0 {
            check(channels.channel(frame.channel) == nil, "a frame without a credit is accepted")
        }
    }

    private mutating func perform(_ actions: [CreditBasedChannels.Action]) {
        for action in actions {
            switch action {
            case .send(let frame): checkSent(frame)
            case .opened(let number, _, let peer, _):
                check(peer.areValid, "limits out of range")
                check(channels.channel(number)?.peer == peer, "no channel of that number")
                untaken[number] = 0
            case .deliver(let unit, let number):
                check(unit.count <= Int(limits.mtu), "a unit of \(unit.count) octets")
                untaken[number, default: 0] += 1
                check(untaken[number, default: 0] <= Int(window), "more units wait than the window allows")
            case .closed(let number, _): untaken[number] = nil
            case .refused, .notUnderstood: break
            }
        }
        for value in L2CAPChannelID.first4 {
            guard let channel = channels.channel(value) else { continue }
            check(channel.receiveCredits <= Int(window), "more credits than the window")
            check(channel.receiveCredits >= 0 && channel.sendCredits >= 0, "credits below nought")
            check(channel.sendCredits <= CreditBasedChannel.mostCredits, "too many credits")
            check(channel.sendCredits == 0 || channel.waitingUnits == 0, "a unit waits although there are credits")
            check(channel.receiveCredits > 0 || untaken[value, default: 0] > 0 || window == 0, "a peer waits for ever")
        }
    }

    private func checkSent(_ frame: L2CAPFrame) {
        if frame.channel == .leSignaling {
            guard let command = try? L2CAPCommand(decoding: frame.payload) else {
                return check(false, "a signal that nobody understands")
            }
            if case .flowControlCredit(_, let credits) = command.signal { check(credits > 0, "no credits are granted") }
        } else {
            check(CreditBasedChannels.numbers.contains(frame.channel.rawValue), "a frame on \(frame.channel)")
            let mps = L2CAPChannelID.first4.compactMap { channels.channel($0)?.peer.mps }.max() ?? .max
            check(frame.payload.count <= Int(mps), "a frame of \(frame.payload.count) octets")
        }
    }
}

extension L2CAPChannelID {
    fileprivate static let first4 = (0..<4).map { L2CAPChannelID(rawValue: 0x0040 + UInt16($0)) }
}
