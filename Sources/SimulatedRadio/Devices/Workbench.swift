// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
import BluetoothDevices
import BluetoothHost

extension SimulatedDevice {
    /// A device with everything that is difficult: long values, every kind of descriptor, included and secondary
    /// services, 128-bit UUIDs, duplicate UUIDs, and attributes that refuse or never answer. It has a random static
    /// address.
    public static func workbench() throws(GATTDatabaseError) -> SimulatedDevice {
        SimulatedDevice(
            name: "workbench",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xD3_6F_10_2C_84_B7), .random),
            rssi: -72,
            advertising: [
                DeviceAdvertising(
                    .connectable,
                    interval: .microseconds(417_500),
                    data: AdvertisingFields.flags.name("Workbench").manufacturer(0x05F1, [0x01, 0x02, 0x03]).bytes,
                    scanResponse: AdvertisingFields().services(WorkbenchUUID.values).bytes
                )
            ],
            database: try GATTDatabase(services: [
                .genericAccess(name: "Workbench", appearance: 0x0080),
                .genericAttribute(),
                WorkbenchFirmware.values,
                WorkbenchFirmware.descriptors,
                WorkbenchFirmware.troubles,
                WorkbenchFirmware.secondary,
                WorkbenchFirmware.shortSecondary,
            ]),
            firmware: WorkbenchFirmware(),
            // Most devices need several packets for long values; this one does too.
            link: Link(interval: .milliseconds(15), maximumMTU: 247)
        )
    }
}

/// The workbench's UUIDs: `b1ec0000-…`, each with its own number in the first group.
enum WorkbenchUUID {
    static func numbered(_ number: UInt16) -> BluetoothUUID {
        BluetoothUUID(bits128: 0xB1EC_0000_5EC7_4C3A_9D0E_51A1_B1EC_0001 | UInt128(number) << 96)
    }

    static let values = numbered(0x0100)
    /// 512 octets.
    static let long = numbered(0x0101)
    /// 0 to 512 octets.
    static let variable = numbered(0x0102)
    /// Exactly four octets.
    static let fixed = numbered(0x0103)
    /// The number of times it was read.
    static let counter = numbered(0x0104)
    static let writeOnly = numbered(0x0105)
    static let reliable = numbered(0x0106)
    /// A number that changes each second, by notification or indication.
    static let ticker = numbered(0x0107)
    static let commandOnly = numbered(0x0108)

    static let descriptors = numbered(0x0200)
    static let voltage = numbered(0x0201)
    static let current = numbered(0x0202)
    static let aggregate = numbered(0x0203)
    static let labelled = numbered(0x0204)
    static let twin = numbered(0x0205)

    static let troubles = numbered(0x0300)
    static let authenticated = numbered(0x0301)
    static let encrypted = numbered(0x0302)
    static let authorized = numbered(0x0303)
    static let applicationError = numbered(0x0304)
    static let silent = numbered(0x0305)

    static let secondary = numbered(0x0400)
    static let inSecondary = numbered(0x0401)
}

/// Counts, refuses, and leaves requests without an answer.
struct WorkbenchFirmware: DeviceFirmware {
    /// The application error with which the firmware refuses.
    static let applicationError = ATTErrorCode(rawValue: 0x85)

    /// 512 octets that are not periodic, so that a lost or repeated part is noticed.
    static let longValue = (0..<512).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }

    private var reads: UInt32 = 0
    private var ticks: UInt32 = 0
    private var listeners: Set<GATTServer.ClientID> = []

    mutating func read(
        _ request: GATTServer.ReadContext,
        _ device: inout DeviceContext
    ) -> DeviceAnswer<[UInt8]> {
        switch request.type {
        case WorkbenchUUID.counter:
            reads &+= 1
            return .answer(Self.octets(reads))
        case WorkbenchUUID.ticker: return .answer(Self.octets(ticks))
        case WorkbenchUUID.silent: return .silence
        default: return .refuse(Self.applicationError)
        }
    }

    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
        switch request.type {
        case WorkbenchUUID.silent: .silence
        case WorkbenchUUID.writeOnly, WorkbenchUUID.commandOnly: .accept
        default: .refuse(Self.applicationError)
        }
    }

    mutating func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    ) {
        guard device.database[handle]?.type == WorkbenchUUID.ticker else { return }
        if configuration.isEmpty { listeners.remove(client) } else { listeners.insert(client) }
        if listeners.isEmpty {
            device.timer = nil
        } else if device.timer == nil {
            device.timer = device.now + .seconds(1)
        }
    }

    mutating func timerFired(_ device: inout DeviceContext) {
        ticks &+= 1
        if let handle = device.valueHandle(of: WorkbenchUUID.ticker) { device.notify(Self.octets(ticks), of: handle) }
        device.timer = device.now + .seconds(1)
    }

    private static func octets(_ value: UInt32) -> [UInt8] {
        var writer = ByteWriter()
        writer.uint32(value)
        return writer.bytes
    }
}
