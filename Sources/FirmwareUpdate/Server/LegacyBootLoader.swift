// SPDX-License-Identifier: MIT

import Bluetooth

/// A simulated boot loader with Legacy DFU, which takes applications.
///
/// Spec: nRF5 SDK 11, BLE DFU Service
struct LegacyBootLoader: BootLoader {
    private enum Phase: Hashable, Sendable {
        case idle
        /// The sizes follow.
        case starting
        case started
        /// Parts of the init packet follow.
        case describing([UInt8])
        case described(LegacyInitPacket)
        case receiving(LegacyInitPacket)
        case received(LegacyInitPacket)
        case validated(LegacyInitPacket)
    }

    let size: Int
    let eraseTime: Duration
    private var phase = Phase.idle
    private var length = 0
    private var firmware: [UInt8] = []
    /// The packets after which it says how much it has; 0 for never.
    private var receiptPeriod = 0
    private var packets = 0

    init(size: Int, eraseTime: Duration) { (self.size, self.eraseTime) = (size, eraseTime) }

    var received: Int? { if case .receiving = phase { firmware.count } else { nil } }

    private static func answer(_ order: UInt8, _ refusal: DFURefusal? = nil) -> BootLoaderReply {
        .answer(LegacyDFU.Code.answer, to: order, refusal)
    }

    mutating func order(_ octets: [UInt8]) -> [BootLoaderReply] {
        guard let order = octets.first else { return [] }
        switch (order, phase) {
        case (LegacyDFU.Code.start, .idle):
            guard octets.count == 2, octets[1] == DFUImage.Kind.application.legacyType else {
                return [Self.answer(order, DFURefusal(.legacy, code: 3))]
            }
            phase = .starting
            return []
        case (LegacyDFU.Code.describe, .started) where octets == [order, 0]:
            phase = .describing([])
            return []
        case (LegacyDFU.Code.describe, .describing(let octets)):
            guard let packet = try? LegacyInitPacket(octets) else {
                phase = .started
                return [Self.answer(order, .legacyFailed)]
            }
            phase = .described(packet)
            return [Self.answer(order)]
        case (LegacyDFU.Code.receipts, _):
            guard octets.count == 3 else { return [Self.answer(order, DFURefusal(.legacy, code: 3))] }
            receiptPeriod = Int(octets[1]) | Int(octets[2]) << 8
            return []
        case (LegacyDFU.Code.receive, .described(let packet)):
            phase = .receiving(packet)
            return []
        case (LegacyDFU.Code.validate, .received(let packet)):
            guard packet.checksum == nil || packet.checksum == Checksum.crc16(firmware) else {
                phase = .idle
                return [Self.answer(order, .legacyWrongChecksum)]
            }
            phase = .validated(packet)
            return [Self.answer(order)]
        case (LegacyDFU.Code.activate, .validated(let packet)):
            return [.install(firmware, version: packet.version == .max ? nil : packet.version)]
        case (LegacyDFU.Code.activate, _), (LegacyDFU.Code.reset, _): return [.reset]
        default: return [Self.answer(order, .legacyInvalidState)]
        }
    }

    mutating func packet(_ octets: [UInt8]) -> [BootLoaderReply] {
        switch phase {
        case .starting: return start(octets)
        case .describing(let before):
            phase = .describing(Array((before + octets).prefix(512)))
            return []
        case .receiving(let packet):
            guard octets.count <= length - firmware.count else {
                phase = .idle
                return [Self.answer(LegacyDFU.Code.receive, .legacyTooLarge)]
            }
            firmware += octets
            packets += 1
            var replies: [BootLoaderReply] = []
            if receiptPeriod > 0, packets % receiptPeriod == 0 {
                var writer = ByteWriter()
                writer.uint8(LegacyDFU.Code.receipt)
                writer.uint32(UInt32(truncatingIfNeeded: firmware.count))
                replies.append(.send(writer.bytes))
            }
            guard firmware.count == length else { return replies }
            phase = .received(packet)
            return replies + [Self.answer(LegacyDFU.Code.receive)]
        default: return []
        }
    }

    /// Takes the sizes of the parts.
    private mutating func start(_ octets: [UInt8]) -> [BootLoaderReply] {
        let order = LegacyDFU.Code.start
        phase = .idle
        var reader = ByteReader(octets)
        guard octets.count == 12, let softdevice = try? reader.uint32("softdevice"),
            let bootloader = try? reader.uint32("bootloader"), let application = try? reader.uint32("application"),
            softdevice == 0, bootloader == 0, application > 0
        else { return [Self.answer(order, DFURefusal(.legacy, code: 3))] }
        guard application <= size else { return [Self.answer(order, .legacyTooLarge)] }
        (phase, length, firmware, packets) = (.started, Int(application), [], 0)
        return [.replacesApplication, .work(eraseTime), Self.answer(order)]
    }

    mutating func fail() -> [BootLoaderReply] {
        phase = .idle
        return [Self.answer(LegacyDFU.Code.receive, .legacyFailed)]
    }

    mutating func restarted() { (phase, firmware, receiptPeriod) = (.idle, [], 0) }
}
