// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Terminal
import Toolkit

/// The figures of a running scan.
struct ScanStatus: Sendable, Equatable {
    var now: Instant
    var reports = 0
    /// The number of devices that were heard, whether they pass the filters or not.
    var devices = 0
    var dropped = 0
}

/// The live scan as a value: a table of devices, and the user's changes of the view. Each event has one function.
struct LiveScan: Sendable {
    /// The identity of a device in the table. Anonymous advertisers have no address, and are distinguished by their
    /// sets.
    struct Key: Hashable, Sendable {
        let address: DeviceAddress
        let set: UInt8?

        init(_ device: AdvertiserInfo) {
            address = device.address
            set = device.address.type == .anonymous ? device.advertisingSID : nil
        }
    }

    struct Row: Sendable {
        let device: AdvertiserInfo
        let track: AdvertiserTrack?
        let formats: FormatCatalogue

        var texts: AdvertiserTexts { AdvertiserTexts(device, formats) }
        var key: Key { Key(device) }
    }

    enum Page: Sendable, Equatable {
        case table
        case details(Key, firstLine: Int)
        case help
    }

    /// The maximum number of devices that are followed between two refreshes. Others are shown without a history.
    private static let trackLimit = 20_000
    /// The maximum number of characters of the filter that is typed.
    private static let filterLimit = 60

    /// The filters of the command line, in words; empty if there are none.
    let filterWords: String
    let hasKeys: Bool

    private(set) var order: ScanOrder
    private(set) var page = Page.table
    /// The text by which the user searches for devices; empty without a search.
    private(set) var search = ""
    private(set) var isTyping = false
    private(set) var isPaused = false
    private(set) var selected: Key?
    private(set) var status: ScanStatus
    /// The reports in a second, lately.
    private(set) var rate = 0.0
    /// The devices that are shown, in order.
    private(set) var rows: [Row] = []

    private let formats: FormatCatalogue
    private let start: Instant
    private var devices: [AdvertiserInfo] = []
    private var tracks: [Key: AdvertiserTrack] = [:]
    private var counts: [(instant: Instant, reports: Int)] = []
    /// The first row on the screen, and how many there are.
    private var firstRow = 0
    private var visibleRows = 1

    /// - Parameter formats: The names of private services, beside the assigned ones.
    init(
        order: ScanOrder,
        filterWords: String = "",
        hasKeys: Bool = true,
        formats: FormatCatalogue = .assigned,
        start: Instant
    ) {
        self.order = order
        self.formats = formats
        self.hasKeys = hasKeys
        self.filterWords = filterWords
        self.start = start
        status = ScanStatus(now: start)
    }

    var elapsed: Duration { status.now - start }

    /// The number of devices that pass the filters of the command line.
    var deviceCount: Int { devices.count }

    func track(_ key: Key) -> AdvertiserTrack? { tracks[key] }

    /// The number of devices whose history is kept.
    var trackCount: Int { tracks.count }

    // MARK: - Events

    /// A report of a device that passes the filters.
    ///
    /// - Parameter adapter: The adapter that has heard it; `nil` if there is only one.
    mutating func received(_ report: ScanReport, _ device: AdvertiserInfo, by adapter: String? = nil) {
        let key = Key(device)
        guard tracks[key] != nil || tracks.count < Self.trackLimit else { return }
        tracks[key, default: AdvertiserTrack()].received(report, by: adapter)
    }

    /// The devices that pass the filters, and the figures.
    mutating func refreshed(_ devices: [AdvertiserInfo], _ status: ScanStatus) {
        counts.append((status.now, status.reports))
        // The rate of the last three seconds.
        while counts.count > 2, status.now - counts[1].instant >= .seconds(3) { counts.removeFirst() }
        let passed = (status.now - counts[0].instant) / .seconds(1)
        rate = passed > 0 ? Double(status.reports - counts[0].reports) / passed : 0
        self.status = status
        self.devices = devices
        // The table of the scan forgets devices, whose histories would stay. Comparing the counts spares building the
        // set each time.
        if tracks.count > devices.count {
            let present = Set(devices.map { Key($0) })
            tracks = tracks.filter { present.contains($0.key) }
        }
        if !isPaused { arrange() }
    }

    mutating func resume() {
        isPaused = false
        arrange()
    }

    /// Puts the devices that the search finds in order.
    private mutating func arrange() {
        let found = search.isEmpty ? devices : devices.filter { AdvertiserTexts($0, formats).contains(search) }
        rows = found.map { Row(device: $0, track: tracks[Key($0)], formats: formats) }.sorted(by: order)
        if let selected, !rows.contains(where: { $0.key == selected }) { self.selected = nil }
    }

    // MARK: - Drawing

    /// The rows for a screen with so many lines for them. The selected row is among them.
    mutating func window(_ count: Int) -> ArraySlice<Row> {
        visibleRows = max(1, count)
        if let index = selectedIndex {
            firstRow = min(max(firstRow, index - visibleRows + 1), index)
        } else {
            firstRow = 0
        }
        firstRow = max(0, min(firstRow, rows.count - visibleRows))
        return rows.dropFirst(firstRow).prefix(visibleRows)
    }

    private var selectedIndex: Int? {
        selected.flatMap { selected in rows.firstIndex { $0.key == selected } }
    }

    mutating func limitDetails(to lastFirstLine: Int) {
        guard case .details(let key, let line) = page, line > lastFirstLine else { return }
        page = .details(key, firstLine: max(0, lastFirstLine))
    }

    // MARK: - Keys

    mutating func pressed(_ key: TerminalKey) -> KeyEffect {
        if isTyping { return typed(key) }
        switch (page, key) {
        case (_, .character("q")), (_, .character("Q")): return .quit
        case (.help, _): page = .table
        case (_, .character("?")), (_, .character("h")): page = .help
        case (.details(let device, let line), _): scrolled(device, line, key)
        case (.table, .character("s")): sort(by: order.next)
        case (.table, .character("1")): sort(by: .seen)
        case (.table, .character("2")): sort(by: .rssi)
        case (.table, .character("3")): sort(by: .name)
        case (.table, .character("4")): sort(by: .address)
        case (.table, .character("/")): isTyping = true
        case (.table, .character(" ")):
            if isPaused { resume() } else { isPaused = true }
        case (.table, .escape):
            if selected != nil { selected = nil } else { find("") }
        case (.table, .enter), (.table, .right):
            if selected == nil { move(by: 0) }
            if let selected { page = .details(selected, firstLine: 0) }
        case (.table, .up), (.table, .character("k")): move(by: -1)
        case (.table, .down), (.table, .character("j")): move(by: 1)
        case (.table, .pageUp): move(by: -visibleRows)
        case (.table, .pageDown): move(by: visibleRows)
        case (.table, .home), (.table, .character("g")): move(by: -rows.count)
        case (.table, .end), (.table, .character("G")): move(by: rows.count)
        case (.table, _): return .nothing
        }
        return .redraw
    }

    /// Obeys a key while the user types a search. Escape also forgets the search; Enter keeps it.
    private mutating func typed(_ key: TerminalKey) -> KeyEffect {
        switch key {
        case .character(let character) where search.count < Self.filterLimit: find(search + String(character))
        case .backspace: find(String(search.dropLast()))
        case .escape:
            isTyping = false
            find("")
        case .enter: isTyping = false
        case .up, .down:
            isTyping = false
            return pressed(key)
        default: return .nothing
        }
        return .redraw
    }

    private mutating func find(_ text: String) {
        search = text
        arrange()
    }

    private mutating func sort(by order: ScanOrder) {
        self.order = order
        arrange()
    }

    /// Selects another row; the first or last visible one if none is selected.
    private mutating func move(by count: Int) {
        guard !rows.isEmpty else { return }
        let index = selectedIndex.map { $0 + count } ?? (count < 0 ? rows.count - 1 : firstRow)
        selected = rows[min(max(0, index), rows.count - 1)].key
    }

    /// Obeys a key on the page of a device. The position is not limited downwards here: drawing does that.
    private mutating func scrolled(_ device: Key, _ line: Int, _ key: TerminalKey) {
        switch key {
        case .down, .character("j"): page = .details(device, firstLine: line + 1)
        case .up, .character("k"): page = .details(device, firstLine: max(0, line - 1))
        case .pageDown, .character(" "): page = .details(device, firstLine: line + 10)
        case .pageUp: page = .details(device, firstLine: max(0, line - 10))
        case .home: page = .details(device, firstLine: 0)
        case .escape, .enter, .left, .backspace: page = .table
        default: break
        }
    }
}

extension ScanOrder {
    /// The order that follows when the user asks for another one.
    fileprivate var next: ScanOrder {
        switch self {
        case .seen: .rssi
        case .rssi: .name
        case .name: .address
        case .address: .seen
        }
    }
}

extension [LiveScan.Row] {
    /// The rows in an order. Rows that are equal in it are ordered by their first reports.
    fileprivate func sorted(by order: ScanOrder) -> [LiveScan.Row] {
        guard order == .rssi else {
            let places = Dictionary(map { ($0.key, $0) }) { first, _ in first }
            return map(\.device).sorted(by: order).compactMap { places[LiveScan.Key($0)] }
        }
        return sorted { left, right in
            let (first, second) = (left.rank, right.rank)
            if first != second { return first > second }
            if left.device.firstSeen != right.device.firstSeen { return left.device.firstSeen < right.device.firstSeen }
            return left.device.address.address < right.device.address.address
        }
    }
}

extension LiveScan.Row {
    fileprivate var rank: Double { track?.signal?.rank ?? device.rssi.map(Double.init) ?? -.infinity }
}
