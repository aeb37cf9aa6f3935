// SPDX-License-Identifier: MIT

import Bluetooth

/// The subscriptions of the clients of a shared link.
///
/// A device has one Client Characteristic Configuration descriptor (CCCD) for all clients of a link. The union of the
/// clients' subscriptions is written to it: the first subscription switches the values on, and the end of the last one
/// switches them off.
struct SharedSubscriptions: Sendable {
    typealias ClientID = SharedBearer.ClientID

    /// The effect of a client's write on the device.
    enum Effect: Equatable, Sendable {
        /// This configuration has to be written to the device.
        case write(ClientConfiguration)
        /// The device has this configuration already.
        case none
    }

    /// The maximum number of descriptors whose values are kept without a client.
    static let keptLimit = 64

    /// Whether the device goes on to send when the last client has left.
    private let keeps: Bool
    /// The configurations that the clients have written, by descriptor. Empty ones are removed.
    private var wishes: [Handle: [ClientID: ClientConfiguration]] = [:]
    /// The configurations that stay although no client needs them.
    private var kept: [Handle: ClientConfiguration] = [:]
    /// The values that were written to the device on the present link.
    private var written: [Handle: ClientConfiguration] = [:]
    /// The descriptors that were written on this link, and whose value the device may have lost, because its database
    /// may have changed.
    private var doubtful: Set<Handle> = []
    /// Whether something has changed since `difference` found nothing.
    private var mayDiffer = false

    init(keeping keeps: Bool) { self.keeps = keeps }

    /// Whether values of a descriptor are kept when no client listens.
    func isKept(_ descriptor: Handle) -> Bool { kept[descriptor] != nil }

    private func wanted(_ descriptor: Handle) -> ClientConfiguration {
        (wishes[descriptor] ?? [:]).values.reduce(kept[descriptor] ?? []) { $0.union($1) }
    }

    // MARK: - Clients

    /// The last value that a client has written into a descriptor.
    func wish(of client: ClientID, for descriptor: Handle) -> ClientConfiguration {
        wishes[descriptor]?[client] ?? []
    }

    mutating func write(_ value: ClientConfiguration, to descriptor: Handle, by client: ClientID) -> Effect {
        set(value, for: descriptor, by: client)
        let wanted = wanted(descriptor)
        guard !wanted.isEmpty, written[descriptor] == wanted, !doubtful.contains(descriptor) else {
            return .write(wanted)
        }
        return .none
    }

    /// The device has refused the write of a client, whose earlier wish remains.
    mutating func refused(_ client: ClientID, _ descriptor: Handle, before: ClientConfiguration) {
        wishes[descriptor]?[client] = before.isEmpty ? nil : before
        if wishes[descriptor]?.isEmpty == true { wishes[descriptor] = nil }
        mayDiffer = true
    }

    mutating func left(_ client: ClientID) {
        for descriptor in wishes.keys.sorted() where wishes[descriptor]?[client] != nil {
            set([], for: descriptor, by: client)
        }
    }

    /// Records the wish of a client. If it ends a subscription that the device has accepted, and the session
    /// keeps values, the device goes on to send them. What it has not accepted yet is not kept.
    private mutating func set(_ value: ClientConfiguration, for descriptor: Handle, by client: ClientID) {
        let before = wish(of: client, for: descriptor)
        mayDiffer = true
        guard value.isEmpty else {
            wishes[descriptor, default: [:]][client] = value
            return
        }
        wishes[descriptor]?[client] = nil
        if wishes[descriptor]?.isEmpty == true { wishes[descriptor] = nil }
        let accepted = before.intersection(written[descriptor] ?? [])
        guard keeps, !accepted.isEmpty else { return }
        guard kept[descriptor] != nil || kept.count < Self.keptLimit else { return }
        kept[descriptor] = (kept[descriptor] ?? []).union(accepted)
    }

    // MARK: - The device

    mutating func accepted(_ value: ClientConfiguration, at descriptor: Handle) {
        written[descriptor] = value
        doubtful.remove(descriptor)
        mayDiffer = true
    }

    /// The device may have lost its configurations. Each is written again when a client asks for it, which clients do
    /// after a discovery. They are not written earlier: what looks like an announced change may be an ordinary value,
    /// and a device that answers a write with such a value would be written to without end.
    mutating func databaseMayHaveChanged() { doubtful.formUnion(written.keys) }

    /// The device has refused a kept or withdrawn configuration, which is not written again.
    mutating func gaveUp(_ descriptor: Handle) {
        kept[descriptor] = nil
        written[descriptor] = wanted(descriptor)
    }

    /// The first descriptor whose configuration at the device is out of date.
    mutating func difference() -> (descriptor: Handle, value: ClientConfiguration)? {
        guard mayDiffer else { return nil }
        for descriptor in Set(written.keys).union(kept.keys).union(wishes.keys).sorted() {
            let wanted = wanted(descriptor)
            if wanted != written[descriptor] ?? [] { return (descriptor, wanted) }
        }
        mayDiffer = false
        return nil
    }

    /// The link has ended, and so have the subscriptions of its clients. Kept configurations have to be written again.
    mutating func linkEnded() {
        wishes = [:]
        written = [:]
        doubtful = []
        mayDiffer = !kept.isEmpty
    }

    mutating func withdrawAll() {
        wishes = [:]
        kept = [:]
        mayDiffer = true
    }

    // MARK: - Values

    /// The descriptor that has switched on the values from a handle; `nil` if none has.
    ///
    /// A descriptor follows its value, and the next one in use after a value belongs to no other characteristic if the
    /// value's own one is in use. If that is not in use, the types of the attributes between decide
    /// (`SharedTypes.isBound`).
    func descriptor(ofValueAt value: Handle) -> Handle? {
        var nearest: Handle?
        for descriptor in wishes.keys where descriptor > value { nearest = min(nearest ?? descriptor, descriptor) }
        for descriptor in kept.keys where descriptor > value { nearest = min(nearest ?? descriptor, descriptor) }
        return nearest
    }

    func listeners(at descriptor: Handle) -> [ClientID] { wishes[descriptor].map { $0.keys.sorted() } ?? [] }
}
