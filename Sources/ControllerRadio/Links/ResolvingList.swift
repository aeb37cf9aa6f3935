// SPDX-License-Identifier: MIT

import Bluetooth

/// The list by which the controller recognises devices with private addresses: it connects to them by their identity,
/// whatever address they have at that moment, and several wait at once in its accept list.
///
/// The controller refuses changes while it listens, connects or advertises, and has room for few devices. What is not in
/// the list, this host resolves itself (`PrivateSearch`). Programs that scan want addresses as they are on the air, so
/// that the controller resolves none then.
///
/// Spec: Core 5.4, Vol 6, Part B, 4.7 and 6; Vol 4, Part E, 7.8.38 to 7.8.44
struct ResolvingList: Sendable {
    enum Change: Hashable, Sendable {
        case clear
        case add(DeviceIdentity)
        case isOn(Bool)
        /// Nothing depends on it.
        case mode
    }

    /// The number of devices that it has room for; 0 if the controller has none.
    private let size: Int
    private var devices: [DeviceIdentity] = []
    private(set) var isOn = false
    /// The number of requests to resolve that the controller has not answered yet.
    private var requestCount = 0
    /// Whether the controller was seen to resolve: not each one that claims to does.
    private(set) var isProven = false

    init(_ facts: ControllerFacts) { size = facts.resolvingListSize }

    /// Whether the controller connects to a device by its identity.
    func recognises(_ device: DeviceAddress) -> Bool {
        isOn && isProven && devices.contains { $0.address == device }
    }

    /// The commands by which the controller recognises a device, and as many others as there is room for.
    mutating func commands(for device: DeviceAddress, among known: [DeviceIdentity]) -> [(HCICommandPacket, Change)] {
        guard size > 0 else { return [] }
        let usable = known.filter { $0.key != .zero }
        let wanted = Array(
            (usable.filter { $0.address == device } + usable.filter { $0.address != device }).prefix(size)
        )
        guard Set(devices) != Set(wanted) else { return isOn ? [] : [switching(true)] }
        var commands = isOn ? [switching(false)] : []
        commands.append((LEClearResolvingList().packet, .clear))
        for device in wanted {
            commands.append((LEAddDeviceToResolvingList(device).packet, .add(device)))
            commands.append((LESetPrivacyMode(device.address).packet, .mode))
        }
        return commands + [switching(true)]
    }

    /// The command by which the controller resolves no address, if it does or is about to.
    mutating func off() -> (HCICommandPacket, Change)? { isOn || requestCount > 0 ? switching(false) : nil }

    private mutating func switching(_ isOn: Bool) -> (HCICommandPacket, Change) {
        if isOn { requestCount += 1 }
        return (LESetAddressResolutionEnable(isEnabled: isOn).packet, .isOn(isOn))
    }

    /// The controller has made a change, or refused it, which changes nothing.
    mutating func answered(_ change: Change, isMade: Bool) {
        switch change {
        case .clear where isMade: devices = []
        case .add(let device) where isMade: devices.append(device)
        case .isOn(let isOn):
            if isOn { requestCount -= 1 }
            if isMade { self.isOn = isOn }
        case .clear, .add, .mode: break
        }
    }

    /// The controller has reported a device by its identity.
    mutating func resolved() { isProven = true }
}
