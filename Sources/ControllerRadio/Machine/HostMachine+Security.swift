// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

// What the security of links has to do with the rest of the host.

extension HostMachine {
    mutating func manage(_ packet: [UInt8], from program: ChannelID, now: Instant) -> [HostAction] {
        changing(now) { $0.received(packet, from: program, now: now) }
    }

    mutating func ended(_ program: ChannelID, now: Instant) -> [HostAction] { changing(now) { $0.ended(program) } }

    /// Changes the security, and the addresses if its privacy has become another one.
    private mutating func changing(
        _ now: Instant,
        _ change: (inout HostSecurity) -> [HostSecurity.Action]
    ) -> [HostAction] {
        let former = security.keys.own
        let actions = perform(change(&security), now)
        return security.keys.own == former ? actions : actions + changePrivacy(now)
    }

    /// Connects with private addresses from now on, or with the controller's own.
    private mutating func changePrivacy(_ now: Instant) -> [HostAction] {
        chooseAddressType()
        return restoreAddress(now)
    }

    /// Takes the static random address again, if this host connects with it.
    mutating func restoreAddress(_ now: Instant) -> [HostAction] {
        let isOwnRandom = security.keys.own == nil && facts.ownAddressType == .random
        return isOwnRandom && addresses.random != randomAddress ? setAddress(randomAddress, now) : []
    }

    /// Private addresses are random ones.
    mutating func chooseAddressType() {
        privateSince = nil
        initiator.ownAddressType = security.keys.own == nil ? facts.ownAddressType : .random
        addresses.ownType = initiator.ownAddressType
    }

    /// Gives the controller a new private address if the present one has had its time. One that a program has set for its
    /// scan is as good.
    ///
    /// Spec: Core 5.4, Vol 3, Part C, 10.7.2 and 10.7.4
    mutating func renewAddress(_ now: Instant) -> [HostAction] {
        guard let identity = security.identity else { return [] }
        let isOurs = addresses.random.map { identity.owns(DeviceAddress($0, .random)) } ?? false
        if isOurs, now < (privateSince ?? now) + PrivateAddresses.usualLife { return [] }
        privateSince = now
        let random = UInt32(truncatingIfNeeded: security.random.number())
        return setAddress(identity.privateAddress(random: random).address, now)
    }

    private mutating func setAddress(_ address: BluetoothAddress, _ now: Instant) -> [HostAction] {
        command(LESetRandomAddress(address), now)
    }

    /// Raises the security of a link. `HostAction.raised` says the end.
    mutating func raise(
        _ handle: ConnectionHandle,
        to level: SecurityLevel,
        _ id: RaisingID,
        now: Instant
    ) -> [HostAction] {
        perform(security.raise(handle, to: level, id), now)
    }

    mutating func perform(_ actions: [HostSecurity.Action], _ now: Instant) -> [HostAction] {
        var result: [HostAction] = []
        for action in actions {
            switch action {
            case .reply(let packet, let program): result.append(.manage(packet, .reply(program)))
            case .event(let packet, let program): result.append(.manage(packet, .event(except: program)))
            case .send(let pdu, let handle):
                let frame = L2CAPFrame(.securityManager, pdu.encoded())
                result += [show(frame, on: handle, isFromHost: true)] + send(frame, on: handle)
            case .command(let packet, let handle):
                result += perform(commands.submit(packet, from: .security(handle), now: now), now)
            case .end(let handle, let reason, let cause):
                guard links[handle]?.cause == nil, links[handle] != nil else { continue }
                links[handle]?.cause = cause
                links[handle]?.end = .commanded
                result += command(HCIDisconnect(handle, reason: reason), from: .disconnect(handle), now)
            case .raised(let id, let cause): result.append(.raised(id, cause))
            }
        }
        return result
    }

    /// Shows a frame of a Security Manager to those who observe pairings.
    func show(_ frame: L2CAPFrame, on handle: ConnectionHandle, isFromHost: Bool) -> HostAction {
        .showPairing(HCIPacket.acl(HCIACLPacket(frame, on: handle, isFromHost: isFromHost)).encoded())
    }

    /// Takes an event that is about security; `nil` for others.
    mutating func securityReceived(_ event: HCIEvent, _ now: Instant) -> [HostAction]? {
        switch event {
        case .known(let event as LELongTermKeyRequestEvent): perform(security.keyRequested(event), now)
        case .known(let event as EncryptionChangeEvent):
            perform(
                security.encryptionChanged(event.connection, event.status, isOn: event.encryption != 0, now),
                now
            ) + release(event.connection, now)
        case .known(let event as EncryptionKeyRefreshCompleteEvent):
            perform(security.encryptionChanged(event.connection, event.status, isOn: true, now), now)
                + release(event.connection, now)
        default: nil
        }
    }
}
