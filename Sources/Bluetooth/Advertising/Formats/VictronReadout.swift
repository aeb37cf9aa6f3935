// SPDX-License-Identifier: MIT

/// What a device of Victron Energy measures: Instant Readout, which is always encrypted.
///
/// Spec: Victron Energy, Extra Manufacturer Data, 2022-12-14; github.com/keshavdv/victron-ble
public struct VictronReadout: Hashable, Sendable {
    /// The company identifier of Victron Energy.
    public static let company: UInt16 = 0x02E1

    /// The kind of a readout, which decides the values.
    public enum Record: UInt8, Hashable, Sendable {
        /// A charger between solar panels and a battery.
        case solarCharger = 0x01
        /// A monitor with a shunt in the line of a battery.
        case batteryMonitor = 0x02
        /// An inverter from a battery to alternating current.
        case inverter = 0x03
        /// A converter between two direct voltages.
        case dcdcConverter = 0x04
        /// A lithium battery that measures its cells.
        case smartLithium = 0x05
        /// An inverter with a solar charger.
        case inverterRS = 0x06
        /// A charger from alternating current.
        case acCharger = 0x08
        /// A switch that disconnects loads from a low battery.
        case smartBatteryProtect = 0x09
        /// A management system of a battery bank.
        case lynxSmartBMS = 0x0A
        /// An inverter with chargers from solar panels and alternating current.
        case multiRS = 0x0B
        /// An inverter and charger on the bus of its vendor.
        case veBus = 0x0C
        /// A meter of the energy in a line of direct current.
        case dcEnergyMeter = 0x0D
        /// A charger from the battery of a vehicle.
        case orionXS = 0x0F
    }

    /// The number of the product.
    public let product: UInt16
    /// The number of the kind of readout.
    public let recordType: UInt8
    /// A number that increases with each readout, and is part of the encryption.
    public let counter: UInt16
    /// The first octet of the key.
    private let keyCheck: UInt8
    private let data: ADManufacturerData

    /// Decodes manufacturer data; `nil` if they are no readout.
    public init?(_ data: ADManufacturerData) {
        guard data.company == Self.company else { return nil }
        var reader = ByteReader(data.data)
        do throws(DecodeError) {
            guard try reader.uint8("record") == 0x10 else { return nil }
            _ = try reader.uint8("length")
            product = try reader.uint16("product")
            recordType = try reader.uint8("record type")
            counter = try reader.uint16("counter")
            keyCheck = try reader.uint8("first octet of the key")
        } catch {
            return nil
        }
        self.data = data
    }

    /// The kind of readout; `nil` if it is unknown.
    public var record: Record? { Record(rawValue: recordType) }

    var seal: AdvertisedSeal {
        let first = [UInt8(truncatingIfNeeded: counter), UInt8(truncatingIfNeeded: counter >> 8)]
        return AdvertisedSeal(
            octets: Array(data.data.dropFirst(8)),
            cipher: .counterMode(first: first + [UInt8](repeating: 0, count: 14), keyCheck: keyCheck),
            counter: .init(value: UInt32(counter), bits: 16)
        )
    }
}

extension VictronReadout.Record {
    var title: String {
        switch self {
        case .solarCharger: "solar charger"
        case .batteryMonitor: "battery monitor"
        case .inverter: "inverter"
        case .dcdcConverter: "DC/DC converter"
        case .smartLithium: "smart lithium battery"
        case .inverterRS: "inverter RS"
        case .acCharger: "AC charger"
        case .smartBatteryProtect: "smart battery protect"
        case .lynxSmartBMS: "Lynx smart BMS"
        case .multiRS: "Multi RS"
        case .veBus: "VE.Bus"
        case .dcEnergyMeter: "DC energy meter"
        case .orionXS: "Orion XS"
        }
    }
}

extension VictronReadout: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .sensor,
        "Victron",
        kinds: ["victron"],
        in: [.company(company)],
        keys: [
            "device", "product", "record_type", "counter", "rest", "yield_today_kwh", "solar_power_w", "load_current_a",
            "ac_apparent_power_va", "ac_voltage_v", "ac_current_a", "output_voltage_v", "input_voltage_v", "output",
            "warning", "meter_type", "output_current_a", "input_current_a", "temperature_c", "battery_v",
            "battery_current_a", "battery_percent", "remaining_min", "consumed_ah", "state", "error_code", "alarm",
            "off_reason", "starter_voltage_v", "midpoint_voltage_v", "balancer", "bms_flags", "error_flags",
            "io_status", "alarm_flags", "ac_in_power_w", "ac_out_power_w", "ac_input",
        ] + AdvertisedDecryption.keys,
        lists: ["cells": ["cell_voltage_v", "limit"], "outputs": ["output_voltage_v", "output_current_a"]]
    )

    public var title: String {
        data.decryption.title(record.map { "Victron \($0.title)" } ?? "Victron", isEncrypted: true)
    }

    public var facts: [AdvertisedFact] {
        let octets = data.decryption?.octets
        let values = octets.flatMap { octets in record.map { $0.facts(octets, product: product) } } ?? []
        // Values of an unknown kind stay octets.
        let rest = record?.isDecoded == true ? nil : octets
        return [AdvertisedFact("device", record?.title)] + values + data.decryption.facts(isEncrypted: true) + [
            AdvertisedFact("product", product),
            AdvertisedFact("record_type", recordType),
            AdvertisedFact("counter", counter),
            AdvertisedFact("rest", rest.map { .octets($0) }, label: "not decoded"),
        ]
    }

    public var elements: [ADElement] { [.manufacturerData(data)] }
}
