// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A cuff that measures the blood pressure: the pressure while it deflates, and the result every 20 seconds.
    ///
    /// Spec: Blood Pressure Service 1.1.1, 3
    static let pressureCuff = BuiltInDevice(
        "pressure-cuff",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "pressure-cuff",
          "summary": "a cuff that measures the blood pressure",
          "name": "Pressure Cuff",
          "appearance": "arm-blood-pressure",
          "address": "D4:0B:E8:71:3F:A6",
          "signal": { "rssi": -66 },
          "advertising": [
            { "interval": "760 ms", "data": { "services": ["blood-pressure", "device-information"], "name": "Pressure Cuff" } }
          ],
          "services": [
            {
              "uuid": "blood-pressure",
              "characteristics": [
                {
                  "uuid": "blood-pressure-measurement",
                  "properties": ["indicate"],
                  "value": {
                    "systolic_mmhg": { "walk": [116, 128], "step": 4, "start": 121 },
                    "diastolic_mmhg": { "walk": [74, 84], "step": 3, "start": 79 },
                    "mean_arterial_pressure_mmhg": { "walk": [88, 98], "step": 3, "start": 93 },
                    "pulse_rate_bpm": { "walk": [60, 70], "step": 3, "start": 64 },
                    "user_id": 1
                  },
                  "every": "20 s"
                },
                {
                  "uuid": "intermediate-cuff-pressure",
                  "properties": ["notify"],
                  "value": { "cuff_pressure_mmhg": { "ramp": [178, 58], "over": "20 s", "repeat": true } },
                  "every": "2 s"
                },
                // Body movement and cuff fit.
                { "uuid": "blood-pressure-feature", "properties": ["read"], "value": "u16:3" }
              ]
            },
            {
              "uuid": "device-information",
              "characteristics": [
                { "uuid": "manufacturer-name-string", "properties": ["read"], "value": "text:blectl simulation" },
                { "uuid": "model-number-string", "properties": ["read"], "value": "text:Cuff 1" },
                { "uuid": "serial-number-string", "properties": ["read"], "value": "text:C1-20417" },
                { "uuid": "hardware-revision-string", "properties": ["read"], "value": "text:C" },
                { "uuid": "firmware-revision-string", "properties": ["read"], "value": "text:2.3.1" },
                { "uuid": "software-revision-string", "properties": ["read"], "value": "text:2.3.1" },
                // The organisation is 0x001122, and the manufacturer's number 0x0000004FC1.
                { "uuid": "system-id", "properties": ["read"], "value": "hex:c14f000000221100" },
                // The Bluetooth SIG's number for tests, product 1, version 1.0.0.
                { "uuid": "pnp-id", "properties": ["read"], "value": "hex:01ffff01000001" }
              ]
            }
          ]
        }
        """#
    )
}
