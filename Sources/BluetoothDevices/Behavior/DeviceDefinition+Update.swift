// SPDX-License-Identifier: MIT

import Bluetooth
import FirmwareUpdate

// The part of a device by which its firmware is updated.
extension DeviceDefinition {
    /// The name that a boot loader of Nordic's has. Spec: nRF5 SDK, examples of boot loaders
    private static let bootLoaderName = "DfuTarg"

    /// The service of the application by which it is updated; `nil` if it is not.
    var updateService: DeviceService? {
        if updateServer != nil { return .mcumgr }
        return dfuServer.map { DeviceService(ofApplication: $0) }
    }

    /// The rules with the server by which the device is updated; `nil` if it is not.
    func updatable(
        _ rules: RuleFirmware,
        _ database: GATTDatabase
    ) throws(DeviceDefinitionError) -> UpdatableFirmware? {
        let application = DeviceGuise(address: address, advertising: advertising, database: database)
        if let updateServer {
            return UpdatableFirmware(MCUmgrServer(updateServer), application, nil, around: rules)
        }
        guard let dfuServer else { return nil }
        let bootLoader = dfuServer.hasBootLoader ? try guise(ofBootLoader: dfuServer) : nil
        return UpdatableFirmware(DFUServer(dfuServer), application, bootLoader, around: rules)
    }

    /// What the device is while its boot loader runs.
    private func guise(ofBootLoader server: DFUServer.Configuration) throws(DeviceDefinitionError) -> DeviceGuise {
        let service = DeviceService(ofBootLoader: server.format)
        let name = DeviceService.genericAccess(name: Self.bootLoaderName, appearance: 0)
        let layout: DeviceLayout
        do {
            layout = try DeviceLayout([name, .genericAttribute, service], timeline: [])
        } catch {
            throw .database(nil, error)
        }
        return DeviceGuise(
            address: server.shiftsAddress ? DeviceAddress(address.address.ofBootLoader, address.type) : address,
            advertising: [DeviceAdvertising(name: Self.bootLoaderName, services: [service.uuid])],
            database: layout.database
        )
    }
}

extension DeviceService {
    /// The service of MCUmgr. Spec: Zephyr, SMP Protocol Specification, SMP over Bluetooth
    static let mcumgr = DeviceService(
        .mcumgrService,
        characteristics: [DeviceCharacteristic(.mcumgrData, [.writeWithoutResponse, .notify])]
    )

    /// The service of a boot loader of Nordic's.
    fileprivate init(ofBootLoader format: DFUImage.Format) {
        switch format {
        case .legacy: self = .legacyDFU(version: LegacyDFU.versionOfBootLoader)
        case .secure:
            self.init(
                .secureDFUService,
                characteristics: [
                    DeviceCharacteristic(.secureDFUControl, [.write, .notify]),
                    DeviceCharacteristic(.secureDFUPacket, .writeWithoutResponse),
                ]
            )
        }
    }

    /// The service of an application that starts such a boot loader, or is one itself.
    fileprivate init(ofApplication server: DFUServer.Configuration) {
        switch server.format {
        case _ where !server.hasBootLoader: self.init(ofBootLoader: server.format)
        case .legacy: self = .legacyDFU(version: LegacyDFU.versionOfApplication)
        case .secure:
            let entry: BluetoothUUID = server.sharesBonds ? .buttonlessDFUWithBonds : .buttonlessDFU
            self.init(.secureDFUService, characteristics: [DeviceCharacteristic(entry, [.write, .indicate])])
        }
    }

    private static func legacyDFU(version: [UInt8]) -> DeviceService {
        DeviceService(
            .legacyDFUService,
            characteristics: [
                DeviceCharacteristic(.legacyDFUControl, [.write, .notify]),
                DeviceCharacteristic(.legacyDFUPacket, .writeWithoutResponse),
                DeviceCharacteristic(.legacyDFUVersion, .read, value: .octets(version)),
            ]
        )
    }
}
