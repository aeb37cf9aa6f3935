// SPDX-License-Identifier: MIT

import Bluetooth

// Enhanced bearers, which a central opens beside the channel that its link has.
extension PeripheralHost {
    /// Serves the enhanced bearers of a link, until the link ends.
    func acceptBearers(of client: GATTServer.ClientID, on link: any ATTChannel, _ runner: DeviceRunner) async {
        await withDiscardingTaskGroup { group in
            while let channel = try? await link.acceptEnhancedBearer() {
                group.addTask { await self.serve(channel, of: client, runner) }
            }
            group.cancelAll()
        }
    }

    private func serve(_ channel: any L2CAPChannel, of client: GATTServer.ClientID, _ runner: DeviceRunner) async {
        defer { channel.close() }
        guard let connection = centrals[client]?.connection else { return }
        let mtu = min(channel.receiveMTU, channel.sendMTU)
        guard let bearer = await runner.opened(channel, by: client) else {
            // Otherwise its client has gone.
            guard mtu < CreditBasedLimits.leastEnhanced else { return }
            events.push(.remark("connection \(connection.number): a bearer was closed: its MTU is below 64"))
            return
        }
        report(.bearer(connection, EnhancedBearer(number: Int(bearer.number), mtu: mtu, isOpen: true)))
        while let pdu = try? await channel.receive() {
            await examine(client)
            await runner.received(pdu, over: bearer)
        }
        await runner.closed(bearer)
        report(.bearer(connection, EnhancedBearer(number: Int(bearer.number), mtu: mtu, isOpen: false)))
    }
}
