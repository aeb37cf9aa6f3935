// SPDX-License-Identifier: MIT

/// The formats that are decoded.
///
/// Of several formats in the same place, the first one that decodes the data counts.
package enum FormatRegistry {
    private static let formats: [any AdvertisedFormat.Type] = [
        IBeacon.self, AltBeacon.self,
        EddystoneUID.self, EddystoneURL.self, EddystoneTLM.self, EddystoneEncryptedTLM.self, EddystoneEID.self,
        RuuviTag.self, RuuviAir.self,
        BTHome.self,
        ATCThermometer.self,
        MiBeacon.self,
        NamedTracker.self,
        SamsungTag.self,
        FindHubTracker.self,
        LocationTracker.self,
        GoveeThermometer.self,
        GoveeMeatThermometer.self,
        MiScale.self,
        QingpingSensor.self,
        SwitchBot.self,
        InkbirdThermometer.self,
        VictronReadout.self,
        AppleContinuity.self,
        MicrosoftAdvertisement.self,
        FastPair.self,
        ExposureNotification.self,
        MatterCommissionable.self,
        ADEncryptedData.self,
    ]

    package static let registrations = formats.map { $0.registration }

    /// The formats by their places, because a place is looked up for each element of each report, of which most have no
    /// known format.
    private static let byPlace: [FormatRegistration.Source: [any AdvertisedFormat.Type]] = {
        var table: [FormatRegistration.Source: [any AdvertisedFormat.Type]] = [:]
        for format in formats {
            for source in format.registration.sources { table[source, default: []].append(format) }
        }
        return table
    }()

    private static let ofAnyCompany = byPlace[.anyCompany] ?? []

    static func content(of data: ADManufacturerData) -> (any AdvertisedFormat)? {
        for format in ofAnyCompany {
            if let content = format.init(data) { return content }
        }
        for format in byPlace[.company(data.company)] ?? [] {
            if let content = format.init(data) { return content }
        }
        return nil
    }

    static func content(of data: ADServiceData) -> (any AdvertisedFormat)? {
        for format in byPlace[.service(data.uuid)] ?? [] {
            if let content = format.init(data) { return content }
        }
        return nil
    }
}
