// SPDX-License-Identifier: MIT

import Bluetooth
package import BluetoothDevices

// The commands that set up an advertising set.
extension DeviceAdvertising {
    /// The kind of advertisement in legacy commands; `nil` if only the extended ones support it.
    var legacyKind: LESetAdvertisingParameters.Kind? {
        switch kind {
        case .connectable where target != nil: .directedLowDutyCycle
        case .connectable: .connectableScannable
        case .scannable: .scannable
        case .nonConnectable: .nonConnectable
        case .extended: nil
        }
    }

    /// Whether only the scan response carries data, as in extended PDUs that can be scanned.
    package var hasOnlyScanResponse: Bool { legacyKind == nil && !isConnectable && scanResponse != nil }

    /// The same set, without accepting connections.
    package var refusing: DeviceAdvertising {
        var set = self
        set.target = nil
        switch kind {
        case .connectable: set.kind = scanResponse == nil ? .nonConnectable : .scannable
        case .extended(let sid, _, let primaryPHY, let secondaryPHY):
            set.kind = .extended(sid: sid, isConnectable: false, primaryPHY: primaryPHY, secondaryPHY: secondaryPHY)
            // An extended set that can be scanned has no data.
            set.scanResponse = nil
        case .scannable, .nonConnectable: break
        }
        return set
    }

    /// The address parameters of a set without a target are ignored.
    private var peer: DeviceAddress {
        target.map { DeviceAddress($0.address, $0.type.connectionType) }
            ?? DeviceAddress(BluetoothAddress(rawValue: 0), .public)
    }

    func legacyParameters(_ ownAddress: LEOwnAddressType) -> LESetAdvertisingParameters? {
        legacyKind.map { kind in
            LESetAdvertisingParameters(
                minimumInterval: LEInterval(interval),
                maximumInterval: LEInterval(interval),
                kind: kind,
                ownAddressType: ownAddress,
                peer: peer
            )
        }
    }

    func extendedParameters(
        _ set: LEAdvertisingHandle,
        _ ownAddress: LEOwnAddressType
    ) -> LESetExtendedAdvertisingParameters {
        var properties: LESetExtendedAdvertisingParameters.Properties
        var sid: UInt8 = 0
        var secondaryPHY = LEPHY.le1M
        switch kind {
        case .connectable: properties = target == nil ? [.legacy, .connectable, .scannable] : [.legacy, .connectable]
        case .scannable: properties = [.legacy, .scannable]
        case .nonConnectable: properties = .legacy
        case .extended(let number, let isConnectable, _, let phy):
            properties = isConnectable ? .connectable : hasOnlyScanResponse ? .scannable : []
            sid = number
            secondaryPHY = phy
        }
        if target != nil { properties.insert(.directed) }
        return LESetExtendedAdvertisingParameters(
            set: set,
            properties: properties,
            minimumInterval: LEInterval(interval),
            maximumInterval: LEInterval(interval),
            ownAddressType: ownAddress,
            peer: peer,
            txPower: txPower,
            primaryPHY: primaryPHY,
            secondaryPHY: secondaryPHY,
            sid: sid
        )
    }
}
