// SPDX-License-Identifier: MIT

/// What the sender of an element sends besides it, in the same packet or in others, as far as its format needs it.
///
/// Some vendors send data that only another element explains: the model is in the data of a service, and the
/// measurements are in manufacturer data; or the company identifier is that of another company.
struct ADCompanions: Hashable, Sendable {
    var name: String?
    var services: [BluetoothUUID] = []
    var serviceData: [ADServiceData] = []
    var manufacturerData: [ADManufacturerData] = []

    init() {}

    func followed(by others: ADCompanions) -> ADCompanions {
        var all = self
        all.name = name ?? others.name
        all.services += others.services
        all.serviceData += others.serviceData
        all.manufacturerData += others.manufacturerData
        return all
    }
}
