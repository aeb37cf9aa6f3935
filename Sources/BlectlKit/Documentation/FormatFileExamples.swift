// SPDX-License-Identifier: GPL-2.0-or-later

extension DeviceFileExample {
    /// The examples of `blectl-formats(5)`, the simplest first. A test reads the files and runs the lines.
    public static let formats = [climate, logger]

    private static let climate = DeviceFileExample(
        file: "climate.json",
        explanation: """
            A temperature in hundredths of a degree and a humidity in halves of a percent, which may be unknown; then a mode by \
            name.
            """,
        text: #"""
            {
              "schema": "blectl-formats/1",
              "services": [{"uuid": "8e1c0000-4f2a-4b6e-9f0e-2d6c1a5b7c00", "name": "Acme Climate"}],
              "characteristics": [
                {
                  "uuid": "8e1c0001-4f2a-4b6e-9f0e-2d6c1a5b7c00",
                  "name": "Acme Climate Measurement",
                  "service": "8e1c0000-4f2a-4b6e-9f0e-2d6c1a5b7c00",
                  "fields": [
                    {"name": "temperature", "type": "s16", "scale": 0.01, "unit": "celsius"},
                    {
                      "name": "humidity",
                      "type": "u8",
                      "scale": 0.5,
                      "unit": "percent",
                      "special": {"255": "not known"}
                    },
                    {"name": "mode", "type": "u8", "values": {"0": "off", "1": "heating", "2": "cooling"}}
                  ]
                }
              ]
            }
            """#,
        lines: [
            "blectl decode acme-climate-measurement 34086401 --formats climate.json",
            "blectl encode acme-climate-measurement temperature=21 humidity=50 mode=cooling --formats climate.json",
            "blectl lookup acme --formats climate.json",
        ]
    )

    private static let logger = DeviceFileExample(
        file: "logger.json",
        explanation: """
            Flags that announce fields, bits that are fields of their own, and samples up to the end of the value, in millivolts \
            with an offset.
            """,
        text: #"""
            {
              "schema": "blectl-formats/1",
              "characteristics": [
                {
                  "uuid": "8e1c0002-4f2a-4b6e-9f0e-2d6c1a5b7c00",
                  "name": "Acme Log",
                  "fields": [
                    {"flags": "u8", "parts": [{"name": "door open", "bit": 7}]},
                    {"name": "taken at", "type": "date-time", "if": {"set": 0}},
                    {
                      "word": "u16",
                      "parts": [
                        {"name": "channel", "bits": [0, 3]},
                        {"name": "range", "bits": [4, 5], "values": {"0": "1 V", "1": "10 V", "2": "100 V"}}
                      ]
                    },
                    {"name": "samples", "type": "s16", "scale": 0.25, "offset": -100, "unit": "mV", "repeat": true}
                  ]
                }
              ]
            }
            """#,
        lines: ["blectl decode acme-log 8013009001a001 --formats logger.json --json"]
    )
}
