// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Captures
import Toolkit

/// The choice of packets and operations of a capture.
struct TraceFilter {
    private let options: TraceOptions
    let addresses: Set<BluetoothAddress>

    init(_ options: TraceOptions, addresses: Set<BluetoothAddress>) {
        self.options = options
        self.addresses = addresses
    }

    func matches(_ event: CapturedEvent, _ gatt: CapturedGATT) -> Bool {
        guard isInTime(event.elapsed), options.direction.map({ $0 == event.direction }) ?? true,
            options.devices.isEmpty || isAboutDevice(event, gatt)
        else { return false }
        if !options.handles.isEmpty { return event.handles.contains(where: options.handles.contains) }
        if !options.targets.isEmpty {
            return event.attributes.contains { attribute in isWanted(attribute.reference) }
        }
        guard options.wantsATT || options.wantsHCI else { return true }
        switch event.content {
        case .att: return options.wantsATT
        case .hci: return options.wantsHCI && event.kind == "hci"
        case .frame, .part, .management, .remark, .malformed: return false
        }
    }

    /// Whether a packet is about one of the chosen attributes, whatever else is chosen.
    func isAboutAttribute(_ event: CapturedEvent) -> Bool {
        !options.targets.isEmpty && event.attributes.contains { isWanted($0.reference) }
    }

    func matches(_ operation: CapturedOperation, _ gatt: CapturedGATT) -> Bool {
        let device = operation.attribute.device.address.address
        guard isInTime(operation.elapsed),
            options.direction.map({ ($0 == .sent) == operation.isFromHost }) ?? true,
            options.devices.isEmpty || isWanted(device, gatt)
                || operation.privateAddress.map(addresses.contains) ?? false,
            options.handles.isEmpty || options.handles.contains(operation.attribute.handle)
        else { return false }
        return options.targets.isEmpty || isWanted(operation.attribute)
    }

    private func isInTime(_ elapsed: Duration) -> Bool {
        options.begin.map { elapsed >= $0 } ?? true && options.end.map { elapsed <= $0 } ?? true
    }

    private func isWanted(_ attribute: AttributeReference) -> Bool {
        options.targets.contains { $0.names(attribute) }
    }

    private func isWanted(_ address: BluetoothAddress, _ gatt: CapturedGATT) -> Bool {
        if addresses.contains(address) { return true }
        let name = gatt.name(of: address)
        return options.devices.contains { $0.selects(address, name: name) }
    }

    private func isAboutDevice(_ event: CapturedEvent, _ gatt: CapturedGATT) -> Bool {
        if let address = event.privateAddress, addresses.contains(address) { return true }
        if let device = event.device { return isWanted(device.address, gatt) }
        if event.furtherDevices.contains(where: { isWanted($0, gatt) }) { return true }
        guard case .hci(let packet) = event.content else { return false }
        // An advertising report and a command about a device have its address somewhere among the parameters.
        let octets = packet.encoded()
        return addresses.contains { address in
            let address = address.encoded()
            return octets.indices.contains { octets[$0...].starts(with: address) }
        }
    }
}

extension AttributeTarget {
    fileprivate func names(_ attribute: AttributeReference) -> Bool {
        switch kind {
        case .handle(let handle): attribute.handle == handle
        case .characteristic(let characteristic, let service):
            attribute.characteristic == characteristic && attribute.descriptor == nil
                && (service == nil || service == attribute.service)
        case .descriptor(let descriptor, let characteristic, let service):
            attribute.descriptor == descriptor && attribute.characteristic == characteristic
                && (service == nil || service == attribute.service)
        }
    }
}
