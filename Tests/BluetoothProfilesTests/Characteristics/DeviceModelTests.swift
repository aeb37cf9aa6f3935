// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Formats that depend on the model of the device")
struct DeviceModelTests {
    /// The vectors of the scale are made from published descriptions of its layouts.
    static let vectors: [(model: DeviceModel, CharacteristicVector)] = [
        // 2784 / 128 and 2864 / 128
        (
            .cc2650,
            .init(
                SensorTag.uuid(0xAA01),
                "E0 0A 30 0B",
                "object 21.75 °C, ambient 22.375 °C",
                #"{"object_c":21.75,"ambient_c":22.375}"#
            )
        ),
        // 26624 × 165 / 65536 − 40; 28672 × 100 / 65536
        (
            .cc2650,
            .init(
                SensorTag.uuid(0xAA21),
                "00 68 00 70",
                "temperature 27.031 °C, humidity 43.75 %",
                #"{"temperature_c":27.031,"humidity_percent":43.75}"#
            )
        ),
        (
            .cc2650,
            .init(
                SensorTag.uuid(0xAA41),
                "C4 09 00 CD 8B 01",
                "temperature 25 °C, pressure 101325 Pa",
                #"{"temperature_c":25,"pressure_pa":101325}"#
            )
        ),
        (
            .xiaomiScale,
            .init(
                0x2A9D,
                "22 50 46 E1 07 05 0E 0C 22 19",
                "weight 90 kg, time stamp 2017-05-14T12:34:25, stabilized yes, load removed no",
                #"{"weight_kg":90,"weight_lb":null,"weight_jin":null,"time_stamp":"2017-05-14T12:34:25","#
                    + #""stabilized":true,"load_removed":false}"#
            )
        ),
        (
            .xiaomiScale,
            .init(
                0x2A9D,
                "B2 50 46 E1 07 05 0E 0C 22 19",
                "weight 180 jin, time stamp 2017-05-14T12:34:25, stabilized yes, load removed yes",
                #"{"weight_kg":null,"weight_lb":null,"weight_jin":180,"time_stamp":"2017-05-14T12:34:25","#
                    + #""stabilized":true,"load_removed":true}"#
            )
        ),
        (
            .xiaomiScale,
            .init(
                0x2A9C,
                "02 A6 E4 07 03 0F 08 1E 05 FD 01 88 3A",
                "time stamp 2020-03-15T08:30:05, impedance 509 Ω, weight 74.92 kg, stabilized yes, load removed yes",
                #"{"time_stamp":"2020-03-15T08:30:05","impedance_ohm":509,"weight_kg":74.92,"weight_lb":null,"#
                    + #""weight_jin":null,"stabilized":true,"load_removed":true}"#
            )
        ),
        // A weight that still changes, without an impedance: its octets would fit the usual format as well.
        (
            .xiaomiScale,
            .init(
                0x2A9C,
                "03 04 E4 07 03 0F 08 1E 05 00 00 70 3F",
                "time stamp 2020-03-15T08:30:05, weight 162.4 lb, stabilized no, load removed no",
                #"{"time_stamp":"2020-03-15T08:30:05","impedance_ohm":null,"weight_kg":null,"weight_lb":162.4,"#
                    + #""weight_jin":null,"stabilized":false,"load_removed":false}"#
            )
        ),
    ]

    @Test("a model's values have its format, both ways", arguments: vectors.indices)
    func vector(_ index: Int) throws {
        let (model, vector) = Self.vectors[index]
        try vector.check(on: model)
        let format = try #require(CharacteristicFormat.of(vector.uuid)).on(model)
        // Bits without a known meaning are lost.
        let again = try format.encode(format.decode(hex(vector.bytes)).content)
        #expect(try format.decode(again).content == format.decode(hex(vector.bytes)).content)
        #expect(FormatCatalogue.assigned.on(model).decoder(of: vector.uuid)?(hex(vector.bytes)).text == vector.text)
    }

    @Test("without a model nothing is claimed: each model's reading has its name")
    func unknownModel() throws {
        let format = try #require(CharacteristicFormat.of(SensorTag.uuid(0xAA01)))
        #expect(format.needsModel && format.models == [.cc2541, .cc2650])
        let value = try format.decode(hex("E0 0A 30 0B"))
        #expect(
            value.text
                == "object 76.458 °C, ambient 22.375 °C (if it is a SensorTag CC2541), "
                + "or object 21.75 °C, ambient 22.375 °C (if it is a SensorTag CC2650)"
        )
        #expect(
            json(value.content)
                == #"{"cc2541":{"object_c":76.458,"ambient_c":22.375},"cc2650":{"object_c":21.75,"ambient_c":22.375}}"#
        )
        // Octets that fit to one model are that model's.
        let barometer = try #require(CharacteristicFormat.of(SensorTag.uuid(0xAA41)))
        #expect(
            json(try barometer.decode(hex("E8 03 40 9C")).content)
                == #"{"cc2541":{"raw_temperature":1000,"raw_pressure":40000},"cc2650":null}"#
        )
        let second = try barometer.decode(hex("C4 09 00 CD 8B 01"))
        #expect(second.text == "temperature 25 °C, pressure 101325 Pa (if it is a SensorTag CC2650)")
        #expect(second.surplus.isEmpty)
        let cut = barometer.decodeAsFarAsPossible(hex("E8 03 40"))
        #expect(cut.fault?.isEnd == true && cut.fault?.pathText.hasPrefix("cc2541.") == true)
    }

    @Test("without a model, what is encoded is that of a model by its name")
    func encoding() throws {
        let format = try #require(CharacteristicFormat.of(SensorTag.uuid(0xAA01)))
        let content = try format.content(of: ["cc2650.object_c=21.75", "cc2650.ambient_c=22.375"])
        #expect(try format.encode(content) == hex("E0 0A 30 0B"))
        #expect(throws: TypedContentError.self) { try format.content(of: ["object_c=21.75"]) }
        let plain = EncodingTests.object(("object_c", .number(21)), ("ambient_c", .number(22)))
        #expect(throws: FieldError.self) { try format.encode(plain) }
        #expect(try format.on(.cc2650).encode(plain) == hex("80 0A 00 0B"))
        let both = EncodingTests.object(("cc2541", plain), ("cc2650", plain))
        #expect(throws: FieldError.self) { try format.encode(both) }
        // A usual format needs no name.
        let scale = try #require(CharacteristicFormat.of(0x2A9D))
        #expect(!scale.needsModel)
        #expect(try scale.encode(EncodingTests.object(("weight_kg", .number(90)))) == hex("00 50 46"))
    }

    @Test("services tell the model, and other devices have the usual formats")
    func models() throws {
        #expect(DeviceModel.of(services: [0x1800, SensorTag.uuid(0xAA00), SensorTag.uuid(0xAA80)]) == .cc2650)
        #expect(DeviceModel.of(services: [SensorTag.uuid(0xAA10), SensorTag.uuid(0xAA00)]) == .cc2541)
        #expect(DeviceModel.of(services: [0x1800, SensorTag.uuid(0xAA00)]) == nil)
        #expect(DeviceModel.models(sharing: 0x2A19).isEmpty)
        let scale = try #require(CharacteristicFormat.of(0x2A9D))
        #expect(try scale.decode(hex("00 50 46")).text == "weight 90 kg")
        #expect(try scale.on(.cc2650).decode(hex("00 50 46")).text == "weight 90 kg")
        let tag = try #require(CharacteristicFormat.of(SensorTag.uuid(0xAA01)))
        #expect(tag.on(nil) == tag && tag.on(.xiaomiScale) == tag)
    }

    @Test("a typed reading is decoded as that of the model, or not at all")
    func typed() throws {
        let octets = hex("E0 0A 30 0B")
        #expect(try SensorTag.InfraredTemperature(decoding: octets, on: .cc2650).object == 21.75)
        #expect(try SensorTag.InfraredTemperature(decoding: octets, on: .cc2541).object == 76.458)
        #expect(throws: DecodeError.self) { try SensorTag.InfraredTemperature(decoding: octets, on: nil) }
        #expect(throws: DecodeError.self) {
            try SensorTag.RawPressure(decoding: hex("C4 09 00 CD 8B 01"), on: .cc2650)
        }
        #expect(try SensorTag.RawPressure(decoding: hex("E8 03 40 9C"), on: .cc2541).pressure == 40_000)
        let weight = try WeightMeasurement(decoding: hex("22 50 46 E1 07 05 0E 0C 22 19"), on: .xiaomiScale)
        #expect(weight.kilograms == 90)
    }

    @Test("the third key of a SensorTag has the name that its model gives it")
    func keys() throws {
        let profile = Profile.sensorTag
        let variant = try #require(profile.variants.first)
        #expect(variant.service == DeviceModel.cc2650.service)
        for (sources, name) in [(profile.sources, "side"), (variant.sources, "reed relay")] {
            let format = try #require(sources.first { $0.name == "keys" }?.format)
            #expect(try format.decode([4]).text == name)
        }
    }
}
