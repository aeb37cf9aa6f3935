// SPDX-License-Identifier: MIT

import Bluetooth

/// A simulated boot loader with Secure DFU, which takes applications and does not look at signatures.
///
/// Spec: nRF5 SDK 17, DFU Protocol
struct SecureBootLoader: BootLoader {
    /// The most octets of an init packet.
    private static let commandSize = 512

    let size: Int
    let objectSize: Int
    let eraseTime: Duration
    /// The object to which packets belong.
    private var object = SecureDFU.Object.command
    private var command: [UInt8] = []
    private var commandLength = 0
    /// What the firmware has to be; `nil` before the init packet was taken.
    private var start: SecureInitPacket?
    private var firmware: [UInt8] = []
    private var kept = 0
    /// The end of the present object.
    private var end = 0
    private var hasFailed = false

    init(size: Int, objectSize: Int, eraseTime: Duration) {
        (self.size, self.objectSize, self.eraseTime) = (size, objectSize, eraseTime)
    }

    var received: Int? { object == .data && firmware.count < end ? firmware.count : nil }

    private static func answer(_ order: UInt8, _ refusal: DFURefusal? = nil, _ rest: [UInt8] = []) -> BootLoaderReply {
        .answer(SecureDFU.Code.answer, to: order, refusal, rest)
    }

    mutating func order(_ octets: [UInt8]) -> [BootLoaderReply] {
        guard let order = octets.first else { return [] }
        if hasFailed {
            hasFailed = false
            return [Self.answer(order, .secureFailed)]
        }
        var reader = ByteReader(octets[1...])
        switch order {
        case SecureDFU.Code.receipts: return [Self.answer(order)]
        case SecureDFU.Code.select:
            guard let object = (try? reader.uint8("object")).flatMap(SecureDFU.Object.init) else {
                return [Self.answer(order, .secureInvalidParameter)]
            }
            self.object = object
            let limit = object == .command ? Self.commandSize : objectSize
            return [Self.answer(order, nil, Self.octets(limit) + state)]
        case SecureDFU.Code.create:
            guard let object = (try? reader.uint8("object")).flatMap(SecureDFU.Object.init),
                let length = try? reader.uint32("length"), length > 0
            else { return [Self.answer(order, .secureInvalidParameter)] }
            return create(object, Int(length))
        case SecureDFU.Code.checksum: return [Self.answer(order, nil, state)]
        case SecureDFU.Code.execute: return object == .command ? executeCommand() : executeData()
        default: return [Self.answer(order, .secureNotSupported)]
        }
    }

    mutating func packet(_ octets: [UInt8]) -> [BootLoaderReply] {
        switch object {
        case .command: command += octets.prefix(max(0, commandLength - command.count))
        case .data: firmware += octets.prefix(max(0, end - firmware.count))
        }
        return []
    }

    mutating func fail() -> [BootLoaderReply] {
        hasFailed = true
        return []
    }

    /// An object that was not kept is gone.
    mutating func restarted() {
        (firmware, end, hasFailed) = (Array(firmware.prefix(kept)), kept, false)
        object = .command
    }

    /// How much there is of the selected object, and its sum.
    private var state: [UInt8] {
        let contents = object == .command ? command : firmware
        return Self.octets(contents.count) + Self.octets(Int(Checksum.crc32(contents)))
    }

    private static func octets(_ number: Int) -> [UInt8] {
        var writer = ByteWriter()
        writer.uint32(UInt32(truncatingIfNeeded: number))
        return writer.bytes
    }

    private var total: Int { start?.sizes.application ?? 0 }

    private mutating func create(_ object: SecureDFU.Object, _ length: Int) -> [BootLoaderReply] {
        let order = SecureDFU.Code.create
        switch object {
        case .command:
            guard length <= Self.commandSize else { return [Self.answer(order, .secureInvalidParameter)] }
            (command, commandLength, start) = ([], length, nil)
            (firmware, kept, end) = ([], 0, 0)
            self.object = .command
            return [Self.answer(order)]
        case .data:
            guard start != nil else { return [Self.answer(order, .secureNotPermitted)] }
            // All objects but the last one have the same length.
            guard length == min(objectSize, total - kept) else {
                return [Self.answer(order, .secureInvalidParameter)]
            }
            firmware = Array(firmware.prefix(kept))
            end = kept + length
            self.object = .data
            guard kept == 0 else { return [Self.answer(order)] }
            return [.replacesApplication, .work(eraseTime), Self.answer(order)]
        }
    }

    private mutating func executeCommand() -> [BootLoaderReply] {
        let order = SecureDFU.Code.execute
        guard let packet = try? SecureInitPacket(command) else { return [Self.answer(order, .secure(extended: 4))] }
        // What it has besides the application is as new as anything.
        guard packet.kind == .application else { return [Self.answer(order, .secureNotNewer)] }
        guard packet.hash != nil, packet.sizes.application > 0 else {
            return [Self.answer(order, .secure(extended: 4))]
        }
        guard packet.sizes.application <= size else { return [Self.answer(order, .secure(extended: 13))] }
        start = packet
        return [Self.answer(order)]
    }

    private mutating func executeData() -> [BootLoaderReply] {
        let order = SecureDFU.Code.execute
        guard let start, firmware.count == end else { return [Self.answer(order, .secureNotPermitted)] }
        kept = end
        guard kept == total else { return [Self.answer(order)] }
        guard SHA256.hash(firmware) == start.hash else {
            (firmware, kept, end) = ([], 0, 0)
            return [Self.answer(order, .secureInvalidObject)]
        }
        return [Self.answer(order), .install(firmware, version: start.version)]
    }
}
