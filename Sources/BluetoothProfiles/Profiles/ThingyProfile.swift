// SPDX-License-Identifier: MIT

extension Profile {
    /// The Nordic Thingy:52: a sensor measures while its characteristic is subscribed to.
    ///
    /// Spec: Nordic Thingy:52 firmware documentation, Firmware architecture, BLE services
    public static let thingy = Profile(
        name: "thingy",
        title: "Thingy:52",
        services: [Thingy.uuid(0x0100)],
        deviceNames: ["Thingy"],
        sources: Thingy.weather + Thingy.interface + Thingy.motion
    )
}

extension Thingy {
    fileprivate static var weather: [ProfileSource] {
        [
            ProfileSource(uuid(0x0201), in: uuid(0x0200), as: "temperature"),
            ProfileSource(uuid(0x0202), in: uuid(0x0200), as: "pressure"),
            ProfileSource(uuid(0x0203), in: uuid(0x0200), as: "humidity"),
            ProfileSource(uuid(0x0204), in: uuid(0x0200), as: "gas"),
            ProfileSource(uuid(0x0205), in: uuid(0x0200), as: "color"),
        ]
    }

    fileprivate static var interface: [ProfileSource] {
        [ProfileSource(uuid(0x0302), in: uuid(0x0300), as: "button")]
    }

    fileprivate static var motion: [ProfileSource] {
        [
            ProfileSource(uuid(0x0402), in: uuid(0x0400), as: "tap"),
            ProfileSource(uuid(0x0403), in: uuid(0x0400), as: "orientation"),
            ProfileSource(uuid(0x0404), in: uuid(0x0400), as: "quaternion"),
            ProfileSource(uuid(0x0405), in: uuid(0x0400), as: "steps"),
            ProfileSource(uuid(0x0406), in: uuid(0x0400), as: "motion"),
            ProfileSource(uuid(0x0407), in: uuid(0x0400), as: "angles"),
            ProfileSource(uuid(0x0408), in: uuid(0x0400), as: "rotation"),
            ProfileSource(uuid(0x0409), in: uuid(0x0400), as: "heading"),
            ProfileSource(uuid(0x040A), in: uuid(0x0400), as: "gravity"),
        ]
    }
}
