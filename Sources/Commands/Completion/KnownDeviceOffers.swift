// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import CommandLineInterface
import Terminal
package import Toolkit

extension CompletionOffers {
    package struct Device: Sendable, Equatable {
        let address: DeviceAddress
        /// The name that it advertises; `nil` if that is unknown.
        let name: String?

        package init(address: DeviceAddress, name: String?) {
            self.address = address
            self.name = name
        }

        package static func held(in folder: SessionFolder) -> [Self] {
            folder.entries().map { Self(address: DeviceAddress($0.address, .random), name: $0.label) }
        }

        /// The remembered devices, those that were connected to first.
        package static func remembered(_ known: KnownDevices) -> [Self] {
            known.all.map { Self(address: $0.address, name: $0.name) }
        }
    }

    private static let deviceLimit = 100

    /// The offers of this machine.
    ///
    /// - Parameters:
    ///   - known: Returns the known devices, the most interesting ones first. It is called only if they are needed.
    ///   - databases: The GATT cache; `nil` for none.
    ///   - adapters: Returns the names of the adapters.
    package init(
        known: @escaping @Sendable () -> [Device],
        databases: (any DatabaseStore)?,
        adapters: @escaping @Sendable () -> [String]
    ) {
        self.init(
            devices: { Self.words(of: known(), $0) },
            database: { device in
                guard let databases, let device else { return nil }
                return Self.database(of: device, among: known(), databases)
            },
            adapters: adapters
        )
    }

    /// The names of devices, and the addresses of those without a name or of all that begin with the typed text.
    private static func words(of devices: [Device], _ typed: String) -> [Choice] {
        let begun = typed.lowercased()
        var fitting: [Choice] = []
        var others: [Choice] = []
        for device in devices {
            let address = device.address.address.description
            // A name that a terminal or a shell could misread is not offered: its address is.
            let name = device.name.flatMap { isPlain($0) ? $0 : nil }
            if let name {
                let choice = Choice(word: name, summary: address)
                if name.lowercased().hasPrefix(begun) { fitting.append(choice) } else { others.append(choice) }
            }
            // As long as nothing is typed, each device is offered once, by its name if it has one.
            guard name == nil || !begun.isEmpty, address.lowercased().hasPrefix(begun) else { continue }
            fitting.append(Choice(word: address, summary: name ?? "no name"))
        }
        return Array((fitting + others).prefix(deviceLimit))
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name == TerminalText.escaped(name) && !name.contains { "\t\n\r".contains($0) }
            && name.first != "-"
    }

    /// The cached database of a device, as typed.
    private static func database(
        of text: String,
        among devices: [Device],
        _ databases: any DatabaseStore
    ) -> DiscoveredDatabase? {
        guard let wanted = try? DeviceIdentifier(text) else { return nil }
        let addresses = devices.filter { wanted.selects($0.address.address, name: $0.name) }.map(\.address)
        // The name of a session's socket does not contain the type of the address, so that the other one is tried, too.
        let others = addresses.map { DeviceAddress($0.address, $0.type == .random ? .public : .random) }
        return (addresses + others).lazy.compactMap { databases.load($0) }.first?.database
    }
}
