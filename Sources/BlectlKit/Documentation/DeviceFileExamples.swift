// SPDX-License-Identifier: GPL-2.0-or-later

/// A worked example of `blectl-device(5)`: a file, and the commands to type. A test reads the file and runs the lines.
public struct DeviceFileExample: Sendable {
    /// The name of the file.
    public let file: String
    /// The purpose of the file, in sentences.
    public let explanation: String
    /// The content of the file, without a line feed at the end.
    public let text: String
    /// Lines to type beside it.
    public let lines: [String]

    /// All examples, the simplest first.
    public static let all = [thermometer, strap, beacon, uart, dimmer, updater, fleet]

    private static let thermometer = DeviceFileExample(
        file: "thermometer.json",
        explanation: """
            A thermometer whose temperature rises and falls between 18.5 and 23 degrees every ten minutes. It is \
            read, and sent every two seconds to those who subscribe.
            """,
        text: #"""
            {
              "schema": "blectl-device/1",
              "name": "Room",
              "advertising": [
                {
                  "interval": "1 s",
                  "data": {"services": ["environmental-sensing"], "name": "Room"}
                }
              ],
              "services": [
                {
                  "uuid": "environmental-sensing",
                  "characteristics": [
                    {
                      "uuid": "temperature",
                      "properties": ["read", "notify"],
                      "value": {"sine": [18.5, 23], "period": "10 min"},
                      "every": "2 s"
                    }
                  ]
                }
              ]
            }
            """#,
        lines: [
            "blectl device check thermometer.json",
            "blectl --simulate=thermometer.json read temperature",
            "blectl --simulate=thermometer.json notify temperature --count 3",
        ]
    )

    private static let strap = DeviceFileExample(
        file: "strap.json",
        explanation: """
            A heart rate strap with typed fields. The rate wanders between 60 and 150, and the battery loses a percent \
            at a time. Its control point accepts one command, and refuses all others with the error of the specification.
            """,
        text: #"""
            {
              "schema": "blectl-device/1",
              "name": "Strap",
              "appearance": "heart-rate-belt",
              "advertising": [
                {
                  "interval": "211.25 ms",
                  "data": {"services": ["heart-rate", "battery"]},
                  "scan_response": {"name": "Strap", "tx_power": 4}
                }
              ],
              "services": [
                {
                  "uuid": "heart-rate",
                  "characteristics": [
                    {
                      "uuid": "heart-rate-measurement",
                      "properties": ["notify"],
                      "value": {
                        "heart_rate_bpm": {"walk": [60, 150], "step": 3, "start": 72}
                      },
                      "every": "1 s"
                    },
                    {
                      "uuid": "heart-rate-control-point",
                      "properties": ["write"],
                      "lengths": 1,
                      "on_write": [
                        {"is": "0x01", "do": []},
                        {"else": true, "do": {"error": "0x80"}}
                      ]
                    }
                  ]
                },
                {
                  "uuid": "battery",
                  "characteristics": [
                    {
                      "uuid": "battery-level",
                      "properties": ["read", "notify"],
                      "value": {"ramp": [87, 5], "over": "4 h"},
                      "every": "10 s",
                      "only_changes": true
                    }
                  ]
                }
              ]
            }
            """#,
        lines: [
            "blectl --simulate=strap.json watch heart-rate --count 5",
            "blectl --simulate=strap.json write heart-rate-control-point 0x01",
        ]
    )

    private static let beacon = DeviceFileExample(
        file: "beacon.json",
        explanation: """
            A beacon with two sets: an Eddystone URL and its telemetry in turn by legacy advertising, and an extended \
            set with more data on LE 2M. It moves away within a minute, and comes back.
            """,
        text: #"""
            {
              "schema": "blectl-device/1",
              "advertising": [
                {
                  "type": "non-connectable",
                  "interval": "500 ms",
                  "data": [
                    {"eddystone_url": {"url": "https://example.com", "power": -10}},
                    {"eddystone_tlm": {"voltage": 2.978, "temperature": 23.25}}
                  ]
                },
                {
                  "type": "extended",
                  "sid": 3,
                  "secondary_phy": "2M",
                  "data": {
                    "name": "Beacon with a long name: extended data have room",
                    "manufacturer": [{"company": "0xffff", "data": "0102030405"}]
                  }
                }
              ],
              "signal": {
                "rssi": -50,
                "movement": {"to": -95, "over": "1 min", "returns": true}
              }
            }
            """#,
        lines: ["blectl --simulate=beacon.json scan --duration 5"]
    )

    private static let uart = DeviceFileExample(
        file: "uart.json",
        explanation: """
            A serial port with UUIDs of its own. What is written to one characteristic is sent back by the other one. \
            Labels save the repetition of UUIDs.
            """,
        text: #"""
            {
              "schema": "blectl-device/1",
              "name": "Echo",
              "advertising": [{"data": {"name": "Echo"}}],
              "services": [
                {
                  "uuid": "6e400001-b5a3-f393-e0a9-e50e24dcca9e",
                  "characteristics": [
                    {
                      "uuid": "6e400002-b5a3-f393-e0a9-e50e24dcca9e",
                      "label": "rx",
                      "properties": ["write", "write-without-response"],
                      "on_write": [
                        {
                          "is": "text:bye",
                          "do": [
                            {"send": "tx", "value": "text:see you"},
                            {"after": "1 s", "do": "disconnect"}
                          ]
                        },
                        {"length": [1, 100], "do": {"echo": "tx"}},
                        {"do": {"error": "invalid-attribute-value-length"}}
                      ]
                    },
                    {
                      "uuid": "6e400003-b5a3-f393-e0a9-e50e24dcca9e",
                      "label": "tx",
                      "properties": ["notify"]
                    }
                  ]
                }
              ]
            }
            """#,
        lines: [
            "uart=6e400002-b5a3-f393-e0a9-e50e24dcca9e",
            "blectl --simulate=uart.json write $uart text:hello --name Echo",
        ]
    )

    private static let dimmer = DeviceFileExample(
        file: "dimmer.json",
        explanation: """
            A lamp with a control point. The first octet of a command is its kind: 01 and a level sets the brightness, \
            02 fades to dark, anything else is refused. Each command is confirmed by an indication. A client that \
            writes needs an encrypted link, which a simulated link has from its start if the limits say so.
            """,
        text: #"""
            {
              "schema": "blectl-device/1",
              "name": "Lamp",
              "advertising": [{"data": {"name": "Lamp"}}],
              "limits": {"security": "encrypted", "latency": "20 ms"},
              "services": [
                {
                  "uuid": "0xfff0",
                  "characteristics": [
                    {
                      "uuid": "0xfff1",
                      "label": "control",
                      "properties": ["write", "indicate"],
                      "permissions": {"write": "encrypted"},
                      "description": "control point: 01 LEVEL, or 02",
                      "on_write": [
                        {
                          "starts": "01",
                          "length": 2,
                          "do": [
                            {"set": "level"},
                            {"send": "control", "value": "8001"}
                          ]
                        },
                        {
                          "is": "02",
                          "do": [
                            {"send": "control", "value": "8002"},
                            {"after": "1 s", "do": {"set": "level", "value": "0110"}},
                            {"after": "2 s", "do": {"set": "level", "value": "0100"}}
                          ]
                        },
                        {"else": true, "do": {"error": "value-not-allowed"}}
                      ]
                    },
                    {
                      "uuid": "0xfff2",
                      "label": "level",
                      "properties": ["read", "notify"],
                      "value": "0132"
                    }
                  ]
                }
              ]
            }
            """#,
        lines: [
            "blectl --simulate=dimmer.json write 0xfff1 0150 --name Lamp",
            "blectl --simulate=dimmer.json read 0xfff2 --name Lamp",
        ]
    )

    private static let updater = DeviceFileExample(
        file: "updater.json",
        explanation: """
            A device whose firmware is updated 20 seconds after each connection: its services change, so that clients \
            get Service Changed. A minute later it restarts with the old ones.
            """,
        text: #"""
            {
              "schema": "blectl-device/1",
              "name": "Updater",
              "advertising": [{"data": {"name": "Updater"}}],
              "services": [
                {
                  "uuid": "device-information",
                  "characteristics": [
                    {
                      "uuid": "firmware-revision-string",
                      "properties": ["read"],
                      "value": "1.0"
                    }
                  ]
                }
              ],
              "databases": {
                "updated": [
                  {
                    "uuid": "battery",
                    "characteristics": [
                      {"uuid": "battery-level", "properties": ["read"], "value": 50}
                    ]
                  },
                  {
                    "uuid": "device-information",
                    "characteristics": [
                      {
                        "uuid": "firmware-revision-string",
                        "properties": ["read"],
                        "value": "2.0"
                      }
                    ]
                  }
                ]
              },
              "timeline": [
                {"at": "20 s", "since": "connection", "do": {"database": "updated"}},
                {"at": "80 s", "since": "connection", "do": "restart"}
              ]
            }
            """#,
        lines: ["blectl --simulate=updater.json read firmware-revision-string -d Updater"]
    )

    private static let fleet = DeviceFileExample(
        file: "fleet.json",
        explanation: """
            A world: a strap of blectl whose signal is weak, and thirty beacons with addresses and labels of their own, \
            which are out of range for half of each minute.
            """,
        text: #"""
            {
              "schema": "blectl-world/1",
              "seed": 7,
              "devices": [
                {
                  "built_in": "pulse-strap",
                  "signal": {"rssi": -88, "movement": "still"}
                },
                {
                  "label": "tag",
                  "address": "E2:0D:77:41:00:00",
                  "copies": 30,
                  "device": {
                    "advertising": [
                      {
                        "type": "non-connectable",
                        "data": {
                          "ibeacon": {
                            "uuid": "f7826da6-4fa2-4e98-8024-bc5b71e0893e",
                            "major": 1
                          }
                        }
                      }
                    ],
                    "signal": {
                      "absences": [
                        {"from": "30 s", "until": "1 min", "every": "1 min"}
                      ]
                    }
                  }
                }
              ]
            }
            """#,
        lines: ["blectl --simulate=fleet.json scan --duration 10 --summary"]
    )
}
