// SPDX-License-Identifier: GPL-2.0-or-later

@testable import Bluetooth

/// Steps are packets from a controller. A step whose packet indicator has the highest bit set is not: it is something that
/// the owner of the command queue does.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var host = Host()
    while let step = input.step() {
        if step.kind & 0x80 == 0 {
            host.received([step.kind] + step.bytes)
        } else {
            host.act(step)
        }
    }
    host.finish()
}

/// A host as far as its command queue and its reports go, and what has to be true of them.
private struct Host {
    private var queue = HCICommandQueue(limit: 4)
    private var reassembler = ExtendedReportReassembler(limit: 4)
    private var table = AdvertiserTable(limit: 4)
    private var now = Instant.zero
    private var lastID: UInt64 = 0
    private var waiting: Set<HCICommandID> = []
    private var sent = 0

    mutating func received(_ bytes: [UInt8]) {
        guard let packet = try? HCIPacket(decoding: bytes) else { return }
        check(packet.encoded() == bytes, "the packet is written differently")
        switch packet {
        case .command(let command): checkCommand(command)
        case .event(let event): take(event)
        case .acl, .other: break
        }
    }

    private func checkCommand(_ packet: HCICommandPacket) {
        _ = packet.description
        guard let command = try? HCICommandCatalog.command(in: packet) else { return }
        // What another field makes meaningless is not kept, so the octets may change once, and no more.
        let written = command.packet
        let again = (try? HCICommandCatalog.command(in: written))?.encoded()
        check(again == written.parameters, "\(command) changes each time it is sent")
    }

    private mutating func take(_ packet: HCIEventPacket) {
        check(!packet.description.utf8.contains(UInt8(ascii: "\n")), "a line break in a trace")
        guard let event = try? HCIEvent(packet) else { return }
        let written = event.packet
        check((try? HCIEvent(written)) == event, "\(event) is read back differently")
        if case .commandComplete(let complete) = event { checkReturn(complete) }
        now = now + .milliseconds(1)
        run(queue.eventReceived(event))
        let reports: [AdvertisingReport] =
            switch event {
            case .leAdvertisingReport(let event): event.reports
            case .leExtendedAdvertisingReport(let event): event.reports
            default: []
            }
        for report in reports {
            for whole in reassembler.received(report, now: now) {
                check(whole.data.count <= ExtendedReportReassembler.maximumDataLength, "too much data")
                table.received(whole, AdvertisingData(parsing: whole.data), now: now)
            }
        }
        check(table.count <= 4, "the table grows without limit")
    }

    private func checkReturn(_ event: CommandCompleteEvent) {
        guard let type = HCICommandCatalog.type(of: event.opcode), !event.returnParameters.isEmpty else { return }
        checkReturn(type, Array(event.returnParameters.dropFirst()))
    }

    private func checkReturn<Command: HCICommand>(_ type: Command.Type, _ bytes: [UInt8]) {
        guard let value = try? Command.returnParameters(decoding: bytes) else { return }
        let written = value.encoded()
        check((try? Command.returnParameters(decoding: written)) == value, "\(value) is read back differently")
    }

    // MARK: - The command queue

    mutating func act(_ step: FuzzInput.Step) {
        let number = UInt64(step.bytes.first ?? 0)
        switch step.kind & 0x07 {
        case 0, 1, 2: submit(Int(number))
        case 3: run(queue.cancel(HCICommandID(rawValue: lastID &- number % 8)))
        case 4:
            now = now + .milliseconds(Int64(number) * 10)
            run(queue.timerFired(now: now))
            check(queue.nextDeadline.map { $0 > now } ?? true, "a deadline is left behind")
        case 5: run(queue.channelClosed())
        default:
            queue = HCICommandQueue(limit: 4)
            waiting = []
        }
    }

    private mutating func submit(_ number: Int) {
        let timeout = Duration.milliseconds(number * 8)
        switch number % 6 {
        case 0: submit(HCIReset(), timeout: timeout)
        case 1: submit(LESetScanEnable(isEnabled: true), timeout: timeout)
        case 2: submit(LEReadLocalSupportedFeatures(), timeout: timeout)
        case 3: submit(LECreateConnectionCancel(), timeout: timeout)
        case 4: submit(HCIDisconnect(0x0040), timeout: timeout)
        default: submit(HCIReadRemoteVersionInformation(0x0040), timeout: timeout)
        }
    }

    private mutating func submit(_ command: some HCICommand, timeout: Duration) {
        lastID += 1
        let id = HCICommandID(rawValue: lastID)
        waiting.insert(id)
        run(queue.submit(command, id: id, deadline: now + timeout))
    }

    private mutating func run(_ actions: [HCICommandQueue.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes):
                sent += 1
                check(sent <= lastID, "more commands sent than submitted")
                check((try? HCIPacket(decoding: bytes))?.encoded() == bytes, "no packet: \(bytes)")
            case .completed(let id, _):
                check(waiting.remove(id) != nil, "command \(id.rawValue) is completed twice")
            }
        }
    }

    mutating func finish() {
        run(queue.channelClosed())
        check(waiting.isEmpty, "nobody told \(waiting)")
        _ = reassembler.flush()
    }
}
