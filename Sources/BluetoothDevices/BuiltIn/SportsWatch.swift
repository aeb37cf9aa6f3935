// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A sports watch with twelve services, as many as large devices have, most of them short. It shows the cost of
    /// discovery. Two of the services contain Alert Level. It measures the wearer's heart while a client is subscribed.
    ///
    /// Spec: Heart Rate Service 1.0, 3; Running Speed and Cadence Service 1.0, 3; Location and Navigation Service 1.0,
    /// 3; Alert Notification Service 1.0, 3; Immediate Alert Service 1.0, 3; Link Loss Service 1.0.1, 3; Tx Power
    /// Service 1.0, 3
    static let sportsWatch = BuiltInDevice(
        "sports-watch",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "sports-watch",
          "summary": "twelve services",
          "name": "Sports Watch",
          "appearance": "sports-watch",
          "address": "E7:5A:90:41:D6:2B",
          "signal": { "rssi": -76 },
          "limits": { "mtu": 247, "connections": 2 },
          "advertising": [
            {
              "interval": "852.5 ms",
              "data": { "appearance": "sports-watch", "name": "Sports Watch" },
              "scan_response": { "services": ["5afe0000-72c4-4e0b-8a31-7d0652b91c44"] }
            }
          ],
          "services": [
            {
              "uuid": "device-information",
              "characteristics": [
                { "uuid": "manufacturer-name-string", "properties": ["read"], "value": "text:blectl simulation" },
                { "uuid": "model-number-string", "properties": ["read"], "value": "text:SW-12" },
                { "uuid": "serial-number-string", "properties": ["read"], "value": "text:SW12-000451" },
                { "uuid": "firmware-revision-string", "properties": ["read"], "value": "text:5.1.0" }
              ]
            },
            {
              "uuid": "battery",
              "characteristics": [
                {
                  "uuid": "battery-level",
                  "properties": ["read", "notify"],
                  "value": { "ramp": [58, 1], "over": "28.5 h" }
                }
              ]
            },
            {
              "uuid": "heart-rate",
              "characteristics": [
                {
                  "uuid": "heart-rate-measurement",
                  "properties": ["notify"],
                  "value": { "program": "heart.rate" },
                  "every": "1 s"
                },
                { "uuid": "body-sensor-location", "properties": ["read"], "value": "0x02" } // wrist
              ]
            },
            {
              "uuid": "running-speed-and-cadence",
              "characteristics": [
                { "uuid": "rsc-measurement", "properties": ["notify"] },
                // Stride length, total distance, walking or running.
                { "uuid": "rsc-feature", "properties": ["read"], "value": "u16:7" }
              ]
            },
            {
              "uuid": "location-and-navigation",
              "characteristics": [
                // Speed, distance, location and elevation.
                { "uuid": "ln-feature", "properties": ["read"], "value": "u32:15" },
                { "uuid": "location-and-speed", "properties": ["notify"] },
                // No position yet.
                { "uuid": "position-quality", "properties": ["read"], "value": "hex:00000004" }
              ]
            },
            {
              "uuid": "alert-notification",
              "characteristics": [
                // Calls and messages.
                { "uuid": "supported-new-alert-category", "properties": ["read"], "value": "0x28" },
                { "uuid": "new-alert", "properties": ["notify"] },
                { "uuid": "supported-unread-alert-category", "properties": ["read"], "value": "0x28" },
                { "uuid": "unread-alert-status", "properties": ["notify"] },
                { "uuid": "alert-notification-control-point", "properties": ["write"] }
              ]
            },
            {
              "uuid": "immediate-alert",
              "characteristics": [{ "uuid": "alert-level", "properties": ["write-without-response"] }]
            },
            {
              "uuid": "link-loss",
              "characteristics": [
                { "uuid": "alert-level", "properties": ["read", "write"], "value": "0x00", "lengths": 1 }
              ]
            },
            {
              "uuid": "tx-power",
              "characteristics": [{ "uuid": "tx-power-level", "properties": ["read"], "value": "s8:0" }]
            },
            {
              "uuid": "5afe0000-72c4-4e0b-8a31-7d0652b91c44",
              "characteristics": [
                {
                  "uuid": "5afe0001-72c4-4e0b-8a31-7d0652b91c44",
                  "properties": ["read"],
                  // 400 octets that are not periodic, so that a lost or repeated part is noticed.
                  "value": [
                    "00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9",
                    "e0e7eef5fc030a11181f262d343b424950575e656c737a81888f969da4abb2b9",
                    "c0c7ced5dce3eaf1f8ff060d141b222930373e454c535a61686f767d848b9299",
                    "a0a7aeb5bcc3cad1d8dfe6edf4fb020910171e252c333a41484f565d646b7279",
                    "80878e959ca3aab1b8bfc6cdd4dbe2e9f0f7fe050c131a21282f363d444b5259",
                    "60676e757c838a91989fa6adb4bbc2c9d0d7dee5ecf3fa01080f161d242b3239",
                    "40474e555c636a71787f868d949ba2a9b0b7bec5ccd3dae1e8eff6fd040b1219",
                    "20272e353c434a51585f666d747b828990979ea5acb3bac1c8cfd6dde4ebf2f9",
                    "01060f141d222b30393e474c555a636871767f848d929ba0a9aeb7bcc5cad3d8",
                    "e1e6eff4fd020b10191e272c353a434851565f646d727b80898e979ca5aab3b8",
                    "c1c6cfd4dde2ebf0f9fe070c151a232831363f444d525b60696e777c858a9398",
                    "a1a6afb4bdc2cbd0d9dee7ecf5fa030811161f242d323b40494e575c656a7378",
                    "81868f949da2abb0b9bec7ccd5dae3e8"
                  ],
                  "description": "Last run"
                },
                // The track to show.
                {
                  "uuid": "5afe0002-72c4-4e0b-8a31-7d0652b91c44",
                  "properties": ["write"],
                  "on_write": [{ "do": { "echo": "selected" } }]
                },
                { "uuid": "5afe0003-72c4-4e0b-8a31-7d0652b91c44", "label": "selected", "properties": ["indicate"] }
              ]
            }
          ]
        }
        """#
    )
}
