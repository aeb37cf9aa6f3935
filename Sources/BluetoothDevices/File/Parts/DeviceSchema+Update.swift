// SPDX-License-Identifier: MIT

import FirmwareUpdate

extension DeviceSchema {
    static let smp = DeviceType(
        .smp,
        "A server of MCUmgr with a boot loader like MCUboot, which swaps the images of two slots.",
        "The service is added unless listed. Firmware Revision String has the running version.",
        form: .object(
            usual: MCUmgrServer.Configuration(),
            [
                DeviceMember("version", version, \.version)
                    .byDefault("1.0.0")
                    .meaning("Version of the first image."),
                DeviceMember("slot_size", .integer(1_024...16_777_216), \.slotSize)
                    .meaning("Octets of each of the two slots."),
                DeviceMember("buffers", .integer(1...255), \.bufferCount)
                    .meaning("How many requests may wait. One more gets lost."),
                DeviceMember("buffer_size", .integer(64...65_543), \.bufferSize)
                    .meaning("Octets of the longest request, with its header."),
                DeviceMember("reassembly", .bool, \.joinsPackets)
                    .meaning("Whether a request may be written in several packets."),
                DeviceMember("erase_time", .time, \.eraseTime).meaning("How long it takes to erase a slot."),
                DeviceMember("write_time", .time, \.writeTime).meaning("How long it takes to write 1,024 octets."),
                DeviceMember("start_time", .time, \.startTime)
                    .meaning("How long a restart takes, with links lost."),
                DeviceMember("new_address", .bool, \.changesAddress)
                    .meaning("Whether the last octet of the address is one higher after each start."),
                DeviceMember("starts", .bool, \.startsNewImages)
                    .meaning(
                        "Whether an uploaded image runs; otherwise the boot loader puts the old one back at once."
                    ),
                DeviceMember("faults", .list(updateFault, count: 0...100), \.faults)
                    .meaning("What goes wrong in uploads, each once."),
            ]
        )
    )

    static let dfu = DeviceType(
        .dfu,
        "Nordic's DFU, by which an application is replaced.",
        "The service is added unless it is among the services. The version that runs is the value of Firmware Revision String:"
            + " the number in the init packet, or without one the CRC-32 of the firmware. The boot loader is named `DfuTarg`."
            + " A served device keeps its address and its advertisements.",
        form: .object(
            usual: DFUServer.Configuration(),
            [
                DeviceMember("kind", .words([.legacy: "Legacy DFU", .secure: "Secure DFU"]), \.format)
                    .meaning("The protocol."),
                DeviceMember("buttonless", .bool, \.hasBootLoader)
                    .meaning("Whether the application starts a boot loader. Otherwise it takes new firmware itself."),
                DeviceMember("bonds", .bool, \.sharesBonds)
                    .meaning("Whether the boot loader of Secure DFU has the bonds of the application."),
                DeviceMember("address_shift", .bool, \.shiftsAddress)
                    .meaning("Whether the last octet of the boot loader's address is one higher."),
                DeviceMember("version", .text(1...24), \.version)
                    .meaning("The version of the application with which the device was made."),
                DeviceMember("size", .integer(1_024...16_777_216), \.size)
                    .meaning("The most octets of an application."),
                DeviceMember("object_size", .integer(256...65_536), \.objectSize)
                    .meaning("The octets of an object of Secure DFU."),
                DeviceMember("two_banks", .bool, \.hasTwoBanks)
                    .meaning("Whether the application before stays until the new one is whole."),
                DeviceMember("erase_time", .time, \.eraseTime).meaning("How long it takes to erase the flash."),
                DeviceMember("write_time", .time, \.writeTime).meaning("How long it takes to write 1,024 octets."),
                DeviceMember("start_time", .time, \.startTime)
                    .meaning("How long the device is away when it starts anew, with its links lost."),
                DeviceMember("starts", .bool, \.startsNewFirmware)
                    .meaning("Whether new firmware runs. If it does not, the boot loader stays."),
                DeviceMember("faults", .list(updateFault, count: 0...100), \.faults)
                    .meaning("What goes wrong in updates, each once."),
            ]
        )
    )

    private static let updateFault = DeviceForm<UploadFault>.object(
        usual: UploadFault(offset: 0, effect: .lose),
        [
            DeviceMember(required: "at", .integer(0...16_777_216), \.offset)
                .meaning("Octets of the upload at which it happens."),
            DeviceMember(
                required: "do",
                .words([
                    .refuse: "the part is refused, as by flash that cannot be written",
                    .damage: "the part is written wrongly",
                    .lose: "the part is neither written nor answered",
                    .restart: "the device starts anew",
                ]),
                \.effect
            )
            .meaning("What happens."),
        ]
    )

    /// `1.2.3`, or `1.2.3+4` with the number of a build.
    private static let version = DeviceForm<FirmwareVersion>(
        kind: .text(.any(octets: 5...24)),
        read: { cursor, builder in
            guard let text = cursor.string else { return nil }
            if let version = FirmwareVersion(text) { return version }
            builder.faults.add(cursor, "a version is like 1.2.3 or 1.2.3+4")
            return nil
        },
        write: { version, _ in
            .string("\(version.major).\(version.minor).\(version.revision)+\(version.build)")
        }
    )
}

extension MCUmgrServer.Configuration {
    fileprivate var bufferCount: Int {
        get { buffers.count }
        set { buffers = MCUmgrParameters.Buffers(size: buffers.size, count: newValue) }
    }

    fileprivate var bufferSize: Int {
        get { buffers.size }
        set { buffers = MCUmgrParameters.Buffers(size: newValue, count: buffers.count) }
    }
}
