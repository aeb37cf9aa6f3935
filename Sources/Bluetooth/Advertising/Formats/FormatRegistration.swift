// SPDX-License-Identifier: MIT

/// The facts about a format that are known without an advertisement: where its data are, and what records contain.
///
/// Decoding, manual pages and schemas follow it, so that a format is one file and one line of `FormatRegistry`.
public struct FormatRegistration: Sendable {
    /// The use of a format.
    public enum Purpose: Sendable {
        /// It identifies a place or a thing.
        case beacon
        /// It measures.
        case sensor
        /// It helps to find a lost thing, or warns of one.
        case tracker
        /// It is a message among devices of a vendor or of an alliance.
        case message
    }

    /// The place of a format's data in an advertisement.
    public enum Source: Hashable, Sendable {
        /// The manufacturer data of any company.
        case anyCompany
        /// The manufacturer data of one company.
        case company(UInt16)
        /// The data of a service.
        case service(BluetoothUUID)
    }

    /// The use of the format.
    public let purpose: Purpose
    /// The name of the format, or of its family, in a list for persons.
    public let name: String
    /// The words for `AdvertisedFormat.kind`.
    public let kinds: [String]
    /// The places of the data.
    public let sources: [Source]
    /// The keys of the facts that are no lists.
    public let keys: [String]
    /// The keys of the facts that are lists, each with the keys of the facts in it.
    public let lists: [String: [String]]

    init(
        _ purpose: Purpose,
        _ name: String,
        kinds: [String],
        in sources: [Source],
        keys: [String] = [],
        lists: [String: [String]] = [:]
    ) {
        self.purpose = purpose
        self.name = name
        self.kinds = kinds
        self.sources = sources
        self.keys = keys
        self.lists = lists
    }

    /// The service whose data contain the format; `nil` if manufacturer data do.
    var service: BluetoothUUID? {
        for case .service(let uuid) in sources { return uuid }
        return nil
    }
}
