// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A device with everything that is difficult: long values, every kind of descriptor, included and secondary
    /// services, 128-bit UUIDs, duplicate UUIDs, and attributes that refuse or never answer.
    static let workbench = BuiltInDevice(
        "workbench",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "workbench",
          "summary": "values of all kinds and lengths",
          "name": "Workbench",
          "appearance": "computer",
          "address": "D3:6F:10:2C:84:B7",
          "signal": { "rssi": -72 },
          // Most devices need several packets for long values; this one does too.
          "limits": { "interval": "15 ms", "mtu": 247 },
          "advertising": [
            {
              "interval": "417.5 ms",
              "data": { "name": "Workbench", "manufacturer": [{ "company": "0x05f1", "data": "010203" }] },
              "scan_response": { "services": ["b1ec0100-5ec7-4c3a-9d0e-51a1b1ec0001"] }
            }
          ],
          // Channels that echo, take and send, and one for each reason to refuse or to wait.
          "channels": [
            { "psm": 128, "does": "echo" },
            { "psm": 129, "does": "sink" },
            { "psm": 130, "does": "source", "octets": 65536 },
            { "psm": 131, "does": "echo", "security": "encrypted" },
            { "psm": 132, "does": "sink", "connections": 0 },
            { "psm": 133, "does": "sink", "credits": 0 }
          ],
          "services": [
            // Values of all lengths, and all ways of writing.
            {
              "uuid": "b1ec0100-5ec7-4c3a-9d0e-51a1b1ec0001",
              "includes": ["secondary", "short secondary"],
              "characteristics": [
                {
                  "uuid": "b1ec0101-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  // 512 octets that are not periodic, so that a lost or repeated part is noticed.
                  "value": [
                    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                    "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
                    "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
                    "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f",
                    "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
                    "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf",
                    "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
                    "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
                    "010003020504070609080b0a0d0c0f0e111013121514171619181b1a1d1c1f1e",
                    "212023222524272629282b2a2d2c2f2e313033323534373639383b3a3d3c3f3e",
                    "414043424544474649484b4a4d4c4f4e515053525554575659585b5a5d5c5f5e",
                    "616063626564676669686b6a6d6c6f6e717073727574777679787b7a7d7c7f7e",
                    "818083828584878689888b8a8d8c8f8e919093929594979699989b9a9d9c9f9e",
                    "a1a0a3a2a5a4a7a6a9a8abaaadacafaeb1b0b3b2b5b4b7b6b9b8bbbabdbcbfbe",
                    "c1c0c3c2c5c4c7c6c9c8cbcacdcccfced1d0d3d2d5d4d7d6d9d8dbdadddcdfde",
                    "e1e0e3e2e5e4e7e6e9e8ebeaedecefeef1f0f3f2f5f4f7f6f9f8fbfafdfcfffe"
                  ]
                },
                {
                  "uuid": "b1ec0102-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write", "write-without-response"],
                  "value": "text:hello"
                },
                {
                  "uuid": "b1ec0103-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "value": "0x01020304",
                  "lengths": 4
                },
                // The number of times it was read.
                {
                  "uuid": "b1ec0104-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read"],
                  "value": { "counter": 1, "as": "u32" }
                },
                { "uuid": "b1ec0105-5ec7-4c3a-9d0e-51a1b1ec0001", "properties": ["write"] },
                {
                  "uuid": "b1ec0106-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "extended_properties": ["reliable-write"],
                  "value": "text:reliable"
                },
                {
                  "uuid": "b1ec0107-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "notify", "indicate"],
                  "value": { "counter": 1, "as": "u32" },
                  "every": "1 s"
                },
                { "uuid": "b1ec0108-5ec7-4c3a-9d0e-51a1b1ec0001", "properties": ["write-without-response"] }
              ]
            },
            // Descriptors of all kinds. The aggregate refers to its two formats by handle, so these have fixed handles.
            {
              "uuid": "b1ec0200-5ec7-4c3a-9d0e-51a1b1ec0001",
              "handle": "0x0081",
              "characteristics": [
                {
                  "uuid": "b1ec0201-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "handle": "0x0082",
                  "properties": ["read"],
                  "value": "u16:3300",
                  "descriptors": [
                    { "uuid": "characteristic-user-description", "value": "text:Supply voltage" },
                    { "uuid": "characteristic-presentation-format", "handle": "0x0085", "value": "0x06fd2827010100" }
                  ]
                },
                {
                  "uuid": "b1ec0202-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read"],
                  "value": "u16:42",
                  "descriptors": [
                    { "uuid": "characteristic-user-description", "value": "text:Supply current" },
                    { "uuid": "characteristic-presentation-format", "handle": "0x008a", "value": "0x06fd0427010200" }
                  ]
                },
                {
                  "uuid": "b1ec0203-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read"],
                  "value": "u16:3300,42",
                  "descriptors": [{ "uuid": "characteristic-aggregate-format", "value": "0x85008a00" }]
                },
                {
                  "uuid": "b1ec0204-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read"],
                  "extended_properties": ["writable-auxiliaries"],
                  "value": "0x00",
                  "descriptors": [
                    {
                      "uuid": "characteristic-user-description",
                      "value": "text:write me",
                      "permissions": { "read": "open", "write": "open" }
                    },
                    {
                      "uuid": "b1ec02ff-5ec7-4c3a-9d0e-51a1b1ec0001",
                      "value": "0xcafe",
                      "permissions": { "read": "open", "write": "open" }
                    }
                  ]
                },
                {
                  "uuid": "b1ec0205-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read"],
                  "value": "0x01",
                  "description": "first twin"
                },
                {
                  "uuid": "b1ec0205-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read"],
                  "value": "0x02",
                  "description": "second twin"
                }
              ]
            },
            // Attributes that refuse, each for another reason, and one that never answers.
            {
              "uuid": "b1ec0300-5ec7-4c3a-9d0e-51a1b1ec0001",
              "handle": "0x00c0",
              "characteristics": [
                {
                  "uuid": "b1ec0301-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "permissions": { "read": "authenticated", "write": "authenticated" },
                  "value": "text:secret"
                },
                {
                  "uuid": "b1ec0302-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "permissions": { "read": "encrypted", "write": "encrypted" },
                  "value": "text:secret"
                },
                {
                  "uuid": "b1ec0303-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "permissions": { "read": "authorized", "write": "authorized" },
                  "value": "text:secret"
                },
                {
                  "uuid": "b1ec0304-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "on_read": { "error": "0x85" },
                  "on_write": [{ "do": { "error": "0x85" } }]
                },
                {
                  "uuid": "b1ec0305-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "on_read": "silence",
                  "on_write": [{ "do": "silence" }]
                }
              ]
            },
            // Reachable by inclusion only.
            {
              "uuid": "b1ec0400-5ec7-4c3a-9d0e-51a1b1ec0001",
              "primary": false,
              "label": "secondary",
              "includes": ["short secondary"],
              "characteristics": [
                { "uuid": "b1ec0401-5ec7-4c3a-9d0e-51a1b1ec0001", "properties": ["read"], "value": "text:inner" }
              ]
            },
            // A secondary service with a 16-bit UUID, so that its include declarations contain the UUID.
            {
              "uuid": "current-time",
              "primary": false,
              "label": "short secondary",
              "characteristics": [
                { "uuid": "current-time", "properties": ["read"], "value": "0xe8070101000000010000" }
              ]
            }
          ]
        }
        """#
    )
}
