// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices

extension PeripheralHost {
    /// Offers services on credit-based channels, until the listeners that it returns are closed.
    ///
    /// - Parameters:
    ///   - radio: The adapter that offers them.
    ///   - remark: Called with a message for each service that cannot be offered.
    nonisolated static func offer(
        _ services: [DeviceChannel],
        on radio: any Radio,
        scope: TaskScope,
        remark: (String) -> Void
    ) -> [any L2CAPListener] {
        var listeners: [any L2CAPListener] = []
        var refused: [(reason: String, channels: [String])] = []
        for service in services {
            do throws(RadioError) {
                let listener = try radio.listenL2CAP(service.request, onFrame: nil)
                listeners.append(listener)
                scope.spawn {
                    while let channel = try? await listener.accept() {
                        scope.spawn { await ChannelResponder(service).run(on: channel) }
                    }
                }
            } catch {
                let reason = "\(error.reason)"
                if let index = refused.firstIndex(where: { $0.reason == reason }) {
                    refused[index].channels.append("\(service.spsm)")
                } else {
                    refused.append((reason, ["\(service.spsm)"]))
                }
            }
        }
        // An adapter that cannot serve one channel can serve none, and says so once.
        for (reason, channels) in refused {
            let names = channels.joined(separator: ", ")
            let subject = channels.count == 1 ? "channel \(names) is" : "channels \(names) are"
            remark("the \(subject) not served: \(reason)")
        }
        return listeners
    }
}

extension DeviceChannel {
    /// The service for an adapter, whose kernel decides about frames and credits.
    fileprivate var request: L2CAPRequest {
        let security: SecurityLevel = requirement.authentication ? .high : requirement.isOpen ? .low : .medium
        return L2CAPRequest(spsm: spsm, mtu: mtu, security: security)
    }
}
