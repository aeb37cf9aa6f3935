// SPDX-License-Identifier: MIT

package import Bluetooth

/// The part of an adapter's host that has to do with pairings and keys, in the terms of the kernel's management
/// interface: its settings, its keys, and the commands about them, with the answers that Linux gives.
///
/// A simulated kernel is one, and so is a host of our own on a controller. The code above the seam therefore pairs by the
/// same commands on each radio, with the same questions, records and errors.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst; net/bluetooth/mgmt.c, net/bluetooth/smp.c
package protocol AdapterSecurity: Sendable {
    var index: ManagementIndex { get }
    var identityAddress: DeviceAddress { get }
    var settings: ManagementSettings { get set }
    var keys: AdapterKeys { get set }
    /// The device of the running pairing; `nil` if there is none.
    var pairing: DeviceAddress? { get set }
    /// The devices with which a pairing runs that no program of this machine has asked for.
    var askedBy: Set<DeviceAddress> { get set }

    /// Makes the out-of-band data of the adapter for another device. Earlier ones need not be valid any more.
    mutating func makeOutOfBandData() -> OutOfBandData.Pair
}

/// The effects of a management command, or of a change of the adapter.
package enum ManagementAction: Equatable, Sendable {
    /// Send a packet to the program that sent the command.
    case reply(ManagementPacket)
    /// Send a packet to all other programs; without a command, to all.
    case event(ManagementPacket)
    /// End links, scans and channels for this reason, because the adapter can no longer be used.
    case end(RadioError.Cause)
    case pair(PairingCommand)
    /// Give a person's answer to the running pairing.
    case answered(PairingReply)
    /// Give a person's answer to a pairing that another device has asked for.
    case answeredTo(DeviceAddress, PairingReply)
    /// Give the running pairing up.
    case endPairing(ManagementStatus)
    case disconnect(DeviceAddress)
    /// Answer a command with the devices to which there are links.
    case listConnections(ManagementPacket)
    /// Other private addresses can be resolved than before.
    case identitiesChanged
}

/// A Pair Device that was accepted, or a Security Request of a peripheral.
package struct PairingCommand: Hashable, Sendable {
    package let device: DeviceAddress
    /// The Pairing Request that the adapter sends.
    package let request: PairingFeatures
    package let demandsSecureConnections: Bool
    package let data: OutOfBandData.Pair?
    /// The command that is to be answered; `nil` if no program has asked for the pairing.
    package var packet: ManagementPacket?
}

/// A person's answer to the question of a pairing.
package enum PairingReply: Hashable, Sendable {
    case confirmed(Bool)
    case entered(UInt32?)
}

extension AdapterSecurity {
    /// Changes a setting, and reports the change.
    package mutating func set<Command: ManagementCommand>(
        _ setting: ManagementSettings,
        _ isOn: Bool,
        _ command: Command.Type,
        _ packet: ManagementPacket
    ) -> [ManagementAction] where Command.ReturnParameters == ManagementSettings {
        let before = settings
        if isOn { settings.insert(setting) } else { settings.remove(setting) }
        return complete(command, settings, packet) + (settings == before ? [] : [newSettings])
    }

    package var newSettings: ManagementAction { .event(NewSettingsEvent(settings).packet(about: index)) }

    package func complete<Command: ManagementCommand>(
        _ command: Command.Type,
        _ returned: Command.ReturnParameters,
        _ packet: ManagementPacket
    ) -> [ManagementAction] {
        [.reply(ManagementCommandCompleteEvent(command, returned).packet(about: packet.adapter))]
    }

    package func refuse(_ packet: ManagementPacket, _ status: ManagementStatus) -> [ManagementAction] {
        let opcode = ManagementOpcode(rawValue: packet.code)
        return [.reply(ManagementCommandStatusEvent(opcode, status: status).packet(about: packet.adapter))]
    }

    /// The answer to a command about a device, which repeats its address.
    package func answer(_ packet: ManagementPacket, _ status: ManagementStatus, _ device: ManagementAddress)
        -> [ManagementAction]
    {
        let event = ManagementCommandCompleteEvent(
            ManagementOpcode(rawValue: packet.code),
            status: status,
            returnParameters: device.encoded()
        )
        return [.reply(event.packet(about: packet.adapter))]
    }
}
