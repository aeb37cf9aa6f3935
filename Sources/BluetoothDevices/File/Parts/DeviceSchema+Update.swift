// SPDX-License-Identifier: MIT

import Bluetooth
import FirmwareUpdate

extension DeviceSchema {
    /// The server by which the firmware of a device is updated.
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
                DeviceMember("starts", .bool, \.startsNewImages)
                    .meaning(
                        "Whether an uploaded image runs; otherwise the boot loader puts the old one back at once."
                    ),
                DeviceMember("faults", .list(updateFault, count: 0...100), \.faults)
                    .meaning("What goes wrong in uploads, each once."),
            ]
        )
    )

    private static let updateFault = DeviceForm<MCUmgrServer.Fault>.object(
        usual: MCUmgrServer.Fault(offset: 0, effect: .lose),
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
