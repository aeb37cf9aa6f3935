// SPDX-License-Identifier: MIT

public import Bluetooth

/// A part of a device that is described in Swift.
///
/// A description in Swift is a `DeviceDefinition` like that of a device file, so that everything that runs the one runs
/// the other.
public enum DevicePart: Hashable, Sendable {
    /// An advertising set.
    case advertising(DeviceAdvertising)
    /// A service from its start.
    case service(DeviceService)
    /// Services that an action can put in place of those of the start, by a name.
    case database(String, [DeviceService])
    /// Scheduled actions of the device.
    case timeline(TimelineEntry)
    /// A fault that it shows.
    case fault(FaultRule)
}

/// Makes the parts of a device from the statements of a closure: advertising sets, services, timeline entries and
/// faults, in any order.
@resultBuilder
public enum DevicePartBuilder {
    /// An advertising set.
    public static func buildExpression(_ set: DeviceAdvertising) -> [DevicePart] { [.advertising(set)] }
    /// A service.
    public static func buildExpression(_ service: DeviceService) -> [DevicePart] { [.service(service)] }
    /// A scheduled action.
    public static func buildExpression(_ entry: TimelineEntry) -> [DevicePart] { [.timeline(entry)] }
    /// A fault.
    public static func buildExpression(_ fault: FaultRule) -> [DevicePart] { [.fault(fault)] }
    /// Any part.
    public static func buildExpression(_ part: DevicePart) -> [DevicePart] { [part] }
    /// Several parts that were made elsewhere.
    public static func buildExpression(_ parts: [DevicePart]) -> [DevicePart] { parts }
    /// The statements one after the other.
    public static func buildBlock(_ parts: [DevicePart]...) -> [DevicePart] { parts.flatMap(\.self) }
    /// An `if` without `else`.
    public static func buildOptional(_ parts: [DevicePart]?) -> [DevicePart] { parts ?? [] }
    /// The first branch of an `if` or `switch`.
    public static func buildEither(first parts: [DevicePart]) -> [DevicePart] { parts }
    /// Another branch of an `if` or `switch`.
    public static func buildEither(second parts: [DevicePart]) -> [DevicePart] { parts }
    /// A loop.
    public static func buildArray(_ parts: [[DevicePart]]) -> [DevicePart] { parts.flatMap(\.self) }
}

extension DeviceDefinition {
    /// A device that is described in Swift, in the terms of a device file.
    ///
    ///     let strap = DeviceDefinition("strap", name: "Pulse HR") {
    ///         DeviceAdvertising(name: "Pulse HR", services: [0x180D])
    ///         DeviceService(0x180D) {
    ///             DeviceCharacteristic(HeartRateMeasurement.self, [.notify])
    ///         }
    ///     }
    ///
    /// - Parameters:
    ///   - label: The word by which programs and users choose the device.
    ///   - name: The value of Device Name in Generic Access; `nil` for the label.
    ///   - appearance: The value of Appearance in Generic Access; `nil` for "unknown".
    ///   - address: Its address; `nil` for a static random one that depends on the label only.
    ///   - limits: The limits of the device and its links.
    ///   - signal: The strength of its signal where it is simulated.
    ///   - parts: Its advertising sets, services, timeline and faults.
    public init(
        _ label: String,
        name: String? = nil,
        appearance: UInt16? = nil,
        address: DeviceAddress? = nil,
        limits: DeviceLimits = DeviceLimits(),
        signal: DeviceSignal = DeviceSignal(),
        @DevicePartBuilder _ parts: () throws -> [DevicePart]
    ) rethrows {
        self.init(
            label: label,
            name: name,
            appearance: appearance,
            address: address ?? DeviceAddress(DeviceBuilder.address(madeFrom: label), .random),
            limits: limits,
            signal: signal
        )
        for part in try parts() { add(part) }
    }

    private mutating func add(_ part: DevicePart) {
        switch part {
        case .advertising(let set): advertising.append(set)
        case .service(let service): services.append(service)
        case .database(let name, let services): databases[name] = services
        case .timeline(let entry): timeline.append(entry)
        case .fault(let fault): faults.append(fault)
        }
    }
}

extension FaultRule {
    /// A fault as a sentence: `read battery-level: error 0x0e once`.
    ///
    /// - Throws: `FaultTextError`, the mistake and its place.
    public init(_ sentence: String) throws(FaultTextError) { self = try FaultText(parsing: sentence).rule }
}
