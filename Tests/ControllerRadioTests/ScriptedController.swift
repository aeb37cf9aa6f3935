// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

@testable import ControllerRadio

/// A controller at the other end of a transport: it answers commands by a table, connects when it is asked to, and
/// answers ATT requests by an error. Everything that it is sent is kept.
final class ScriptedController: PacketChannel {
    private struct State {
        var reader = H4Reader()
        var sent: [[UInt8]] = []
        /// The number of octets of each piece that it sends; packets have no borders in a stream.
        var pieceLength = 5
    }

    /// The handle of its links to the devices that it reaches; others never answer.
    static let handle: ConnectionHandle = 0x0040
    static let absent = DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_99), .random)

    private let octets = PacketQueue(limit: 100_000, overflow: .dropOldest)
    private let state = Mutex(State())
    /// The commands that it does not know.
    private let unknown: Set<HCIOpcode>
    /// Whether it answers nothing.
    private let isHanging: Bool
    /// Whether it gives the buffers of packets back.
    private let completesPackets: Bool
    /// Whether the device answers ATT requests.
    private let answersRequests: Bool
    /// Its answer to the question for its version.
    private let version: [UInt8]
    /// The device at the other end of its links: what it answers to a frame that is none of ATT, and what it sends when the
    /// link is encrypted (`nil`).
    private let device: @Sendable (L2CAPFrame?) -> [L2CAPFrame]

    init(
        refusing unknown: Set<HCIOpcode> = [],
        isHanging: Bool = false,
        completesPackets: Bool = true,
        answersRequests: Bool = true,
        version: [UInt8] = [0x0C, 0, 0, 0x0C, 0x0F, 0x00, 0, 0],
        device: @escaping @Sendable (L2CAPFrame?) -> [L2CAPFrame] = { _ in [] }
    ) {
        self.unknown = unknown
        self.isHanging = isHanging
        self.completesPackets = completesPackets
        self.answersRequests = answersRequests
        self.version = version
        self.device = device
    }

    func receive() async throws(RadioError) -> [UInt8] { try await octets.next() }
    var droppedCount: Int { octets.droppedCount }
    func drained() async throws(RadioError) {}
    func close() { octets.finish(RadioError(.closedLocally, during: "script")) }

    /// The transport ends.
    func end() { octets.finish(RadioError(.controllerGone, during: "script")) }

    /// The commands that it was sent.
    var commands: [HCIOpcode] {
        state.withLock { state in
            state.sent.compactMap { packet in
                guard case .command(let command)? = try? HCIPacket(decoding: packet) else { return nil }
                return command.opcode
            }
        }
    }

    /// The payloads on the ATT channel that it was sent.
    var requests: [[UInt8]] {
        state.withLock { state in
            state.sent.compactMap { packet in
                guard case .acl(let packet)? = try? HCIPacket(decoding: packet),
                    let frame = try? L2CAPFrame(decoding: packet.data), frame.channel == .att
                else { return nil }
                return frame.payload
            }
        }
    }

    func send(_ packet: [UInt8]) throws(RadioError) {
        let packets = state.withLock { state in
            let packets = (try? state.reader.append(packet)) ?? []
            state.sent += packets
            return packets
        }
        for packet in packets {
            switch try? HCIPacket(decoding: packet) {
            case .command(let command)?: answer(command)
            case .acl(let packet)?:
                if completesPackets { say(NumberOfCompletedPacketsEvent([.init(packet.connection, count: 1)])) }
                guard let frame = try? L2CAPFrame(decoding: packet.data), let opcode = frame.payload.first else {
                    continue
                }
                guard frame.channel == .att else {
                    for answer in device(frame) { pass(answer) }
                    continue
                }
                if answersRequests { pass(L2CAPFrame(.att, [0x01, opcode, 0x01, 0x00, 0x0A])) }
            default: break
            }
        }
    }

    /// Sends octets.
    func say(_ packet: [UInt8]) {
        let length = state.withLock { $0.pieceLength }
        for start in stride(from: 0, to: packet.count, by: length) {
            octets.push(Array(packet[start..<min(packet.count, start + length)]))
        }
    }

    func say(_ event: some HCIEventParameters) { say(packet(event)) }

    /// Sends a frame of the device.
    func pass(_ frame: L2CAPFrame) {
        say(HCIPacket.acl(HCIACLPacket(frame, on: Self.handle, isFromHost: false)).encoded())
    }

    private func answer(_ command: HCICommandPacket) {
        guard !isHanging else { return }
        guard !unknown.contains(command.opcode) else {
            return say(CommandCompleteEvent(command.opcode, failed: .unknownHCICommand))
        }
        switch command.opcode {
        case LECreateConnection.opcode:
            say(CommandStatusEvent(command.opcode, status: .success))
            guard let create = try? LECreateConnection(decoding: command.parameters), create.peer != Self.absent else {
                return
            }
            say(connected(Self.handle, to: create.peer))
        case LECreateConnectionCancel.opcode:
            say(CommandCompleteEvent(opcode: command.opcode, returnParameters: [0x00]))
            say(connected(0, to: Self.absent, status: .unknownConnectionIdentifier))
        case LEEnableEncryption.opcode:
            say(CommandStatusEvent(command.opcode, status: .success))
            say(EncryptionChangeEvent(Self.handle, encryption: 1))
            for frame in device(nil) { pass(frame) }
        case HCIDisconnect.opcode:
            say(CommandStatusEvent(command.opcode, status: .success))
            say(DisconnectionCompleteEvent(Self.handle, reason: .connectionTerminatedByLocalHost))
        default:
            let parameters: [UInt8] =
                switch command.opcode {
                case HCIReadLocalVersionInformation.opcode: version
                case HCIReadBDADDR.opcode: lamp.address.encoded()
                case LEReadBufferSize.opcode: [251, 0, 2]
                case LEReadFilterAcceptListSize.opcode: [4]
                case HCIReadRSSI.opcode: [0x40, 0x00, 0xC4]
                default: [UInt8](repeating: 0, count: 8)
                }
            // Features without Low Energy would not do.
            let unlisted = [HCIReadLocalSupportedCommands.opcode, HCIReadLocalSupportedFeatures.opcode]
            guard !unlisted.contains(command.opcode) else {
                return say(CommandCompleteEvent(command.opcode, failed: .unknownHCICommand))
            }
            say(CommandCompleteEvent(opcode: command.opcode, returnParameters: [0x00] + parameters))
        }
    }
}
