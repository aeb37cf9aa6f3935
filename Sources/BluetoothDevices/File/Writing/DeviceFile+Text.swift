// SPDX-License-Identifier: MIT

extension DeviceFile {
    /// The file of a device, which `read` reads as the same device.
    ///
    /// Constant values are written as fields where these have the same octets. What a file cannot express is written in
    /// an equivalent form: parts of advertising data in an unusual order become hex digits.
    public static func text(of definition: DeviceDefinition) -> String {
        let node = DeviceSchema.device.form.write(definition, DeviceWriter(definition))
        return JSONPrinter.text(of: node ?? JSONNode(.null))
    }
}
