// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

/// What devices sent, some of it broken, and what a parser has to find in it: payload facts from BlueZ 5.66's unit tests.
struct PayloadVector: Sendable, CustomTestStringConvertible {
    let name: String
    /// The octets in hexadecimal, without the zeros at the end.
    let hex: String
    /// How many zeros follow.
    let padding: Int
    /// The flags; zero for none.
    let flags: UInt8
    /// The power in dBm; 127 for none.
    let txPower: Int8
    /// The name in hexadecimal, as UTF-8, repaired.
    let nameHex: String
    /// The services, in their order and as often as they were sent.
    let uuids: [String]

    var testDescription: String { name }

    var bytes: [UInt8] { octets(hex) + [UInt8](repeating: 0, count: padding) }

    static let all: [PayloadVector] = [
        PayloadVector(
            name: "eir/macbookair",
            hex: "17094d617263656ce2809973204d6163426f6f6b20416972110312110c110a111f11011100100a11"
                + "171111ff4c00014d6163426f6f6b416972332c31",
            padding: 180,
            flags: 0,
            txPower: 127,
            nameHex: "4d617263656ce2809973204d6163426f6f6b20416972",
            uuids: [
                "00001112-0000-1000-8000-00805f9b34fb",
                "0000110c-0000-1000-8000-00805f9b34fb",
                "0000110a-0000-1000-8000-00805f9b34fb",
                "0000111f-0000-1000-8000-00805f9b34fb",
                "00001101-0000-1000-8000-00805f9b34fb",
                "00001000-0000-1000-8000-00805f9b34fb",
                "0000110a-0000-1000-8000-00805f9b34fb",
                "00001117-0000-1000-8000-00805f9b34fb",
            ]
        ),
        PayloadVector(
            name: "eir/ipadmini",
            hex: "13094d617263656c27732069506164206d696e690b0300121f110a110c11321101051107fecacade"
                + "afdecadedefacade0000000027ff004c0224020c",
            padding: 180,
            flags: 0,
            txPower: 127,
            nameHex: "4d617263656c27732069506164206d696e69",
            uuids: [
                "00001200-0000-1000-8000-00805f9b34fb",
                "0000111f-0000-1000-8000-00805f9b34fb",
                "0000110a-0000-1000-8000-00805f9b34fb",
                "0000110c-0000-1000-8000-00805f9b34fb",
                "00001132-0000-1000-8000-00805f9b34fb",
                "00000000-deca-fade-deca-deafdecacafe",
            ]
        ),
        PayloadVector(
            name: "eir/sl910",
            hex: "0b0301110511121103121f110f094d617263656c277320534c393130",
            padding: 212,
            flags: 0,
            txPower: 127,
            nameHex: "4d617263656c277320534c393130",
            uuids: [
                "00001101-0000-1000-8000-00805f9b34fb",
                "00001105-0000-1000-8000-00805f9b34fb",
                "00001112-0000-1000-8000-00805f9b34fb",
                "00001203-0000-1000-8000-00805f9b34fb",
                "0000111f-0000-1000-8000-00805f9b34fb",
            ]
        ),
        PayloadVector(
            name: "eir/fuelband",
            hex: "0f094e696b652b204675656c42616e64110700000000decafadedecadeafdecacaff020a",
            padding: 204,
            flags: 0,
            txPower: 0,
            nameHex: "4e696b652b204675656c42616e64",
            uuids: ["ffcacade-afde-cade-defa-cade00000000"]
        ),
        PayloadVector(
            name: "eir/utf16-name",
            hex: "1709005500540046002d0031003600200074006500730074",
            padding: 0,
            flags: 0,
            txPower: 127,
            nameHex: "",
            uuids: []
        ),
        PayloadVector(
            name: "ad/bluesc",
            hex: "0201060302161812095761686f6f20426c756553432076312e34",
            padding: 0,
            flags: 6,
            txPower: 127,
            nameHex: "5761686f6f20426c756553432076312e34",
            uuids: ["00001816-0000-1000-8000-00805f9b34fb"]
        ),
        PayloadVector(
            name: "ad/mioalpha",
            hex: "02010603020d180609414c504841",
            padding: 0,
            flags: 6,
            txPower: 127,
            nameHex: "414c504841",
            uuids: ["0000180d-0000-1000-8000-00805f9b34fb"]
        ),
        PayloadVector(
            name: "ad/citizen1",
            hex: "02010505127f018f01140945636f2d44726976652050726f78696d697479",
            padding: 0,
            flags: 5,
            txPower: 127,
            nameHex: "45636f2d44726976652050726f78696d697479",
            uuids: []
        ),
        PayloadVector(
            name: "ad/g-tag",
            hex: "0201060dff8001021512348091d0f2bbc503020f18",
            padding: 9,
            flags: 6,
            txPower: 127,
            nameHex: "",
            uuids: ["0000180f-0000-1000-8000-00805f9b34fb"]
        ),
    ]
}
