// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
public import BluetoothHost

/// The words that a shell offers, as far as they depend on the stored data of this machine. The radio is not used.
public struct CompletionOffers: Sendable {
    /// A device that can be offered.
    public struct Device: Sendable, Equatable {
        /// The address.
        public let address: DeviceAddress
        /// The name that it advertises; `nil` if that is unknown.
        public let name: String?

        /// Creates a device.
        public init(address: DeviceAddress, name: String?) {
            self.address = address
            self.name = name
        }
    }

    /// The maximum number of devices that are offered.
    private static let deviceLimit = 100

    private let devices: [Device]
    private let databases: (any DatabaseStore)?

    /// Creates offers.
    ///
    /// - Parameters:
    ///   - devices: The known devices, the most interesting ones first.
    ///   - databases: The GATT cache; `nil` for none.
    public init(devices: [Device], databases: (any DatabaseStore)?) {
        self.devices = devices
        self.databases = databases
    }

    /// The answer to a script: one word on each line, with a tab and a description after some.
    public func text(for request: CompletionRequest) -> String {
        let lines =
            switch request.kind {
            case .devices: words(ofDevices: request.prefix)
            case .targets: TargetOffers(database: request.device.flatMap(database)).words(request.prefix)
            }
        return lines.map { "\($0)\n" }.joined()
    }

    /// The names of devices, and the addresses of those without a name or of all if an address is begun.
    private func words(ofDevices prefix: String) -> [String] {
        var words: [String] = []
        let begun = prefix.lowercased()
        for device in devices where words.count < Self.deviceLimit {
            let address = device.address.address.description
            // A name that a terminal or a shell could misread is not offered: its address is.
            let name = device.name.flatMap { Self.isPlain($0) ? $0 : nil }
            if let name, name.lowercased().hasPrefix(begun) { words.append("\(name)\t\(address)") }
            // As long as nothing is typed, each device is offered once, by its name if it has one.
            guard name == nil || !prefix.isEmpty, address.lowercased().hasPrefix(begun) else { continue }
            words.append("\(address)\t\(name ?? "no name")")
        }
        return words
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name == TerminalText.escaped(name) && !name.contains { "\t\n\r".contains($0) }
            && name.first != "-"
    }

    /// The cached database of a device, as typed.
    private func database(_ text: String) -> DiscoveredDatabase? {
        guard let databases, let wanted = try? DeviceIdentifier(text) else { return nil }
        let addresses = devices.filter { wanted.selects($0.address.address, name: $0.name) }.map(\.address)
        // The name of a session's socket does not contain the type of the address, so that the other one is tried, too.
        let others = addresses.map { DeviceAddress($0.address, $0.type == .random ? .public : .random) }
        return (addresses + others).lazy.compactMap { databases.load($0) }.first?.database
    }
}

extension CompletionOffers.Device {
    /// The devices of sessions, by the names of these.
    package static func held(in folder: SessionFolder) -> [Self] {
        folder.entries().map { Self(address: DeviceAddress($0.address, .random), name: $0.label) }
    }

    /// The remembered devices, those that were connected to first.
    public static func remembered(_ known: KnownDevices) -> [Self] {
        known.all.map { Self(address: $0.address, name: $0.name) }
    }
}
