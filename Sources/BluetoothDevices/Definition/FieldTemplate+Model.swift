// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

// Where the format of a characteristic depends on the model of the device, its fields are a member with the name of the
// model. In a file, the services tell the model.
extension FieldTemplate {
    /// The fields under the name of the model, if the format depends on it and they are not there already.
    func on(_ model: DeviceModel?, _ uuid: BluetoothUUID) -> FieldTemplate {
        let models = DeviceModel.models(sharing: uuid)
        guard let model, models.contains(model), !names(oneOf: models) else { return self }
        return .object([Member(model.rawValue, self)])
    }

    /// The fields without the name of the model.
    func without(_ model: DeviceModel?, _ uuid: BluetoothUUID) -> FieldTemplate {
        guard let model, DeviceModel.models(sharing: uuid).contains(model), case .object(let members) = self,
            members.count == 1, let only = members.first, only.key == model.rawValue
        else { return self }
        return only.value
    }

    private func names(oneOf models: [DeviceModel]) -> Bool {
        guard case .object(let members) = self, !members.isEmpty else { return false }
        return members.allSatisfy { member in models.contains { $0.rawValue == member.key } }
    }
}
