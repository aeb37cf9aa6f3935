// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A pod on the shoe of a runner.
    ///
    /// Spec: Running Speed and Cadence Service 1.0, 3
    static let footPod = BuiltInDevice(
        "foot-pod",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "foot-pod",
          "summary": "a pod on the shoe of a runner",
          "name": "Foot Pod",
          "appearance": "on-shoe-running-walking-sensor",
          "address": "DC:61:4F:92:E3:58",
          "signal": { "rssi": -74 },
          "advertising": [
            {
              "interval": "546.25 ms",
              "data": { "services": ["running-speed-and-cadence"], "name": "Foot Pod" }
            }
          ],
          "services": [
            {
              "uuid": "running-speed-and-cadence",
              "characteristics": [
                {
                  "uuid": "rsc-measurement",
                  "properties": ["notify"],
                  "value": {
                    "speed_mps": { "walk": [2.6, 3.8], "step": 0.15, "start": 3.1 },
                    "cadence_per_minute": { "walk": [162, 178], "step": 2, "start": 170 },
                    "stride_length_m": { "walk": [1.02, 1.24], "step": 0.03, "start": 1.1 },
                    "total_distance_m": { "counter": 0, "step": 3.1 },
                    "gait": "running"
                  },
                  "every": "1 s"
                },
                // Stride length, total distance, walking or running.
                { "uuid": "rsc-feature", "properties": ["read"], "value": "u16:7" },
                { "uuid": "sensor-location", "properties": ["read"], "value": "u8:1" }
              ]
            },
            {
              "uuid": "device-information",
              "characteristics": [
                { "uuid": "manufacturer-name-string", "properties": ["read"], "value": "text:blectl simulation" },
                { "uuid": "model-number-string", "properties": ["read"], "value": "text:Pod 1" }
              ]
            }
          ]
        }
        """#
    )
}
