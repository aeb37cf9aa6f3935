// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

/// Values with their decoded forms, derived by hand from the specifications of the services.
@Suite("Values of LE Audio and of oximeters' features")
struct AudioTests {
    static let vectors: [CharacteristicVector] = [
        .init(
            0x2B7D,
            "80 01 05",
            "volume 128, mute muted, change counter 5",
            #"{"volume":128,"mute":"muted","change_counter":5}"#
        ),
        .init(
            0x2B7E,
            "04 05 80",
            "op code set volume, change counter 5, volume 128",
            #"{"op_code":"set volume","change_counter":5,"volume":128}"#
        ),
        .init(0x2B7F, "01", "set by the user", #"{"volume":"set by the user"}"#),
        .init(
            0x2B80,
            "F6 FF 07",
            "volume offset -10, change counter 7",
            #"{"volume_offset":-10,"change_counter":7}"#
        ),
        .init(
            0x2B81,
            "03 00 00 00",
            "front left + front right",
            #"{"audio_locations":["front left","front right"]}"#
        ),
        .init(0x2BCA, "00 00 00 00", "mono", #"{"audio_locations":[]}"#),
        .init(0x2BC3, "02", "disabled", #"{"mute":"disabled"}"#),
        .init(
            0x2B77,
            "FB 00 02 01",
            "gain -5, mute not muted, gain mode manual, change counter 1",
            #"{"gain":-5,"mute":"not muted","gain_mode":"manual","change_counter":1}"#
        ),
        .init(
            0x2B78,
            "0A F6 14",
            "gain step 1 dB, minimum gain -10, maximum gain 20",
            #"{"gain_step_db":1,"minimum_gain":-10,"maximum_gain":20}"#
        ),
        .init(0x2B79, "07", "ambient", #"{"audio_input":"ambient"}"#),
        .init(
            0x2B84,
            "01 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F",
            "kind plain, sirk 000102030405060708090a0b0c0d0e0f",
            #"{"kind":"plain","sirk":"000102030405060708090a0b0c0d0e0f"}"#
        ),
        .init(0x2B86, "02", "locked", #"{"lock":"locked"}"#),
        .init(
            0x2BCE,
            "06 02 02 00",
            "sink contexts conversational + media + ringtone, source contexts conversational",
            #"{"sink_contexts":["conversational","media","ringtone"],"source_contexts":["conversational"]}"#
        ),
        .init(
            0x2BDA,
            "15",
            "hearing aid monaural, preset synchronization yes, independent presets no, dynamic presets yes, "
                + "writable presets no",
            #"{"hearing_aid":"monaural","preset_synchronization":true,"independent_presets":false,"#
                + #""dynamic_presets":true,"writable_presets":false}"#
        ),
        .init(0x2BDC, "00", "none", #"{"active_preset":null}"#),
        .init(0x2B97, "53 6F 6E 67", "Song", #""Song""#, isFixed: false),
        .init(0x2B98, "6A 4C 00 00", "195.62 s", #"{"track_duration_s":195.62}"#),
        .init(0x2B98, "FF FF FF FF", "not known", #"{"track_duration_s":null}"#),
        .init(0x2B99, "9C FF FF FF", "-1 s", #"{"track_position_s":-1}"#),
        .init(0x2BA1, "0A", "shuffle repeat", #"{"playing_order":"shuffle repeat"}"#),
        .init(0x2BA2, "05 00", "single once + in order once", #"{"playing_orders":["single once","in order once"]}"#),
        .init(0x2BA3, "01", "playing", #"{"media_state":"playing"}"#),
        .init(0x2BB5, "05", "5g", #"{"technology":"5g"}"#),
        .init(0x2BB7, "FF", "not known", #"{"signal_strength":null}"#),
        .init(
            0x2BBD,
            "01 03 01",
            "call 1, state active, direction outgoing, withheld by the server no, withheld by the network no",
            #"{"calls":[{"call":1,"state":"active","direction":"outgoing","withheld_by_the_server":false,"#
                + #""withheld_by_the_network":false}]}"#,
            isFixed: false
        ),
        .init(
            0x2BC0,
            "02 06",
            "call 2, reason ended by the client",
            #"{"call":2,"reason":"ended by the client"}"#
        ),
        .init(
            0x2A60,
            "21 00 80 01",
            "measurement storage no, time stamp no, fast average no, slow average yes, pulse amplitude index no, "
                + "multiple bonds no, measurement status validated data + fully qualified data",
            #"{"measurement_storage":false,"time_stamp":false,"fast_average":false,"slow_average":true,"#
                + #""pulse_amplitude_index":false,"multiple_bonds":false,"#
                + #""measurement_status":["validated data","fully qualified data"],"sensor_status":null}"#
        ),
    ]

    @Test("values have their meaning, and only if they are complete", arguments: vectors)
    func vector(_ vector: CharacteristicVector) throws { try vector.check() }

    @Test("each vector's content encodes to its octets", arguments: vectors)
    func encoding(_ vector: CharacteristicVector) throws {
        let format = try #require(CharacteristicFormat.of(vector.uuid))
        let content = try format.decode(hex(vector.bytes)).content
        let octets = try format.encode(content)
        #expect(octets == hex(vector.bytes))
    }

    @Test("a telephone without calls has an empty list")
    func noCalls() throws {
        let value = try #require(try CharacteristicValue.decode([], of: 0x2BBD))
        #expect(json(value.content) == #"{"calls":[]}"#)
    }
}
