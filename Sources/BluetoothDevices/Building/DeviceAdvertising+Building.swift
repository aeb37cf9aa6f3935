// SPDX-License-Identifier: MIT

public import Bluetooth

extension DeviceAdvertising {
    /// An advertising set with the data that most devices have: flags for a device that has Low Energy only and can be
    /// found, the services, and the name.
    ///
    /// The name is in the scan response if it does not fit into the 31 octets of the advertisement.
    ///
    /// - Parameters:
    ///   - kind: The PDUs that carry it.
    ///   - name: The complete name; `nil` for none.
    ///   - services: The services that it lists.
    ///   - appearance: Its appearance; `nil` for none.
    ///   - manufacturerData: Data of a manufacturer; `nil` for none.
    ///   - interval: The time between two advertisements: 20 ms to 10.24 s.
    ///
    /// Spec: Core Specification Supplement, Part A, 1
    public init(
        _ kind: Kind = .connectable,
        name: String? = nil,
        services: [BluetoothUUID] = [],
        appearance: UInt16? = nil,
        manufacturerData: ADManufacturerData? = nil,
        every interval: Duration = .milliseconds(100)
    ) {
        var elements: [ADElement] = [.flags([.generalDiscoverable, .brEDRNotSupported])]
        elements += ADServiceList.lists(.complete, services).map { .services($0) }
        if let appearance { elements.append(.appearance(appearance)) }
        if let manufacturerData { elements.append(.manufacturerData(manufacturerData)) }
        let whole = elements + (name.map { [.localName(ADLocalName($0))] } ?? [])
        let length = whole.reduce(0) { $0 + $1.structure.encoded().count }
        var isExtended = false
        if case .extended = kind { isExtended = true }
        // A passive scanner never asks for the scan response. Only the name goes there, because scanners filter by
        // services.
        let fits = isExtended || length <= 31
        self.init(
            kind,
            interval: interval,
            frames: [AdvertisingFrame((fits ? whole : elements).map { .element($0) })],
            scanResponse: fits ? nil : name.map { AdvertisingFrame(.localName(ADLocalName($0))) }
        )
    }
}
