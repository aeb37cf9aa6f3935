// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A TI SensorTag (CC2541) that lies on a table. Each sensor measures while its configuration says so.
    ///
    /// Spec: TI SensorTag User Guide
    static let sensorTag = BuiltInDevice(
        "sensor-tag",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "sensor-tag",
          "summary": "a TI SensorTag with motion, climate and keys",
          "name": "SensorTag",
          "address": "90:59:AF:0B:82:F4",
          "address_type": "public",
          "signal": { "rssi": -62 },
          "limits": { "mtu": 23, "data_length": 27, "phys": ["1M"] },
          "advertising": [
            {
              "interval": "300 ms",
              "data": {},
              // The name, and the range of connection intervals that it prefers.
              "scan_response": { "name": "SensorTag", "tx_power": 0, "raw": "051250002003" }
            }
          ],
          "services": [
            // Device information.
            {
              "uuid": "device-information",
              "characteristics": [
                { "uuid": "system-id", "properties": ["read"], "value": "0x82f4e50000af5990" },
                { "uuid": "model-number-string", "properties": ["read"], "value": "text:N.A." },
                { "uuid": "serial-number-string", "properties": ["read"], "value": "text:N.A." },
                { "uuid": "firmware-revision-string", "properties": ["read"], "value": "text:1.5 (Oct 23 2013)" },
                { "uuid": "hardware-revision-string", "properties": ["read"], "value": "text:N.A." },
                { "uuid": "software-revision-string", "properties": ["read"], "value": "text:N.A." },
                { "uuid": "manufacturer-name-string", "properties": ["read"], "value": "text:Texas Instruments" },
                { "uuid": "2a2a", "properties": ["read"], "value": "0xfe006578706572696d656e74616c" }
              ]
            },
            // The infrared thermometer looks at a hand that comes and goes.
            {
              "uuid": "f000aa00-0451-4000-b000-000000000000",
              "characteristics": [
                {
                  "uuid": "f000aa01-0451-4000-b000-000000000000",
                  "properties": ["read", "notify"],
                  "value": {
                    "object_c": { "sine": [24, 31], "period": "40 s" },
                    "ambient_c": { "sine": [22.6, 23.8], "period": "25 min" }
                  },
                  "every": "1 s",
                  "while": { "characteristic": "thermometer", "is": "0x01" },
                  "idle": "0x00000000",
                  "description": "IR Temp. Data"
                },
                {
                  "uuid": "f000aa02-0451-4000-b000-000000000000",
                  "label": "thermometer",
                  "properties": ["read", "write"],
                  "value": "0x00",
                  "lengths": 1,
                  "on_write": [
                    { "is": "0x00", "do": "store" },
                    { "is": "0x01", "do": "store" },
                    { "else": true, "do": { "error": "0x80" } } // value not allowed
                  ],
                  "description": "IR Temp. Conf."
                }
              ]
            },
            // The accelerometer lies on a table and feels gravity on its z axis; the table is rocked.
            {
              "uuid": "f000aa10-0451-4000-b000-000000000000",
              "characteristics": [
                {
                  "uuid": "f000aa11-0451-4000-b000-000000000000",
                  "properties": ["read", "notify"],
                  "value": {
                    "x_g": { "sine": [-0.19, 0.19], "period": "4 s" },
                    "y_g": { "walk": [-0.05, 0.05], "step": 0.03 },
                    "z_g": { "walk": [0.97, 1.03], "step": 0.02, "start": 1 }
                  },
                  "every": { "value_of": "accelerometer-period", "unit": "10 ms" },
                  "while": { "characteristic": "accelerometer", "is": "0x01" },
                  "idle": "0x000000",
                  "description": "Accel. Data"
                },
                {
                  "uuid": "f000aa12-0451-4000-b000-000000000000",
                  "label": "accelerometer",
                  "properties": ["read", "write"],
                  "value": "0x00",
                  "lengths": 1,
                  "on_write": [
                    { "is": "0x00", "do": "store" },
                    { "is": "0x01", "do": "store" },
                    { "else": true, "do": { "error": "0x80" } } // value not allowed
                  ],
                  "description": "Accel. Conf."
                },
                {
                  "uuid": "f000aa13-0451-4000-b000-000000000000",
                  "label": "accelerometer-period",
                  "properties": ["read", "write"],
                  "value": "u8:100",
                  "lengths": 1,
                  "on_write": [
                    { "number": [10, 255], "as": "u8", "do": "store" },
                    { "else": true, "do": { "error": "0x80" } }
                  ],
                  "description": "Accel. Period"
                }
              ]
            },
            // The hygrometer.
            {
              "uuid": "f000aa20-0451-4000-b000-000000000000",
              "characteristics": [
                {
                  "uuid": "f000aa21-0451-4000-b000-000000000000",
                  "properties": ["read", "notify"],
                  "value": {
                    "temperature_c": { "sine": [22.6, 23.8], "period": "25 min" },
                    "humidity_percent": { "sine": [43, 47], "period": "47 min" }
                  },
                  "every": "1 s",
                  "while": { "characteristic": "hygrometer", "is": "0x01" },
                  "idle": "0x00000000",
                  "description": "Humid. Data"
                },
                {
                  "uuid": "f000aa22-0451-4000-b000-000000000000",
                  "label": "hygrometer",
                  "properties": ["read", "write"],
                  "value": "0x00",
                  "lengths": 1,
                  "on_write": [
                    { "is": "0x00", "do": "store" },
                    { "is": "0x01", "do": "store" },
                    { "else": true, "do": { "error": "0x80" } } // value not allowed
                  ],
                  "description": "Humid. Conf."
                }
              ]
            },
            // The magnetometer points north, in a field that is steeper than it is wide.
            {
              "uuid": "f000aa30-0451-4000-b000-000000000000",
              "characteristics": [
                {
                  "uuid": "f000aa31-0451-4000-b000-000000000000",
                  "properties": ["read", "notify"],
                  "value": {
                    "x_ut": { "walk": [18.5, 21.5], "step": 0.4 },
                    "y_ut": { "sine": [-4, 4], "period": "4 s" },
                    "z_ut": { "walk": [-46, -43], "step": 0.4 }
                  },
                  "every": { "value_of": "magnetometer-period", "unit": "10 ms" },
                  "while": { "characteristic": "magnetometer", "is": "0x01" },
                  "idle": "0x000000000000",
                  "description": "Mag. Data"
                },
                {
                  "uuid": "f000aa32-0451-4000-b000-000000000000",
                  "label": "magnetometer",
                  "properties": ["read", "write"],
                  "value": "0x00",
                  "lengths": 1,
                  "on_write": [
                    { "is": "0x00", "do": "store" },
                    { "is": "0x01", "do": "store" },
                    { "else": true, "do": { "error": "0x80" } } // value not allowed
                  ],
                  "description": "Mag. Conf."
                },
                {
                  "uuid": "f000aa33-0451-4000-b000-000000000000",
                  "label": "magnetometer-period",
                  "properties": ["read", "write"],
                  "value": "u8:200",
                  "lengths": 1,
                  "on_write": [
                    { "number": [10, 255], "as": "u8", "do": "store" },
                    { "else": true, "do": { "error": "0x80" } }
                  ],
                  "description": "Mag. Period"
                }
              ]
            },
            // The barometer. Writing 2 makes its calibration readable; without it, there are no data. With it, the
            // raw numbers mean 23.0 to 23.8 °C and 1009 to 1017 hPa.
            {
              "uuid": "f000aa40-0451-4000-b000-000000000000",
              "characteristics": [
                {
                  "uuid": "f000aa41-0451-4000-b000-000000000000",
                  "properties": ["read", "notify"],
                  "value": {
                    "raw_temperature": { "sine": [-731, -438], "period": "25 min" },
                    "raw_pressure": { "sine": [33251, 33520], "period": "3 h" }
                  },
                  "every": "1 s",
                  "while": [
                    { "characteristic": "barometer", "is": "0x01" },
                    { "characteristic": "barometer-calibration", "is": "0x81b2f863febe4e8d591bc60701f79804" }
                  ],
                  "idle": "0x00000000",
                  "description": "Barometer Data"
                },
                {
                  "uuid": "f000aa42-0451-4000-b000-000000000000",
                  "label": "barometer",
                  "properties": ["read", "write"],
                  "value": "0x00",
                  "lengths": 1,
                  "on_write": [
                    { "is": "0x00", "do": "store" },
                    { "is": "0x01", "do": "store" },
                    {
                      "is": "0x02",
                      "do": { "set": "barometer-calibration", "value": "0x81b2f863febe4e8d591bc60701f79804" }
                    },
                    { "else": true, "do": { "error": "0x80" } }
                  ],
                  "description": "Barometer Conf."
                },
                {
                  "uuid": "f000aa43-0451-4000-b000-000000000000",
                  "label": "barometer-calibration",
                  "properties": ["read"],
                  "value": "0x00000000000000000000000000000000",
                  "description": "Barometer Cali."
                }
              ]
            },
            // The gyroscope feels how the table rocks. It has a bit for each of its axes.
            {
              "uuid": "f000aa50-0451-4000-b000-000000000000",
              "characteristics": [
                {
                  "uuid": "f000aa51-0451-4000-b000-000000000000",
                  "properties": ["read", "notify"],
                  "value": {
                    "x_degrees_per_s": { "walk": [-1.5, 1.5], "step": 0.6 },
                    "y_degrees_per_s": { "sine": [-17, 17], "period": "4 s" },
                    "z_degrees_per_s": { "walk": [-1.5, 1.5], "step": 0.6 }
                  },
                  "every": "1 s",
                  "while": { "characteristic": "gyroscope", "is": "0x07" },
                  "idle": "0x000000000000",
                  "description": "Gyro. Data"
                },
                {
                  "uuid": "f000aa52-0451-4000-b000-000000000000",
                  "label": "gyroscope",
                  "properties": ["read", "write"],
                  "value": "0x00",
                  "lengths": 1,
                  "on_write": [
                    { "is": "0x00", "do": "store" },
                    { "is": "0x07", "do": "store" },
                    { "else": true, "do": { "error": "0x80" } } // value not allowed
                  ],
                  "description": "Gyro. Conf."
                }
              ]
            },
            // The keys are pressed now and then: the left one, the right one, and both.
            {
              "uuid": "ffe0",
              "characteristics": [
                {
                  "uuid": "ffe1",
                  "properties": ["notify"],
                  "value": {
                    "replay": [
                      ["2 s", "0x01"], ["2.3 s", "0x00"], ["5 s", "0x02"], ["5.2 s", "0x00"],
                      ["8 s", "0x01"], ["8.1 s", "0x03"], ["8.6 s", "0x00"]
                    ],
                    "period": "10 s"
                  },
                  "description": "Key Press State"
                }
              ]
            },
            // The self-test: all sensors work.
            {
              "uuid": "f000aa60-0451-4000-b000-000000000000",
              "characteristics": [
                {
                  "uuid": "f000aa61-0451-4000-b000-000000000000",
                  "properties": ["read"],
                  "value": "0x3f",
                  "description": "Test Data"
                },
                {
                  "uuid": "f000aa62-0451-4000-b000-000000000000",
                  "properties": ["read", "write"],
                  "value": "0x00",
                  "lengths": 1,
                  "description": "Test Config"
                }
              ]
            }
          ]
        }
        """#
    )
}
