// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

// A program by somebody else, who has nothing but the products of blectl.
let blectl = "blectl"
let package = Package(
    name: "Wearable",
    dependencies: [.package(name: blectl, path: "../..")],
    targets: [
        .target(
            name: "Wearable",
            dependencies: [.product(name: "BluetoothHost", package: blectl)]
        ),
        .testTarget(
            name: "WearableTests",
            dependencies: ["Wearable", .product(name: "BluetoothTesting", package: blectl)]
        ),
    ]
)

// The same on the kernel's radio.
#if os(Linux)
    package.targets.append(
        .executableTarget(
            name: "wearable-monitor",
            dependencies: ["Wearable", .product(name: "LinuxRadio", package: blectl)]
        )
    )
#endif
