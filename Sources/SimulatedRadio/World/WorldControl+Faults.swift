// SPDX-License-Identifier: MIT

public import BluetoothDevices
public import BluetoothHost

// The faults of devices, which come and go while the world runs.
extension WorldControl {
    /// Adds a fault to a device, after those that it has.
    public func add(_ fault: FaultRule, to device: String) async throws(WorldProblem) {
        _ = try await add(FaultText(fault, of: device))
    }

    /// Adds a fault to the device that it names, or else to all that it can concern. Throws if none has the label of its target.
    ///
    /// - Returns: The fault of each device that has it now.
    @discardableResult
    public func add(_ fault: FaultText) async throws(WorldProblem) -> [WorldFault] {
        var places = try places(fault.device)
        if case .label(let label)? = fault.rule.target {
            places.removeAll { !world.hasLabel(label, $0) }
            guard !places.isEmpty else { throw .noAttribute }
        }
        for place in places { await world.add(fault.rule, to: place) }
        return places.map { WorldFault(device: name($0), rule: fault.rule, hasActed: false) }
    }

    /// The faults of a device, or of all, in the order of the devices and of their precedence.
    public func faults(of device: String?) async throws(WorldProblem) -> [WorldFault] {
        var faults: [WorldFault] = []
        for place in try places(device) { faults += found(await world.faults(of: place), place) }
        return faults
    }

    /// Takes the last of the equal faults of a device away, or all of its faults; without a device, of each. What a pause held
    /// back goes on.
    ///
    /// - Returns: The faults that were there.
    @discardableResult
    public func removeFaults(
        _ fault: FaultRule? = nil,
        of device: String?
    ) async throws(WorldProblem) -> [WorldFault] {
        var faults: [WorldFault] = []
        for place in try places(device) { faults += found(await world.removeFaults(fault, of: place), place) }
        return faults
    }

    private func found(_ rules: [(rule: FaultRule, hasActed: Bool)], _ place: Int) -> [WorldFault] {
        rules.map { WorldFault(device: name(place), rule: $0.rule, hasActed: $0.hasActed) }
    }

    private func places(_ device: String?) throws(WorldProblem) -> [Int] {
        guard let device else { return Array(world.world.devices.indices) }
        return [try station(device).index]
    }

    private func name(_ place: Int) -> String { world.world.devices[place].name }
}

extension RunningWorld {
    /// Whether faults may refer to a characteristic of a device by that label.
    fileprivate func hasLabel(_ label: String, _ station: Int) -> Bool {
        world.devices[station].definition(random: SeededGenerator(seed: world.seed)).hasLabel(label)
    }
}
