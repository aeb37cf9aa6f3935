// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import CommandLineInterface
import Terminal
import Toolkit

struct AdvertiseOptions: Sendable, Equatable {
    /// The advertisements, at least one.
    var sets: [DeviceAdvertising]
    /// The number of ended connections, and the time after the start.
    var limits = StopLimits()
}

extension AdvertiseOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        var groups: [[ParsedArguments.Section]] = []
        for section in arguments.sections {
            if section.separator == nil || section.separator == AdvertiseCommand.nextSet {
                groups.append([section])
            } else {
                // The first section has no separator, so that there is a group.
                groups[groups.count - 1].append(section)
            }
        }
        guard groups.count <= AdvertisingHost.maximumSets else {
            throw arguments.impossible("\(groups.count) advertisements are more than \(AdvertisingHost.maximumSets)")
        }
        sets = []
        for group in groups { sets.append(try AdvertisedSet(group).advertising()) }
        limits = StopLimits(arguments, count: AdvertiseCommand.count, duration: AdvertiseCommand.duration)
        guard limits.count == nil || sets.contains(where: \.isConnectable) else {
            throw arguments.impossible(
                "'--count' counts connections, and nothing that is advertised accepts one",
                hint: "--connectable accepts connections; --duration ends after a time"
            )
        }
    }
}

private struct AdvertisedSet {
    let main: ParsedArguments
    let response: ParsedArguments?
    private let form: AdvertisedForm?

    init(_ sections: [ParsedArguments.Section]) throws(UsageError) {
        main = sections[0].arguments
        response = sections.count > 1 ? sections[1].arguments : nil
        guard sections.count <= 2 else {
            throw main.impossible("an advertisement has one scan response", hint: Self.separatorHint)
        }
        if let surplus = response?[AdvertiseCommand.what].first {
            throw main.impossible(
                "unexpected \(Prose.quoted(surplus)) in a scan response",
                hint: "octets of a scan response are given as --scan-response --data DATA"
            )
        }
        let words = main[AdvertiseCommand.what]
        guard let word = words.first else {
            form = nil
            try checkValues([])
            return
        }
        guard let form = AdvertisedForm(rawValue: word) else {
            let words = AdvertisedForm.allCases.map(\.rawValue)
            throw main.invalid(
                AdvertiseCommand.what,
                word,
                ValueProblem(
                    expectation: "expected \(Prose.list(words.map { "'\($0)'" }))",
                    suggestion: Suggestion.closest(to: word, among: words)
                )
            )
        }
        self.form = form
        try checkValues(Array(words.dropFirst()))
    }

    private static let separatorHint = "a plus sign begins the next advertisement"

    private func checkValues(_ values: [String]) throws(UsageError) {
        let wanted = form?.values ?? []
        if values.count < wanted.count {
            throw main.impossible(
                "missing \(wanted[values.count]) for '\(form?.rawValue ?? "")'",
                hint: "blectl advertise \(([form?.rawValue ?? ""] + wanted).joined(separator: " "))"
            )
        }
        if let surplus = values.dropFirst(wanted.count).first {
            let options = (form?.options ?? []).map { "--\($0.long)" }
            let isNumber = Int(surplus) != nil && !options.isEmpty
            let hint = isNumber ? "numbers are options: \(Prose.list(options, "and"))" : Self.separatorHint
            throw main.impossible("unexpected argument \(Prose.quoted(surplus))", hint: hint)
        }
        let own = Set((form?.options ?? []).map(\.long))
        for option in AdvertisedForm.allCases.flatMap(\.options) where !own.contains(option.long) {
            guard main.isGiven(option) || response?.isGiven(option) == true else { continue }
            let forms = AdvertisedForm.allCases.filter { $0.options.contains { $0.long == option.long } }
            throw main.impossible(
                "'--\(option.long)' belongs to \(Prose.list(forms.map(\.rawValue)))"
                    + (form.map { ", not to \($0.rawValue)" } ?? "")
            )
        }
    }

    /// The value of an option that concerns the advertisement as a whole, wherever it stands.
    private subscript<Value>(option: Option<Value>) -> Value {
        if let response, response.isGiven(option) { response[option] } else { main[option] }
    }

    private func isGiven<Value>(_ option: Option<Value>) -> Bool {
        main.isGiven(option) || response?.isGiven(option) == true
    }

    // MARK: - The set

    func advertising() throws(UsageError) -> DeviceAdvertising {
        let target = try target()
        let kind = try kind(isDirected: target != nil)
        let interval = self[AdvertiseCommand.interval]
        // The range of LE Set Advertising Parameters: Core 5.4, Vol 4, Part E, 7.8.5.
        guard interval >= .milliseconds(20), interval <= .milliseconds(10_240) else {
            throw main.invalid(
                AdvertiseCommand.interval,
                interval.text,
                "expected 20ms to 10.24s"
            )
        }
        let data = try frame()
        let answer = try response.map { response throws(UsageError) in try AdvertisedFields(response).frame() }
        let set = DeviceAdvertising(
            kind,
            interval: interval,
            frames: data.fields.isEmpty ? [] : [data],
            scanResponse: answer,
            txPower: self[AdvertiseCommand.txPower],
            target: target
        )
        try check(set)
        return set
    }

    private func target() throws(UsageError) -> DeviceAddress? {
        guard let text = self[AdvertiseCommand.target] else { return nil }
        var type: AddressType = .public
        var words = text.split(separator: "/", maxSplits: 1).map(String.init)
        if words.count == 2 {
            guard let known = [AddressType.public, .random].first(where: { $0.description == words[1] }) else {
                throw main.invalid(AdvertiseCommand.target, text, "expected 'public' or 'random' after the slash")
            }
            type = known
            words.removeLast()
        }
        guard let address = words.first.flatMap({ BluetoothAddress(inAnySpelling: $0) }) else {
            throw main.invalid(
                AdvertiseCommand.target,
                text,
                "expected an address such as F0:F1:F2:F3:F4:F5 or C0:00:00:00:00:01/random"
            )
        }
        return DeviceAddress(address, type)
    }

    private func kind(isDirected: Bool) throws(UsageError) -> DeviceAdvertising.Kind {
        let isConnectable = self[AdvertiseCommand.connectable] || isDirected
        let primary = self[AdvertiseCommand.primaryPHY]
        let secondary = self[AdvertiseCommand.secondaryPHY]
        let sid = self[AdvertiseCommand.sid]
        guard self[AdvertiseCommand.extended] || primary != nil || secondary != nil || sid != nil else {
            // Legacy advertising that accepts connections can be scanned in any case, unless it is directed.
            return isConnectable ? .connectable : response == nil ? .nonConnectable : .scannable
        }
        // Extended PDUs are not both connectable and scannable: Core 5.4, Vol 4, Part E, 7.8.53.
        if response != nil, isConnectable {
            throw main.impossible(
                "an extended advertisement that accepts connections has no scan response",
                hint: "it has room for the fields: leave out --scan-response"
            )
        }
        return .extended(
            sid: sid ?? 0,
            isConnectable: isConnectable,
            primaryPHY: primary == .coded ? .coded : .le1M,
            secondaryPHY: secondary?.phy ?? (primary == .coded ? .coded : .le1M)
        )
    }

    private func frame() throws(UsageError) -> AdvertisingFrame {
        let values = Array(main[AdvertiseCommand.what].dropFirst())
        var fields = try AdvertisedFields(main)
        if let form { try fields.add(form, values) }
        var frame = fields.frame()
        // Directed advertising is not for discovery, and extended advertising that can be scanned has no data.
        let hasFlags =
            !self[AdvertiseCommand.noFlags] && form != .raw && !isGiven(AdvertiseCommand.target)
            && (response == nil || !isExtended)
        if hasFlags { frame.fields.insert(.element(.flags([.generalDiscoverable, .brEDRNotSupported])), at: 0) }
        return frame
    }

    private var isExtended: Bool {
        self[AdvertiseCommand.extended] || isGiven(AdvertiseCommand.sid) || isGiven(AdvertiseCommand.primaryPHY)
            || isGiven(AdvertiseCommand.secondaryPHY)
    }

    // MARK: - Lengths

    // The data of a legacy PDU: Core 5.4, Vol 6, Part B, 2.3.1.
    private static let legacyRoom = 31
    // The most that a controller can take: Core 5.4, Vol 4, Part E, 7.8.57.
    private static let extendedRoom = 1_650

    private func check(_ set: DeviceAdvertising) throws(UsageError) {
        // A single field is that of the flags, which no option has asked for.
        if form == nil, !main.isGiven(AdvertiseCommand.connectable), response == nil, set.target == nil,
            set.frames.allSatisfy({ $0.fields.count <= 1 }), !main.isGiven(AdvertiseCommand.noFlags)
        {
            throw main.impossible(
                "there is nothing to advertise",
                hint: "name a beacon, --connectable, or a field such as --local-name; see 'blectl advertise --help'"
            )
        }
        let data = set.frames.first ?? AdvertisingFrame([])
        if set.target != nil, !isExtended, !data.fields.isEmpty || response != nil {
            throw main.impossible(
                "an advertisement to one central carries no data",
                hint: "--extended carries data to one central"
            )
        }
        if isExtended, response != nil, !data.fields.isEmpty {
            throw main.impossible(
                "an extended advertisement carries its data or its scan response, and not both",
                hint: "give all fields after --scan-response, or leave it out"
            )
        }
        try check(data, "the advertisement", hint: "move a field after --scan-response, or use --extended")
        if let answer = set.scanResponse { try check(answer, "the scan response", hint: "--extended has more room") }
    }

    private func check(_ frame: AdvertisingFrame, _ subject: String, hint: String) throws(UsageError) {
        let room = isExtended ? Self.extendedRoom : Self.legacyRoom
        let lengths = frame.fields.map { ($0.name, AdvertisingFrame([$0]).encoded(at: .start).count) }
        let length = lengths.reduce(0) { $0 + $1.1 }
        guard length > room else { return }
        let list = lengths.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        throw main.impossible(
            "\(subject) has \(length) octets, and \(isExtended ? "an extended" : "a legacy") one has room for \(room): "
                + list,
            hint: isExtended ? nil : hint
        )
    }
}

extension AdvertisingFrame.Field {
    /// The name of the field in the message about its length.
    fileprivate var name: String {
        switch self {
        case .element(let element): element.name
        case .octets: "octets"
        case .eddystoneTelemetry: "Eddystone TLM"
        }
    }
}

extension SecondaryPHYChoice {
    fileprivate var phy: LEPHY {
        switch self {
        case .oneM: .le1M
        case .twoM: .le2M
        case .coded: .coded
        }
    }
}
