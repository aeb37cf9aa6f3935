// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Synchronization
import Terminal

/// Chooses the adapter for a connection among several, and finds the device on the way.
///
/// An adapter with a link to the device is chosen at once. An adapter with the device's keys is tried before others,
/// because the keys are useless to those. Otherwise all adapters scan, and the one with the strongest signal is chosen;
/// among nearly equal signals, the one with the fewest links.
struct AdapterChoice {
    /// How long the others listen after the first adapter has heard the device.
    private static let hearingWindow = Duration.milliseconds(500)
    /// Signals that differ by less are taken as equal, in dB: controllers measure no better.
    private static let accuracy = 3.0

    private let candidates: [OneTimeConnection]
    private let state: StateFolder?
    private let time: any TimeSource
    private let notes: any NoteSink

    init(among candidates: [OneTimeConnection], state: StateFolder?, time: any TimeSource, notes: any NoteSink) {
        self.candidates = candidates
        self.state = state
        self.time = time
        self.notes = notes
    }

    /// The connection on the chosen adapter, with the found device. Throws a `BlectlError` if there is no device.
    package func connection() async throws -> OneTimeConnection {
        guard let first = candidates.first else { throw BlectlError(.internalError, "no adapter to choose from") }
        guard candidates.count > 1 else { return first }
        guard let selector = first.finder.selector else { throw BlectlError(.usage, "no device is named") }
        if let linked = linked(selector) { return linked }
        for candidate in candidates {
            guard let device = candidate.finder.bondedDevice(selector) else { continue }
            return chosen(candidate, device, "it has the keys of \(device.text)")
        }
        // On all of them, because any adapter may have the bond that the address contradicts.
        for candidate in candidates { try candidate.finder.refuseOtherType(selector) }
        let known = first.finder.knownDevice(selector)
        // An address with its type needs no scan, for which the user may lack the privilege.
        if let known, case .address(_, .some) = selector { return leastLoaded(known) }
        notes.progress("looking for a device \(selector.text) …")
        defer { notes.clearProgress() }
        do {
            return try await heard(selector, isKnown: known != nil)
        } catch let error as RadioError {
            throw first.finder.described(error, selector)
        } catch let error as BlectlError {
            // A remembered device may accept a connection although no scan receives it.
            guard let known, error.status == .notFound else { throw error }
            return leastLoaded(known)
        }
    }

    private func linked(_ selector: DeviceSelector) -> OneTimeConnection? {
        for candidate in candidates where candidate.finder.isCertain(selector) {
            guard let device = candidate.finder.connectedDevices(selector).first else { continue }
            return chosen(candidate, device, "it has a link to \(device.text)")
        }
        return nil
    }

    private func leastLoaded(_ device: DeviceReference) -> OneTimeConnection {
        let loads = candidates.map(\.linkCount)
        // The index breaks ties, so that the choice is the same in each run.
        let index = loads.indices.min { (loads[$0], $0) < (loads[$1], $1) } ?? 0
        let figures = candidates.indices.map { "\(candidates[$0].adapterName) \(Self.links(loads[$0]))" }
        return chosen(candidates[index], device, "for \(device.text): \(figures.joined(separator: "; "))")
    }

    // MARK: - By signal

    /// The connection on the adapter with the strongest signal. It keeps the turn of that adapter until the link is made.
    private func heard(_ selector: DeviceSelector, isKnown: Bool) async throws -> OneTimeConnection {
        let finder = candidates[0].finder
        let turns = await searchTurns()
        var keeper: String?
        defer { for (adapter, turn) in turns where adapter != keeper { turn.end() } }
        // The program that had the turn before may have connected to the same device.
        if let linked = linked(selector) { return linked }
        async let _: Void = finder.wait(thenEnding: Array(turns.values))
        let search = DeviceSearch(
            selector: selector,
            names: BondedNames(candidates.flatMap(\.finder.bonds)),
            adapterCount: candidates.count,
            isInBuiltInWorld: finder.isInBuiltInWorld,
            notes: notes
        )
        let start = time.now
        defer { finder.timing?.scanned(for: time.now - start) }
        // A remembered device, or one of a service that is rarely advertised, may never be heard.
        let isBrief = isKnown || finder.isRare(selector)
        let limit = isBrief ? min(DeviceFinder.choiceWindow, finder.timeout) : finder.timeout
        // A command that changes a device must not guess: it looks a little longer, for a second match.
        let isPicky = finder.mustBeOnlyOne && !selector.isAddress
        let window = isPicky ? DeviceFinder.choiceWindow : Self.hearingWindow
        let signals = try await listen(search, limit, window)
        let device = try await search.outcome(
            mustBeOnlyOne: finder.mustBeOnlyOne,
            isGuessAllowed: finder.isRare(selector),
            within: limit
        )
        var chosen = best(for: device, signals[device.address] ?? AdapterSignals())
        keeper = chosen.adapterName
        chosen.turn = turns[chosen.adapterName]
        return chosen
    }

    /// The turns of all adapters, by their names. They are taken in the order of these, so that no two programs wait for each
    /// other.
    private func searchTurns() async -> [String: any Turn] {
        let deadline = candidates[0].finder.searchTurnDeadline
        var turns: [String: any Turn] = [:]
        for candidate in candidates.sorted(by: { $0.adapterName < $1.adapterName }) {
            turns[candidate.adapterName] = await candidate.finder.searchTurn(by: deadline)
        }
        return turns
    }

    /// Lets all adapters listen until the device was heard by one, and a little longer.
    private func listen(
        _ search: DeviceSearch,
        _ limit: Duration,
        _ window: Duration
    ) async throws -> [DeviceAddress: AdapterSignals] {
        let recorder = SignalRecorder(candidates.map { BondedIdentities($0.finder.bonds) })
        let (matches, match) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await candidates.map(\.finder.central).onEach(notes: notes) { central, index in
                    try await listen(with: central, for: limit + window, to: search) { report in
                        let report = recorder.received(report, by: index, central.radio.adapter.name)
                        if await search.add(report) { match.yield() }
                    }
                }
            }
            group.addTask {
                let isFound = try await untilDeadline(time.now + limit, time) {
                    for await _ in matches { return true }
                    return false
                }
                if isFound == true { try await time.sleep(for: window) }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        return recorder.signals
    }

    private func listen(
        with central: Central,
        for limit: Duration,
        to search: DeviceSearch,
        _ body: @escaping @Sendable (ScanReport) async -> Void
    ) async throws {
        let lookup = LookupScan(central: central, state: state, notes: notes)
        try await lookup.run(for: limit) { scan, end in
            let listen = { @Sendable () async throws -> Void in
                try await scan.forEach { report in
                    await body(report)
                    return .goOn
                }
            }
            try await untilDeadline(end, time, listen)
            // Once the device was heard, its signal is measured on the same PHY.
            guard await search.hasAdvertiser else { return false }
            try await listen()
            return true
        }
    }

    private func best(for device: DeviceReference, _ signals: AdapterSignals) -> OneTimeConnection {
        var hearing = candidates.filter { signals.contains($0.adapterName) }
        let bonded = hearing.filter { $0.connector.keepsBond(of: device) }
        // On another adapter the keys are of no use, however strong the signal is.
        if !bonded.isEmpty { hearing = bonded }
        let strongest = hearing.compactMap { signals.strength(at: $0.adapterName) }.max()
        let equal = hearing.filter { candidate in
            // If no controller knows a strength, the numbers of links decide.
            guard let strongest else { return true }
            return signals.strength(at: candidate.adapterName).map { $0 > strongest - Self.accuracy } ?? false
        }
        let loads = equal.map(\.linkCount)
        let index = equal.indices.min { (loads[$0], $0) < (loads[$1], $1) }
        let figures = candidates.map { candidate in
            let name = candidate.adapterName
            let strength = signals.strength(at: name).map { "\(Int($0.rounded())) dBm" }
            let words = signals.contains(name) ? strength ?? "an unknown signal" : "not heard"
            return "\(name) \(words), \(Self.links(candidate.linkCount))"
        }
        let chosen = index.map { equal[$0] } ?? candidates[0]
        return self.chosen(chosen, device, "for \(device.text): \(figures.joined(separator: "; "))")
    }

    private static func links(_ count: Int) -> String { count == 0 ? "no link" : "\(count: count, "link")" }

    private func chosen(_ candidate: OneTimeConnection, _ device: DeviceReference, _ why: String) -> OneTimeConnection {
        notes.detail("using \(candidate.adapterName): \(why)")
        var candidate = candidate
        candidate.found = device
        return candidate
    }
}

/// The signals of the devices that were heard so far.
private final class SignalRecorder: Sendable {
    /// The maximum number of devices that are kept, as in a `DeviceSearch`.
    private static let limit = 2_000

    private struct State {
        var identities: [BondedIdentities]
        var signals: [DeviceAddress: AdapterSignals] = [:]
    }

    private let state: Mutex<State>

    init(_ identities: [BondedIdentities]) { state = Mutex(State(identities: identities)) }

    var signals: [DeviceAddress: AdapterSignals] { state.withLock { $0.signals } }

    /// Takes a report of an adapter. Returns it with the identity of the device, if that is bonded.
    func received(_ report: ScanReport, by index: Int, _ adapter: String) -> ScanReport {
        state.withLock { state in
            let report = state.identities[index].resolved(report)
            let address = report.report.address
            if state.signals[address] != nil || state.signals.count < Self.limit {
                state.signals[address, default: AdapterSignals()].received(report.report.rssi, by: adapter)
            }
            return report
        }
    }
}

extension OneTimeConnection {
    fileprivate var adapterName: String { finder.central.radio.adapter.name }

    /// The number of links that the adapter has, of all programs.
    fileprivate var linkCount: Int { finder.central.radio.connectedAddresses().count }
}
