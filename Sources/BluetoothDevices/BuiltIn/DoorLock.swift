// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A lock that asks for pairing: its state may be read on an encrypted link only, and commands need a key that is
    /// protected against a man in the middle. Therefore it pairs only if its passkey is entered.
    static let doorLock = BuiltInDevice(
        "door-lock",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "door-lock",
          "summary": "a lock that asks for pairing, with the passkey 123456",
          "name": "Door Lock",
          "appearance": "door-lock",
          "address": "D9:10:CC:4E:A2:36",
          "signal": { "rssi": -69 },
          // An unprotected bond would have to be removed before the first command.
          "pairing": { "io": "display", "authentication": "required", "passkey": "123456" },
          "advertising": [
            {
              "interval": "760 ms",
              "data": { "appearance": "door-lock", "name": "Door Lock" },
              "scan_response": { "services": ["10cc0001-3d7a-4b52-9e0c-6f1d0a8b5e24"] }
            }
          ],
          "services": [
            {
              "uuid": "10cc0001-3d7a-4b52-9e0c-6f1d0a8b5e24",
              "characteristics": [
                {
                  "uuid": "10cc0002-3d7a-4b52-9e0c-6f1d0a8b5e24",
                  "label": "state",
                  "properties": ["read", "notify"],
                  "permissions": { "read": "encrypted" },
                  "subscription": "encrypted",
                  "value": "0x01",
                  "description": "State: 0 open, 1 locked"
                },
                {
                  "uuid": "10cc0003-3d7a-4b52-9e0c-6f1d0a8b5e24",
                  "properties": ["write"],
                  "permissions": { "write": "authenticated" },
                  "lengths": 1,
                  "on_write": [
                    // The bolt takes its time. An open lock locks itself again.
                    {
                      "is": "0x00",
                      "do": [
                        { "after": "800 ms", "do": { "set": "state", "value": "0x00" } },
                        { "after": "10 s", "do": { "set": "state", "value": "0x01" } }
                      ]
                    },
                    { "is": "0x01", "do": { "after": "800 ms", "do": { "set": "state" } } },
                    { "else": true, "do": { "error": "value-not-allowed" } }
                  ],
                  "description": "Command: 0 open, 1 lock"
                }
              ]
            },
            {
              "uuid": "battery",
              "characteristics": [
                {
                  "uuid": "battery-level",
                  "properties": ["read", "notify"],
                  "permissions": { "read": "encrypted" },
                  "subscription": "encrypted",
                  "value": { "ramp": [71, 1], "over": "3000 h" },
                  "every": "1 min",
                  "only_changes": true
                }
              ]
            },
            {
              "uuid": "device-information",
              "characteristics": [
                { "uuid": "manufacturer-name-string", "properties": ["read"], "value": "text:blectl simulation" },
                { "uuid": "model-number-string", "properties": ["read"], "value": "text:Door Lock 1" }
              ]
            }
          ]
        }
        """#
    )
}
