// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// The services of LE Audio: volume, audio input and microphone, coordinated sets, capabilities and roles, hearing
    /// aids.
    ///
    /// Spec: Volume Control Service 1.0, 3; Volume Offset Control Service 1.0, 3; Audio Input Control Service 1.0, 3;
    /// Microphone Control Service 1.0, 3; Coordinated Set Identification Service 1.0, 5; Published Audio Capabilities
    /// Service 1.0, 3; Hearing Access Service 1.0, 3; Telephony and Media Audio Profile 1.0, 4; Gaming Audio Profile
    /// 1.0, 4; Assigned Numbers, 6.12
    static func audio(_ formats: inout FormatTable) {
        volume(&formats)
        audioInput(&formats)
        // Coordinated sets, such as a pair of earphones.
        formats[0x2B84] = {
            .fields(.choice("kind", .u8, [0: "encrypted", 1: "plain"]), .hex("sirk", octets: 16))
        }
        formats[0x2B85] = { .fields(.number("set size", .u8)) }
        formats[0x2B86] = { .fields(.choice("lock", .u8, [1: "unlocked", 2: "locked"])) }
        formats[0x2B87] = { .fields(.number("rank", .u8)) }
        // Capabilities and roles.
        for uuid: BluetoothUUID in [0x2BCA, 0x2BCC] { formats[uuid] = { .fields(audioLocations) } }
        for uuid: BluetoothUUID in [0x2BCD, 0x2BCE] {
            formats[uuid] = fields([
                .bits("sink contexts", .u16, audioContexts),
                .bits("source contexts", .u16, audioContexts),
            ])
        }
        formats[0x2B51] = fields([
            .bits(
                "roles",
                .u16,
                [
                    "call gateway", "call terminal", "unicast media sender", "unicast media receiver",
                    "broadcast media sender", "broadcast media receiver",
                ]
            )
        ])
        formats[0x2C00] = fields([
            .bits(
                "roles",
                .u8,
                [
                    "unicast game gateway", "unicast game terminal", "broadcast game sender",
                    "broadcast game receiver",
                ]
            )
        ])
        // Hearing aids.
        formats[0x2BDA] = fields([
            .word(.u8),
            .part("hearing aid", 0...1, [0: "binaural", 1: "monaural", 2: "banded"]),
            .bit("preset synchronization", 2),
            .bit("independent presets", 3),
            .bit("dynamic presets", 4),
            .bit("writable presets", 5),
        ])
        formats[0x2BDC] = { .fields(.number("active preset", .u8, not: [0: "none"])) }
    }

    private static func volume(_ formats: inout FormatTable) {
        formats[0x2B7D] = fields([
            .number("volume", .u8),
            .choice("mute", .u8, [0: "not muted", 1: "muted"]),
            .number("change counter", .u8),
        ])
        formats[0x2B7E] = fields([
            .flags(.u8),
            .opCode([
                0: "volume down", 1: "volume up", 2: "unmute and volume down", 3: "unmute and volume up",
                4: "set volume", 5: "unmute", 6: "mute",
            ]),
            .number("change counter", .u8),
            .number("volume", .u8, if: .opCode(4)),
        ])
        formats[0x2B7F] = { .fields(.word(.u8), .part("volume", 0...0, [0: "reset", 1: "set by the user"])) }
        formats[0x2B80] = {
            .fields(.number("volume offset", .s16, in: -255...255), .number("change counter", .u8))
        }
        formats[0x2B81] = { .fields(audioLocations) }
        formats[0x2B83] = { .text }
    }

    private static func audioInput(_ formats: inout FormatTable) {
        let mute: [UInt64: String] = [0: "not muted", 1: "muted", 2: "disabled"]
        formats[0x2BC3] = { .fields(.choice("mute", .u8, mute)) }
        formats[0x2B77] = fields([
            // In the steps of Gain Settings Attribute.
            .number("gain", .s8),
            .choice("mute", .u8, mute),
            .choice("gain mode", .u8, [0: "manual only", 1: "automatic only", 2: "manual", 3: "automatic"]),
            .number("change counter", .u8),
        ])
        formats[0x2B78] = fields([
            .number("gain step", .u8, .decibels, e: -1),
            .number("minimum gain", .s8),
            .number("maximum gain", .s8),
        ])
        formats[0x2B79] = fields([
            .choice(
                "audio input",
                .u8,
                [
                    0: "unspecified", 1: "bluetooth", 2: "microphone", 3: "analog", 4: "digital", 5: "radio",
                    6: "streaming", 7: "ambient",
                ]
            )
        ])
        formats[0x2B7A] = { .fields(.choice("status", .u8, [0: "inactive", 1: "active"])) }
        formats[0x2B7C] = { .text }
    }

    private static var audioLocations: Field {
        .bits(
            "audio locations",
            .u32,
            [
                "front left", "front right", "front center", "low frequency effects 1", "back left", "back right",
                "front left of center", "front right of center", "back center", "low frequency effects 2",
                "side left", "side right", "top front left", "top front right", "top front center", "top center",
                "top back left", "top back right", "top side left", "top side right", "top back center",
                "bottom front center", "bottom front left", "bottom front right", "front left wide",
                "front right wide", "left surround", "right surround",
            ],
            none: "mono"
        )
    }

    private static var audioContexts: [String] {
        [
            "unspecified", "conversational", "media", "game", "instructional", "voice assistants", "live",
            "sound effects", "notifications", "ringtone", "alerts", "emergency alarm",
        ]
    }
}
