// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
import BluetoothHost

extension SimulatedDevice {
    /// A chest strap at the edge of its range, and with young firmware: each link breaks after a while, the strap is out of
    /// reach for some seconds then, and now and then its attributes are others; a random static address.
    ///
    /// It does not advertise its services: who looks for a heart rate finds the strap that works.
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

/// A strap whose attributes are others some seconds after somebody has begun to listen, each time: with the battery before
/// the heart rate, or behind it.
struct FlakyStrapFirmware: DeviceFirmware {
    private static let measurement: BluetoothUUID = 0x2A37
    /// Long enough for a client to have asked to be told.
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
            // Who listened has to subscribe anew: the descriptor is elsewhere.
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
