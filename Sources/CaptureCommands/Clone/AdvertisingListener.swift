// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Toolkit

/// Finds a device by its advertisements, and then records all that it advertises.
actor AdvertisingListener {
    /// The maximum number of devices that are kept, so that a flood of changing addresses cannot fill the memory.
    private static let limit = 2_000

    private let selector: DeviceSelector
    /// The advertisers so far. A device may give its name in a later report than its services, so that all are
    /// joined.
    private var table = AdvertiserTable(limit: limit)
    private var recorder = AdvertisingRecorder()
    /// The device; `nil` while it has not been heard.
    private(set) var found: AdvertiserInfo?
    /// The first device that meets the criteria, but accepts no connections; `nil` while none was heard.
    private var beacon: AdvertiserInfo?
    /// The advertising of the beacon while another device was looked for.
    private var beaconRecorder = AdvertisingRecorder()

    init(selector: DeviceSelector) { self.selector = selector }

    /// The advertising of the device since it was found. A beacon may have been heard only before, because the last
    /// scan listens on another PHY.
    var heard: HeardAdvertising {
        let recorder = recorder.reportCount > 0 ? recorder : beaconRecorder
        return HeardAdvertising(sets: recorder.sets, remarks: recorder.remarks)
    }

    /// Takes a report. `true` if it is of the device that is looked for.
    func add(_ report: ScanReport) -> Bool {
        // An anonymous advertisement does not say which device sends it.
        guard report.report.address.type != .anonymous else { return false }
        let device = table.received(report.report, report.data, now: report.instant)
        if let found {
            guard device.address == found.address else { return false }
        } else {
            guard selector.accepts(device) else { return false }
            // Criteria mean a device to connect to, and a beacon only if no other one meets them.
            guard device.isConnectable || selector.isOfOneDevice else {
                beacon = beacon ?? device
                if beacon?.address == device.address { beaconRecorder.add(report) }
                return false
            }
        }
        found = device
        recorder.add(report)
        return true
    }

    /// Takes a beacon that meets the criteria if no other device was found: its clone is its advertising. `false` if
    /// there is no device then either.
    func settle() -> Bool {
        found = found ?? beacon
        return found != nil
    }
}
