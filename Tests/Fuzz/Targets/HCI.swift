// SPDX-License-Identifier: GPL-2.0-or-later

@testable import Bluetooth
@testable import BluetoothHost

/// Steps are packets from a controller. Some of them are filled up so that they can be decoded. If the highest bit of
/// the packet indicator is set, the step is an action of the command queue's owner.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var host = Host()
    while let step = input.step() {
        switch step.kind {
        case 0x80...: host.act(step)
        case 0x10: host.receivedEvent(step.bytes)
        case 0x11: host.receivedReturn(step.bytes)
        case 0x12: host.receivedCommand(step.bytes)
        case 0x13: host.receivedManagement(step.bytes)
        default: host.received([step.kind] + step.bytes)
        }
    }
    host.finish()
}

/// The command queue and the reports of a host, with their invariants.
private struct Host {
    private var queue = HCICommandQueue(limit: 4)
    private var reassembler = ExtendedReportReassembler(limit: 4)
    private var table = AdvertiserTable(limit: 4)
    private var now = Instant.zero
    private var lastID: UInt64 = 0
    private var waiting: Set<CommandID> = []
    private var sent = 0
    private var management = ManagementCommandQueue(limit: 4)
    private var managed: UInt64 = 0

    /// Processes a packet of the management interface in either direction; a command may be outstanding.
    mutating func receivedManagement(_ bytes: [UInt8]) {
        guard let packet = try? ManagementPacket(decoding: bytes) else { return }
        check(packet.encoded() == bytes, "the packet is written differently")
        _ = ManagementCommandCatalog.describe(sent: packet)
        _ = ManagementCommandCatalog.describe(received: packet)
        managed += 1
        let id = CommandID(rawValue: managed)
        var ends = 0
        func count(_ actions: [ManagementCommandQueue.Action]) {
            for case .completed(let ended, _) in actions where ended == id { ends += 1 }
        }
        count(management.submit(SetPowered(true), to: packet.adapter, id: id, deadline: now + .seconds(1)))
        if let event = try? ManagementEvent(packet) {
            count(management.eventReceived(event, about: packet.adapter))
            _ = event.parameters?.encoded()
        }
        count(management.timerFired(now: now + .seconds(1)))
        check(ends == 1, "a management command ends \(ends) times")
        check(management.nextDeadline == nil, "something is waited for in vain")
    }

    mutating func received(_ bytes: [UInt8]) {
        guard let packet = try? HCIPacket(decoding: bytes) else { return }
        check(packet.encoded() == bytes, "the packet is written differently")
        switch packet {
        case .command(let command): checkCommand(command)
        case .event(let event): take(event)
        case .acl, .other: break
        }
    }

    // MARK: - Packets that can be decoded

    /// Processes an event: its code, or a subevent code with the highest bit set, and parameters.
    mutating func receivedEvent(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        let packet = Self.filledUp(first & 0x80 == 0 ? rest : [first & 0x7F] + rest) { octets throws(DecodeError) in
            let code = first & 0x80 == 0 ? HCIEventCode(rawValue: first) : .leMeta
            let packet = HCIEventPacket(code, parameters: octets)
            _ = try HCIEvent(packet)
            return packet
        }
        if let packet { received(HCIPacket.event(packet).encoded()) }
    }

    /// Processes return parameters, selected by the command's number.
    mutating func receivedReturn(_ bytes: [UInt8]) {
        guard let type = Self.type(bytes.first) else { return }
        let octets = Self.filledUp(Array(bytes.dropFirst())) { octets throws(DecodeError) in
            try Self.decodeReturn(type, octets)
            return octets
        }
        guard let octets else { return }
        checkReturn(type, octets)
        let opcode = type.opcode.rawValue
        received(
            [0x04, 0x0E, UInt8(clamping: octets.count + 4), 1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), 0] + octets
        )
    }

    /// Processes a command, selected by its number.
    mutating func receivedCommand(_ bytes: [UInt8]) {
        guard let type = Self.type(bytes.first) else { return }
        let packet = Self.filledUp(Array(bytes.dropFirst())) { octets throws(DecodeError) in
            let packet = HCICommandPacket(type.opcode, parameters: octets)
            _ = try HCICommandCatalog.command(in: packet)
            return packet
        }
        if let packet { received(HCIPacket.command(packet).encoded()) }
    }

    private static func type(_ number: UInt8?) -> (any HCICommand.Type)? {
        number.map { HCICommandCatalog.all[Int($0) % HCICommandCatalog.all.count] }
    }

    private static func decodeReturn<Command: HCICommand>(_: Command.Type, _ octets: [UInt8]) throws(DecodeError) {
        _ = try Command.returnParameters(decoding: octets)
    }

    /// Decodes the octets, with as many added or removed as decoding requires.
    private static func filledUp<Value>(
        _ bytes: [UInt8],
        _ read: ([UInt8]) throws(DecodeError) -> Value
    ) -> Value? {
        var bytes = bytes
        for _ in 0..<32 {
            do throws(DecodeError) {
                return try read(bytes)
            } catch {
                switch error.reason {
                case .truncated(let needed, let available):
                    bytes += Array(repeating: UInt8(bytes.count & 0x07), count: needed - available)
                case .trailing(let count): bytes.removeLast(min(count, bytes.count))
                case .invalid, .inconsistent: return nil
                }
                guard bytes.count <= 251 else { return nil }
            }
        }
        return nil
    }

    private func checkCommand(_ packet: HCICommandPacket) {
        _ = packet.description
        guard let command = try? HCICommandCatalog.command(in: packet) else { return }
        // Fields that another field makes meaningless are not kept, so the octets may change once, but not again.
        let written = command.packet
        let again = (try? HCICommandCatalog.command(in: written))?.encoded()
        check(again == written.parameters, "\(command) changes each time it is sent")
    }

    private mutating func take(_ packet: HCIEventPacket) {
        check(!packet.description.utf8.contains(UInt8(ascii: "\n")), "a line break in a trace")
        guard let event = try? HCIEvent(packet) else { return }
        let written = event.packet
        check((try? HCIEvent(written)) == event, "\(event) is read back differently")
        if case .known(let complete as CommandCompleteEvent) = event { checkReturn(complete) }
        now = now + .milliseconds(1)
        run(queue.eventReceived(event, now: now))
        let reports: [AdvertisingReport] =
            switch event {
            case .known(let event as LEAdvertisingReportEvent): event.reports
            case .known(let event as LEExtendedAdvertisingReportEvent): event.reports
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
        case 0, 1, 2, 3: submit(Int(number))
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
        let id = CommandID(rawValue: lastID)
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
