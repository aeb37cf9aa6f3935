// SPDX-License-Identifier: MIT

import Bluetooth

/// The types of a device's attributes, as far as answers on a shared link have contained them.
struct SharedTypes: Sendable {
    /// The maximum number of attributes whose types are remembered.
    static let limit = 4_096

    /// Whether the attribute with a handle is a Client Characteristic Configuration descriptor (CCCD).
    private var configurations: [Handle: Bool] = [:]
    /// The handles of the CCCDs and of the declarations, in ascending order.
    private var bounds: [Handle] = []

    /// Whether an attribute is a CCCD; `nil` if that is not known.
    func isConfiguration(_ handle: Handle) -> Bool? { configurations[handle] }

    /// Whether the CCCD of a value cannot be the one with a handle above it: another CCCD, or the declaration of
    /// another characteristic, lies between.
    func isBound(between value: Handle, and descriptor: Handle) -> Bool {
        guard let next = value.next else { return false }
        let place = place(of: next)
        return place < bounds.count && bounds[place] < descriptor
    }

    /// Remembers the type of an attribute. When there are too many, all are forgotten and asked again.
    mutating func learn(_ type: BluetoothUUID, of handle: Handle) {
        set(isConfiguration: type == .clientCharacteristicConfiguration, of: handle)
        let place = place(of: handle)
        let isKnown = place < bounds.count && bounds[place] == handle
        switch type {
        case .clientCharacteristicConfiguration, .characteristicDeclaration, .primaryService, .secondaryService:
            if !isKnown { bounds.insert(handle, at: place) }
        default: if isKnown { bounds.remove(at: place) }
        }
    }

    /// The device does not reveal the type of an attribute, which then does not count as a CCCD.
    mutating func typeRefused(_ handle: Handle) {
        if configurations[handle] == nil { set(isConfiguration: false, of: handle) }
    }

    private mutating func set(isConfiguration: Bool, of handle: Handle) {
        if configurations[handle] == nil, configurations.count >= Self.limit { self = SharedTypes() }
        configurations[handle] = isConfiguration
    }

    /// The place of the first bound that is not below a handle.
    private func place(of handle: Handle) -> Int {
        var range = bounds.startIndex..<bounds.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = bounds[middle] < handle ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
