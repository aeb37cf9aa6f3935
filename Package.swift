// swift-tools-version: 6.2
// SPDX-License-Identifier: GPL-2.0-or-later

import PackageDescription

/// The settings of every target: strict concurrency, explicit existentials, explicit imports, no warnings.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// Targets are in the order of their dependencies, because no dependency may point back (README, "How it is built").
let package = Package(
    name: "blectl",
    products: [.executable(name: "blectl", targets: ["blectl"])],
    targets: [
        .systemLibrary(name: "CBlueZ", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
        .target(name: "Bluetooth", swiftSettings: settings),
        .target(
            name: "BluetoothProfiles",
            dependencies: ["Bluetooth"],
            exclude: ["AssignedNumbers/Tables/generate.py"],
            swiftSettings: settings
        ),
        .target(name: "BluetoothDevices", dependencies: ["BluetoothProfiles", "Bluetooth"], swiftSettings: settings),
        .target(name: "BluetoothHost", dependencies: ["BluetoothDevices", "Bluetooth"], swiftSettings: settings),
        .target(name: "LinuxRadio", dependencies: ["BluetoothHost", "Bluetooth", "CBlueZ"], swiftSettings: settings),
        .target(
            name: "SimulatedRadio",
            dependencies: ["BluetoothHost", "BluetoothDevices", "BluetoothProfiles", "Bluetooth"],
            swiftSettings: settings
        ),
        .target(
            name: "BlectlKit",
            dependencies: ["BluetoothHost", "BluetoothDevices", "BluetoothProfiles", "Bluetooth"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "blectl",
            dependencies: [
                "BlectlKit", "LinuxRadio", "SimulatedRadio", "BluetoothHost", "BluetoothDevices", "BluetoothProfiles",
            ],
            swiftSettings: settings
        ),
        // Starts programs for tests.
        .target(name: "TestProcesses", path: "Tests/TestProcesses", swiftSettings: settings),
        .testTarget(
            name: "BluetoothTests",
            dependencies: ["Bluetooth"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BluetoothProfilesTests",
            dependencies: ["BluetoothProfiles", "Bluetooth"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BluetoothDevicesTests",
            dependencies: ["BluetoothDevices", "BluetoothProfiles", "Bluetooth"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BluetoothHostTests",
            dependencies: ["BluetoothHost", "BluetoothDevices", "SimulatedRadio", "Bluetooth"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LinuxRadioTests",
            dependencies: ["LinuxRadio", "BluetoothHost", "Bluetooth", "CBlueZ"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SimulatedRadioTests",
            dependencies: ["SimulatedRadio", "BluetoothHost", "BluetoothDevices", "BluetoothProfiles", "Bluetooth"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BlectlKitTests",
            dependencies: [
                "BlectlKit", "SimulatedRadio", "BluetoothHost", "BluetoothDevices", "BluetoothProfiles", "Bluetooth",
                "TestProcesses",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: ["LinuxRadio", "BluetoothHost", "BluetoothDevices", "Bluetooth", "CBlueZ"],
            exclude: ["Vectors"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "CLITests",
            dependencies: ["blectl", "BlectlKit", "BluetoothDevices", "Bluetooth", "TestProcesses"],
            exclude: ["Golden", "Pictures"],
            swiftSettings: settings
        ),
    ]
)
