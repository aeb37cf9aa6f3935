// SPDX-License-Identifier: MIT

/// A world that ships inside the program, as the text of a world file.
public struct BuiltInWorld: Hashable, Sendable {
    /// The word by which users choose the world: `security`.
    public let label: String
    /// The world file.
    public let text: String

    private init(_ label: String, _ text: String) {
        self.label = label
        self.text = text
    }

    /// All of them, besides the one that all built-in devices make.
    public static var all: [BuiltInWorld] { [.security] }

    /// The world with that label; `nil` if there is none.
    public static func named(_ label: String) -> BuiltInWorld? { all.first { $0.label == label } }

    /// Devices that pair in every way, and that fail to in every way.
    static let security = BuiltInWorld(
        "security",
        #"""
        {
          "schema": "blectl-world/1",
          "devices": [
            {
              "label": "just-works",
              "summary": "pairs without asking for digits",
              "name": "Just Works",
              "address": "C5:EC:00:00:00:01",
              "signal": { "rssi": -51, "movement": "still" },
              "advertising": [{ "interval": "250 ms", "data": { "name": "Just Works", "services": ["battery"] } }],
              "pairing": {},
              "services": [
                {
                  "uuid": "battery",
                  "characteristics": [
                    {
                      "uuid": "battery-level",
                      "properties": ["read", "notify"],
                      "permissions": { "read": "encrypted" },
                      "subscription": "encrypted",
                      "value": "u8:80",
                      "every": "1 s"
                    }
                  ]
                }
              ]
            },
            {
              "label": "passkey-shown",
              "summary": "shows a passkey, which is entered at this machine",
              "name": "Passkey Shown",
              "address": "C5:EC:00:00:00:02",
              "signal": { "rssi": -52, "movement": "still" },
              "advertising": [{ "interval": "250 ms", "data": { "name": "Passkey Shown", "services": ["battery"] } }],
              "pairing": { "io": "display", "authentication": "required", "passkey": "271828" },
              "services": [
                {
                  "uuid": "battery",
                  "characteristics": [
                    {
                      "uuid": "battery-level",
                      "properties": ["read", "notify"],
                      "permissions": { "read": "authenticated" },
                      "subscription": "authenticated",
                      "value": "u8:81",
                      "every": "1 s"
                    }
                  ]
                }
              ]
            },
            {
              "label": "passkey-typed",
              "summary": "has a keyboard, at which the shown passkey is entered",
              "name": "Passkey Typed",
              "address": "C5:EC:00:00:00:03",
              "signal": { "rssi": -53, "movement": "still" },
              "advertising": [{ "interval": "250 ms", "data": { "name": "Passkey Typed", "services": ["battery"] } }],
              "pairing": { "io": "keyboard", "authentication": "required" },
              "services": [
                {
                  "uuid": "battery",
                  "characteristics": [
                    {
                      "uuid": "battery-level",
                      "properties": ["read", "notify"],
                      "permissions": { "read": "authenticated" },
                      "subscription": "authenticated",
                      "value": "u8:82",
                      "every": "1 s"
                    }
                  ]
                }
              ]
            },
            {
              "label": "compare",
              "summary": "shows six digits to compare",
              "name": "Compare",
              "address": "C5:EC:00:00:00:04",
              "signal": { "rssi": -54, "movement": "still" },
              "advertising": [{ "interval": "250 ms", "data": { "name": "Compare", "services": ["battery"] } }],
              "pairing": { "io": "yes-no", "authentication": "required", "secure_connections": "only" },
              "services": [
                {
                  "uuid": "battery",
                  "characteristics": [
                    {
                      "uuid": "battery-level",
                      "properties": ["read", "notify"],
                      "permissions": { "read": "authenticated" },
                      "subscription": "authenticated",
                      "value": "u8:83",
                      "every": "1 s"
                    }
                  ]
                }
              ]
            },
            {
              "label": "legacy",
              "summary": "pairs without Secure Connections, and exchanges signature keys",
              "name": "Legacy",
              "address": "C5:EC:00:00:00:05",
              "signal": { "rssi": -55, "movement": "still" },
              "advertising": [{ "interval": "250 ms", "data": { "name": "Legacy", "services": ["battery"] } }],
              "pairing": { "secure_connections": "off", "signing": true },
              "services": [
                {
                  "uuid": "battery",
                  "characteristics": [
                    {
                      "uuid": "battery-level",
                      "properties": ["read", "notify"],
                      "permissions": { "read": "encrypted" },
                      "subscription": "encrypted",
                      "value": "u8:84",
                      "every": "1 s"
                    },
                    {
                      "uuid": "0xFF51",
                      "properties": ["read", "authenticated-signed-writes"],
                      "value": "0x00"
                    }
                  ]
                }
              ]
            },
            {
              "label": "refusing",
              "summary": "refuses to pair",
              "name": "Refusing",
              "address": "C5:EC:00:00:00:06",
              "signal": { "rssi": -56, "movement": "still" },
              "advertising": [{ "interval": "250 ms", "data": { "name": "Refusing", "services": ["battery"] } }],
              "pairing": { "refuses": "pairing-not-supported" },
              "services": [
                {
                  "uuid": "battery",
                  "characteristics": [
                    {
                      "uuid": "battery-level",
                      "properties": ["read", "notify"],
                      "permissions": { "read": "encrypted" },
                      "subscription": "encrypted",
                      "value": "u8:85",
                      "every": "1 s"
                    }
                  ]
                }
              ]
            },
            {
              "label": "silent",
              "summary": "never answers a request to pair",
              "name": "Silent",
              "address": "C5:EC:00:00:00:07",
              "signal": { "rssi": -57, "movement": "still" },
              "advertising": [{ "interval": "250 ms", "data": { "name": "Silent", "services": ["battery"] } }],
              "pairing": { "silent_at": "request" },
              "services": [
                {
                  "uuid": "battery",
                  "characteristics": [
                    {
                      "uuid": "battery-level",
                      "properties": ["read", "notify"],
                      "permissions": { "read": "encrypted" },
                      "subscription": "encrypted",
                      "value": "u8:86",
                      "every": "1 s"
                    }
                  ]
                }
              ]
            },
            {
              "label": "forgetful",
              "summary": "pairs, and forgets the key",
              "name": "Forgetful",
              "address": "C5:EC:00:00:00:08",
              "signal": { "rssi": -58, "movement": "still" },
              "advertising": [{ "interval": "250 ms", "data": { "name": "Forgetful", "services": ["battery"] } }],
              "pairing": { "bonding": "forgotten" },
              "services": [
                {
                  "uuid": "battery",
                  "characteristics": [
                    {
                      "uuid": "battery-level",
                      "properties": ["read", "notify"],
                      "permissions": { "read": "encrypted" },
                      "subscription": "encrypted",
                      "value": "u8:87",
                      "every": "1 s"
                    }
                  ]
                }
              ]
            },
            {
              "label": "impostor",
              "summary": "pairs, and comes back with another key",
              "name": "Impostor",
              "address": "C5:EC:00:00:00:09",
              "signal": { "rssi": -59, "movement": "still" },
              "advertising": [{ "interval": "250 ms", "data": { "name": "Impostor", "services": ["battery"] } }],
              "pairing": { "bonding": "other-key" },
              "services": [
                {
                  "uuid": "battery",
                  "characteristics": [
                    {
                      "uuid": "battery-level",
                      "properties": ["read", "notify"],
                      "permissions": { "read": "encrypted" },
                      "subscription": "encrypted",
                      "value": "u8:88",
                      "every": "1 s"
                    }
                  ]
                }
              ]
            },
            {
              "label": "wanderer",
              "summary": "has a private address that changes every 15 minutes",
              "name": "Wanderer",
              "address": "C5:EC:00:00:00:0A",
              "signal": { "rssi": -60, "movement": "still" },
              "advertising": [{ "interval": "250 ms", "data": { "name": "Wanderer", "services": ["battery"] } }],
              "pairing": { "private_address": true },
              "services": [
                {
                  "uuid": "battery",
                  "characteristics": [
                    {
                      "uuid": "battery-level",
                      "properties": ["read", "notify"],
                      "permissions": { "read": "encrypted" },
                      "subscription": "encrypted",
                      "value": "u8:89",
                      "every": "1 s"
                    }
                  ]
                }
              ]
            },
            {
              "label": "short-key",
              "summary": "supports keys of 7 octets only",
              "name": "Short Key",
              "address": "C5:EC:00:00:00:0B",
              "signal": { "rssi": -61, "movement": "still" },
              "advertising": [{ "interval": "250 ms", "data": { "name": "Short Key", "services": ["battery"] } }],
              "pairing": { "key_size": 7 },
              "services": [
                {
                  "uuid": "battery",
                  "characteristics": [
                    {
                      "uuid": "battery-level",
                      "properties": ["read", "notify"],
                      "permissions": { "read": "encrypted" },
                      "subscription": "encrypted",
                      "value": "u8:90",
                      "every": "1 s"
                    }
                  ]
                },
                {
                  "uuid": "device-information",
                  "characteristics": [
                    {
                      "uuid": "manufacturer-name-string",
                      "properties": ["read"],
                      "permissions": { "read": "encrypted", "key_size": 16 },
                      "value": "text:blectl simulation"
                    }
                  ]
                }
              ]
            },
            {
              "label": "out-of-band",
              "summary": "pairs only with data that come another way",
              "name": "Out Of Band",
              "address": "C5:EC:00:00:00:0C",
              "signal": { "rssi": -62, "movement": "still" },
              "advertising": [{ "interval": "250 ms", "data": { "name": "Out Of Band", "services": ["battery"] } }],
              "pairing": {
                "authentication": "required",
                "out_of_band": { "hash": "6a1f3c5e7092b4d8f00112233445566a", "random": "0f1e2d3c4b5a69788796a5b4c3d2e1f0" }
              },
              "services": [
                {
                  "uuid": "battery",
                  "characteristics": [
                    {
                      "uuid": "battery-level",
                      "properties": ["read", "notify"],
                      "permissions": { "read": "authenticated" },
                      "subscription": "authenticated",
                      "value": "u8:91",
                      "every": "1 s"
                    }
                  ]
                }
              ]
            }
          ]
        }
        """#
    )
}
