// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A bicycle in a gym with a rider. It is a fitness machine, a power meter, and a sensor of speed and cadence.
    ///
    /// Spec: Fitness Machine Service 1.0, 4; Cycling Power Service 1.1, 3; Cycling Speed and Cadence Service 1.0, 3
    static let gymBike = BuiltInDevice(
        "gym-bike",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "gym-bike",
          "summary": "a bicycle in a gym",
          "name": "Gym Bike",
          "appearance": "cycling",
          "address": "F7:3D:A5:1C:08:B2",
          "signal": { "rssi": -68 },
          "advertising": [
            {
              "interval": "211.25 ms",
              "data": {
                "services": ["fitness-machine", "cycling-power", "cycling-speed-and-cadence"],
                "name": "Gym Bike",
                // A fitness machine that is available, an indoor bike.
                "service_data": [{ "uuid": "fitness-machine", "data": "012000" }]
              }
            }
          ],
          "services": [
            {
              "uuid": "fitness-machine",
              "characteristics": [
                // Cadence, total distance, expended energy, elapsed time, power; no targets.
                { "uuid": "fitness-machine-feature", "properties": ["read"], "value": "0x0652000000000000" },
                {
                  "uuid": "indoor-bike-data",
                  "properties": ["notify"],
                  "value": { "program": "bicycle.data" },
                  "every": "1 s"
                },
                {
                  "uuid": "fitness-machine-control-point",
                  "label": "control",
                  "properties": ["write", "indicate"],
                  "on_write": [
                    // Control, reset, start, stop or pause.
                    { "is": "0x00", "do": { "send": "control", "value": "0x800001" } },
                    { "is": "0x01", "do": { "send": "control", "value": "0x800101" } },
                    { "is": "0x07", "do": { "send": "control", "value": "0x800701" } },
                    { "is": "0x0801", "do": { "send": "control", "value": "0x800801" } },
                    { "is": "0x0802", "do": { "send": "control", "value": "0x800801" } },
                    { "else": true, "do": { "error": "0x80" } }
                  ]
                },
                {
                  "uuid": "fitness-machine-status",
                  "properties": ["notify"],
                  // Started, a resistance, paused, started again.
                  "value": {
                    "replay": [["1.5 s", "0x04"], ["9 s", "0x0723"], ["24 s", "0x0202"], ["27 s", "0x04"]],
                    "period": "60 s"
                  }
                }
              ]
            },
            {
              "uuid": "cycling-power",
              "characteristics": [
                {
                  "uuid": "cycling-power-measurement",
                  "properties": ["notify"],
                  "value": { "program": "bicycle.power" },
                  "every": "1 s"
                },
                // Balance, wheel and crank.
                { "uuid": "cycling-power-feature", "properties": ["read"], "value": "u32:13" },
                { "uuid": "sensor-location", "properties": ["read"], "value": "u8:15" }
              ]
            },
            {
              "uuid": "cycling-speed-and-cadence",
              "characteristics": [
                {
                  "uuid": "csc-measurement",
                  "properties": ["notify"],
                  "value": { "program": "bicycle.revolutions" },
                  "every": "1 s"
                },
                // Wheel and crank.
                { "uuid": "csc-feature", "properties": ["read"], "value": "u16:3" }
              ]
            },
            {
              "uuid": "device-information",
              "characteristics": [
                { "uuid": "manufacturer-name-string", "properties": ["read"], "value": "text:blectl simulation" },
                { "uuid": "model-number-string", "properties": ["read"], "value": "text:Bike 700" }
              ]
            }
          ]
        }
        """#
    )
}
