// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// The running device: carries PDUs between its links and its machine, and wakes the machine when it asks for it.
actor SimulatedPeripheral {
    private var machine: DeviceMachine
    private var links: [GATTServer.ClientID: SimulatedLink] = [:]
    private var timer = DeadlineTimer()
    private let time: any TimeSource
    private let scope: TaskScope

    init(_ device: SimulatedDevice, generator: SeededGenerator, time: any TimeSource, scope: TaskScope) {
        machine = DeviceMachine(device, generator: generator)
        self.time = time
        self.scope = scope
    }

    func connected(_ client: GATTServer.ClientID, over link: SimulatedLink) {
        links[client] = link
        perform(machine.connected(client, now: time.now))
    }

    func disconnected(_ client: GATTServer.ClientID) {
        links[client] = nil
        perform(machine.disconnected(client, now: time.now))
        if links.isEmpty { timer.stop() }
    }

    func received(_ bytes: [UInt8], from client: GATTServer.ClientID) {
        perform(machine.pduReceived(bytes, from: client, now: time.now))
    }

    private func timerFired() {
        timer.fired()
        perform(machine.timerFired(now: time.now))
    }

    private func perform(_ actions: [DeviceMachine.Action]) {
        for action in actions {
            switch action {
            case .send(let client, let bytes): links[client]?.sendToCentral(bytes, now: time.now)
            case .hangUp(let client, let reason): links[client]?.closeByDevice(reason)
            }
        }
        timer.arm(machine.nextDeadline, in: scope, time) { [weak self] in await self?.timerFired() }
    }
}
