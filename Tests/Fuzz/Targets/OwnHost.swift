// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

@testable import ControllerRadio

/// Our own host on a controller that sends anything: each step is octets of its stream, or something that this side does.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var played = OwnHost()
    var steps = 0
    while steps < 512, let step = input.step() {
        steps += 1
        played.play(step.kind, step.bytes)
        guard !played.isOver else { return }
    }
}

/// A host with what it has been told and has said.
private struct OwnHost {
    // The same numbers each time, so that a finding can be played again.
    private var machine = HostMachine(
        randomAddress: BluetoothAddress(rawValue: 0xC0_00_00_00_00_01),
        random: PairingRandom { count in [UInt8](repeating: 7, count: count) }
    )
    private var reader = H4Reader()
    private var now = Instant.zero
    private var lastAttempt: UInt64 = 0
    private var open: Set<AttemptID> = []
    private var raisings: Set<RaisingID> = []
    private var packetLength = 0
    private var steps = 0
    /// Whether the controller cannot be understood, or used, any more.
    private(set) var isOver = false

    init() { take(machine.begin(now: now)) }

    mutating func play(_ kind: UInt8, _ bytes: [UInt8]) {
        steps += 1
        // A pairing with Secure Connections takes tens of milliseconds here.
        if steps > 96 { machine.security.keys.secureConnections = .off }
        let handle = ConnectionHandle(rawValue: UInt16(bytes.first ?? 0))
        let device = DeviceAddress(BluetoothAddress(rawValue: UInt64(bytes.first ?? 0)), .public)
        switch kind & 0x0F {
        case 0:
            lastAttempt += 1
            open.insert(AttemptID(rawValue: lastAttempt))
            take(machine.connect(AttemptID(rawValue: lastAttempt), to: device, now: now))
        case 1:
            let id = AttemptID(rawValue: UInt64(bytes.first ?? 0))
            open.remove(id)
            take(machine.abandon(id, now: now))
        case 2: take(machine.send(L2CAPFrame(.att, bytes), on: handle))
        case 3: take(machine.end(handle, now: now))
        case 4:
            guard let command = try? HCICommandPacket(decoding: bytes), !machine.commands.isFull else { return }
            take(machine.submit(command, from: ChannelID(rawValue: 1), now: now))
        case 5:
            now = max(now, machine.nextDeadline ?? now)
            take(machine.timerFired(now: now))
        case 6: take(machine.manage(bytes, from: ChannelID(rawValue: 2), now: now))
        case 7:
            lastAttempt += 1
            let id = RaisingID(rawValue: lastAttempt)
            raisings.insert(id)
            take(machine.raise(handle, to: SecurityLevel(rawValue: (bytes.last ?? 0) % 4 + 1) ?? .low, id, now: now))
        default:
            do throws(H4Reader.SynchronizationLost) {
                for packet in try reader.append(bytes) { take(machine.received(packet, now: now)) }
            } catch {
                isOver = true
            }
        }
        check(machine.links.count <= HostMachine.linkLimit, "links without end")
    }

    private mutating func take(_ actions: [HostAction]) {
        for action in actions {
            switch action {
            case .ready(let facts): packetLength = facts.packetLength
            case .transmit(let packet):
                guard let sent = try? HCIPacket(decoding: packet) else {
                    check(false, "what is sent is no packet")
                    return
                }
                switch sent {
                case .command: break
                case .acl(let data): check(data.data.count <= packetLength, "data that the controller has no room for")
                case .event, .other: check(false, "a host sends no event")
                }
            case .attemptEnded(let id, _): check(open.remove(id) != nil, "an attempt ends twice, or was none")
            case .failed: isOver = true
            case .raised(let id, _): check(raisings.remove(id) != nil, "the security of a link is raised twice")
            case .showCommand, .showEvent, .showPairing, .endChannel, .manage, .linkBegan, .received, .drained,
                .linkEnded:
                break
            }
        }
    }
}
