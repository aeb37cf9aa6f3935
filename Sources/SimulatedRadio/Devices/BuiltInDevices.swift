// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

extension SimulatedDevice {
    /// The devices of `--simulate` and `serve`, which differ as real ones do.
    ///
    /// - Parameter isHostile: Whether to add a device that attacks the terminal through its name.
    public static func builtIn(isHostile: Bool = false) throws(GATTDatabaseError) -> [SimulatedDevice] {
        var devices: [SimulatedDevice] = [
            try .heartRateStrap(),
            try .thermometer(),
            try .uartEcho(),
            try .workbench(),
            .iBeacon(),
            .eddystone(),
            .weatherMast(),
            try .shapeshifter(),
            try .museum(),
            try .sportsWatch(),
            try .flakyStrap(),
        ]
        if isHostile { devices.append(try .hostile()) }
        return devices
    }
}
