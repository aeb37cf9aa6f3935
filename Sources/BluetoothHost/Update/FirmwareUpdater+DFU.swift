// SPDX-License-Identifier: MIT

import Bluetooth
import FirmwareUpdate

// Firmware for boot loaders of Nordic's.
extension FirmwareUpdater {
    /// How often an application is told to start its boot loader.
    private static let maximumEntries = 3

    /// Where a device is with its application, and with its boot loader.
    private struct Places {
        /// The likely ones first.
        var application: [DeviceAddress]
        var bootLoader: [DeviceAddress]
        /// Whether the application has started the boot loader, so that both differ.
        var hasEntered = false
    }

    mutating func updateByDFU(_ packages: [Firmware.Package]) async throws {
        let own = peripheral.address
        var places = Places(
            application: [own, DeviceAddress(own.address.ofApplication, own.type)],
            bootLoader: [own, DeviceAddress(own.address.ofBootLoader, own.type)]
        )
        for (index, package) in packages.enumerated() {
            let next = packages.dropFirst(index + 1).first
            do {
                try await install(package, before: next, &places)
            } catch let refusal as DFURefusal
                where refusal == .secureNotNewer && package.contents.kind != .application && next != nil
            {
                // An earlier attempt has brought it, and has not come to the rest.
                try await report(.present, package.part)
            }
        }
    }

    /// Sends firmware, and sees that it is started: an order to do so may get lost with the link.
    private mutating func install(
        _ package: Firmware.Package,
        before next: Firmware.Package?,
        _ places: inout Places
    ) async throws {
        for attempt in 1...Self.maximumEntries {
            let isStarted = try await transfer(package, &places)
            if let next {
                note(0, of: next.contents.firmware.count, next.contents)
            } else {
                // It has said that the firmware is whole; the end of the link may be lost.
                state = .installed(places.application[0])
            }
            try await report(.reset, package.part)
            let isLast = isStarted || attempt == Self.maximumEntries
            if try await next == nil ? confirm(package, places, mustRun: isLast) : isLast { return }
        }
    }

    // MARK: - Boot loader

    /// A link to the boot loader, which is started if the application runs.
    ///
    /// - Parameter isFirst: Whether there is a link to the device already.
    private mutating func bootLoader(
        _ package: Firmware.Package,
        _ places: inout Places,
        isFirst: Bool
    ) async throws -> DFULink {
        let (environment, format) = (environment, package.contents.format)
        var found: DFULink.Found
        if isFirst {
            found = try await DFULink.open(peripheral, format, environment)
        } else {
            // The application may be back, after a loss of power.
            let all = places.bootLoader + places.application.filter { !places.bootLoader.contains($0) }
            found = try await reopen(all) { try await DFULink.open($0, format, environment).unlessNeither }
        }
        for _ in 0..<Self.maximumEntries {
            switch found {
            case .bootLoader(let link):
                self.link = link.link
                places.bootLoader = [peripheral.address]
                if places.hasEntered {
                    try await report(.bootLoader, package.part, .address(peripheral.address))
                }
                return link
            case .neither:
                let words = format == .legacy ? "Legacy DFU" : "Secure DFU"
                throw FirmwareUpdateError(.noService, "it has no \(words), which the firmware is for")
            case .application(let entry):
                let own = peripheral.address
                let next = DeviceAddress(own.address.ofBootLoader, own.type)
                places.application = [own]
                // An application of Legacy DFU with a bond has the same address, one of Secure DFU without has not.
                places.bootLoader = entry.keepsAddress ? [own] : format == .legacy ? [own, next] : [next, own]
                places.hasEntered = true
                state = .enteringBootLoader(places.bootLoader)
                try await entry.enter(until: time.now + Self.resetLimit)
                await entry.close()
                found = try await reopen(places.bootLoader) {
                    try await DFULink.open($0, format, environment).unlessNeither
                }
            }
        }
        throw FirmwareUpdateError(.refused, "its application does not start the boot loader")
    }

    // MARK: - Transfer

    /// Sends firmware, over as many links as it takes, until the boot loader starts it. Returns whether it certainly does.
    private mutating func transfer(_ package: Firmware.Package, _ places: inout Places) async throws -> Bool {
        let image = package.contents
        var transfer: any DFUTransfer = image.format == .legacy ? LegacyDFU(image) : SecureDFU(image)
        let total = transfer.total
        var link = try await bootLoader(package, &places, isFirst: state == .untouched)
        note(0, of: total, image)
        var queue = transfer.linkMade(packet: link.packet, now: time.now)
        try await report(.progress, package.part, octets: (0, total))
        var isLost = false
        while true {
            do {
                for action in queue {
                    switch action {
                    case .order(let octets): try await link.order(octets)
                    case .packet(let octets): try await link.packet(octets)
                    case .progressed(let octets):
                        note(octets, of: total, image)
                        try await report(.progress, package.part, octets: (octets, total))
                    case .reconnect: throw RadioError(.closedLocally, during: "a transfer")
                    case .ended(.complete):
                        try await report(.uploaded, package.part, octets: (total, total))
                        try await end(link)
                        return !isLost
                    case .ended(let ending): throw Self.failure(ending)
                    }
                }
                let answer = try await link.next(until: transfer.deadline)
                let now = time.now
                queue = answer.map { transfer.received($0, now: now) } ?? transfer.timerFired(now: now)
            } catch  where Self.isLoss(error) || (error as? RadioError)?.cause == .closedLocally {
                queue = transfer.linkLost()
                isLost = !queue.isEmpty
                guard !isLost else { continue }
                await link.close()
                environment.noted(.lost(octets: transfer.octets, total: total))
                link = try await bootLoader(package, &places, isFirst: false)
                note(transfer.octets, of: total, image)
                queue = transfer.linkMade(packet: link.packet, now: time.now)
            }
        }
    }

    private mutating func note(_ octets: Int, of total: Int, _ image: DFUImage) {
        state = .inBootLoader(peripheral.address, octets, of: total, goesOn: image.format == .secure)
    }

    /// Waits until the boot loader has ended the link.
    private func end(_ link: DFULink) async throws {
        environment.noted(.waiting)
        try await link.waitForEnd(until: time.now + Self.resetLimit)
        await link.close()
    }

    private static func failure(_ ending: DFUEnding) -> any Error {
        switch ending {
        case .refused(let refusal): refusal
        case .damaged: FirmwareUpdateError(.refused, "it has not stored what was sent, also when it was sent again")
        case .malformed(let error): FirmwareUpdateError(.refused, "its answers make no sense: \(error)")
        case .stalled, .complete: FirmwareUpdateError(.timedOut, "it does not go on with the transfer")
        }
    }

    // MARK: - Start

    /// What runs on a device that is back.
    private enum Running {
        case application(revision: String?)
        case bootLoader
    }

    /// Sees that an application runs. Returns `false`, or throws if it must, if the boot loader does.
    private mutating func confirm(_ package: Firmware.Package, _ places: Places, mustRun: Bool) async throws -> Bool {
        let (environment, format) = (environment, package.contents.format)
        let differs = places.hasEntered || format == .secure
        let all = places.application + places.bootLoader.filter { !places.application.contains($0) }
        let running = try await reopen(all) { candidate in
            let found = try await DFULink.open(candidate, format, environment)
            let revision = try await Self.revision(of: candidate, environment)
            guard revision == nil, case .bootLoader = found else { return Running.application(revision: revision) }
            // An application may have all of Legacy DFU itself, and then has other services, too.
            var isBootLoader = differs
            if !isBootLoader { isBootLoader = try await Self.isBare(candidate, environment) }
            return isBootLoader ? Running.bootLoader : .application(revision: nil)
        }
        guard case .application(let revision) = running else {
            let total = package.contents.firmware.count
            state = .inBootLoader(peripheral.address, total, of: total, goesOn: format == .secure)
            guard mustRun else { return false }
            throw FirmwareUpdateError(
                .notRunning,
                "it is still in its boot loader, which has taken the firmware and does not start it"
            )
        }
        state = .untouched
        try await report(.running, package.part, revision.map { .revision($0) })
        await peripheral.disconnect()
        return true
    }

    /// Whether a device has no services but those that a boot loader of Legacy DFU needs.
    private static func isBare(_ peripheral: Peripheral, _ environment: any UpdateEnvironment) async throws -> Bool {
        let services = try await environment.withTimeout("find its services") {
            try await peripheral.primaryServices()
        }
        return services.allSatisfy { [0x1800, 0x1801, .legacyDFUService].contains($0) }
    }

    /// The version that a device states, which a boot loader does not; `nil` for none.
    private static func revision(
        of peripheral: Peripheral,
        _ environment: any UpdateEnvironment
    ) async throws -> String? {
        try await environment.withTimeout("read the version") {
            do {
                let value = try await peripheral.service(.deviceInformation)
                    .characteristic(.firmwareRevision).read()
                return String(decoding: value.value, as: UTF8.self)
            } catch  where error is MissingAttribute || error is GATTError {
                return nil
            }
        }
    }
}

extension DFULink.Found {
    /// The same; `nil` for a device that has no DFU, because another one has its address.
    fileprivate var unlessNeither: DFULink.Found? { if case .neither = self { nil } else { self } }
}

extension BluetoothUUID {
    /// Device Information, and Firmware Revision String of it. Spec: Device Information Service 1.1
    fileprivate static let deviceInformation: BluetoothUUID = 0x180A
    fileprivate static let firmwareRevision: BluetoothUUID = 0x2A26
}
