// SPDX-License-Identifier: MIT

public import Bluetooth

/// The characteristics of a device whose reads and writes a program beside it decides.
public struct DeviceHooks: Hashable, Sendable {
    /// The requests that are handed over.
    public struct Operations: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Keeps all bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The program provides the value.
        public static let read = Self(rawValue: 1 << 0)
        /// The program accepts or refuses the value. An accepted one has the same effects as without a program.
        public static let write = Self(rawValue: 1 << 1)
    }

    /// The characteristics that a hook is for.
    public enum Place: Hashable, Sendable {
        /// The one whose value has that handle.
        case handle(Handle)
        /// Those of a UUID, in services of a UUID or in all.
        case characteristic(BluetoothUUID, service: BluetoothUUID?)
    }

    /// The operations by place.
    public var operations: [Place: Operations]

    /// Creates hooks.
    public init(_ operations: [Place: Operations] = [:]) { self.operations = operations }

    /// The value handles of a place.
    public static func handles(of place: Place, in database: GATTDatabase) -> [Handle] {
        switch place {
        case .handle(let handle):
            return database.place(of: handle)?.characteristic == nil || database[handle] == nil ? [] : [handle]
        case .characteristic(let uuid, let service):
            return database.attributes.lazy.map(\.handle).filter { handle in
                // Descriptors are in the same characteristic, but their type is not that of its value.
                guard let place = database.place(of: handle), place.attribute == uuid, place.characteristic == uuid
                else { return false }
                return service == nil || place.service == service
            }
        }
    }

    func handles(in database: GATTDatabase) -> [Handle: Operations] {
        var found: [Handle: Operations] = [:]
        for (place, operations) in operations {
            for handle in Self.handles(of: place, in: database) { found[handle, default: []].formUnion(operations) }
        }
        return found
    }
}

extension DeviceImage {
    /// The same device, in which a program beside it decides the reads and writes of some characteristics.
    public func hooked(_ hooks: DeviceHooks) -> DeviceImage {
        hooks.operations.isEmpty ? self : hooked(hooks, DeviceCode())
    }

    /// The same device, in which closures decide about some characteristics.
    func running(_ code: DeviceCode) -> DeviceImage { code.isEmpty ? self : hooked(code.hooks, code) }

    private func hooked(_ hooks: DeviceHooks, _ code: DeviceCode) -> DeviceImage {
        var image = self
        // The database of `self` still has the values, which the firmware takes over.
        image.firmware = HookedFirmware(hooks, code, around: firmware, database)
        image.database = database.handing(over: hooks.handles(in: database).keys)
        return image
    }
}

extension GATTDatabase {
    /// The same database, in which the firmware answers for the values at these handles.
    func handing(over handles: some Collection<Handle>) -> GATTDatabase {
        let handles = Set(handles)
        let attributes = attributes.map { attribute in
            // A handle of the firmware has no other value; the limits of the old one still apply.
            guard handles.contains(attribute.handle) else { return attribute }
            let limit: Int
            switch attribute.storage {
            case .handler: return attribute
            case .stored(_, let lengths): limit = lengths.upperBound
            default: limit = GATTLimits.maximumValueLength
            }
            return GATTAttribute(
                handle: attribute.handle,
                type: attribute.type,
                permissions: attribute.permissions,
                storage: .handler(maximumLength: limit)
            )
        }
        // The handles are those of a valid database.
        return (try? GATTDatabase(attributes: attributes)) ?? self
    }
}
