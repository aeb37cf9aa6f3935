// SPDX-License-Identifier: MIT

import Bluetooth

extension Profile {
    /// The TI SensorTags CC2541 and CC2650: each sensor is switched on first, and off at the end. They do not advertise
    /// the services of their sensors.
    ///
    /// Spec: TI SensorTag User Guide; TI CC2650 SensorTag User's Guide
    public static let sensorTag = Profile(
        name: "sensortag",
        title: "SensorTag",
        services: [SensorTag.uuid(0xAA00)],
        deviceNames: ["SensorTag", "TI BLE Sensor Tag", "CC2650 SensorTag", "SensorTag 2.0"],
        sources: SensorTag.first,
        // The second one has all motion sensors in one service.
        variants: [Variant(service: DeviceModel.cc2650.service, sources: SensorTag.second)]
    )
}

extension SensorTag {
    fileprivate static var first: [ProfileSource] {
        [
            sensor(0xAA00, as: "thermometer").timed(uuid(0xAA03), unit: 10, 30...255),
            sensor(0xAA10, as: "accelerometer").deriving(.axes).timed(uuid(0xAA13), unit: 10, 10...255),
            sensor(0xAA20, as: "hygrometer").timed(uuid(0xAA23), unit: 10, 10...255),
            sensor(0xAA30, as: "magnetometer").deriving(.axes).timed(uuid(0xAA33), unit: 10, 10...255),
            sensor(0xAA40, as: "barometer").deriving(.barometer).timed(uuid(0xAA44), unit: 10, 10...255)
                .calibrated(by: [2], to: uuid(0xAA42), at: uuid(0xAA43)),
            // A bit for each axis.
            sensor(0xAA50, as: "gyroscope", on: [7]).deriving(.axes).timed(uuid(0xAA53), unit: 10, 10...255),
            keys("side"),
        ]
    }

    /// The sensors of the CC2650. They share the services with those of the CC2541, but not the formats, which follow
    /// from the model (`DeviceModel`).
    fileprivate static var second: [ProfileSource] {
        [
            sensor(0xAA00, as: "thermometer").timed(uuid(0xAA03), unit: 10, 30...255),
            sensor(0xAA20, as: "hygrometer").timed(uuid(0xAA23), unit: 10, 10...255),
            sensor(0xAA40, as: "barometer").timed(uuid(0xAA44), unit: 10, 10...255),
            sensor(0xAA70, as: "light").timed(uuid(0xAA73), unit: 10, 10...255).deriving(.light)
                .formatted(.fields(.number("raw light", .u16))),
            // All axes, and the range of the accelerometer: ±8 g.
            sensor(0xAA80, as: "motion", on: [0x7F, 0x02], off: [0, 0]).timed(uuid(0xAA83), unit: 10, 10...255)
                .formatted(motion),
            keys("reed relay"),
        ]
    }

    private static func sensor(
        _ service: UInt16,
        as name: String,
        on: [UInt8] = [1],
        off: [UInt8] = [0]
    ) -> ProfileSource {
        ProfileSource(uuid(service + 1), in: uuid(service), as: name).switched(on: on, off: off, at: uuid(service + 2))
    }

    /// The keys need no configuration.
    ///
    /// - Parameter third: The third bit, which is not the same in both models.
    private static func keys(_ third: String) -> ProfileSource {
        ProfileSource(0xFFE1, in: 0xFFE0, as: "keys").formatted(
            .fields(.bits("keys", .u8, ["left", "right", third], none: "released"))
        )
    }

    /// The gyroscope in ±250 °/s, the accelerometer in ±8 g, the magnetometer in whole
    /// microteslas.
    private static var motion: CharacteristicFormat {
        .fields(
            .sensor("gyroscope x", .s16, .degreesPerSecond, times: 500, b: -16, places: 3),
            .sensor("gyroscope y", .s16, .degreesPerSecond, times: 500, b: -16, places: 3),
            .sensor("gyroscope z", .s16, .degreesPerSecond, times: 500, b: -16, places: 3),
            .sensor("acceleration x", .s16, .standardGravity, b: -12, places: 4),
            .sensor("acceleration y", .s16, .standardGravity, b: -12, places: 4),
            .sensor("acceleration z", .s16, .standardGravity, b: -12, places: 4),
            .number("magnetic field x", .s16, .microteslas),
            .number("magnetic field y", .s16, .microteslas),
            .number("magnetic field z", .s16, .microteslas)
        )
    }
}
