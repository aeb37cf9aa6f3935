// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothDevices
package import BluetoothProfiles
package import CommandLineInterface
import Terminal

/// The faults of `--fault`, given to the devices that they name.
package struct FaultAssignment: Sendable {
    private let faults: [FaultText]
    /// The rules of the faults, in the same order. Names of private characteristics are UUIDs in them.
    private let rules: [FaultRule]
    /// The devices that have each fault, by their places.
    private let owners: [[Int]]

    /// Gives faults to devices; one without a device name belongs to all of them.
    ///
    /// Throws if a named device does not exist, or if no device has a characteristic that a fault names.
    ///
    /// - Parameter formats: The names of private characteristics. A label of the device counts more than one of them.
    package init(
        _ faults: [FaultText],
        to devices: [DeviceImage],
        of command: CommandName,
        formats: FormatCatalogue = .assigned
    ) throws(UsageError) {
        self.faults = faults
        var rules: [FaultRule] = []
        var owners: [[Int]] = []
        for fault in faults {
            let named = devices.indices.filter { fault.device.map(devices[$0].isCalled) ?? true }
            guard !named.isEmpty else {
                let names = devices.map { $0.advertisedName ?? $0.name }
                throw UsageError(
                    .impossible(
                        "no device is called '\(fault.device ?? "")', as in the fault \(Prose.quoted(fault.description))",
                        hint: "there are \(Prose.list(names.map { "'\(TerminalText.escaped($0))'" }, "and"))"
                    ),
                    command: command
                )
            }
            var rule = fault.rule
            if case .label(let label)? = rule.target, !named.contains(where: { devices[$0].hasLabel(label) }),
                let own = formats.uuids(named: label, among: [.characteristic]).first
            {
                rule.target = .uuid(own.uuid, service: nil)
            }
            if case .label(let label)? = rule.target, !named.contains(where: { devices[$0].hasLabel(label) }) {
                let suggestion =
                    Suggestion.closest(to: label, among: named.flatMap { devices[$0].characteristicLabels })
                    ?? AssignedNumbers.suggestions(for: label, kinds: [.characteristic], limit: 1).first
                throw UsageError(
                    .invalidValue(
                        fault.description,
                        of: "'\(GlobalSpec.fault.spec.synopsis)'",
                        expectation: "no characteristic is called '\(label)'",
                        suggestion: suggestion
                    ),
                    command: command,
                    valueHint: "what a device has: blectl --simulate inspect -d "
                        + (fault.device.map { Prose.quoted($0) } ?? "DEVICE")
                )
            }
            rules.append(rule)
            owners.append(named)
        }
        self.rules = rules
        self.owners = owners
    }

    package func rules(ofDevice index: Int) -> [FaultRule] {
        zip(rules, owners).filter { $1.contains(index) }.map { $0.0 }
    }

    /// Remarks about the faults that never acted on any device.
    ///
    /// - Parameter unmet: The faults of each device that never acted.
    package func remarks(unmet: [[FaultRule]]) -> [String] {
        faults.indices.filter { index in
            owners[index].allSatisfy { unmet.indices.contains($0) && unmet[$0].contains(rules[index]) }
        }.map { Self.remark(unmet: faults[$0].description) }
    }

    package static func remark(unmet fault: String) -> String { "the fault \(Prose.quoted(fault)) never acted" }
}

extension DeviceImage {
    fileprivate func isCalled(_ text: String) -> Bool {
        name == text.lowercased() || name == text || advertisedName?.lowercased() == text.lowercased()
            || address.address.description.lowercased() == text.lowercased()
    }
}
