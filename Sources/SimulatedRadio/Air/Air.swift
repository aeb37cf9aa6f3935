// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost

/// All advertisements of the world in the order of time.
///
/// A pure machine. Its inputs are the start and the end of listening, and devices that are connected and therefore
/// silent; its output is the next advertisement.
struct Air: Sendable {
    private struct AdvertisingSet {
        let device: Int
        let advertising: DeviceAdvertising
        var schedule: AdvertisingSchedule
        /// Whether the set is in the queue.
        var isQueued = false
    }

    private struct QueueEntry: Comparable {
        let instant: Instant
        let set: Int

        static func < (left: Self, right: Self) -> Bool {
            (left.instant, left.set) < (right.instant, right.set)
        }
    }

    private struct Station {
        let address: DeviceAddress
        let bootedBefore: Duration
        let sets: Range<Int>
        var isConnectable = true
    }

    private var stations: [Station] = []
    private var sets: [AdvertisingSet] = []
    private var queue = Heap<QueueEntry>()
    private var isListening = false
    private let start: Instant

    /// The air of a world that begins at a moment.
    init(_ world: SimulatedWorld, start: Instant) {
        self.start = start
        for device in world.devices {
            var generator = SeededGenerator(seed: world.seed, stream: device.address.address.rawValue)
            let bootedBefore = generator.duration(below: .seconds(86_400))
            let first = sets.count
            for advertising in device.advertising {
                let schedule = AdvertisingSchedule(
                    interval: advertising.interval,
                    start: start,
                    runningFor: bootedBefore,
                    generator: SeededGenerator(seed: generator.next())
                )
                sets.append(AdvertisingSet(device: stations.count, advertising: advertising, schedule: schedule))
            }
            let station = Station(address: device.address, bootedBefore: bootedBefore, sets: first..<sets.count)
            stations.append(station)
        }
    }

    // MARK: - Listening

    /// The time of the next advertisement; `nil` without a listener or a sender.
    var next: Instant? { queue.first?.instant }

    mutating func startListening(now: Instant) {
        isListening = true
        for index in sets.indices { enqueue(index, now: now) }
    }

    mutating func stopListening() {
        isListening = false
        queue.removeAll()
        for index in sets.indices { sets[index].isQueued = false }
    }

    /// Takes the next advertisement that is due.
    mutating func takeTransmission(now: Instant) -> Transmission? {
        while let entry = queue.first, entry.instant <= now {
            _ = queue.popFirst()
            sets[entry.set].isQueued = false
            let device = sets[entry.set].device
            guard isOnAir(entry.set) else { continue }
            let event = sets[entry.set].schedule.event
            let advertising = sets[entry.set].advertising
            sets[entry.set].schedule.sent()
            enqueue(entry.set, now: now)
            let uptime = stations[device].bootedBefore + (entry.instant - start)
            return Transmission(
                device: device,
                address: stations[device].address,
                advertising: advertising,
                data: advertising.data(DeviceAdvertising.Moment(uptime: uptime, event: event)),
                instant: entry.instant
            )
        }
        return nil
    }

    private func isOnAir(_ set: Int) -> Bool {
        !sets[set].advertising.isConnectable || stations[sets[set].device].isConnectable
    }

    private mutating func enqueue(_ set: Int, now: Instant) {
        guard isListening, !sets[set].isQueued, isOnAir(set) else { return }
        sets[set].isQueued = true
        queue.insert(QueueEntry(instant: sets[set].schedule.next(from: now), set: set))
    }

    // MARK: - Connections

    /// The next time at which the device can be connected; `nil` if it does not advertise connectably.
    mutating func nextConnectable(_ device: Int, from moment: Instant) -> Instant? {
        guard stations[device].isConnectable else { return nil }
        var earliest: Instant?
        for index in stations[device].sets where sets[index].advertising.isConnectable {
            let instant = sets[index].schedule.next(from: moment)
            earliest = min(earliest ?? instant, instant)
        }
        return earliest
    }

    /// Stops or resumes the device's connectable advertisements, depending on whether it accepts more connections.
    mutating func setConnectable(_ device: Int, _ isConnectable: Bool, now: Instant) {
        stations[device].isConnectable = isConnectable
        guard isConnectable else { return }
        for index in stations[device].sets { enqueue(index, now: now) }
    }
}
