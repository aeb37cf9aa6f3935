// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import BluetoothDevices
import Terminal

package enum DeviceSelector: Sendable, Equatable {
    case address(BluetoothAddress, AddressType?)
    /// By its whole name. The case of letters does not matter.
    case name(String)
    /// By its advertisements: a name that matches, and all of the services.
    case advertising(name: Glob?, services: [BluetoothUUID])
    /// By the services of the command, one of which is enough, or by the names of devices that do not advertise them.
    /// Not every device that has a service advertises it.
    case likely([BluetoothUUID], names: [String])

    /// By the service that the command is about.
    package static func likely(_ service: BluetoothUUID) -> DeviceSelector { .likely([service], names: []) }

    /// The criteria in words, to follow "no device" in an error.
    package var text: String {
        switch self {
        case .address(let address, _): "\(address)"
        case .name(let name): "named '\(name)'"
        case .advertising(let name, let services):
            [name.map { "with a name like '\($0.pattern)'" }, services.isEmpty ? nil : Self.advertising(services)]
                .compactMap { $0 }.joined(separator: ", ")
        case .likely(let services, let names):
            ([Self.advertising(services, "or")] + (names.isEmpty ? [] : [Self.named(names)])).joined(separator: ", or ")
        }
    }

    /// The name or the pattern of names that was given; `nil` for none.
    package var givenName: String? {
        switch self {
        case .name(let name): name
        case .advertising(let name, _): name?.pattern
        case .address, .likely: nil
        }
    }

    /// Whether the user gives a name, or a pattern of names.
    package var isByName: Bool { givenName != nil }

    /// Whether it selects one device and no other.
    var isAddress: Bool {
        if case .address = self { true } else { false }
    }

    /// Whether it names one device, by its address or its name.
    package var isOfOneDevice: Bool {
        switch self {
        case .address, .name: true
        case .advertising, .likely: false
        }
    }

    /// Whether it may be a resolvable private address, which the device replaces every few minutes. An address without
    /// a given type may be one if it has the form of one.
    var mayBePrivate: Bool {
        guard case .address(let address, let type) = self, type != .public else { return false }
        return DeviceAddress(address, .random).kind == .resolvable
    }

    /// The type of the address, if the command line gives it.
    var addressType: AddressType? {
        if case .address(_, let type) = self { type } else { nil }
    }

    /// Whether an advertiser meets the criteria, by all data that it has sent so far.
    package func accepts(_ device: AdvertiserInfo) -> Bool {
        switch self {
        case .address(let address, _): device.address.address == address
        case .name(let name): isNamed(name, device)
        case .advertising(let name, let services):
            (name.map { $0.matches(device.name?.text ?? "") } ?? true) && services.allSatisfy(device.advertises)
        case .likely(let services, let names):
            services.contains(where: device.advertises) || names.contains { isNamed($0, device) }
        }
    }

    /// The device of blectl that meets the criteria, and is not in the world of all the others; `nil` if there is none.
    var deviceApart: BuiltInDevice? {
        BuiltInDevice.apart.first { device in (try? device.definition()).map { meets($0) } ?? false }
    }

    private func meets(_ device: DeviceDefinition) -> Bool {
        let frames = device.advertising.flatMap { $0.frames + [$0.scanResponse].compactMap(\.self) }
        let services = frames.flatMap { AdvertisingData(parsing: $0.encoded(at: .start)).services }
        switch self {
        case .address(let address, _): return device.address.address == address
        case .name(let name): return DeviceIdentifier.isSameName(device.name ?? "", name)
        case .advertising(let name, let wanted):
            return name?.matches(device.name ?? "") ?? true && wanted.allSatisfy(services.contains)
        case .likely(let wanted, _): return wanted.contains(where: services.contains)
        }
    }

    private func isNamed(_ name: String, _ device: AdvertiserInfo) -> Bool {
        device.name.map { DeviceIdentifier.isSameName($0.text, name) } ?? false
    }

    private static func advertising(_ services: [BluetoothUUID], _ conjunction: String = "and") -> String {
        "advertising \(services.map { serviceText($0) }.joined(separator: " \(conjunction) "))"
    }

    private static func named(_ names: [String]) -> String { "named \(Prose.list(names.map { "'\($0)'" }))" }
}
