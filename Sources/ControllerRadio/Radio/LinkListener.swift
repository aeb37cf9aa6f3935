// SPDX-License-Identifier: MIT

import BluetoothHost

/// Hands the ATT channels of centrals to the host above.
final class LinkListener: ATTListener {
    private let host: ControllerHost
    private let channels = BoundedQueue<any ATTChannel>(limit: 64, overflow: .dropOldest)

    init(_ host: ControllerHost) { self.host = host }

    func accept() async throws(RadioError) -> any ATTChannel { try await channels.next() }

    func push(_ channel: any ATTChannel) { channels.push(channel) }

    func end(_ error: RadioError) { channels.finish(error) }

    func close() {
        host.stopListening(self)
        end(RadioError(.closedLocally, during: "ATT channel of \(host.name)"))
    }
}
