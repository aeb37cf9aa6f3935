// SPDX-License-Identifier: MIT

/// The content of an advertisement in one of the known formats: a beacon, which identifies a place or a thing, a sensor
/// that measures, a tracker, or a vendor's message.
public struct Beacon: Sendable {
    /// The content in its own type: `beacon.content as? IBeacon`.
    public let content: any AdvertisedFormat

    /// A beacon with the content.
    public init(_ content: some AdvertisedFormat) { self.content = content }

    /// The content of an element; `nil` if it has none of the formats.
    public init?(_ element: ADElement) {
        let content: (any AdvertisedFormat)? =
            switch element {
            case .manufacturerData(let data): FormatRegistry.content(of: data)
            case .serviceData(let data): FormatRegistry.content(of: data)
            case .encryptedData(let data): data
            default: nil
            }
        guard let content else { return nil }
        self.content = content
    }

    /// The format in one word: `ibeacon`, `altbeacon`, `eddystone-uid`, `ruuvi`, …
    public var kind: String { content.kind }

    /// The elements of an advertisement of the beacon, without the flags.
    public var elements: [ADElement] { content.elements }

    /// Whether this is the newer content of the same beacon, and not another beacon of the same device.
    public func replaces(_ earlier: Beacon) -> Bool { content.isUpdate(of: earlier.content) }
}

extension Beacon: Hashable {
    public static func == (left: Beacon, right: Beacon) -> Bool { left.content.isEqual(to: right.content) }

    public func hash(into hasher: inout Hasher) { content.hash(into: &hasher) }
}

extension AdvertisedFormat {
    fileprivate func isEqual(to other: any AdvertisedFormat) -> Bool { other as? Self == self }

    fileprivate func isUpdate(of earlier: any AdvertisedFormat) -> Bool {
        // Types are compared first, because this is done with each beacon of a device for each of its reports.
        guard type(of: earlier) == Self.self, let earlier = earlier as? Self else { return false }
        return replaces(earlier)
    }
}

extension Beacon: CustomStringConvertible {
    /// The beacon on one line. Must be escaped before a terminal sees it, because a device chose the text.
    public var description: String { content.text }
}

extension AdvertisingData {
    /// The first beacon in the data; `nil` if there is none.
    public var beacon: Beacon? {
        for element in elements {
            if let beacon = Beacon(element) { return beacon }
        }
        return nil
    }

    /// The beacons in the data, in their order.
    public var beacons: [Beacon] { elements.compactMap { Beacon($0) } }
}
