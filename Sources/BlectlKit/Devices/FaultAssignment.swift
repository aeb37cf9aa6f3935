// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
public import BluetoothDevices
import BluetoothProfiles

/// The faults of `--fault`, given to the devices that they name.
public struct FaultAssignment: Sendable {
    private let faults: [FaultText]
    /// The devices that have each fault, by their places.
    private let owners: [[Int]]

    /// Gives faults to devices; one without a device name belongs to all of them.
    ///
    /// Throws if a named device does not exist, or if no device has a characteristic that a fault names.
    public init(_ faults: [FaultText], to devices: [DeviceImage], of command: CommandName) throws(UsageError) {
        self.faults = faults
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
            if case .label(let label)? = fault.rule.target, !named.contains(where: { devices[$0].hasLabel(label) }) {
                let suggestion = AssignedNumbers.suggestions(for: label, kinds: [.characteristic], limit: 1).first
                throw UsageError(
                    .invalidValue(
                        fault.description,
                        of: "'\(GlobalSpec.fault.spec.synopsis)'",
                        expectation: "no characteristic is called '\(label)'",
                        suggestion: suggestion
                    ),
                    command: command
                )
            }
            owners.append(named)
        }
        self.owners = owners
    }

    /// The faults of a device, by its place.
    public func rules(ofDevice index: Int) -> [FaultRule] {
        zip(faults, owners).filter { $1.contains(index) }.map(\.0.rule)
    }

    /// Remarks about the faults that never acted on any device.
    ///
    /// - Parameter unmet: The faults of each device that never acted.
    public func remarks(unmet: [[FaultRule]]) -> [String] {
        zip(faults, owners).filter { fault, owners in
            owners.allSatisfy { unmet.indices.contains($0) && unmet[$0].contains(fault.rule) }
        }.map { fault, _ in Self.remark(unmet: fault.description) }
    }

    /// The remark about a fault that never acted.
    static func remark(unmet fault: String) -> String { "the fault \(Prose.quoted(fault)) never acted" }
}

extension DeviceImage {
    /// Whether a device has that name, label or address.
    fileprivate func isCalled(_ text: String) -> Bool {
        name == text || advertisedName?.lowercased() == text.lowercased()
            || address.address.description.lowercased() == text.lowercased()
    }
}
