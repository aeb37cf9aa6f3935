// SPDX-License-Identifier: GPL-2.0-or-later

/// All management commands that are known here: for traces, and for who receives one.
public enum ManagementCommandCatalog {
    /// Every command type, in the order of the opcodes.
    public static let all: [any ManagementCommand.Type] = [
        ReadManagementVersion.self, ReadControllerIndexList.self, ReadControllerInformation.self, SetPowered.self,
        SetLowEnergy.self,
    ]

    /// The command of that opcode; `nil` for one that is not known here.
    public static func type(of opcode: ManagementOpcode) -> (any ManagementCommand.Type)? {
        all.first { $0.opcode == opcode }
    }

    /// The command in a packet that goes to the kernel; `nil` for one that is not known here.
    public static func command(in packet: ManagementPacket) throws(DecodeError) -> (any ManagementCommand)? {
        guard let type = type(of: ManagementOpcode(rawValue: packet.code)) else { return nil }
        return try type.init(decoding: packet.parameters)
    }

    /// What a command returned, in a few words.
    static func returnDetails(of opcode: ManagementOpcode, _ bytes: [UInt8]) -> String {
        func details<Command: ManagementCommand>(_ type: Command.Type) -> String {
            do throws(DecodeError) {
                return try type.returnParameters(decoding: bytes).details
            } catch {
                return "malformed (\(error)): \(Hex.string(bytes))"
            }
        }
        guard let type = type(of: opcode) else { return Hex.string(bytes) }
        return details(type)
    }

    /// A packet that went to the kernel, on one line; hexadecimal where it is unknown or malformed.
    public static func describe(sent packet: ManagementPacket) -> String {
        let what: String
        do throws(DecodeError) {
            what = try command(in: packet)?.description ?? unknown(packet, "command")
        } catch {
            what = "\(ManagementOpcode(rawValue: packet.code)): malformed (\(error)): \(Hex.string(packet.parameters))"
        }
        return "\(packet.adapter) \(what)"
    }

    /// A packet that came from the kernel, on one line; hexadecimal where it is unknown or malformed.
    public static func describe(received packet: ManagementPacket) -> String {
        let what: String
        do throws(DecodeError) {
            let event = try ManagementEvent(packet)
            what = event.parameters?.description ?? unknown(packet, "event")
        } catch {
            what =
                "event 0x\(Hex.string(packet.code, minimumDigits: 4)): malformed (\(error)): "
                + Hex.string(packet.parameters)
        }
        return "\(packet.adapter) \(what)"
    }

    private static func unknown(_ packet: ManagementPacket, _ kind: String) -> String {
        "\(kind) 0x\(Hex.string(packet.code, minimumDigits: 4)): \(Hex.string(packet.parameters))"
    }
}
