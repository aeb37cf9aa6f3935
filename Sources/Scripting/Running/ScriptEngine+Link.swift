// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import Records
import Terminal
import Toolkit

extension ScriptEngine {
    /// Throws if the state of a device's link does not meet the condition, or if a field that it names cannot be known.
    func checkLink(_ condition: ScriptCondition, of device: String, _ step: ScriptStep) async throws {
        let wantsMTU = condition.fields.contains("mtu")
        let wantsSecurity = condition.fields.contains { field in
            CheckedLink.security.contains { $0 == field || $0.hasPrefix("\(field)_") }
        }
        let state = try await within(step.limit ?? context.options.timeout, step) {
            try await self.linkState(of: device, exchangingMTU: wantsMTU, protecting: wantsSecurity)
        }
        // A field that is not known must not look like one that does not meet the condition.
        for field in condition.fields {
            // A condition may leave out the unit of a field: `rssi` means `rssi_dbm`.
            let known = state.problems.first { $0.key == field || $0.key.hasPrefix("\(field)_") }
            if let (name, error) = known {
                throw BlectlError(error.status, "\(name) is not known: \(error.message)", hint: error.hint)
            }
        }
        var subject = ConditionSubject(record: state.record)
        subject.ignoresCase = true
        do {
            try check(condition, on: subject)
            // Met only because a field is not there, as `not FIELD` is: then nothing was checked.
            if try !holds(condition.met(with: state), on: subject) {
                throw StepFailure(unchecked(condition, on: state), of: subject)
            }
        } catch var failure as StepFailure
            where !state.isConnected && !condition.fields.allSatisfy({ $0 == "connected" })
        {
            // Without a link, nothing else is known of it.
            failure.got = "\(device) is not connected"
            failure.message = "expected \(failure.expected ?? "a link"), got \(failure.got ?? "none")"
            failure.notes = []
            failure.hint = "connect \(device), in a step before: 'check' does not connect"
            throw failure
        }
        // A mistyped name after an alternative that is met, or after `absent`.
        if let mistyped = condition.fields.first(where: { !state.canHave($0) }) {
            let unmet = UnmetCondition(
                expected: evaluation.text(condition),
                got: "no field \(Prose.quoted(mistyped))",
                note: "there are \(Prose.list(CheckedLink.names, "and"))"
            )
            throw StepFailure(unmet, of: subject)
        }
    }

    private func holds(_ condition: ScriptCondition, on subject: ConditionSubject) throws -> Bool {
        try ConditionEvaluation(variables: variables).unmet(condition, on: subject) == nil
    }

    /// The failure of a condition that was not checked, because the link has no such field.
    private func unchecked(_ condition: ScriptCondition, on link: CheckedLink) -> UnmetCondition {
        let missing = condition.fields.first { !link.has($0) }.map { "no field \(Prose.quoted($0))" }
        return UnmetCondition(
            expected: ConditionEvaluation(variables: variables).text(condition),
            got: missing ?? "no value",
            note: "there are \(Prose.list(link.fields.keys.sorted(), "and"))"
        )
    }

    /// The state of a device's link, with the fields that `blectl run` documents. Without a link, only that there is
    /// none.
    ///
    /// - Parameters:
    ///   - exchangesMTU: Whether the MTU is asked for: a link has its smallest one until a client does so.
    ///   - protects: Whether the link is first given the security that a request would give it: the link of a bonded
    ///     device is encrypted only before the first request.
    private func linkState(
        of name: String,
        exchangingMTU exchangesMTU: Bool,
        protecting protects: Bool
    ) async throws -> CheckedLink {
        let held = try await held(name).timed(by: timing)
        // A check does not connect: it asks about the link that there is.
        guard await held.isConnected else {
            return CheckedLink(isConnected: false, fields: ["connected": .bool(false)])
        }
        var device = try await held.connect()
        var connection = try await device.peripheral.connection()
        if protects {
            do {
                try await connection.protect()
            } catch is LinkReplaced {
                // The link has ended for a pairing, and the next one has its key.
                device = try await held.connect()
                connection = try await device.peripheral.connection()
                try await connection.protect()
            }
        }
        if exchangesMTU {
            _ = try await device.peripheral.exchangeMTU()
            connection = try await device.peripheral.connection()
        }
        let reading = try await device.peripheral.linkReading(asksPeer: false)
        var fields: [String: JSONValue] = [
            "connected": .bool(true),
            "mtu": .number(await connection.mtu),
        ]
        let security = connection.security
        for field in LinkSecurity.record { fields[field.key.name] = field.tree(security) }
        let state = reading.state
        fields["role"] = state.role.map { .string($0.word) }
        fields["phy_tx"] = state.transmitPHY.map { .string($0.description) }
        fields["phy_rx"] = state.receivePHY.map { .string($0.description) }
        fields["data_length_tx_octets"] = state.transmitLength.map { .number($0.octets) }
        fields["data_length_rx_octets"] = state.receiveLength.map { .number($0.octets) }
        fields["interval_ms"] = state.interval.map { .number($0.duration.inMilliseconds) }
        fields["latency"] = state.latency.map { .number($0) }
        fields["supervision_timeout_ms"] = state.supervisionTimeout.map { .number($0.duration.inMilliseconds) }
        fields["subrate_factor"] = state.subrateFactor.map { .number($0) }
        fields["rssi_dbm"] = reading.rssi.map { .number($0) }
        fields["tx_power_dbm"] = reading.transmitPower.map { .number($0) }
        var problems: [String: BlectlError] = [:]
        for (property, unknown) in reading.unknown {
            for field in property.fields where fields[field] == nil { problems[field] = unknown.error }
        }
        return CheckedLink(isConnected: true, fields: fields, problems: problems)
    }
}

/// The state of a link that a step checks.
private struct CheckedLink {
    let isConnected: Bool
    let fields: [String: JSONValue]
    /// Why fields are not known, by their names.
    var problems: [String: BlectlError] = [:]

    var record: JSONValue { .object(fields) }

    /// Whether the link has a field. As in every condition, the name may lack its unit.
    func has(_ field: String) -> Bool { record[field.split(separator: ".").map(String.init)] != nil }

    /// Whether a link can have a field, although this one may not.
    func canHave(_ field: String) -> Bool {
        has(field) || Self.names.contains { $0 == field || $0.hasPrefix("\(field)_") }
    }

    static let security = LinkSecurity.record.map(\.key.name)

    static let names: [String] = (["connected", "mtu"] + security + readFields).sorted()

    /// The fields that are read from the controller.
    private static let readFields: [String] = [
        LinkReading.Property.role, .phy, .dataLength, .parameters, .subrate, .signal, .power,
    ].flatMap(\.fields)
}

extension ScriptCondition {
    /// A condition that is met only if this one is met whatever values the missing fields have.
    ///
    /// - Parameter isNegated: Whether an odd number of `not` stands before it.
    fileprivate func met(with link: CheckedLink, isNegated: Bool = false) -> ScriptCondition {
        switch self {
        case .comparison(let comparison):
            guard let field = comparison.field, !link.has(field) else { return self }
            // Without a link it is unknown whether a field is there. With one, its absence is an answer.
            if link.isConnected, comparison.relation == .present || comparison.relation == .absent { return self }
            return isNegated ? .all([]) : .not(.all([]))
        case .all(let parts): return .all(parts.map { $0.met(with: link, isNegated: isNegated) })
        case .any(let parts): return .any(parts.map { $0.met(with: link, isNegated: isNegated) })
        case .not(let inner): return .not(inner.met(with: link, isNegated: !isNegated))
        }
    }
}

extension Script {
    /// Whether a step looks at a link or changes it, so that the events of its controller are needed.
    var usesLinks: Bool { (setup + cleanup + tests.flatMap { $0.steps + $0.cleanup }).contains(where: usesLink) }

    /// Whether a step needs the link's controller, with the steps that it repeats.
    private func usesLink(_ step: ScriptStep) -> Bool {
        switch step.action {
        case .check: true
        case .command(let command, _, _): command.has(.changesLink)
        case .repeat(_, _, let steps): steps.contains(where: usesLink)
        default: false
        }
    }
}

extension LinkReading.Property {
    /// The fields of a check that depend on it.
    fileprivate var fields: [String] {
        switch self {
        case .role: ["role"]
        case .phy: ["phy_tx", "phy_rx"]
        case .dataLength: ["data_length_tx_octets", "data_length_rx_octets"]
        case .parameters: ["interval_ms", "latency", "supervision_timeout_ms"]
        case .signal: ["rssi_dbm"]
        case .power: ["tx_power_dbm"]
        case .subrate: ["subrate_factor"]
        case .channels, .peerVersion, .peerFeatures: []
        }
    }
}

extension LinkReading.Unknown {
    fileprivate var error: BlectlError {
        switch self {
        case .failed(let error) where error.cause == .noController:
            BlectlError(.bluetoothUnavailable, "the link has no controller that could be asked")
        case .failed(let error): BlectlError(error, doing: "ask the controller")
        case .notAnswered: BlectlError(.timedOut, "the device has not answered")
        case .notAsked: BlectlError(.temporaryFailure, "the device was not asked")
        case .notMeasured: BlectlError(.bluetoothUnavailable, "the controller does not know it")
        case .notHeard:
            BlectlError(
                .bluetoothUnavailable,
                "the link was there before this script listened to the controller"
            )
        }
    }
}
