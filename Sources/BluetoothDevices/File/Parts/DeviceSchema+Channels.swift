// SPDX-License-Identifier: MIT

import Bluetooth

extension DeviceSchema {
    static let channel = DeviceType(
        .channel,
        "A service on L2CAP credit-based channels.",
        form: .object(
            usual: DeviceChannel(spsm: SPSM(0), behavior: .echo),
            [
                DeviceMember(required: "psm", .numeral(1...255), \.number)
                    .meaning("Number of the service; devices choose from 128 on."),
                DeviceMember(
                    required: "does",
                    .words([
                        ("echo", .echo, "sends back what it receives"),
                        ("sink", .sink, "only receives"),
                        ("source", .source(octets: nil), "sends as fast as the client takes it"),
                    ]),
                    \.kind
                )
                .meaning("What the device does on an open channel."),
                DeviceMember("octets", .integer(0...2_147_483_647), optional: \.octets)
                    .byDefault("without end")
                    .meaning(
                        "How many octets, counting from 0 to 255 repeatedly, a source sends before it closes the channel."
                    ),
                DeviceMember("mtu", .integer(23...65_535), \.mtu)
                    .meaning("Largest unit that it receives, in octets."),
                // Core 5.4, Vol 3, Part A, 4.22: an MPS is from 23 to 65,533 octets.
                DeviceMember("mps", .integer(23...65_533), \.mps)
                    .meaning("Largest frame that a simulated device receives, in octets."),
                DeviceMember("credits", .integer(0...65_535), \.credits)
                    .meaning(
                        "How many frames a client of a simulated device may send in advance; with 0 none at all."
                    ),
                DeviceMember("connections", .integer(0...64), \.maximumChannels)
                    .meaning(
                        "How many channels a simulated link may have at once; with 0 each is refused for lack of resources."
                    ),
                DeviceMember(
                    "security",
                    .words([
                        ("none", .open, "none"),
                        ("encrypted", .encrypted, "an encrypted link"),
                        ("authenticated", .authenticated, "encrypted, with protection against a man in the middle"),
                    ]),
                    \.security
                )
                .meaning("Security without which the device refuses a channel."),
            ]
        ) { object, channel, builder in
            if let octets = object["octets"], channel.kind != .source(octets: nil) {
                builder.faults.add(octets, "only a source has a number of octets")
            }
        }
    )

    static let channels = DeviceForm<[DeviceChannel]>(
        kind: .list(.type(.channel), count: 0...64),
        read: { list, builder in
            var channels: [DeviceChannel] = []
            for cursor in list.elements ?? [] {
                guard let channel = channel.form.read(cursor, &builder) else { continue }
                if channels.contains(where: { $0.spsm == channel.spsm }), let psm = cursor["psm"] {
                    builder.faults.add(psm, "another channel has the number \(channel.number)")
                }
                channels.append(channel)
            }
            return channels
        },
        write: { channels, writer in .array(channels.compactMap { channel.form.write($0, writer) }) }
    )
}

extension DeviceChannel {
    fileprivate var number: UInt16 {
        get { spsm.rawValue }
        set { spsm = SPSM(newValue) }
    }

    /// The behaviour without the number of octets of a source.
    fileprivate var kind: Behavior {
        get { if case .source = behavior { .source(octets: nil) } else { behavior } }
        set { behavior = newValue }
    }

    fileprivate var octets: Int? {
        get { if case .source(let octets) = behavior { octets } else { nil } }
        set { if case .source = behavior { behavior = .source(octets: newValue) } }
    }

    /// The requirement as one that has a word.
    fileprivate var security: AccessRequirement {
        get { requirement.authentication ? .authenticated : requirement.isOpen ? .open : .encrypted }
        set { requirement = newValue }
    }
}
