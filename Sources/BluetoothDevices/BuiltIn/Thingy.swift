// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A Nordic Thingy:52 on a plate that turns once a minute. A sensor measures while a client is subscribed to it.
    ///
    /// Spec: Nordic Thingy:52 firmware documentation, Firmware architecture, BLE services
    static let thingy = BuiltInDevice(
        "thingy",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "thingy",
          "summary": "a Nordic Thingy:52 on a plate that turns",
          "name": "Thingy",
          "address": "EB:52:7A:16:0C:91",
          "signal": { "rssi": -67 },
          "advertising": [
            {
              "interval": "417.5 ms",
              "data": { "services": ["ef680100-9b35-4933-9b10-52ffa9740042"], "name": "Thingy" }
            }
          ],
          "services": [
            {
              "uuid": "ef680100-9b35-4933-9b10-52ffa9740042",
              "characteristics": [
                {
                  "uuid": "ef680101-9b35-4933-9b10-52ffa9740042",
                  "properties": ["read", "write"],
                  "value": "text:Thingy",
                  "lengths": [1, 10],
                  "on_write": [{ "else": true, "do": "store" }]
                },
                { "uuid": "ef680107-9b35-4933-9b10-52ffa9740042", "properties": ["read"], "value": "0x020200" }
              ]
            },
            // The weather station.
            {
              "uuid": "ef680200-9b35-4933-9b10-52ffa9740042",
              "characteristics": [
                {
                  "uuid": "ef680201-9b35-4933-9b10-52ffa9740042",
                  "properties": ["notify"],
                  "value": { "temperature_c": { "sine": [21.4, 23.2], "period": "18 min" } },
                  "every": "2 s"
                },
                {
                  "uuid": "ef680202-9b35-4933-9b10-52ffa9740042",
                  "properties": ["notify"],
                  "value": { "pressure_hpa": { "walk": [1009.5, 1012.5], "step": 0.08, "start": 1011.25 } },
                  "every": "2 s"
                },
                {
                  "uuid": "ef680203-9b35-4933-9b10-52ffa9740042",
                  "properties": ["notify"],
                  "value": { "humidity_percent": { "walk": [41, 47], "step": 1, "start": 44 } },
                  "every": "2 s"
                },
                {
                  "uuid": "ef680204-9b35-4933-9b10-52ffa9740042",
                  "properties": ["notify"],
                  "value": {
                    "eco2_ppm": { "walk": [420, 780], "step": 12, "start": 455 },
                    "tvoc_ppb": { "walk": [0, 60], "step": 3, "start": 8 }
                  },
                  "every": "10 s"
                },
                {
                  "uuid": "ef680205-9b35-4933-9b10-52ffa9740042",
                  "properties": ["notify"],
                  "value": {
                    "red": { "walk": [210, 260], "step": 6 },
                    "green": { "walk": [280, 340], "step": 6 },
                    "blue": { "walk": [180, 220], "step": 5 },
                    "clear": { "walk": [640, 780], "step": 15 }
                  },
                  "every": "1.5 s"
                },
                {
                  "uuid": "ef680206-9b35-4933-9b10-52ffa9740042",
                  "properties": ["read", "write"],
                  // Temperature, pressure and humidity every 2 s, colour every 1.5 s, gas every 10 s.
                  "value": "0xd007d007d007dc0502672940",
                  "lengths": 12,
                  "on_write": [{ "else": true, "do": "store" }]
                }
              ]
            },
            // The user interface: the light breathes in cyan, and the button is pressed now and then.
            {
              "uuid": "ef680300-9b35-4933-9b10-52ffa9740042",
              "characteristics": [
                {
                  "uuid": "ef680301-9b35-4933-9b10-52ffa9740042",
                  "properties": ["read", "write"],
                  "value": "0x020614ac0d",
                  "lengths": [1, 5],
                  "on_write": [{ "else": true, "do": "store" }]
                },
                {
                  "uuid": "ef680302-9b35-4933-9b10-52ffa9740042",
                  "properties": ["notify"],
                  "value": { "replay": [["3 s", "0x01"], ["3.4 s", "0x00"]], "period": "12 s" }
                }
              ]
            },
            // Motion.
            {
              "uuid": "ef680400-9b35-4933-9b10-52ffa9740042",
              "characteristics": [
                {
                  "uuid": "ef680401-9b35-4933-9b10-52ffa9740042",
                  "properties": ["read", "write"],
                  // Steps, temperature and magnetometer every 500 ms, 10 times a second, awake on motion.
                  "value": "0xf401f401f4010a0001",
                  "lengths": 9,
                  "on_write": [{ "else": true, "do": "store" }]
                },
                {
                  "uuid": "ef680402-9b35-4933-9b10-52ffa9740042",
                  "properties": ["notify"],
                  "value": { "replay": [["5 s", "0x0601"], ["8 s", "0x0602"]], "period": "15 s" }
                },
                {
                  "uuid": "ef680403-9b35-4933-9b10-52ffa9740042",
                  "properties": ["notify"],
                  "value": { "orientation": "portrait" },
                  "every": "5 s"
                },
                {
                  "uuid": "ef680406-9b35-4933-9b10-52ffa9740042",
                  "properties": ["notify"],
                  "value": {
                    "acceleration_x_g": { "walk": [-0.02, 0.02], "step": 0.005 },
                    "acceleration_y_g": { "walk": [-0.02, 0.02], "step": 0.005 },
                    "acceleration_z_g": { "walk": [0.98, 1.02], "step": 0.005, "start": 1 },
                    "gyroscope_x_degrees_per_s": { "walk": [-0.25, 0.25], "step": 0.0625 },
                    "gyroscope_y_degrees_per_s": { "walk": [-0.25, 0.25], "step": 0.0625 },
                    "gyroscope_z_degrees_per_s": { "walk": [5.75, 6.25], "step": 0.0625, "start": 6 },
                    "magnetic_field_x_ut": { "sine": [-20, 20], "period": "60 s" },
                    "magnetic_field_y_ut": { "walk": [-3, 3], "step": 0.5 },
                    "magnetic_field_z_ut": { "walk": [-46, -43], "step": 0.5 }
                  },
                  "every": "1 s"
                },
                {
                  "uuid": "ef680407-9b35-4933-9b10-52ffa9740042",
                  "properties": ["notify"],
                  "value": {
                    "roll_degrees": { "walk": [-0.5, 0.5], "step": 0.1 },
                    "pitch_degrees": { "walk": [-0.5, 0.5], "step": 0.1 },
                    "yaw_degrees": { "ramp": [-180, 180], "over": "60 s", "repeat": true }
                  },
                  "every": "1 s"
                },
                {
                  "uuid": "ef680409-9b35-4933-9b10-52ffa9740042",
                  "properties": ["notify"],
                  "value": { "heading_degrees": { "ramp": [0, 360], "over": "60 s", "repeat": true } },
                  "every": "1 s"
                },
                {
                  "uuid": "ef68040a-9b35-4933-9b10-52ffa9740042",
                  "properties": ["notify"],
                  "value": { "x_mps2": 0, "y_mps2": 0, "z_mps2": 9.8125 },
                  "every": "1 s"
                }
              ]
            },
            {
              "uuid": "battery",
              "characteristics": [
                { "uuid": "battery-level", "properties": ["read", "notify"], "value": "u8:86" }
              ]
            }
          ]
        }
        """#
    )
}
