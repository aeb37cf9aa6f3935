// SPDX-License-Identifier: MIT

import Bluetooth

/// The differences between the advertising of two devices.
struct AdvertisingComparison {
    /// A clone can only estimate an interval. Two intervals count as the same if they differ by less than this, or by
    /// less than a tenth.
    private static let tolerance = Duration.milliseconds(10)

    private(set) var differences: [DeviceDifference] = []

    /// Compares the sets: those of the same PDUs, and extended ones of the same number, with each other, the rest in
    /// order.
    init(_ first: [DeviceAdvertising], _ second: [DeviceAdvertising]) {
        var others = Array(second.enumerated())
        var pairs: [(DeviceAdvertising, DeviceAdvertising?)] = []
        for set in first {
            guard let index = others.firstIndex(where: { $0.element.kind.isSame(as: set.kind) }) else {
                pairs.append((set, nil))
                continue
            }
            pairs.append((set, others.remove(at: index).element))
        }
        for (number, (set, same)) in pairs.enumerated() {
            let path = DevicePath([.advertising(number)])
            if let same {
                compare(set, same, path)
            } else if let index = others.firstIndex(where: { $0.element.kind.isExtended == set.kind.isExtended }) {
                compare(set, others.remove(at: index).element, path)
            } else {
                differences.append(.init(.removed, .advertising, path, .kind(set.kind)))
            }
        }
        for (number, set) in others {
            differences.append(
                .init(.added, .advertising, DevicePath([.advertising(number)]), nil, .kind(set.kind))
            )
        }
    }

    /// Compares two advertising sets. Intervals are compared with a tolerance, because an interval that was heard is
    /// measured and not known.
    private mutating func compare(_ first: DeviceAdvertising, _ second: DeviceAdvertising, _ path: DevicePath) {
        if first.kind != second.kind {
            differences.append(.init(.changed, .kind, path, .kind(first.kind), .kind(second.kind)))
        }
        let distance = first.interval - second.interval
        let longer = max(first.interval, second.interval)
        if max(distance, .zero - distance) > max(Self.tolerance, longer / 10) {
            differences.append(
                .init(.changed, .interval, path, .duration(first.interval), .duration(second.interval))
            )
        }
        compareData(first.frames, second.frames, .data, path)
        let responses = (first.scanResponse, second.scanResponse)
        compareData(responses.0.map { [$0] } ?? [], responses.1.map { [$0] } ?? [], .scanResponse, path)
        // A power that one side does not state is unknown, and not different.
        if let one = first.txPower, let other = second.txPower, one != other {
            differences.append(.init(.changed, .txPower, path, .power(one), .power(other)))
        }
        if first.target != second.target {
            let change: DeviceDifference.Change =
                first.target == nil ? .added : second.target == nil ? .removed : .changed
            differences.append(
                .init(
                    change,
                    .target,
                    path,
                    first.target.map { .address($0) },
                    second.target.map { .address($0) }
                )
            )
        }
    }

    /// Compares frames that are sent in turn. It does not matter which comes first.
    private mutating func compareData(
        _ first: [AdvertisingFrame],
        _ second: [AdvertisingFrame],
        _ aspect: DeviceDifference.Aspect,
        _ path: DevicePath
    ) {
        let one = octets(first)
        let other = octets(second)
        guard !one.isRotation(of: other) else { return }
        guard one.count <= 1, other.count <= 1 else {
            differences.append(.init(.changed, aspect, path, .frames(one), .frames(other)))
            return
        }
        let data = (AdvertisingData(parsing: one.first ?? []), AdvertisingData(parsing: other.first ?? []))
        let before = differences.count
        for pair in Pairs(data.0.structures, data.1.structures, by: \.type).pairs where pair.first != pair.second {
            let change: DeviceDifference.Change =
                pair.first == nil ? .added : pair.second == nil ? .removed : .changed
            differences.append(
                .init(
                    change,
                    aspect,
                    path,
                    pair.first.map { .structure($0) },
                    pair.second.map { .structure($0) }
                )
            )
        }
        // The structures are the same, in another order or with other octets after them.
        guard differences.count == before else { return }
        differences.append(.init(.changed, aspect, path, .frames(one), .frames(other)))
    }

    /// The octets of frames at the start, without the empty frame that says nothing.
    private func octets(_ frames: [AdvertisingFrame]) -> [[UInt8]] {
        let all = frames.map { $0.encoded(at: .start) }
        return all.count == 1 && all[0].isEmpty ? [] : all
    }
}

extension DeviceAdvertising.Kind {
    fileprivate var isExtended: Bool {
        if case .extended = self { true } else { false }
    }

    /// Whether two sets have the same PDUs; of extended ones, the number of the set.
    fileprivate func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.extended(let one, _, _, _), .extended(let other, _, _, _)): one == other
        default: self == other
        }
    }
}

extension [[UInt8]] {
    /// Whether the elements are those of another list, in the same order, from another beginning.
    fileprivate func isRotation(of other: [[UInt8]]) -> Bool {
        guard count == other.count else { return false }
        guard !isEmpty else { return true }
        return indices.contains { start in Array(self[start...] + self[..<start]) == other }
    }
}
