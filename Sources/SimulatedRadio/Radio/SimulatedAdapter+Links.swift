// SPDX-License-Identifier: MIT

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
        if let setting = procedure.setting, link.parameters.unansweredSettings.contains(setting) {
            return leaveUnanswered(link)
        }
        let events: Int
        switch procedure {
        case .disconnect(let reason):
            // Disconnection Complete follows when the link has ended.
            end.close(telling: reason)
            return
        case .setDataLength(let octets):
            // The far end's packets have their length already: the near end has asked for the longest.
            // A controller reports the lengths only if they change.
            guard end.side == .near, !link.parameters.refusedSettings.contains(.dataLength),
                link.setDataLength(octets)
            else { return }
            state.adapters[number]?.emit(link.dataLengthEvent(end.handle).packet)
            return
        case .readVersion, .readFeatures:
            events = 2
        case .setPHY, .update:
            events = 8
        }
        scope.spawn { [self] in
            guard (try? await time.sleep(for: link.currentShape.interval * events)) != nil, link.isOpen else { return }
            let isRefused = procedure.setting.map(link.parameters.refusedSettings.contains) ?? false
            if !isRefused { apply(procedure, to: link) }
            world.state.withLock { state in
                let isSeenByAll = procedure.changesLink && !isRefused
                for (adapter, end) in state.ends(of: link) where adapter == number || isSeenByAll {
                    if let event = event(after: procedure, at: end, isRefused: isRefused) {
                        state.adapters[adapter]?.emit(event)
                    }
                }
            }
        }
    }

    /// Ends the link after the time that the controller waits for the answer of a peer, which does not come.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 5.2
    private func leaveUnanswered(_ link: SimulatedLink) {
        scope.spawn { [time] in
            guard (try? await time.sleep(for: .seconds(40))) != nil, link.isOpen else { return }
            link.closeByDevice(.linkLayerResponseTimeout)
        }
    }

    /// Changes the link at the moment when both controllers switch. Other procedures change nothing.
    private func apply(_ procedure: SimulatedController.LinkProcedure, to link: SimulatedLink) {
        switch procedure {
        case .disconnect, .setDataLength, .readVersion, .readFeatures: break
        case .setPHY(let preference): link.choosePHY(preference)
        case .update(let parameters): link.update(parameters, now: time.now)
        }
    }

    /// The event that reports the result of a procedure at one end of the link.
    private func event(
        after procedure: SimulatedController.LinkProcedure,
        at end: LinkEnd,
        isRefused: Bool
    ) -> HCIEventPacket? {
        let shape = end.link.currentShape
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
            return LEReadRemoteFeaturesCompleteEvent(end.handle, features: end.link.parameters.features).packet
        case .setPHY:
            return LEPHYUpdateCompleteEvent(
                status: isRefused ? .unsupportedRemoteFeature : .success,
                end.handle,
                transmit: shape.phy,
                receive: shape.phy
            ).packet
        case .update:
            return LEConnectionUpdateCompleteEvent(
                status: isRefused ? .unacceptableConnectionParameters : .success,
                end.handle,
                interval: .init(shape.interval),
                latency: shape.latency,
                supervisionTimeout: .init(shape.supervisionTimeout)
            ).packet
        }
    }
}

extension SimulatedController.LinkProcedure {
    /// The setting of the link that the procedure is to change; `nil` if it changes none.
    fileprivate var setting: LinkRequest.Setting? {
        switch self {
        case .setPHY: .phy
        case .setDataLength: .dataLength
        case .update: .parameters
        case .disconnect, .readVersion, .readFeatures: nil
        }
    }

    /// Whether the procedure changes the link, which the controllers at both ends report.
    fileprivate var changesLink: Bool {
        switch self {
        case .setPHY, .update: true
        case .disconnect, .readVersion, .readFeatures, .setDataLength: false
        }
    }
}

extension RunningWorld.State {
    /// The ends of a link, in the order of the adapters' numbers.
    fileprivate func ends(of link: SimulatedLink) -> [(adapter: Int, end: LinkEnd)] {
        adapters.keys.sorted().flatMap { number in
            (adapters[number]?.links ?? []).filter { $0.link === link }.map { (number, $0) }
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

    /// The event that reports the current packet lengths to the host at one of its ends.
    func dataLengthEvent(_ handle: ConnectionHandle) -> LEDataLengthChangeEvent {
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
    fileprivate var features: LEFeatures {
        var features: LEFeatures = [.connectionParametersRequest, .peripheralInitiatedFeaturesExchange]
        if dataLength > 27, !refusedSettings.contains(.dataLength) { features.insert(.dataPacketLengthExtension) }
        if phys.contains(.le2M) { features.insert(.le2MPHY) }
        if phys.contains(.coded) { features.insert(.codedPHY) }
        return features
    }
}
