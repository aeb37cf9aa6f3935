// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import FirmwareUpdate
import SimulatedRadio
import Testing

/// A device whose firmware is updated, alone in a simulated world.
struct UpdateBench: Sendable {
    /// The way in which it is updated.
    enum Way: CaseIterable { case mcumgr, legacyDFU, secureDFU }

    static let before = "1.0.0"
    private static let label = "device"
    /// The label of another device of the kind.
    static let twin = "twin"

    let central: Central
    let control: WorldControl
    let time: VirtualTime
    let scope: TaskScope

    /// Runs a test in virtual time with such a device.
    ///
    /// - Parameter hasTwin: Whether another one of its kind, and of its name, is near.
    static func run(
        _ way: Way,
        hasTwin: Bool = false,
        _ change: (inout DeviceDefinition) -> Void = { _ in },
        _ body: @escaping @Sendable (UpdateBench) async throws -> Void
    ) throws {
        var definition = DeviceDefinition(
            label: label,
            address: DeviceAddress(BluetoothAddress(rawValue: 0xD61C_38A5_4F90), .random),
            advertising: [DeviceAdvertising(name: "Device", services: way == .mcumgr ? [.mcumgrService] : [])],
            services: [
                DeviceService(0x180A, characteristics: [DeviceCharacteristic(0x2A26, .read, value: .octets([]))])
            ]
        )
        definition.limits.connectionInterval = .milliseconds(15)
        definition.limits.maximumMTU = 498
        switch way {
        case .mcumgr: definition.updateServer = MCUmgrServer.Configuration()
        case .legacyDFU, .secureDFU:
            var dfu = DFUServer.Configuration()
            dfu.format = way == .legacyDFU ? .legacy : .secure
            dfu.version = before
            definition.dfuServer = dfu
        }
        var devices: [SimulatedDevice] = []
        if hasTwin {
            var other = definition
            other.label = twin
            other.address = DeviceAddress(BluetoothAddress(rawValue: 0xD61C_38A5_5F90), .random)
            devices.append(try SimulatedDevice(other))
        }
        change(&definition)
        devices.append(try SimulatedDevice(definition))
        try inVirtualTime { [devices] time, scope in
            let world = RunningWorld(SimulatedWorld(devices: devices), time: time, scope: scope)
            let central = try await Central.open(on: world.join(), scope: scope)
            try await body(UpdateBench(central: central, control: world.control, time: time, scope: scope))
        }
    }

    /// New firmware of version 7.
    static func firmware(_ way: Way, length: Int = 6_000) throws -> Firmware {
        let program = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 251) }
        switch way {
        case .mcumgr:
            let size = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
            var octets: [UInt8] = [0x3D, 0xB8, 0xF3, 0x96, 0, 0, 0, 0, 32, 0, 0, 0] + size + [0, 0, 0, 0]
            octets += [7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] + program
            octets += [0x07, 0x69, 40, 0, 0x10, 0, 32, 0] + SHA256.hash(octets)
            return try Firmware(image: octets)
        case .legacyDFU:
            var packet = ByteWriter()
            packet.append([0x52, 0, 0xFF, 0xFF, 7, 0, 0, 0, 1, 0, 0xFE, 0xFF])
            packet.uint16(Checksum.crc16(program))
            return try Firmware(application: program, initPacket: packet.bytes)
        case .secureDFU:
            return try Firmware(application: program, initPacket: initPacket(program, sizes: [0x38] + number(length)))
        }
    }

    /// What Secure DFU has to know of firmware of version 7.
    ///
    /// - Parameter sizes: The fields of the sizes, and of the type unless it is an application.
    static func initPacket(_ program: [UInt8], sizes: [UInt8]) -> [UInt8] {
        let hash: [UInt8] = [0x08, 3, 0x12, 32] + SHA256.hash(program).reversed()
        let start: [UInt8] = [0x08, 7] + sizes + [0x42, UInt8(hash.count)] + hash
        let command: [UInt8] = [0x08, 1, 0x12, UInt8(start.count)] + start
        return [0x0A, UInt8(command.count)] + command
    }

    private static func number(_ value: Int) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + number(value >> 7)
    }

    /// What the device states when its new firmware runs.
    static func after(_ way: Way) -> String { way == .mcumgr ? "7.0.0" : "7" }

    /// The address that the device has now.
    func address() async throws -> DeviceAddress { try await control.device(Self.label).address }

    func peripheral(at address: DeviceAddress) -> Peripheral { central.peripheral(address) }

    /// The version that a device states; `nil` while its boot loader runs.
    func revision(of label: String = Self.label) async throws -> String? {
        let peripheral = peripheral(at: try await control.device(label).address)
        let value = try? await peripheral.characteristic(0x2A26).read(within: .seconds(30))
        await peripheral.abandonLink()
        return value.map { String(decoding: $0.value, as: UTF8.self) }
    }
}
