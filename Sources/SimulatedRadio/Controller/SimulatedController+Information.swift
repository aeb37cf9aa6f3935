// SPDX-License-Identifier: MIT

import Bluetooth

extension SimulatedController {
    private static let acceptListSize = 16

    /// The transmit power at the antenna, in dBm.
    static let txPower: Int8 = 8

    /// The commands that this controller supports. Initiating a connection is missing, because only the kernel does
    /// that.
    static func commands(of profile: ControllerProfile) -> [any HCICommand.Type] {
        var types: [any HCICommand.Type] = [
            HCIDisconnect.self, HCIReadRemoteVersionInformation.self, HCISetEventMask.self, HCIReset.self,
            HCIReadLocalVersionInformation.self, HCIReadLocalSupportedCommands.self,
            HCIReadLocalSupportedFeatures.self, HCIReadBDADDR.self, HCIReadRSSI.self, HCIReadTransmitPowerLevel.self,
            LESetEventMask.self,
            LEReadBufferSize.self, LEReadLocalSupportedFeatures.self, LESetRandomAddress.self,
            LESetScanParameters.self, LESetScanEnable.self, LEReadFilterAcceptListSize.self,
            LEClearFilterAcceptList.self, LEAddDeviceToFilterAcceptList.self, LERemoveDeviceFromFilterAcceptList.self,
            LEConnectionUpdate.self, LEReadChannelMap.self, LEReadRemoteFeatures.self, LEReadTransmitPower.self,
            LESetAdvertisingParameters.self, LESetAdvertisingData.self, LESetScanResponseData.self,
            LESetAdvertisingEnable.self, LEReadAdvertisingPhysicalChannelTxPower.self,
        ]
        if profile.leFeatures.contains(.dataPacketLengthExtension) {
            types += [LESetDataLength.self, LEReadMaximumDataLength.self]
        }
        if profile.leFeatures.contains(.le2MPHY) { types += [LEReadPHY.self, LESetPHY.self] }
        if profile.leFeatures.contains(.extendedAdvertising) {
            types += [
                LESetExtendedScanParameters.self, LESetExtendedScanEnable.self,
                LESetExtendedAdvertisingParameters.self, LESetExtendedAdvertisingData.self,
                LESetExtendedScanResponseData.self, LESetExtendedAdvertisingEnable.self,
                LESetAdvertisingSetRandomAddress.self, LERemoveAdvertisingSet.self, LEClearAdvertisingSets.self,
                LEReadNumberOfSupportedAdvertisingSets.self, LEReadMaximumAdvertisingDataLength.self,
            ]
        }
        return types
    }

    /// Performs commands that ask for the controller's properties; `nil` for other commands.
    func inform(_ command: any HCICommand) -> [Action]? {
        switch command {
        case is HCIReadLocalVersionInformation:
            let version = HCIReadLocalVersionInformation.ReturnParameters(
                hciVersion: profile.hciVersion,
                hciSubversion: 0,
                lmpVersion: profile.hciVersion,
                company: profile.manufacturer,
                lmpSubversion: profile.lmpSubversion
            )
            return [complete(HCIReadLocalVersionInformation.self, version)]
        case is HCIReadLocalSupportedCommands:
            let table = HCISupportedCommands(Self.commands(of: profile))
            return [complete(HCIReadLocalSupportedCommands.self, table)]
        case is HCIReadLocalSupportedFeatures:
            return [complete(HCIReadLocalSupportedFeatures.self, .init(features: profile.lmpFeatures))]
        case is HCIReadBDADDR:
            return [complete(HCIReadBDADDR.self, .init(profile.address))]
        case is LEReadLocalSupportedFeatures:
            return [complete(LEReadLocalSupportedFeatures.self, profile.leFeatures)]
        case is LEReadBufferSize:
            // A packet has at most 251 octets (Core 5.4, Vol 6, Part B, 4.5.10); `DelayLine` holds eight.
            return [complete(LEReadBufferSize.self, .init(packetLength: 251, packetCount: 8))]
        case is LEReadTransmitPower:
            return [complete(LEReadTransmitPower.self, .init(minimum: -20, maximum: Self.txPower))]
        case is LEReadMaximumDataLength:
            // The time of 251 octets with preamble, access address, header, MIC and CRC on LE 1M: (251 + 14) × 8 µs.
            let longest = LEDataLength(octets: 251, microseconds: 2_120)
            return [complete(LEReadMaximumDataLength.self, .init(transmit: longest, receive: longest))]
        default:
            return nil
        }
    }

    /// Performs commands that change the controller's settings, except scanning; `nil` for other commands.
    mutating func configure(_ command: any HCICommand) -> [Action]? {
        switch command {
        case let command as HCIReset:
            self = SimulatedController(profile)
            // The answer comes last: the host takes it for the end of the reset.
            return [.stopScanning, .reset, complete(command)]
        case let command as HCISetEventMask:
            // Only the kernel sets masks. The simulated controller sends all events.
            return [complete(command)]
        case let command as LESetEventMask:
            return [complete(command)]
        case let command as LESetRandomAddress:
            // Extended sets have addresses of their own. Spec: Core 5.4, Vol 4, Part E, 7.8.4
            guard !scan.isEnabled, !advertising.legacy.isEnabled else {
                return refuse(LESetRandomAddress.opcode, .commandDisallowed)
            }
            randomAddress = command.address
            return [complete(command)]
        case is LEReadFilterAcceptListSize:
            return [complete(LEReadFilterAcceptListSize.self, .init(size: UInt8(Self.acceptListSize)))]
        case let command as LEClearFilterAcceptList:
            guard !usesAcceptList else { return refuse(LEClearFilterAcceptList.opcode, .commandDisallowed) }
            acceptList = []
            return [complete(command)]
        case let command as LEAddDeviceToFilterAcceptList:
            return add(command)
        case let command as LERemoveDeviceFromFilterAcceptList:
            guard !usesAcceptList else { return refuse(LERemoveDeviceFromFilterAcceptList.opcode, .commandDisallowed) }
            acceptList.removeAll { $0 == command.device }
            return [complete(command)]
        default:
            return nil
        }
    }

    /// Adds a device to the filter accept list.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.16
    private mutating func add(_ command: LEAddDeviceToFilterAcceptList) -> [Action] {
        guard !usesAcceptList else { return refuse(LEAddDeviceToFilterAcceptList.opcode, .commandDisallowed) }
        if !acceptList.contains(command.device) {
            guard acceptList.count < Self.acceptListSize else {
                return refuse(LEAddDeviceToFilterAcceptList.opcode, .memoryCapacityExceeded)
            }
            acceptList.append(command.device)
        }
        return [complete(command)]
    }

    /// Whether a running scan or a set on the air uses the filter accept list, which must not change meanwhile.
    private var usesAcceptList: Bool {
        switch scan.filterPolicy {
        case .all, .allAndUnresolvedDirected: advertising.usesAcceptList
        case .acceptList, .acceptListAndUnresolvedDirected: scan.isEnabled || advertising.usesAcceptList
        }
    }
}
