// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// Asks a controller what it is. The kernel lets everyone ask for the version, but only who has CAP_NET_RAW for LE features.
struct ControllerQuestions {
    let channel: HCISocketChannel
    let time: any TimeSource

    private static let patience = Duration.seconds(1)
    private static let readLocalVersionInformation = HCIOpcode(.informational, 0x001)
    private static let readLELocalSupportedFeatures = HCIOpcode(.leController, 0x003)

    /// Fills in what the controller of an adapter tells; leaves `nil` what it does not.
    static func complete(_ adapter: inout AdapterDescription, on ioThread: IOThread, _ time: any TimeSource) async {
        guard let channel = try? HCISocketChannel(adapter: adapter.index, for: .questions, on: ioThread) else { return }
        defer { channel.close() }
        await ControllerQuestions(channel: channel, time: time).complete(&adapter)
    }

    func complete(_ adapter: inout AdapterDescription) async {
        if let answer = await ask(Self.readLocalVersionInformation) {
            var reader = ByteReader(answer)
            adapter.hciVersion = try? reader.uint8("HCI_Version")
            _ = try? reader.uint16("HCI_Subversion")
            _ = try? reader.uint8("LMP_Version")
            adapter.manufacturer = try? reader.uint16("Company_Identifier")
        }
        if let answer = await ask(Self.readLELocalSupportedFeatures) {
            var reader = ByteReader(answer)
            adapter.leFeatures = try? reader.uint64("LE_Features")
        }
    }

    /// What a command without parameters returns behind its status; `nil` if it is refused, or not answered in time.
    private func ask(_ opcode: HCIOpcode) async -> [UInt8]? {
        do {
            try channel.send(HCIPacket.command(HCICommandPacket(opcode, parameters: [])).encoded())
            return try await withDeadline(time.now + Self.patience, time, operation: "answer of the controller") {
                try await answer(to: opcode)
            }
        } catch {
            return nil
        }
    }

    /// The channel shows the answers to everyone's commands.
    private func answer(to opcode: HCIOpcode) async throws -> [UInt8]? {
        while true {
            guard case .event(let packet)? = try? HCIPacket(decoding: try await channel.receive()) else { continue }
            switch try? HCIEvent(packet) {
            case .commandComplete(let event) where event.opcode == opcode:
                return event.status == .success ? Array(event.returnParameters.dropFirst()) : nil
            case .commandStatus(let event) where event.opcode == opcode:
                return nil
            default: continue
            }
        }
    }
}
