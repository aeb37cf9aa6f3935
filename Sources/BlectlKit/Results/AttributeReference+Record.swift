// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

extension AttributeReference {
    /// Writes the record of one value of the attribute. The members that differ between two values are written through
    /// `varying`, so that the rest can be copied from a template.
    ///
    /// The keys are in alphabetical order, as those of all records.
    ///
    /// - Parameters:
    ///   - result: The value.
    ///   - type: The type in JSON.
    ///   - profile: The profile of a measurement; `nil` for a raw value, whose record has the typed target instead.
    ///   - isNumbered: Whether the value has a sequence number.
    ///   - json: The writer of the record.
    func write<Result: CommandResult>(
        _ result: Result,
        type: String,
        profile: String? = nil,
        isNumbered: Bool,
        to json: inout JSONWriter
    ) where Result.VaryingMember == VaryingValueMember {
        json.object { json in
            json.key("characteristic")
            json.string(characteristic?.description)
            json.key("characteristic_name")
            json.string(characteristicName)
            json.key("decoded")
            json.varying(.decoded, of: result)
            json.key("decoding_error")
            json.varying(.fault, of: result)
            json.key("descriptor")
            json.string(descriptor?.description)
            json.key("device")
            json.value(device)
            json.key("handle")
            json.integer(handle.rawValue)
            json.key("length")
            json.varying(.length, of: result)
            json.key("monotonic_ns")
            json.varying(.monotonic, of: result)
            if let profile {
                json.key("profile")
                json.string(profile)
            }
            if isNumbered {
                json.key("sequence")
                json.varying(.sequence, of: result)
            }
            json.key("service")
            json.string(service?.description)
            if profile == nil {
                json.key("target")
                json.string(target)
            }
            json.key("text")
            json.varying(.text, of: result)
            json.key("time")
            json.varying(.time, of: result)
            json.key("type")
            json.string(type)
            json.key("value")
            json.varying(.value, of: result)
        }
    }
}
