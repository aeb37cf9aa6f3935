// SPDX-License-Identifier: MIT

/// All known commands by opcode, for traces and for a simulated controller.
package enum HCICommandCatalog {
    /// Every command type, in the order of the opcodes.
    package static let all: [any HCICommand.Type] = [
        HCIDisconnect.self,
        HCIReadRemoteVersionInformation.self,
        HCISetEventMask.self,
        HCIReset.self,
        HCIReadTransmitPowerLevel.self,
        HCIReadLocalVersionInformation.self,
        HCIReadLocalSupportedCommands.self,
        HCIReadLocalSupportedFeatures.self,
        HCIReadBDADDR.self,
        HCIReadRSSI.self,
        LESetEventMask.self,
        LEReadBufferSize.self,
        LEReadLocalSupportedFeatures.self,
        LESetRandomAddress.self,
        LESetAdvertisingParameters.self,
        LEReadAdvertisingPhysicalChannelTxPower.self,
        LESetAdvertisingData.self,
        LESetScanResponseData.self,
        LESetAdvertisingEnable.self,
        LESetScanParameters.self,
        LESetScanEnable.self,
        LECreateConnection.self,
        LECreateConnectionCancel.self,
        LEReadFilterAcceptListSize.self,
        LEClearFilterAcceptList.self,
        LEAddDeviceToFilterAcceptList.self,
        LERemoveDeviceFromFilterAcceptList.self,
        LEConnectionUpdate.self,
        LEReadChannelMap.self,
        LEReadRemoteFeatures.self,
        LEReadSupportedStates.self,
        LERemoteConnectionParameterRequestReply.self,
        LERemoteConnectionParameterRequestNegativeReply.self,
        LESetDataLength.self,
        LEReadSuggestedDefaultDataLength.self,
        LEWriteSuggestedDefaultDataLength.self,
        LEReadMaximumDataLength.self,
        LEReadPHY.self,
        LESetDefaultPHY.self,
        LESetPHY.self,
        LESetAdvertisingSetRandomAddress.self,
        LESetExtendedAdvertisingParameters.self,
        LESetExtendedAdvertisingData.self,
        LESetExtendedScanResponseData.self,
        LESetExtendedAdvertisingEnable.self,
        LEReadMaximumAdvertisingDataLength.self,
        LEReadNumberOfSupportedAdvertisingSets.self,
        LERemoveAdvertisingSet.self,
        LEClearAdvertisingSets.self,
        LESetExtendedScanParameters.self,
        LESetExtendedScanEnable.self,
        LEExtendedCreateConnection.self,
        LEReadTransmitPower.self,
        LESubrateRequest.self,
    ]

    private static let byOpcode: [HCIOpcode: any HCICommand.Type] = {
        var types: [HCIOpcode: any HCICommand.Type] = [:]
        for type in all { types[type.opcode] = type }
        return types
    }()

    /// The type of the command with that opcode; `nil` if it is unknown.
    package static func type(of opcode: HCIOpcode) -> (any HCICommand.Type)? { byOpcode[opcode] }

    /// The command in a packet; `nil` if the opcode is unknown. Throws if the parameters are malformed.
    package static func command(in packet: HCICommandPacket) throws(DecodeError) -> (any HCICommand)? {
        guard let type = byOpcode[packet.opcode] else { return nil }
        return try decode(type, packet.parameters)
    }

    private static func decode<Command: HCICommand>(
        _ type: Command.Type,
        _ parameters: [UInt8]
    ) throws(DecodeError) -> any HCICommand {
        try Command(decoding: parameters)
    }

    /// A short description of a command's return parameters; hexadecimal if they are unknown or malformed, without
    /// secrets.
    static func returnDetails(of opcode: HCIOpcode, _ bytes: [UInt8]) -> String {
        guard !bytes.isEmpty else { return "" }
        guard let type = byOpcode[opcode], let details = details(type, bytes) else {
            return HCISecrets.text(answerTo: opcode, bytes)
        }
        return details
    }

    private static func details<Command: HCICommand>(_ type: Command.Type, _ bytes: [UInt8]) -> String? {
        (try? Command.returnParameters(decoding: bytes))?.details
    }
}

extension HCICommandPacket: CustomStringConvertible {
    /// The command's name and parameters on one line; hexadecimal if the command is unknown or malformed, without
    /// secrets.
    package var description: String {
        do {
            if let command = try HCICommandCatalog.command(in: self) { return command.description }
            return parameters.isEmpty ? "\(opcode)" : "\(opcode): \(HCISecrets.text(command: opcode, parameters))"
        } catch {
            return "\(opcode): malformed (\(error)): \(HCISecrets.text(command: opcode, parameters))"
        }
    }
}

extension HCIOpcode: CustomStringConvertible {
    /// The command's name in the specification; `command 0x2099` for an unknown one.
    package var description: String {
        if self == .none { return "no command" }
        return HCICommandCatalog.type(of: self)?.name ?? "command 0x" + Hex.string(rawValue, minimumDigits: 4)
    }
}

extension CommandCompleteEvent {
    package var details: String {
        guard let status else { return "\(opcode)" }
        let returned = HCICommandCatalog.returnDetails(of: opcode, Array(returnParameters.dropFirst()))
        guard status == .success, !returned.isEmpty else { return "\(opcode): \(status)" }
        return "\(opcode): \(status), \(returned)"
    }
}
