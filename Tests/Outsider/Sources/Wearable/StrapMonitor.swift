// SPDX-License-Identifier: MIT

import BluetoothHost

/// What a screen with a heart rate shows: the view model of an app.
public actor StrapMonitor {
    /// What the screen says above the number.
    public enum State: Hashable, Sendable {
        case idle
        case searching
        case connecting
        case live
        /// The link was lost, and is being made again.
        case reconnecting
        /// The reason, for the user.
        case failed(String)
    }

    /// All that the screen shows.
    public struct Content: Hashable, Sendable {
        public var state = State.idle
        public var manufacturer: String?
        public var batteryPercent: UInt8?
        public var heartRate: UInt16?
        /// The number of links that were lost and made again.
        public var gaps = 0

        public var isBatteryLow: Bool { (batteryPercent ?? 100) < 10 }
    }

    public private(set) var content = Content() {
        didSet { if content != oldValue { onChange(content) } }
    }

    private let onChange: @Sendable (Content) -> Void

    public init(onChange: @escaping @Sendable (Content) -> Void = { _ in }) { self.onChange = onChange }

    /// Shows the strap of that name, until the task is cancelled.
    public func run(on central: Central, named name: String) async {
        do {
            content.state = .searching
            let found = try await central.find(within: .seconds(20)) { $0.name == name && $0.isConnectable }
            content.state = .connecting
            let configuration = Peripheral.Configuration(reconnection: .unlimited())
            try await central.withPeripheral(found.address, configuration: configuration) { strap in
                content.manufacturer = try await strap.read(.manufacturerName)
                content.batteryPercent = try await strap.read(.batteryLevel).percent
                try await withThrowingTaskGroup { group in
                    group.addTask { try await self.follow(strap.service(HeartRateService.self)) }
                    group.addTask { try await self.follow(strap.service(BatteryService.self)) }
                    // The first that fails ends both.
                    try await group.waitForAll()
                }
            }
        } catch let error as BluetoothError where error.isCancellation {
            content.state = .idle
        } catch {
            content.state = .failed("\(error)")
        }
    }

    private func follow(_ service: HeartRateService) async throws {
        for try await measurement in service.measurements(onEvent: { await self.happened($0) }) {
            content.heartRate = measurement.heartRate
        }
    }

    private func follow(_ service: BatteryService) async throws {
        for try await level in service.levels() { content.batteryPercent = level.percent }
    }

    private func happened(_ event: SubscriptionEvent) {
        switch event {
        case .subscribed: content.state = .live
        case .linkLost: content.state = .reconnecting
        case .linkRestored:
            content.gaps += 1
            content.state = .live
        case .dropped, .malformed, .reconnectionFailed, .databaseChanged: break
        }
    }
}
