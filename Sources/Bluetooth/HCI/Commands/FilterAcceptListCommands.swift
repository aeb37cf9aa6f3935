// SPDX-License-Identifier: MIT

/// Asks for the capacity of the filter accept list. On Linux the kernel manages the list; the command is decoded for
/// traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.14
package struct LEReadFilterAcceptListSize: HCIParameterlessCommand {
    package static let form = HCIForm(.leController, 0x000F, "LE Read Filter Accept List Size", bit: (26, 6))

    package init() {}

    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The number of devices that fit into the list (Filter_Accept_List_Size).
        package var size: UInt8

        package init(size: UInt8) { self.size = size }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            size = try fields(\.size, "Filter_Accept_List_Size")
        }

        package var details: String { "\(count: size, "device")" }
    }
}

/// Empties the filter accept list.
///
/// The list cannot change while a scan, an advertisement or an attempt to connect uses it: the controller refuses with
/// Command Disallowed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.15
package struct LEClearFilterAcceptList: HCIParameterlessCommand {
    package static let form = HCIForm(.leController, 0x0010, "LE Clear Filter Accept List", bit: (26, 7))

    package init() {}
}

/// Adds a device to the filter accept list.
///
/// The list cannot change while a scan, an advertisement or an attempt to connect uses it. A full list is refused with
/// Memory Capacity Exceeded.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.16
package struct LEAddDeviceToFilterAcceptList: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x0011, "LE Add Device To Filter Accept List", bit: (27, 0))

    package var device: DeviceAddress

    package init(_ device: DeviceAddress) { self.device = device }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device, "Address")
    }

    package var details: String { "\(device)" }
}

/// Removes a device from the filter accept list.
///
/// The list cannot change while a scan, an advertisement or an attempt to connect uses it.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.17
package struct LERemoveDeviceFromFilterAcceptList: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x0012, "LE Remove Device From Filter Accept List", bit: (27, 1))

    package var device: DeviceAddress

    package init(_ device: DeviceAddress) { self.device = device }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device, "Address")
    }

    package var details: String { "\(device)" }
}
