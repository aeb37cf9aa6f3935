// SPDX-License-Identifier: MIT

/// Sets the random address of an advertising set.
///
/// The set must exist. A controller refuses the command with Command Disallowed while the set advertises connectably.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.52
package struct LESetAdvertisingSetRandomAddress: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x0035, "LE Set Advertising Set Random Address", bit: (36, 1))

    package var set: LEAdvertisingHandle
    package var address: BluetoothAddress

    package init(_ set: LEAdvertisingHandle, _ address: BluetoothAddress) {
        self.set = set
        self.address = address
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        set = try fields(\.set)
        address = try fields(\.address, "Random_Address")
    }

    package var details: String { "set \(set), \(address)" }
}

/// Sets the parameters of an advertising set. Creates the set if there is none with that handle.
///
/// A controller refuses it with Command Disallowed while the set is enabled.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.53
package struct LESetExtendedAdvertisingParameters: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x0036, "LE Set Extended Advertising Parameters", bit: (36, 2))

    /// The properties of the advertisements, with one bit for each.
    package struct Properties: OptionSet, Hashable, Sendable, CustomStringConvertible {
        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        package static let connectable = Self(rawValue: 1 << 0)
        package static let scannable = Self(rawValue: 1 << 1)
        /// The advertisement addresses one device.
        package static let directed = Self(rawValue: 1 << 2)
        /// Directed advertisements in quick succession.
        package static let highDutyCycle = Self(rawValue: 1 << 3)
        package static let legacy = Self(rawValue: 1 << 4)
        /// Advertisements without the advertiser's address.
        package static let anonymous = Self(rawValue: 1 << 5)
        package static let includeTxPower = Self(rawValue: 1 << 6)

        /// `connectable+scannable+legacy`
        package var description: String {
            let names: [(Self, String)] = [
                (.connectable, "connectable"), (.scannable, "scannable"), (.directed, "directed"),
                (.highDutyCycle, "high duty cycle"), (.legacy, "legacy"), (.anonymous, "anonymous"),
                (.includeTxPower, "tx power"),
            ]
            let present = names.filter { contains($0.0) }.map(\.1)
            return present.isEmpty ? "no properties" : present.joined(separator: "+")
        }
    }

    package var set: LEAdvertisingHandle
    package var properties: Properties
    /// The smallest interval: 0x000020…0xFFFFFF (Primary_Advertising_Interval_Min).
    package var minimumInterval: LEInterval<625>
    /// The largest interval: 0x000020…0xFFFFFF (Primary_Advertising_Interval_Max).
    package var maximumInterval: LEInterval<625>
    /// The primary channels (Primary_Advertising_Channel_Map).
    package var channels: LEAdvertisingChannels
    package var ownAddressType: LEOwnAddressType
    /// The target of directed advertising (Peer_Address_Type, Peer_Address).
    package var peer: DeviceAddress
    /// The devices whose requests are answered (Advertising_Filter_Policy).
    package var filterPolicy: LEAdvertisingFilterPolicy
    /// The transmit power in dBm; `nil` for the controller's choice (Advertising_TX_Power).
    package var txPower: Int8?
    /// The PHY of the primary channels: LE 1M or LE Coded (Primary_Advertising_PHY).
    package var primaryPHY: LEPHY
    /// The number of advertising events that may be skipped before the data are sent again
    /// (Secondary_Advertising_Max_Skip).
    package var secondaryMaximumSkip: UInt8
    /// The PHY of the data (Secondary_Advertising_PHY).
    package var secondaryPHY: LEPHY
    /// The set's number in advertising reports, 0…15 (Advertising_SID).
    package var sid: UInt8
    package var reportsScanRequests: Bool

    package init(
        set: LEAdvertisingHandle,
        properties: Properties,
        minimumInterval: LEInterval<625>,
        maximumInterval: LEInterval<625>,
        channels: LEAdvertisingChannels = .all,
        ownAddressType: LEOwnAddressType = .public,
        peer: DeviceAddress = DeviceAddress(BluetoothAddress(rawValue: 0), .public),
        filterPolicy: LEAdvertisingFilterPolicy = .all,
        txPower: Int8? = nil,
        primaryPHY: LEPHY = .le1M,
        secondaryMaximumSkip: UInt8 = 0,
        secondaryPHY: LEPHY = .le1M,
        sid: UInt8 = 0,
        reportsScanRequests: Bool = false
    ) {
        self.set = set
        self.properties = properties
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.channels = channels
        self.ownAddressType = ownAddressType
        self.peer = peer
        self.filterPolicy = filterPolicy
        self.txPower = txPower
        self.primaryPHY = primaryPHY
        self.secondaryMaximumSkip = secondaryMaximumSkip
        self.secondaryPHY = secondaryPHY
        self.sid = sid
        self.reportsScanRequests = reportsScanRequests
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        set = try fields(\.set)
        properties = try fields(\.properties, "Advertising_Event_Properties")
        minimumInterval = try fields(\.minimumInterval, octets: 3, "Primary_Advertising_Interval_Min")
        maximumInterval = try fields(\.maximumInterval, octets: 3, "Primary_Advertising_Interval_Max")
        channels = try fields(\.channels, "Primary_Advertising_Channel_Map")
        ownAddressType = try fields(\.ownAddressType, "Own_Address_Type")
        peer = try fields(\.peer, "Peer_Address")
        filterPolicy = try fields(\.filterPolicy, "Advertising_Filter_Policy")
        txPower = try fields(\.txPower, "Advertising_TX_Power")
        primaryPHY = try fields(\.primaryPHY)
        secondaryMaximumSkip = try fields(\.secondaryMaximumSkip, "Secondary_Advertising_Max_Skip")
        secondaryPHY = try fields(\.secondaryPHY)
        sid = try fields(\.sid, "Advertising_SID")
        reportsScanRequests = try fields(\.reportsScanRequests, "Scan_Request_Notification_Enable")
    }

    package var details: String {
        "set \(set), \(properties), every \(minimumInterval) to \(maximumInterval), "
            + "own address \(ownAddressType), PHY \(primaryPHY)/\(secondaryPHY), SID \(sid)"
    }

    /// The controller's choice.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The transmit power in dBm (Selected_TX_Power).
        package var selectedTxPower: Int8

        package init(selectedTxPower: Int8) { self.selectedTxPower = selectedTxPower }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            selectedTxPower = try fields(\.selectedTxPower, "Selected_TX_Power")
        }

        package var details: String { "\(selectedTxPower) dBm" }
    }
}

/// A fragment of an advertising set's data for the commands below.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.54
package struct LEAdvertisingDataFragment: Hashable, Sendable {
    /// The position of the fragment in the data.
    package enum Operation: UInt8, Hashable, Sendable {
        /// A fragment between the first and the last one.
        case intermediate = 0x00
        case first = 0x01
        case last = 0x02
        /// The only fragment.
        case complete = 0x03
        /// The data do not change; only their identifier (DID) is renewed.
        case unchanged = 0x04
    }

    /// The maximum number of octets in one command, whose parameters have at most 255 octets: four of them precede the
    /// data.
    package static let maximumLength = 251

    package let set: LEAdvertisingHandle
    package let operation: Operation
    /// Whether the controller may fragment the data on the air (Fragment_Preference).
    package let mayFragment: Bool
    /// The octets, 251 at most (Advertising_Data).
    package let data: [UInt8]

    /// Creates a fragment; `nil` for more than 251 octets.
    package init?(_ set: LEAdvertisingHandle, _ operation: Operation, mayFragment: Bool = true, _ data: [UInt8]) {
        guard data.count <= Self.maximumLength else { return nil }
        self.set = set
        self.operation = operation
        self.mayFragment = mayFragment
        self.data = data
    }

    /// Splits data into as few fragments as possible.
    package static func fragments(of data: [UInt8], set: LEAdvertisingHandle) -> [Self] {
        // Empty data are one fragment, because only a command removes the data that the set had.
        let starts = Array(stride(from: 0, to: max(1, data.count), by: maximumLength))
        return starts.enumerated().compactMap { index, start in
            let isFirst = index == 0
            let isLast = index == starts.count - 1
            let operation: Operation = isFirst ? (isLast ? .complete : .first) : (isLast ? .last : .intermediate)
            let piece = Array(data.dropFirst(start).prefix(maximumLength))
            return Self(set, operation, piece)
        }
    }
}

extension LEAdvertisingDataFragment: WireDecodable, WireEncodable {
    package init(from reader: inout ByteReader) throws(DecodeError) {
        set = try LEAdvertisingHandle(from: &reader)
        operation = try reader.value("Operation")
        mayFragment = try !reader.flag("Fragment_Preference")
        let length = try reader.uint8("Advertising_Data_Length")
        guard length <= Self.maximumLength else {
            throw DecodeError("Advertising_Data_Length", .invalid(value: UInt64(length)))
        }
        data = try reader.bytes(Int(length), "Advertising_Data")
    }

    package func encode(into writer: inout ByteWriter) {
        writer.append(set)
        writer.uint8(operation.rawValue)
        writer.flag(!mayFragment)
        writer.uint8(UInt8(clamping: data.count))
        writer.append(data)
    }

    var details: String { "set \(set), \(operation), \(data.isEmpty ? "none" : Hex.string(data))" }
}

/// Sets the data of an advertising set.
///
/// While the set is enabled, only the operations `complete` and `unchanged` are allowed, so that no advertisement has
/// half of the new data.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.54
package struct LESetExtendedAdvertisingData: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x0037, "LE Set Extended Advertising Data", bit: (36, 3))

    package var fragment: LEAdvertisingDataFragment

    package init(_ fragment: LEAdvertisingDataFragment) { self.fragment = fragment }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        fragment = try fields(\.fragment)
    }

    package var details: String { fragment.details }
}

/// Sets the scan response of an advertising set.
///
/// While the set is enabled, only the operation `complete` is allowed, so that no response has half of the new data.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.55
package struct LESetExtendedScanResponseData: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x0038, "LE Set Extended Scan Response Data", bit: (36, 4))

    package var fragment: LEAdvertisingDataFragment

    package init(_ fragment: LEAdvertisingDataFragment) { self.fragment = fragment }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        fragment = try fields(\.fragment)
    }

    package var details: String { fragment.details }
}

/// Starts and stops advertising sets.
///
/// Directed advertising with a high duty cycle needs a duration of at most 1.28 s.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.56
package struct LESetExtendedAdvertisingEnable: HCICommand {
    package static let form = HCIForm(.leController, 0x0039, "LE Set Extended Advertising Enable", bit: (36, 5))

    package struct AdvertisingSet: Hashable, Sendable {
        package var handle: LEAdvertisingHandle
        /// The duration; zero for no limit (Duration[i]).
        package var duration: LEInterval<10_000>
        /// The number of advertising events; zero for no limit (Max_Extended_Advertising_Events[i]).
        package var maximumEvents: UInt8

        /// Creates a set; by default it is sent without limits.
        package init(
            _ handle: LEAdvertisingHandle,
            duration: LEInterval<10_000> = .init(rawValue: 0),
            maximumEvents: UInt8 = 0
        ) {
            self.handle = handle
            self.duration = duration
            self.maximumEvents = maximumEvents
        }
    }

    /// The maximum number of sets in one command: each takes four octets of its parameters, which have at most 255.
    package static let maximumSets = 63

    package let isEnabled: Bool
    /// The sets; an empty list stops all of them.
    package let sets: [AdvertisingSet]

    /// Creates the command; `nil` for more than 63 sets.
    package init?(isEnabled: Bool, sets: [AdvertisingSet]) {
        guard sets.count <= Self.maximumSets else { return nil }
        self.isEnabled = isEnabled
        self.sets = sets
    }

    package init(from reader: inout ByteReader) throws(DecodeError) {
        isEnabled = try reader.flag("Enable")
        let count = try reader.uint8("Num_Sets")
        guard count <= Self.maximumSets else { throw DecodeError("Num_Sets", .invalid(value: UInt64(count))) }
        var sets: [AdvertisingSet] = []
        for _ in 0..<count { sets.append(try AdvertisingSet(from: &reader)) }
        self.sets = sets
    }

    package func encode(into writer: inout ByteWriter) {
        writer.flag(isEnabled)
        writer.uint8(UInt8(clamping: sets.count))
        for set in sets { writer.append(set) }
    }

    package var details: String {
        let list = sets.map { "\($0.handle)" }.joined(separator: ", ")
        return "\(isEnabled ? "on" : "off"), \(sets.isEmpty ? "all sets" : "sets \(list)")"
    }
}

extension LESetExtendedAdvertisingEnable.AdvertisingSet: FieldCoded {
    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        handle = try fields(\.handle)
        duration = try fields(\.duration, "Duration")
        maximumEvents = try fields(\.maximumEvents, "Max_Extended_Advertising_Events")
    }
}

/// Asks for the maximum length of advertising data.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.57
package struct LEReadMaximumAdvertisingDataLength: HCIParameterlessCommand {
    package static let form = HCIForm(.leController, 0x003A, "LE Read Maximum Advertising Data Length", bit: (36, 6))

    package init() {}

    /// The return parameters: the limit for all sets.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The length in octets: 31…1,650 (Max_Advertising_Data_Length).
        package var length: UInt16

        package init(length: UInt16) { self.length = length }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            length = try fields(\.length, "Max_Advertising_Data_Length")
        }

        package var details: String { "\(count: length, "octet")" }
    }
}

/// Asks for the number of advertising sets that the controller supports.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.58
package struct LEReadNumberOfSupportedAdvertisingSets: HCIParameterlessCommand {
    package static let form = HCIForm(
        .leController,
        0x003B,
        "LE Read Number of Supported Advertising Sets",
        bit: (36, 7)
    )

    package init() {}

    /// The return parameters: the number of sets. The controller may change it at any time, because it may need the
    /// memory for other purposes.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The number of sets: 1…240 (Num_Supported_Advertising_Sets).
        package var count: UInt8

        package init(count: UInt8) { self.count = count }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            count = try fields(\.count, "Num_Supported_Advertising_Sets")
        }

        package var details: String { "\(count: count, "set")" }
    }
}

/// Removes an advertising set. It must be disabled.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.59
package struct LERemoveAdvertisingSet: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x003C, "LE Remove Advertising Set", bit: (37, 0))

    package var set: LEAdvertisingHandle

    package init(_ set: LEAdvertisingHandle) { self.set = set }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        set = try fields(\.set)
    }

    package var details: String { "set \(set)" }
}

/// Removes all advertising sets. All must be disabled.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.60
package struct LEClearAdvertisingSets: HCIParameterlessCommand {
    package static let form = HCIForm(.leController, 0x003D, "LE Clear Advertising Sets", bit: (37, 1))

    package init() {}
}
