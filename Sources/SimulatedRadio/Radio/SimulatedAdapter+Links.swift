// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization

extension SimulatedAdapter {
    /// Starts a procedure on a link. Called with the lock held.
    ///
    /// A procedure between the two controllers takes a request and an answer, which is two connection events. A change
    /// of parameters takes six more, because both sides switch at an instant that lies at least six events ahead.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 5.1
    func start(_ procedure: SimulatedController.LinkProcedure, on end: LinkEnd, _ state: inout RunningWorld.State) {
        let link = end.link
        let events: Int
        switch procedure {
        case .disconnect:
            // Disconnection Complete follows when the link has ended.
            end.close()
            return
        case .setDataLength(let octets):
            // The far end's packets have their length already: the near end has asked for the longest.
            guard end.side == .near, link.setDataLength(octets) else { return }
            state.adapters[number]?.emit(link.dataLengthEvent.packet)
            return
        case .readVersion, .readFeatures:
            events = 2
        case .setPHY, .update:
            events = 8
        }
        scope.spawn { [self] in
            guard (try? await time.sleep(for: link.currentShape.interval * events)) != nil, link.isOpen else { return }
            let outcome = finish(procedure, on: end)
            world.state.withLock { state in
                if let outcome { state.adapters[number]?.emit(outcome) }
            }
        }
    }

    private func finish(_ procedure: SimulatedController.LinkProcedure, on end: LinkEnd) -> HCIEventPacket? {
        let link = end.link
        switch procedure {
        case .disconnect, .setDataLength:
            return nil
        case .readVersion:
            // Nordic Semiconductor, Bluetooth 5.0: a common peripheral.
            let version = BluetoothVersion(rawValue: 0x09)
            return ReadRemoteVersionInformationCompleteEvent(
                end.handle,
                version: version,
                company: 0x0059,
                subversion: 0x0000
            ).packet
        case .readFeatures:
            return LEReadRemoteFeaturesCompleteEvent(end.handle, features: link.parameters.features).packet
        case .setPHY(let preference):
            link.choosePHY(preference)
            let phy = link.currentShape.phy
            return LEPHYUpdateCompleteEvent(end.handle, transmit: phy, receive: phy).packet
        case .update(let parameters):
            link.update(parameters, now: time.now)
            let shape = link.currentShape
            return LEConnectionUpdateCompleteEvent(
                end.handle,
                interval: .init(shape.interval),
                latency: shape.latency,
                supervisionTimeout: .init(shape.supervisionTimeout)
            ).packet
        }
    }
}

extension SimulatedLink {
    /// The event that reports the link to the host at one of its ends.
    func completeEvent(
        _ handle: ConnectionHandle,
        role: LERole,
        peer: DeviceAddress,
        isEnhanced: Bool
    ) -> HCIEventPacket {
        let shape = currentShape
        let event = LEConnectionCompleteEvent(
            handle,
            role: role,
            peer: peer,
            interval: .init(shape.interval),
            latency: shape.latency,
            supervisionTimeout: .init(shape.supervisionTimeout)
        )
        return isEnhanced ? LEEnhancedConnectionCompleteEvent(event).packet : event.packet
    }

    /// The event that reports the current packet lengths.
    fileprivate var dataLengthEvent: LEDataLengthChangeEvent {
        // Preamble, access address, header, MIC and CRC add 14 octets; at 1 Mbit/s an octet takes 8 µs.
        func length(_ octets: Int) -> LEDataLength {
            LEDataLength(octets: UInt16(octets), microseconds: UInt16((octets + 14) * 8))
        }
        return LEDataLengthChangeEvent(
            handle,
            transmit: length(currentShape.dataLength),
            receive: length(parameters.dataLength)
        )
    }
}

extension SimulatedDevice.Link {
    /// The features of the device's link layer.
    fileprivate var features: LEFeatures {
        var features: LEFeatures = [.connectionParametersRequest, .peripheralInitiatedFeaturesExchange]
        if dataLength > 27 { features.insert(.dataPacketLengthExtension) }
        if phys.contains(.le2M) { features.insert(.le2MPHY) }
        if phys.contains(.coded) { features.insert(.codedPHY) }
        return features
    }
}
