// SPDX-License-Identifier: MIT

import Bluetooth

@testable import ControllerRadio

let strap = DeviceAddress(BluetoothAddress(rawValue: 0xC8_4B_1D_3A_90_5E), .random)
let lamp = DeviceAddress(BluetoothAddress(rawValue: 0x00_1A_7D_DA_71_13), .public)

extension Instant {
    /// That many milliseconds after the beginning.
    static func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }
}

extension ControllerFacts {
    /// A controller with these optional commands and features.
    static func typical(
        _ commands: [any HCICommand.Type] = [],
        features: LEFeatures = [],
        version: UInt8 = 0x09,
        acceptList: Int = 8
    ) -> ControllerFacts {
        var facts = ControllerFacts()
        facts.commands = HCISupportedCommands(commands)
        facts.leFeatures = features
        facts.hciVersion = BluetoothVersion(rawValue: version)
        facts.publicAddress = BluetoothAddress(rawValue: 1)
        facts.packetLength = 27
        facts.packetCount = 2
        facts.acceptListSize = acceptList
        return facts
    }
}

func connected(
    _ handle: ConnectionHandle,
    to device: DeviceAddress,
    as role: LERole = .central,
    status: HCIStatus = .success
) -> LEConnectionCompleteEvent {
    LEConnectionCompleteEvent(
        status: status,
        handle,
        role: role,
        peer: device,
        interval: LEInterval(rawValue: 0x18),
        latency: 0,
        supervisionTimeout: LEInterval(rawValue: 0x2A)
    )
}

/// An event as the controller sends it.
func packet(_ event: some HCIEventParameters) -> [UInt8] { HCIPacket.event(event.packet).encoded() }

/// The answer to a command that has succeeded, with its return parameters.
func answer(_ opcode: HCIOpcode, _ parameters: [UInt8] = [], credits: UInt8 = 1) -> HCIEvent {
    .known(CommandCompleteEvent(commandPackets: credits, opcode: opcode, returnParameters: [0x00] + parameters))
}

func status(_ opcode: HCIOpcode, _ status: HCIStatus = .success, credits: UInt8 = 1) -> HCIEvent {
    .known(CommandStatusEvent(opcode, status: status, commandPackets: credits))
}
