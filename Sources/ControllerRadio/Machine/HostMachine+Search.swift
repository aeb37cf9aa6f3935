// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

// Devices with private addresses, and the scan by which they are found.

extension HostMachine {
    /// Begins an attempt to connect. A bonded device with private addresses is looked for, unless the controller
    /// recognises it.
    mutating func connect(_ id: AttemptID, to device: DeviceAddress, now: Instant) -> [HostAction] {
        // As the attempts that the failure of the controller has ended.
        guard !isSettingUp else { return [.attemptEnded(id, Self.failed)] }
        let wanted = DeviceAddress(device.address, device.type.connectionType)
        let identities = security.keys.identities
        guard search.isPrivate(wanted, among: identities), !resolving.recognises(wanted) else {
            return perform(initiator.connect(id, to: device), now)
        }
        let changes = resolving.commands(for: wanted, among: identities).flatMap { change($0, now) }
        return changes + perform(search.connect(id, to: wanted, now: now), now)
    }

    private mutating func change(_ change: (HCICommandPacket, ResolvingList.Change), _ now: Instant) -> [HostAction] {
        perform(commands.submit(change.0, from: .resolving(change.1), now: now), now)
    }

    /// Ends an attempt to connect; it does not end with an action then.
    mutating func abandon(_ id: AttemptID, now: Instant) -> [HostAction] {
        perform(initiator.abandon(id), now) + perform(search.ended(id), now)
    }

    /// Takes reports of advertisers, if there are devices with private addresses.
    mutating func heard(_ packet: HCIEventPacket, now: Instant) -> [HostAction] {
        let identities = security.keys.identities
        guard !identities.isEmpty, packet.code == .leMeta, let event = try? HCIEvent(packet) else { return [] }
        let reports: [AdvertisingReport] =
            switch event {
            case .known(let event as LEAdvertisingReportEvent): event.reports
            case .known(let event as LEExtendedAdvertisingReportEvent): event.reports
            default: []
            }
        if reports.contains(where: { $0.address.type != $0.address.type.connectionType }) { resolving.resolved() }
        return reports.filter { $0.properties.contains(.connectable) }.flatMap { report in
            perform(search.heard(report.address, knowing: identities, now: now), now)
        }
    }

    mutating func perform(_ actions: [PrivateSearch.Action], _ now: Instant) -> [HostAction] {
        var result: [HostAction] = []
        for action in actions {
            switch action {
            case .connect(let id, let address): result += perform(initiator.connect(id, to: address), now)
            case .abandon(let id): result += perform(initiator.abandon(id), now)
            case .listen(let isOn): result += listen(isOn, now)
            }
        }
        return result
    }

    /// Listens for advertisers, unless a program does so already.
    private mutating func listen(_ isOn: Bool, _ now: Instant) -> [HostAction] {
        guard isOn != isListening, !isOn || !isScannedByProgram else { return [] }
        isListening = isOn
        let isExtended = facts.lists(LESetExtendedScanEnable.self)
        guard isOn else {
            return isExtended
                ? command(LESetExtendedScanEnable(isEnabled: false), now)
                : command(LESetScanEnable(isEnabled: false), now)
        }
        let time = LEInterval<625>(.milliseconds(60))
        guard isExtended else {
            return command(
                LESetScanParameters(
                    type: .passive,
                    interval: time,
                    window: time,
                    ownAddressType: facts.ownAddressType
                ),
                now
            ) + command(LESetScanEnable(isEnabled: true), now)
        }
        return command(
            LESetExtendedScanParameters(
                ownAddressType: facts.ownAddressType,
                le1M: .init(type: .passive, interval: time, window: time)
            ),
            now
        ) + command(LESetExtendedScanEnable(isEnabled: true), now)
    }

    /// A program begins to scan, which the controller would refuse while this host does; both get the reports. The
    /// program sees the addresses that are on the air.
    mutating func makeRoom(for packet: HCICommandPacket, _ now: Instant) -> [HostAction] {
        let scans = [
            LESetScanParameters.opcode, LESetScanEnable.opcode, LESetExtendedScanParameters.opcode,
            LESetExtendedScanEnable.opcode, LESetRandomAddress.opcode,
        ]
        guard scans.contains(packet.opcode) else { return [] }
        let listening = isListening ? listen(false, now) : []
        // An attempt to connect by an identity would be in vain without it.
        guard initiator.attemptIDs.isEmpty, let off = resolving.off() else { return listening }
        return listening + change(off, now)
    }
}
