// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothProfiles

extension Peripheral {
    /// The model of the device, as far as the format of a characteristic depends on it; `nil` if it does not, and if no
    /// service tells the model.
    ///
    /// What is known of the database decides, without a request. Only for private UUIDs, whose values mean nothing
    /// without the model, the device is asked for the services that tell it: one request for each, once. Without a link
    /// that is not done, because a format does not justify a connection.
    public func model(for characteristic: BluetoothUUID) async throws -> DeviceModel? {
        guard let format = CharacteristicFormat.of(characteristic), !format.models.isEmpty else { return nil }
        let models = format.models
        let database = database
        for model in models where await database.knownCount(ofServices: model.service) > 0 { return model }
        guard format.needsModel, let link = lifecycle.link, link.end == nil else { return nil }
        return try await withTimeout("look at its services") {
            try await database.answer(on: link, isCheap: true) { database throws(DiscoveryStep) in
                for model in models {
                    if case .success = try database.service(.uuid(model.service, index: nil)) { return model }
                }
                return nil
            }
        }
    }
}
