// SPDX-License-Identifier: MIT

package import Bluetooth

/// A device with Nordic's DFU: its boot loader, and what starts that from the application.
package struct DFUServer: UpdateServer {
    package struct Configuration: Hashable, Sendable {
        /// The protocol of its boot loader.
        package var format = DFUImage.Format.legacy
        /// Whether the application starts a boot loader; otherwise it takes new firmware itself, as on a watch.
        package var hasBootLoader = true
        /// Whether application and boot loader share their bonds.
        package var sharesBonds = false
        /// Whether the boot loader has the next address.
        package var shiftsAddress = false
        /// The version that it runs at first.
        package var version = "1"
        /// The most octets of an application.
        package var size = 256 << 10
        /// The octets of an object of Secure DFU.
        package var objectSize = 4_096
        /// Whether the application before stays until the new one is whole.
        package var hasTwoBanks = false
        /// How long it takes to erase the flash.
        package var eraseTime = Duration.seconds(2)
        /// How long it takes to write 1,024 octets.
        package var writeTime = Duration.milliseconds(10)
        /// How long it is away when it starts anew.
        package var startTime = Duration.seconds(1)
        /// Whether firmware that was taken runs. Otherwise the device stays in its boot loader.
        package var startsNewFirmware = true
        /// What goes wrong in an update.
        package var faults: [UploadFault] = []

        /// A device without faults.
        package init() {}
    }

    /// Between the order to start anew and the end of the links.
    private static let resetDelay = Duration.milliseconds(100)

    private struct Job: Sendable {
        let due: Instant
        let action: UpdateServerAction
    }

    private let configuration: Configuration
    private var bootLoader: any BootLoader
    private var isInBootLoader = false
    /// Whether the application is whole.
    private var hasApplication = true
    package private(set) var revision: String
    private var faults: [UploadFault]
    private var busyUntil = Instant.zero
    private var jobs: [Job] = []

    /// A device that runs its first application.
    package init(_ configuration: Configuration) {
        self.configuration = configuration
        revision = configuration.version
        faults = configuration.faults
        let (size, time) = (configuration.size, configuration.eraseTime)
        switch configuration.format {
        case .legacy: bootLoader = LegacyBootLoader(size: size, eraseTime: time)
        case .secure: bootLoader = SecureBootLoader(size: size, objectSize: configuration.objectSize, eraseTime: time)
        }
    }

    package var changesAddress: Bool { false }

    package var deadline: Instant? { jobs.first?.due }

    private var control: BluetoothUUID { configuration.format == .legacy ? .legacyDFUControl : .secureDFUControl }

    package var characteristics: [BluetoothUUID] {
        switch configuration.format {
        case .legacy: [.legacyDFUControl, .legacyDFUPacket]
        case .secure: [.secureDFUControl, .secureDFUPacket, .buttonlessDFU, .buttonlessDFUWithBonds]
        }
    }

    // MARK: - Events

    package mutating func written(
        _ value: [UInt8],
        to characteristic: BluetoothUUID,
        now: Instant
    ) -> [UpdateServerAction] {
        // It starts anew already.
        if jobs.contains(where: { if case .restart = $0.action { true } else { false } }) { return [] }
        busyUntil = max(busyUntil, now)
        switch characteristic {
        case .legacyDFUControl where !isInBootLoader && configuration.hasBootLoader:
            guard value == LegacyDFU.enterBootLoader else { return [] }
            restart(isBootLoader: true)
        case .buttonlessDFU, .buttonlessDFUWithBonds:
            guard let order = value.first else { return [] }
            let isKnown = value == SecureDFU.enterBootLoader
            let result = isKnown ? DFURefusal.success : DFURefusal.secureNotSupported.code
            add(.send([SecureDFU.buttonlessAnswer, order, result], from: characteristic))
            if isKnown { restart(isBootLoader: true) }
        case .legacyDFUPacket, .secureDFUPacket: packet(value)
        default: carryOut(bootLoader.order(value))
        }
        return timerFired(now: now)
    }

    package mutating func timerFired(now: Instant) -> [UpdateServerAction] {
        var actions: [UpdateServerAction] = []
        while let job = jobs.first, job.due <= now {
            jobs.removeFirst()
            actions.append(job.action)
            if case .restart(_, let isBootLoader) = job.action {
                jobs = []
                isInBootLoader = isBootLoader
                bootLoader.restarted()
            }
        }
        return actions
    }

    package mutating func disconnected() {
        jobs.removeAll { if case .send = $0.action { true } else { false } }
        // Legacy DFU has no way to go on.
        if configuration.format == .legacy { bootLoader.restarted() }
    }

    // MARK: - Effects

    private mutating func packet(_ octets: [UInt8]) {
        var octets = octets
        busyUntil = busyUntil + configuration.writeTime * octets.count / 1_024
        if let received = bootLoader.received {
            switch faults.take(before: received + octets.count) {
            case nil: break
            case .lose: return
            case .refuse: return carryOut(bootLoader.fail())
            case .restart: return restart(isBootLoader: isInBootLoader && !hasApplication)
            case .damage: if let last = octets.indices.last { octets[last] ^= 1 }
            }
        }
        carryOut(bootLoader.packet(octets))
    }

    private mutating func carryOut(_ replies: [BootLoaderReply]) {
        for reply in replies {
            switch reply {
            case .send(let octets): add(.send(octets, from: control))
            case .work(let duration): busyUntil = busyUntil + duration
            case .replacesApplication:
                if configuration.hasBootLoader, !configuration.hasTwoBanks { hasApplication = false }
            case .install(let version):
                if configuration.startsNewFirmware {
                    revision = version
                    hasApplication = true
                }
                restart(isBootLoader: isInBootLoader && !hasApplication)
            case .reset: restart(isBootLoader: isInBootLoader && !hasApplication)
            }
        }
    }

    private mutating func add(_ action: UpdateServerAction) { jobs.append(Job(due: busyUntil, action: action)) }

    private mutating func restart(isBootLoader: Bool) {
        busyUntil = busyUntil + Self.resetDelay
        add(.restart(configuration.startTime, isBootLoader: isBootLoader))
    }
}
