// SPDX-License-Identifier: MIT

extension ADCompanions {
    init(_ elements: [ADElement]) {
        self.init()
        for element in elements {
            switch element {
            case .localName(let name): self.name = name.text
            case .services(let list) where list.kind != .solicited: services += list.uuids
            case .serviceData(let data) where data.needsCompanions: serviceData.append(data.alone)
            case .manufacturerData(let data) where data.needsCompanions: manufacturerData.append(data.alone)
            default: break
            }
        }
    }

    /// What an advertiser has sent so far.
    init(_ advertiser: AdvertiserInfo) {
        self.init()
        name = advertiser.name?.text
        services = advertiser.services
        serviceData = advertiser.serviceData.filter(\.needsCompanions).map(\.alone)
        manufacturerData = advertiser.manufacturerData.filter(\.needsCompanions).map(\.alone)
    }
}

extension ADServiceData {
    fileprivate var needsCompanions: Bool { SwitchBot.services.contains(uuid) }

    /// The data alone, so that companions have none themselves.
    fileprivate var alone: ADServiceData { ADServiceData(uuid, data) }
}

extension ADManufacturerData {
    fileprivate var needsCompanions: Bool {
        SwitchBot.companies.contains(company) || company == GoveeThermometer.Company.shared
            || GoveeMeatThermometer.mayBe(self) || InkbirdThermometer.barbecueLengths.contains(data.count)
    }

    fileprivate var alone: ADManufacturerData { ADManufacturerData(company: company, data) }
}

extension ADElement {
    fileprivate var needsCompanions: Bool {
        switch self {
        case .serviceData(let data): data.needsCompanions
        case .manufacturerData(let data): data.needsCompanions
        default: false
        }
    }

    fileprivate func beside(_ companions: ADCompanions) -> ADElement {
        switch self {
        case .serviceData(var data) where data.needsCompanions:
            data.companions = companions
            return .serviceData(data)
        case .manufacturerData(var data) where data.needsCompanions:
            data.companions = companions
            return .manufacturerData(data)
        default: return self
        }
    }
}

extension AdvertisingData {
    /// The elements, each with what else is in the packet, if its format needs it.
    static func besideEachOther(_ elements: [ADElement]) -> [ADElement] {
        // Few packets have such an element and another one that explains it.
        guard elements.count > 1, elements.contains(where: \.needsCompanions) else { return elements }
        let companions = ADCompanions(elements)
        return elements.map { $0.beside(companions) }
    }

    /// The data with what the advertiser has sent in earlier packets, as far as formats need it: some vendors send the
    /// model in a scan response, and the measurements in advertisements.
    public func completed(by advertiser: AdvertiserInfo) -> AdvertisingData {
        guard isCompletable else { return self }
        // What is in the packet itself is newer.
        let companions = ADCompanions(elements).followed(by: ADCompanions(advertiser))
        return replacingElements(elements.map { $0.beside(companions) })
    }

    /// Whether `completed(by:)` may change anything.
    public var isCompletable: Bool { elements.contains(where: \.needsCompanions) }
}
