// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

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

// Targets are in the order of their dependencies, because no dependency may point back (Sources/README.md). These use
// neither libbluetooth nor anything else of Linux.
let package = Package(
    name: "blectl",
    products: [
        .library(name: "Bluetooth", targets: ["Bluetooth"]),
        .library(name: "BluetoothProfiles", targets: ["BluetoothProfiles"]),
        .library(name: "BluetoothDevices", targets: ["BluetoothDevices"]),
        .library(name: "BluetoothHost", targets: ["BluetoothHost"]),
        .library(name: "SimulatedRadio", targets: ["SimulatedRadio"]),
        .library(name: "BluetoothTesting", targets: ["BluetoothTesting"]),
    ],
    targets: [
        .target(name: "Bluetooth", swiftSettings: settings),
        .target(name: "FirmwareUpdate", dependencies: ["Bluetooth"], swiftSettings: settings),
        // The tables of assigned numbers and the built-in devices, which the compiler puts into the program.
        .target(name: "CBluetoothData", exclude: ["devices", "generate.py", "tables"]),
        .target(name: "BluetoothProfiles", dependencies: ["Bluetooth", "CBluetoothData"], swiftSettings: settings),
        .target(
            name: "BluetoothDevices",
            dependencies: ["FirmwareUpdate", "BluetoothProfiles", "Bluetooth", "CBluetoothData"],
            swiftSettings: settings
        ),
        .target(
            name: "BluetoothHost",
            dependencies: ["BluetoothDevices", "BluetoothProfiles", "FirmwareUpdate", "Bluetooth"],
            swiftSettings: settings
        ),
        // Our own host on any controller.
        .target(name: "ControllerRadio", dependencies: ["BluetoothHost", "Bluetooth"], swiftSettings: settings),
        .target(
            name: "SimulatedRadio",
            dependencies: ["BluetoothHost", "BluetoothDevices", "Bluetooth"],
            swiftSettings: settings
        ),
        // Adapters and links that one process lends to others: worlds and sessions.
        .target(
            name: "RadioSharing",
            dependencies: ["BluetoothHost", "BluetoothDevices", "Bluetooth"],
            swiftSettings: settings
        ),
        // Hooks of Swift's runtime, by which tests bring all tasks into virtual time.
        .target(name: "CSwiftTasks"),
        .target(
            name: "BluetoothTesting",
            dependencies: [
                "SimulatedRadio", "BluetoothHost", "BluetoothDevices", "BluetoothProfiles", "Bluetooth", "CSwiftTasks",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BluetoothTests",
            dependencies: ["BluetoothDevices", "Bluetooth"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FirmwareUpdateTests",
            dependencies: ["FirmwareUpdate", "Bluetooth"],
            exclude: ["Vectors"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BluetoothProfilesTests",
            dependencies: ["BluetoothDevices", "BluetoothProfiles", "Bluetooth"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BluetoothDevicesTests",
            dependencies: ["BluetoothDevices", "FirmwareUpdate", "BluetoothProfiles", "Bluetooth"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BluetoothHostTests",
            dependencies: [
                "BluetoothTesting", "BluetoothHost", "BluetoothDevices", "BluetoothProfiles", "SimulatedRadio",
                "FirmwareUpdate", "Bluetooth",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ControllerRadioTests",
            dependencies: ["ControllerRadio", "SimulatedRadio", "BluetoothHost", "Bluetooth"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RadioSharingTests",
            dependencies: ["RadioSharing", "SimulatedRadio", "BluetoothHost", "BluetoothDevices", "Bluetooth"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SimulatedRadioTests",
            dependencies: [
                "RadioSharing", "SimulatedRadio", "BluetoothHost", "BluetoothDevices", "BluetoothProfiles", "Bluetooth",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BluetoothTestingTests",
            dependencies: [
                "BluetoothTesting", "SimulatedRadio", "BluetoothHost", "BluetoothDevices", "BluetoothProfiles",
                "Bluetooth",
            ],
            swiftSettings: settings
        ),
    ]
)

// The kernel's radio, and the program.
#if os(Linux)
    package.products += [
        .library(name: "LinuxRadio", targets: ["LinuxRadio"]),
        .executable(name: "blectl", targets: ["blectl"]),
    ]
    package.targets += [
        .systemLibrary(name: "CBlueZ", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
        // libedit, which is loaded while 'blectl shell' runs: nothing of it is needed here.
        .systemLibrary(name: "CEditLine"),
        // zlib, which is loaded while compressed captures are read.
        .systemLibrary(name: "CZlib"),
        // libusb, which is loaded for controllers on USB.
        .systemLibrary(name: "CUSB"),
        .target(
            name: "LinuxRadio",
            dependencies: ["BluetoothHost", "BluetoothDevices", "Bluetooth", "CBlueZ", "CUSB"],
            swiftSettings: settings
        ),
        // The commands, from the terminal up. Each of these knows those before it, and none knows the kernel.
        .target(
            name: "Terminal",
            dependencies: ["BluetoothHost", "BluetoothProfiles", "Bluetooth", "CEditLine"],
            swiftSettings: settings
        ),
        .target(name: "CommandLineInterface", dependencies: ["Terminal"], swiftSettings: settings),
        .target(
            name: "Records",
            dependencies: [
                "CommandLineInterface", "Terminal", "BluetoothHost", "BluetoothDevices", "BluetoothProfiles",
                "Bluetooth",
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Toolkit",
            dependencies: [
                "Records", "CommandLineInterface", "Terminal", "RadioSharing", "BluetoothHost", "BluetoothDevices",
                "BluetoothProfiles", "Bluetooth",
            ],
            swiftSettings: settings
        ),
        // Captures of packets: their formats, and what happened in them.
        .target(
            name: "Captures",
            dependencies: [
                "Toolkit", "Records", "CommandLineInterface", "Terminal", "RadioSharing", "BluetoothHost",
                "BluetoothDevices", "BluetoothProfiles", "Bluetooth", "CZlib",
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Scripting",
            dependencies: [
                "Toolkit", "Records", "CommandLineInterface", "Terminal", "BluetoothHost", "BluetoothDevices",
                "BluetoothProfiles",
                "Bluetooth",
            ],
            swiftSettings: settings
        ),
        // The commands for firmware, which the list of commands names as it names those beside it.
        .target(
            name: "FirmwareCommands",
            dependencies: [
                "Captures", "Toolkit", "Records", "CommandLineInterface", "Terminal", "BluetoothHost",
                "BluetoothDevices",
                "BluetoothProfiles", "FirmwareUpdate", "Bluetooth",
            ],
            swiftSettings: settings
        ),
        // The commands for controllers that are not the kernel's.
        .target(
            name: "ControllerCommands",
            dependencies: ["Toolkit", "Records", "CommandLineInterface", "Terminal", "BluetoothHost"],
            swiftSettings: settings
        ),
        // The commands that read or make captures of packets.
        .target(
            name: "CaptureCommands",
            dependencies: [
                "Captures", "Toolkit", "Records", "CommandLineInterface", "Terminal", "RadioSharing", "BluetoothHost",
                "BluetoothDevices", "BluetoothProfiles", "Bluetooth",
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Commands",
            dependencies: [
                "FirmwareCommands", "ControllerCommands", "CaptureCommands", "Scripting", "Toolkit", "Records",
                "CommandLineInterface", "Terminal", "RadioSharing", "BluetoothHost", "BluetoothDevices",
                "BluetoothProfiles", "Bluetooth",
            ],
            swiftSettings: settings
        ),
        // The command line as the C library has it, and the memory that the start of a process touches.
        .target(name: "CProcess"),
        .executableTarget(
            name: "blectl",
            dependencies: [
                "Commands", "Captures", "Toolkit", "Records", "CommandLineInterface", "Terminal", "LinuxRadio",
                "RadioSharing",
                "ControllerRadio", "SimulatedRadio", "BluetoothHost", "BluetoothDevices", "BluetoothProfiles",
                "Bluetooth",
                "CProcess",
            ],
            exclude: ["start.order", "layout.ld", "stripped.ld"],
            swiftSettings: settings
        ),
        // Starts programs for tests, and makes up the folders of a kernel.
        .target(name: "TestProcesses", path: "Tests/TestProcesses", swiftSettings: settings),
        .testTarget(
            name: "LinuxRadioTests",
            dependencies: ["LinuxRadio", "BluetoothHost", "Bluetooth", "CBlueZ", "TestProcesses"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "Commands", "CaptureCommands", "Captures", "Scripting", "Toolkit", "Records", "CommandLineInterface",
                "Terminal", "LinuxRadio", "ControllerRadio", "RadioSharing", "SimulatedRadio", "BluetoothHost",
                "BluetoothDevices", "BluetoothProfiles", "Bluetooth", "TestProcesses",
            ],
            exclude: ["Controllers/Sessions"],
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
            dependencies: [
                "Commands", "Toolkit", "Records", "CommandLineInterface", "Terminal", "BluetoothHost",
                "BluetoothDevices", "FirmwareUpdate", "Bluetooth", "TestProcesses",
            ],
            exclude: ["Golden", "Pictures", "Schemas"],
            swiftSettings: settings
        ),
    ]
#endif

// What make builds, in one tree for the program and its tests. A package that depends on this one could not use such flags,
// so they are not there for it.
if let linker = Context.environment["BLECTL_LINKER"] {
    // These are on the path of each advertisement and each notification. All others are optimized for size, which is also faster
    // to build and costs less than 5 % of that path.
    let fast = ["Bluetooth", "Records"]
    for target in package.targets where target.swiftSettings != nil {
        // The interface of a module is made first, by a job of its own, so that modules are compiled side by side. Cross-module
        // optimization would need the optimized module instead, and saves no time at run time. No module waits for tests, and
        // the macros in them, which such a job expands once more, are most of their time. The linker removes debug information,
        // which was a fifth of the time and three fifths of the octets of the objects.
        var flags = ["-disable-cmo", "-driver-filelist-threshold=1000000", "-Xfrontend", "-gnone"]
        flags += [target.type == .test ? "-no-emit-module-separately-wmo" : "-emit-module-separately-wmo"]
        if target.type == .test || target.name == "TestProcesses" {
            flags += ["-Onone"]
        } else {
            // The linker leaves out each function that nothing refers to. Regular expressions are megabytes, and not used.
            flags += ["-enable-testing", "-Xfrontend", "-function-sections"]
            flags += ["-Xfrontend", "-disable-implicit-string-processing-module-import"]
            // A type is asked for by its accessor. By its name, the runtime parses that, and searches all conformances of the
            // program for those of its parameters: three fifths of the instructions of a read.
            flags += ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"]
            if !fast.contains(target.name) { flags += ["-Osize"] }
        }
        target.swiftSettings = settings + [.unsafeFlags(flags)]
        if target.type == .executable {
            target.linkerSettings = [.unsafeFlags(linker.split(separator: " ").map(String.init))]
        }
    }
}
