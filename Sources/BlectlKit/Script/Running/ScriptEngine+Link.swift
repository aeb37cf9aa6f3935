// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

extension ScriptEngine {
    /// The fields that only the events of the controller tell.
    private static let heardFields: Set = ["interval_ms", "latency", "supervision_timeout_ms"]

    /// Throws if the state of a device's link does not meet the condition, or if a field that it names cannot be known.
    func checkLink(_ condition: ScriptCondition, of device: String, _ step: ScriptStep) async throws {
        let state = try await within(step.limit ?? context.options.timeout, step) {
            try await self.linkState(of: device)
        }
        for field in condition.fields {
            let known = state.problems.first { $0.key == field || $0.key.hasPrefix("\(field)_") }
            if let (name, error) = known {
                throw BlectlError(error.status, "\(name) is not known: \(error.message)", hint: error.hint)
            }
        }
        try check(condition, on: ConditionSubject(record: .members(state.fields, json: "")))
    }

    /// What is known of the link of a device: as `blectl run` documents it. Without a link, only that there is none.
    private func linkState(of name: String) async throws -> (
        fields: [String: RecordValue], problems: [String: BlectlError]
    ) {
        let held = try await held(name)
        guard await held.isConnected else { return (["connected": .literal("false")], [:]) }
        let device = try await held.connect()
        let connection = try await device.peripheral.connection()
        var fields: [String: RecordValue] = [
            "connected": .literal("true"),
            "encrypted": .literal("\(connection.isEncrypted)"),
            "mtu": .literal("\(await connection.mtu)"),
            "role": .text("central"),
        ]
        var problems: [String: BlectlError] = [:]
        guard let central, let number = connection.connectionHandle else {
            let unknown = BlectlError(.bluetoothUnavailable, "the link has no controller that could be asked")
            for field in Self.heardFields.union(["rssi_dbm", "phy_tx", "phy_rx"]) { problems[field] = unknown }
            return (fields, problems)
        }
        let handle = ConnectionHandle(rawValue: number)
        if let heard = packets?.parameters(of: handle) {
            fields["interval_ms"] = .literal(Self.milliseconds(heard.interval.duration))
            fields["latency"] = .literal("\(heard.latency)")
            fields["supervision_timeout_ms"] = .literal(Self.milliseconds(heard.supervisionTimeout.duration))
        } else {
            let reason =
                listeningProblem
                ?? BlectlError(
                    .bluetoothUnavailable,
                    "the link was there before this script listened to the controller"
                )
            for field in Self.heardFields { problems[field] = reason }
        }
        do {
            try await central.withController { controller in
                do throws(RadioError) {
                    let answer = try await controller.perform(HCIReadRSSI(handle))
                    fields["rssi_dbm"] = answer.rssi.map { .literal("\($0)") }
                    if answer.rssi == nil {
                        problems["rssi_dbm"] = BlectlError(.bluetoothUnavailable, "the controller does not know it")
                    }
                } catch {
                    problems["rssi_dbm"] = BlectlError(error, doing: "read the signal strength")
                }
                do throws(RadioError) {
                    let answer = try await controller.perform(LEReadPHY(handle))
                    fields["phy_tx"] = .text(answer.transmit.description)
                    fields["phy_rx"] = .text(answer.receive.description)
                } catch {
                    let problem = BlectlError(error, doing: "read the PHY")
                    for field in ["phy_tx", "phy_rx"] { problems[field] = problem }
                }
            }
        } catch let error as RadioError {
            let problem = BlectlError(error, doing: "ask the controller")
            for field in ["rssi_dbm", "phy_tx", "phy_rx"] { problems[field] = problem }
        }
        return (fields, problems)
    }

    /// Listens to the controller from now on if a step checks what only its events tell.
    func listenIfChecked(_ central: Central) async {
        guard listener == nil, listeningProblem == nil, !script.checkedFields.isDisjoint(with: Self.heardFields) else {
            return
        }
        do throws(RadioError) {
            listener = try HCIController.open(central.radio, scope: context.scope, time: context.time)
        } catch {
            listeningProblem = BlectlError(error, doing: "listen to the controller")
        }
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let microseconds = duration.clampedNanoseconds / 1_000
        let fraction = microseconds % 1_000
        guard fraction != 0 else { return "\(microseconds / 1_000)" }
        let digits = String(1_000 + fraction).dropFirst()
        let zeros = digits.reversed().prefix { $0 == "0" }.count
        return "\(microseconds / 1_000).\(digits.dropLast(zeros))"
    }
}

extension ScriptCondition {
    /// The fields that the condition names.
    fileprivate var fields: [String] {
        switch self {
        case .comparison(let comparison): comparison.field.map { [$0] } ?? []
        case .all(let parts), .any(let parts): parts.flatMap(\.fields)
        case .not(let inner): inner.fields
        }
    }
}

extension Script {
    /// The fields of links that steps check.
    fileprivate var checkedFields: Set<String> {
        var fields: Set<String> = []
        func add(_ steps: [ScriptStep]) {
            for step in steps {
                switch step.action {
                case .check(_, let condition):
                    for field in condition.fields {
                        fields.insert(field)
                        // A field may be named without its unit.
                        fields.insert("\(field)_ms")
                    }
                case .repeat(_, _, let inner): add(inner)
                default: break
                }
            }
        }
        add(setup + cleanup + tests.flatMap { $0.steps + $0.cleanup })
        return fields
    }
}
