// SPDX-License-Identifier: MIT

public import Bluetooth

/// The content of one advertisement or scan response.
public struct AdvertisingFrame: Hashable, Sendable {
    /// A part of a frame.
    public enum Field: Hashable, Sendable {
        /// A structure of advertising data.
        case element(ADElement)
        /// Octets that are sent as they are, valid or not.
        case octets([UInt8])
        /// Service data of Eddystone with the telemetry of the moment: the number of advertisements and the uptime
        /// count on.
        ///
        /// Spec: Eddystone Protocol Specification, Eddystone-TLM (unencrypted)
        case eddystoneTelemetry(millivolts: UInt16, temperature: Double)
    }

    /// The parts in the order in which they are sent.
    public var fields: [Field]

    /// Creates a frame.
    public init(_ fields: [Field]) { self.fields = fields }

    /// Creates a frame of structures.
    public init(_ elements: ADElement...) { fields = elements.map { .element($0) } }

    /// Whether its octets are the same at every moment.
    public var isConstant: Bool {
        fields.allSatisfy { field in
            switch field {
            case .element, .octets: true
            case .eddystoneTelemetry: false
            }
        }
    }

    /// The octets at a moment.
    public func encoded(at moment: DeviceAdvertising.Moment) -> [UInt8] {
        fields.flatMap { $0.encoded(at: moment) }
    }
}

extension AdvertisingFrame.Field {
    private static let eddystone: BluetoothUUID = 0xFEAA

    fileprivate func encoded(at moment: DeviceAdvertising.Moment) -> [UInt8] {
        switch self {
        case .octets(let octets): return octets
        case .element(let element): return element.structure.encoded()
        case .eddystoneTelemetry(let millivolts, let temperature):
            var frame = ByteWriter()
            // Frame type TLM, version 0.
            frame.uint8(0x20)
            frame.uint8(0x00)
            frame.uint16BigEndian(millivolts)
            frame.uint16BigEndian(Self.fixedPoint(temperature))
            // The number of advertisements, and the uptime in 0.1 s.
            frame.uint32BigEndian(UInt32(clamping: moment.event))
            frame.uint32BigEndian(UInt32(clamping: moment.uptime.clampedNanoseconds / 100_000_000))
            return ADElement.serviceData(ADServiceData(Self.eddystone, frame.bytes)).structure.encoded()
        }
    }

    /// Degrees Celsius as a signed number in 1/256, limited to its range.
    private static func fixedPoint(_ degrees: Double) -> UInt16 {
        let units = (degrees * 256).rounded()
        // 0x8000 is the value of a beacon that does not measure its temperature.
        guard units.isFinite else { return 0x8000 }
        return UInt16(bitPattern: Int16(max(-32_768, min(32_767, units))))
    }
}
