// SPDX-License-Identifier: MIT

import Bluetooth
import FirmwareUpdate

/// A boot loader of Nordic's over one link.
struct DFULink {
    /// What a device is that was connected to.
    enum Found {
        case bootLoader(DFULink)
        /// Its application runs, which starts the boot loader when it is told so.
        case application(Entry)
        /// It has no DFU of that kind.
        case neither
    }

    /// The way from an application to its boot loader.
    struct Entry {
        fileprivate let link: AnsweringLink
        private let format: DFUImage.Format
        /// Whether the boot loader certainly has the address of the application.
        let keepsAddress: Bool

        fileprivate init(_ link: AnsweringLink, _ format: DFUImage.Format, keepsAddress: Bool) {
            (self.link, self.format, self.keepsAddress) = (link, format, keepsAddress)
        }

        /// Has the application start the boot loader, and waits until the link has ended or the moment has come.
        func enter(until moment: Instant) async throws {
            do {
                switch format {
                case .legacy: try await link.order(LegacyDFU.enterBootLoader)
                case .secure:
                    try await link.order(SecureDFU.enterBootLoader)
                    if let answer = try await link.next(until: moment),
                        let refusal = try SecureDFU.refusal(ofEntering: answer)
                    {
                        throw refusal
                    }
                }
                try await link.waitForEnd(until: moment)
            } catch let error as DecodeError {
                throw FirmwareUpdateError(.refused, "its answers make no sense: \(error)")
            } catch  where FirmwareUpdater.isLoss(error) {
                // It has not waited until its answer was sent.
            }
        }

        func close() async { await link.close() }
    }

    let link: AnsweringLink
    private let packetHandle: Handle

    /// The octets of a packet.
    var packet: Int { link.packet }

    /// Connects if there is no link, and subscribes to the answers.
    static func open(
        _ peripheral: Peripheral,
        _ format: DFUImage.Format,
        _ environment: any UpdateEnvironment
    ) async throws -> Found {
        let service: BluetoothUUID = format == .legacy ? .legacyDFUService : .secureDFUService
        func link(_ uuid: BluetoothUUID) async throws -> AnsweringLink? {
            do {
                return try await AnsweringLink.open(
                    peripheral,
                    peripheral.service(service).characteristic(uuid),
                    environment
                )
            } catch is MissingAttribute {
                return nil
            }
        }
        if format == .legacy {
            guard let control = try await link(.legacyDFUControl) else { return .neither }
            let version = peripheral.service(service).characteristic(.legacyDFUVersion)
            // The first versions had no such characteristic, and no way from the application.
            let value = try await environment.withTimeout("read the version of DFU") {
                do {
                    return try await version.read().value
                } catch is MissingAttribute {
                    return []
                }
            }
            if value == LegacyDFU.versionOfApplication {
                return .application(Entry(control, format, keepsAddress: false))
            }
            return try await bootLoader(peripheral, control, .legacyDFUPacket, service)
        }
        if let control = try await link(.secureDFUControl) {
            return try await bootLoader(peripheral, control, .secureDFUPacket, service)
        }
        if let entry = try await link(.buttonlessDFU) {
            return .application(Entry(entry, format, keepsAddress: false))
        }
        if let entry = try await link(.buttonlessDFUWithBonds) {
            return .application(Entry(entry, format, keepsAddress: true))
        }
        return .neither
    }

    private static func bootLoader(
        _ peripheral: Peripheral,
        _ control: AnsweringLink,
        _ packet: BluetoothUUID,
        _ service: BluetoothUUID
    ) async throws -> Found {
        let characteristic = peripheral.service(service).characteristic(packet)
        let definition = try await control.environment.withTimeout("find the service for updates") {
            try await characteristic.definition()
        }
        return .bootLoader(DFULink(link: control, packetHandle: definition.valueHandle))
    }

    private init(link: AnsweringLink, packetHandle: Handle) { (self.link, self.packetHandle) = (link, packetHandle) }

    func order(_ octets: [UInt8]) async throws { try await link.order(octets) }

    func packet(_ octets: [UInt8]) async throws { try await link.send(octets, to: packetHandle) }

    func next(until moment: Instant?) async throws -> [UInt8]? { try await link.next(until: moment) }

    func waitForEnd(until moment: Instant) async throws { try await link.waitForEnd(until: moment) }

    func close() async { await link.close() }
}
