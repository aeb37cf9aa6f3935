// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
import BluetoothDevices
import BluetoothHost

extension SimulatedDevice {
    /// A chest strap at the edge of its range, with immature firmware. Each link breaks after 20 seconds, the strap is
    /// then out of reach for three seconds, and its attributes change from time to time. It has a random static
    /// address.
    ///
    /// It does not advertise its services, so that a search for a heart rate finds the reliable strap.
    public static func flakyStrap() throws(GATTDatabaseError) -> SimulatedDevice {
        SimulatedDevice(
            name: "flaky-strap",
            address: DeviceAddress(BluetoothAddress(rawValue: 0xE7_2F_5A_C3_19_B4), .random),
            rssi: -86,
            advertising: [
                DeviceAdvertising(
                    .connectable,
                    interval: .microseconds(417_500),
                    data: AdvertisingFields.flags.name("Flaky HR").appearance(0x0341).bytes
                )
            ],
            database: try FlakyStrapFirmware.database(isUpdated: false),
            firmware: FlakyStrapFirmware(),
            faults: DeviceFaults(
                lapse: .init(after: .seconds(20), reason: .connectionTimeout, absence: .seconds(3))
            )
        )
    }
}

/// A strap that swaps its attributes some seconds after each subscription: the battery comes before the heart rate or
/// after it.
struct FlakyStrapFirmware: DeviceFirmware {
    private static let measurement: BluetoothUUID = 0x2A37
    /// Long enough for a client to have subscribed to Service Changed.
    private static let patience = Duration.seconds(12)

    private var strap = HeartRateFirmware()
    private var isUpdated = false
    private var update: Instant?

    static func database(isUpdated: Bool) throws(GATTDatabaseError) -> GATTDatabase {
        let services: [ServiceDefinition] =
            isUpdated ? [.battery, HeartRateFirmware.service] : [HeartRateFirmware.service, .battery]
        return try GATTDatabase(
            services: [.genericAccess(name: "Flaky HR", appearance: 0x0341), .genericAttribute()] + services
        )
    }

    mutating func read(_ request: GATTServer.ReadContext, _ device: inout DeviceContext) -> DeviceAnswer<[UInt8]> {
        strap.read(request, &device)
    }

    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
        strap.write(request, &device)
    }

    mutating func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    ) {
        strap.subscriptionChanged(client, handle, configuration, &device)
        if handle == device.valueHandle(of: Self.measurement), update == nil || configuration.isEmpty {
            update = configuration.isEmpty ? nil : device.now + Self.patience
        }
        setTimer(&device)
    }

    mutating func timerFired(_ device: inout DeviceContext) {
        strap.timerFired(&device)
        if let moment = update, moment <= device.now, let database = try? Self.database(isUpdated: !isUpdated) {
            update = nil
            isUpdated.toggle()
            // Clients must subscribe again, because the descriptor has another handle.
            strap = HeartRateFirmware()
            device.timer = nil
            device.replaceDatabase(with: database)
        }
        setTimer(&device)
    }

    private func setTimer(_ device: inout DeviceContext) {
        device.timer = [device.timer, update].compactMap { $0 }.min()
    }
}
