// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost

/// All advertisements of the world in the order of time.
///
/// A pure machine. Its inputs are the start and the end of listening, devices that are connected and therefore silent,
/// and the advertising of adapters; its output is the next advertisement.
struct Air: Sendable {
    enum Sender: Hashable, Sendable {
        /// The device with that index in the world.
        case device(Int)
        case adapter(Int)
    }

    struct AdapterSet: Hashable, Sendable {
        /// The handle of an extended set; `nil` for the one that legacy commands configure.
        let handle: LEAdvertisingHandle?
        let address: DeviceAddress
        /// The PDUs of the set.
        let kind: DeviceAdvertising.Kind
        /// The time between two advertisements, without the random delay.
        let interval: Duration
        let data: [UInt8]
        /// The answer to scan requests; `nil` if the set takes none.
        let scanResponse: [UInt8]?
        /// The power that extended advertisements state, in dBm.
        let txPower: Int8?
        /// The only device that may connect; `nil` for any.
        let target: DeviceAddress?
        /// The devices whose scan requests are answered, and those that may connect; `nil` for all.
        let scanners: [DeviceAddress]?
        let centrals: [DeviceAddress]?

        fileprivate var advertising: DeviceAdvertising {
            var set = DeviceAdvertising(
                kind,
                interval: interval,
                data: data,
                scanResponse: scanResponse,
                txPower: txPower
            )
            set.target = target
            return set
        }
    }

    /// A controller that is to connect.
    struct Initiator: Sendable {
        let features: LEFeatures
        /// Its addresses, by which directed advertisements name it; the last one is on the air.
        let addresses: [DeviceAddress]

        fileprivate func isAmong(_ accepted: [DeviceAddress]?) -> Bool {
            guard let accepted else { return true }
            return addresses.last.map(accepted.contains) ?? false
        }
    }

    /// A set on the air, of a device or of an adapter.
    private struct AdvertisingSet {
        let sender: Sender
        /// The identity address; a device may advertise with a private one.
        let address: DeviceAddress
        var advertising: DeviceAdvertising
        var schedule: AdvertisingSchedule
        var isQueued = false
        /// The devices of an adapter's set: `AdapterSet`.
        var scanners: [DeviceAddress]?
        var centrals: [DeviceAddress]?
    }

    /// The next advertisement of a set.
    private struct QueueEntry: Comparable {
        let instant: Instant
        let set: Int

        /// By time, and then by the number of the set, so that the order is the same in every run.
        static func < (left: Self, right: Self) -> Bool {
            (left.instant, left.set) < (right.instant, right.set)
        }
    }

    private struct Station {
        /// How long the device had been running when the world began, which generated data show.
        let bootedBefore: Duration
        var sets: [Int] = []
        /// The sets as the adapter's controller has configured them; empty for a device.
        var configured: [AdapterSet] = []
        /// Whether it has room for a connection. A device that accepts connections and has none is silent.
        var hasRoom = true
        /// Whether it accepts connections. Otherwise its connectable sets are advertised as sets that are not, as those
        /// of a served device.
        var acceptsConnections = true
        /// Whether it is in range and switched on.
        var isPresent = true
        /// The time after which the private address of a device changes; `nil` if it has none.
        var addressLife: Duration?
        /// The signal of a device, with the scheduled times at which it is out of range.
        var signal = DeviceSignal()
    }

    private var stations: [Sender: Station] = [:]
    private var sets: [Int: AdvertisingSet] = [:]
    /// The number that was given last. Numbers are never used again.
    private var lastSet = -1
    /// The next advertisement of each set, if anybody listens.
    private var queue = Heap<QueueEntry>()
    /// Whether any adapter scans. Without a listener, no advertisement is computed.
    private var isListening = false
    /// When the world began.
    private let start: Instant
    private let seed: UInt64

    init(_ world: SimulatedWorld, start: Instant) {
        self.start = start
        seed = world.seed
        for (index, device) in world.devices.enumerated() {
            // By the address and not by the index, so that another device in the world does not change this one.
            var generator = SeededGenerator(seed: world.seed, stream: device.address.address.rawValue)
            var station = Station(bootedBefore: generator.duration(below: .seconds(86_400)))
            station.signal = device.signal
            station.addressLife = device.pairing?.addressLife
            for advertising in device.advertising {
                let schedule = AdvertisingSchedule(
                    interval: advertising.interval,
                    start: start,
                    runningFor: station.bootedBefore,
                    generator: SeededGenerator(seed: generator.next())
                )
                station.sets.append(add(.device(index), device.address, advertising, schedule))
            }
            stations[.device(index)] = station
        }
    }

    /// Replaces the sets of a device, on which another program runs from now on.
    mutating func replaceSets(
        of device: Int,
        _ address: DeviceAddress,
        _ advertising: [DeviceAdvertising],
        now: Instant
    ) {
        for index in stations[.device(device)]?.sets ?? [] { sets[index] = nil }
        let new = advertising.map { add(.device(device), address, $0, newSchedule($0.interval, now)) }
        stations[.device(device)]?.sets = new
        dropStoppedSets()
    }

    private func newSchedule(_ interval: Duration, _ now: Instant) -> AdvertisingSchedule {
        // The stream differs for each set that was ever started, so that two adapters never keep step.
        let stream = SeededGenerator(seed: seed, stream: 0x61_6972_0000 &+ UInt64(lastSet &+ 1))
        return AdvertisingSchedule(interval: interval, start: now, runningFor: .zero, generator: stream)
    }

    private mutating func add(
        _ sender: Sender,
        _ address: DeviceAddress,
        _ advertising: DeviceAdvertising,
        _ schedule: AdvertisingSchedule
    ) -> Int {
        lastSet += 1
        sets[lastSet] = AdvertisingSet(sender: sender, address: address, advertising: advertising, schedule: schedule)
        return lastSet
    }

    // MARK: - Listening

    /// The time of the next advertisement; `nil` without a listener or a sender.
    var next: Instant? { queue.first?.instant }

    /// Puts every set that is on the air into the queue.
    mutating func startListening(now: Instant) {
        isListening = true
        // The order of a dictionary is random, but each set has its own random numbers, and the queue sorts.
        for index in sets.keys { enqueue(index, now: now) }
    }

    /// Empties the queue.
    mutating func stopListening() {
        isListening = false
        queue.removeAll()
        for index in sets.keys { sets[index]?.isQueued = false }
    }

    /// Takes the next advertisement that is due.
    mutating func takeTransmission(now: Instant) -> Transmission? {
        while let entry = queue.first, entry.instant <= now {
            _ = queue.popFirst()
            // A set that its adapter has stopped is still in the queue.
            guard var set = sets[entry.set] else { continue }
            set.isQueued = false
            defer { sets[entry.set] = set }
            guard let station = stations[set.sender], isOnAir(set, of: station) else { continue }
            // The set goes on after the absence. A sender that does not come back leaves the queue.
            if let end = absence(of: station, at: entry.instant) {
                if let end { enqueue(&set, entry.set, now: end) }
                continue
            }
            let event = set.schedule.event
            set.schedule.sent()
            enqueue(&set, entry.set, now: now)
            let uptime = station.bootedBefore + (entry.instant - start)
            return Transmission(
                sender: set.sender,
                address: address(of: set, station, at: entry.instant),
                advertising: station.acceptsConnections ? set.advertising : set.advertising.refusing,
                scanners: set.scanners,
                data: set.advertising.data(DeviceAdvertising.Moment(uptime: uptime, event: event)),
                instant: entry.instant
            )
        }
        return nil
    }

    /// The address of a set at a moment: a private one if the device has such addresses.
    private func address(of set: AdvertisingSet, _ station: Station, at moment: Instant) -> DeviceAddress {
        guard let life = station.addressLife else { return set.address }
        return SimulatedKeys.privateAddress(of: set.address, life: life, after: moment - start)
    }

    /// Whether a set is sent. One that accepts connections is not while its sender has no room for another.
    private func isOnAir(_ set: AdvertisingSet, of station: Station) -> Bool {
        station.isPresent && (!set.advertising.isConnectable || !station.acceptsConnections || station.hasRoom)
    }

    /// The end of a sender's scheduled absence at a moment; `.some(nil)` if it does not come back.
    private func absence(of station: Station, at moment: Instant) -> Instant?? {
        guard !station.signal.absences.isEmpty,
            let absence = station.signal.absence(at: moment - start)
        else { return nil }
        return .some(absence.map { start + $0 })
    }

    /// Puts the next advertisement of a set into the queue, unless it is there or the set is silent.
    private mutating func enqueue(_ index: Int, now: Instant) {
        guard isListening, var set = sets[index], !set.isQueued, let station = stations[set.sender],
            isOnAir(set, of: station)
        else { return }
        enqueue(&set, index, now: now)
        sets[index] = set
    }

    private mutating func enqueue(_ set: inout AdvertisingSet, _ index: Int, now: Instant) {
        set.isQueued = true
        queue.insert(QueueEntry(instant: set.schedule.next(from: now), set: index))
    }

    // MARK: - Adapters

    /// Replaces the sets that an adapter advertises. A set that only changes its data keeps its rhythm.
    mutating func setAdvertising(_ new: [AdapterSet], of adapter: Int, now: Instant) {
        let sender = Sender.adapter(adapter)
        var station = stations[sender] ?? Station(bootedBefore: .zero)
        guard station.configured != new else { return }
        let old = Dictionary(zip(station.configured.map(\.rhythm), station.sets)) { first, _ in first }
        var kept: [Int] = []
        for set in new {
            if let index = old[set.rhythm], !kept.contains(index) {
                sets[index]?.advertising = set.advertising
                kept.append(index)
            } else {
                kept.append(add(sender, set.address, set.advertising, newSchedule(set.interval, now)))
            }
            if let index = kept.last {
                sets[index]?.scanners = set.scanners
                sets[index]?.centrals = set.centrals
            }
        }
        for index in station.sets where !kept.contains(index) { sets[index] = nil }
        station.sets = kept
        station.configured = new
        stations[sender] = station
        for index in kept { enqueue(index, now: now) }
        dropStoppedSets()
    }

    mutating func remove(adapter: Int) {
        for index in stations.removeValue(forKey: .adapter(adapter))?.sets ?? [] { sets[index] = nil }
        dropStoppedSets()
    }

    /// Keeps the queue from growing while adapters start and stop sets faster than these are sent.
    private mutating func dropStoppedSets() {
        // With slack, because each removal passes over the whole queue.
        guard queue.count > 2 * sets.count + 64 else { return }
        queue.removeAll { sets[$0.set] == nil }
    }

    // MARK: - Connections

    /// The next time at which a controller can connect to the device; `nil` if the device does not advertise
    /// connectably, or only in ways that this controller does not receive.
    mutating func nextConnectable(_ device: Int, from moment: Instant, by initiator: Initiator) -> Instant? {
        guard let station = stations[.device(device)], station.acceptsConnections, station.hasRoom, station.isPresent
        else { return nil }
        return station.sets.compactMap { nextConnectable(set: $0, from: moment, by: initiator) }.min()
    }

    /// The connectable set of another adapter that is sent next, and the time of its next advertisement.
    ///
    /// - Parameters:
    ///   - adapter: The adapter that listens.
    ///   - moment: The earliest time.
    ///   - initiator: Its controller.
    ///   - isMeant: Whether a set with that address will do.
    mutating func nextConnectable(
        besides adapter: Int,
        from moment: Instant,
        by initiator: Initiator,
        at isMeant: (DeviceAddress) -> Bool
    ) -> (adapter: Int, set: AdapterSet, instant: Instant)? {
        var earliest: (adapter: Int, set: AdapterSet, instant: Instant)?
        for (sender, station) in stations {
            guard case .adapter(let number) = sender, number != adapter else { continue }
            for (set, index) in zip(station.configured, station.sets) where isMeant(set.address) {
                guard let instant = nextConnectable(set: index, from: moment, by: initiator) else { continue }
                // Equal times are ordered by the adapter, because the order of a dictionary differs from run to run.
                if let best = earliest, (best.instant, best.adapter) <= (instant, number) { continue }
                earliest = (number, set, instant)
            }
        }
        return earliest
    }

    /// The next time at which a set can be connected to. At most eight absences are skipped, so that a device
    /// that is hardly ever in range cannot stall the search.
    private mutating func nextConnectable(set index: Int, from moment: Instant, by initiator: Initiator) -> Instant? {
        guard let sender = sets[index]?.sender, let station = stations[sender],
            sets[index]?.advertising.acceptsConnection(by: initiator) == true,
            initiator.isAmong(sets[index]?.centrals),
            var candidate = sets[index]?.schedule.next(from: moment)
        else { return nil }
        // Absences that follow each other without a gap are rare, and then the next attempt goes on from here.
        for _ in 0..<8 {
            guard let end = absence(of: station, at: candidate) else { return candidate }
            guard let end, let later = sets[index]?.schedule.next(from: end) else { return nil }
            candidate = later
        }
        return candidate
    }

    /// Changes the device's advertisements: those that accept connections, depending on whether it accepts any and has
    /// room for another, and all of them, depending on whether it is in range.
    mutating func setState(
        _ device: Int,
        acceptsConnections: Bool,
        hasRoom: Bool,
        isPresent: Bool,
        now: Instant
    ) {
        stations[.device(device)]?.acceptsConnections = acceptsConnections
        stations[.device(device)]?.hasRoom = hasRoom
        stations[.device(device)]?.isPresent = isPresent
        // Sets that fall silent stay in the queue: `takeTransmission` skips them when they are due.
        for index in stations[.device(device)]?.sets ?? [] { enqueue(index, now: now) }
    }
}

extension Air.AdapterSet {
    /// The part whose change restarts the set.
    fileprivate struct Rhythm: Hashable {
        let handle: LEAdvertisingHandle?
        let address: DeviceAddress
        let interval: Duration
    }

    /// What the schedule of the set depends on. New data alone do not restart it.
    fileprivate var rhythm: Rhythm { Rhythm(handle: handle, address: address, interval: interval) }
}

extension DeviceAdvertising {
    /// Whether a controller can connect to the set. Not every one receives extended advertisements or LE Coded, and a
    /// directed set is for one alone.
    fileprivate func acceptsConnection(by initiator: Air.Initiator) -> Bool {
        guard isConnectable, target.map(initiator.addresses.contains) ?? true else { return false }
        guard case .extended(_, _, let primaryPHY, let secondaryPHY) = kind else { return true }
        let isCoded = primaryPHY == .coded || secondaryPHY == .coded
        return initiator.features.contains(.extendedAdvertising)
            && (!isCoded || initiator.features.contains(.codedPHY))
    }
}
