// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

/// The numbers that follow those of other characteristics.
extension RuleFirmware {
    /// The numbers that are followed, as they are stored now. One that this database lacks is missing.
    func numbers(of followers: [NumberFollower], _ device: DeviceContext) -> [NumberFollower: Double] {
        followers.reduce(into: [:]) { numbers, follower in
            guard let entry = layout.handle(of: follower.source).flatMap({ layout[$0] }) else { return }
            numbers[follower] = heldValue(of: entry, device).flatMap { entry.number(in: $0, for: follower) }
        }
    }

    /// Tells numbers what they follow from now on. One with a rate has moved towards the earlier number until now.
    mutating func follow(at handles: [Handle], _ device: inout DeviceContext) {
        for handle in handles {
            guard let entry = layout[handle], heldValue(of: entry, device) == nil else { continue }
            let moment = moment(of: entry.followers, isSent: false, advances: false, device)
            _ = values.value(of: entry, at: moment, &device.random)
        }
    }

    /// The present moment for a value in which some numbers follow others.
    func moment(
        of followers: [NumberFollower],
        streaming: Duration = .zero,
        isSent: Bool,
        advances: Bool,
        _ device: DeviceContext
    ) -> ValueMoment {
        ValueMoment(
            now: device.now,
            uptime: device.now - epoch,
            streaming: streaming,
            isSent: isSent,
            advances: advances,
            followed: followers.isEmpty ? [:] : numbers(of: followers, device)
        )
    }
}

extension DeviceLayout.Entry {
    /// The number in a value of the characteristic that a follower follows; `nil` if there is none, or several.
    func number(in octets: [UInt8], for follower: NumberFollower) -> Double? {
        let decoded =
            if let assigned = CharacteristicFormat.of(characteristic.uuid) {
                try? assigned.decode(octets)
            } else {
                try? (follower.format ?? ValueFormat(.unsigned(octets: octets.count))).decode(octets)
            }
        var contents = decoded.map { [$0.content] } ?? []
        for key in follower.field?.split(separator: ".") ?? [] {
            contents = contents.flatMap(\.members).filter { $0.key == key }.map(\.value)
        }
        let numbers = (contents + contents.flatMap(\.members).map(\.value)).compactMap { content -> Double? in
            guard case .number(let number) = content else { return nil }
            return number.double
        }
        return numbers.count == 1 ? numbers[0] : nil
    }
}

extension DecodedValue.Content {
    /// The members of an object; none for other content.
    fileprivate var members: [DecodedValue.Member] {
        guard case .object(let members) = self else { return [] }
        return members
    }
}
