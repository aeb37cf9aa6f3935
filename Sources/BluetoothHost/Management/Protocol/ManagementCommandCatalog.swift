// SPDX-License-Identifier: MIT

package import Bluetooth

/// All management commands of this module, for traces and for the simulated kernel.
package enum ManagementCommandCatalog {
    /// Every command type, in the order of the opcodes.
    package static let all: [any ManagementCommand.Type] = [
        ReadManagementVersion.self, ReadControllerIndexList.self, ReadControllerInformation.self, SetPowered.self,
        SetBondable.self, SetSecureSimplePairing.self, SetLowEnergy.self, LoadLongTermKeys.self, GetConnections.self,
        SetIOCapability.self, PairDevice.self, CancelPairDevice.self, UnpairDevice.self, UserConfirmationReply.self,
        UserConfirmationNegativeReply.self, UserPasskeyReply.self, UserPasskeyNegativeReply.self,
        ReadLocalOutOfBandData.self, AddRemoteOutOfBandData.self, RemoveRemoteOutOfBandData.self, SetAdvertising.self,
        SetSecureConnections.self, SetPrivacy.self, LoadIdentityResolvingKeys.self,
        ReadLocalOutOfBandExtendedData.self,
    ]

    /// The command with that opcode; `nil` if this module does not define it.
    package static func type(of opcode: ManagementOpcode) -> (any ManagementCommand.Type)? {
        all.first { $0.opcode == opcode }
    }

    /// The command in a packet to the kernel; `nil` if this module does not define it.
    package static func command(in packet: ManagementPacket) throws(DecodeError) -> (any ManagementCommand)? {
        guard let type = type(of: ManagementOpcode(rawValue: packet.code)) else { return nil }
        return try type.init(decoding: packet.parameters)
    }

    /// The return parameters of a command, in a few words.
    static func returnDetails(of opcode: ManagementOpcode, _ bytes: [UInt8]) -> String {
        func details<Command: ManagementCommand>(_ type: Command.Type) -> String {
            do throws(DecodeError) {
                return try type.returnParameters(decoding: bytes).details
            } catch {
                return "malformed (\(error)): \(ManagementSecrets.text(command: opcode.rawValue, bytes))"
            }
        }
        guard let type = type(of: opcode) else {
            return ManagementSecrets.text(command: opcode.rawValue, bytes)
        }
        return details(type)
    }

    /// A packet to the kernel on one line; in hexadecimal if it is unknown or malformed.
    package static func describe(sent packet: ManagementPacket) -> String {
        let what: String
        let octets = ManagementSecrets.text(command: packet.code, packet.parameters)
        do throws(DecodeError) {
            what = try command(in: packet)?.description ?? unknown(packet, "command", octets)
        } catch {
            what = "\(ManagementOpcode(rawValue: packet.code)): malformed (\(error)): \(octets)"
        }
        return "\(packet.adapter) \(what)"
    }

    /// A packet from the kernel on one line; in hexadecimal if it is unknown or malformed.
    package static func describe(received packet: ManagementPacket) -> String {
        let what: String
        let octets = ManagementSecrets.text(event: packet.code, packet.parameters)
        do throws(DecodeError) {
            let event = try ManagementEvent(packet)
            what = event.parameters?.description ?? unknown(packet, "event", octets)
        } catch {
            what = "event 0x\(Hex.string(packet.code, minimumDigits: 4)): malformed (\(error)): \(octets)"
        }
        return "\(packet.adapter) \(what)"
    }

    private static func unknown(_ packet: ManagementPacket, _ kind: String, _ octets: String) -> String {
        "\(kind) 0x\(Hex.string(packet.code, minimumDigits: 4)): \(octets)"
    }
}

extension ManagementOpcode: CustomStringConvertible {
    /// The command's name; `command 0x0042` if it is unknown.
    package var description: String {
        ManagementCommandCatalog.type(of: self)?.name ?? "command 0x" + Hex.string(rawValue, minimumDigits: 4)
    }
}

extension ManagementCommandCompleteEvent {
    package var details: String {
        guard status == .success else { return "\(opcode): \(status)" }
        let returned = ManagementCommandCatalog.returnDetails(of: opcode, returnParameters)
        return returned.isEmpty ? "\(opcode)" : "\(opcode): \(returned)"
    }
}
