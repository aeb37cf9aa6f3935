// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Testing

@testable import CommandLineInterface
@testable import Commands

/// Controllers that are not the kernel's.
extension DiagnosisCases {
    private static func elsewhere(_ place: String, _ cause: RadioError.Cause? = nil) -> MachineSnapshot {
        with { snapshot in
            snapshot.wanted = place
            snapshot.facts = nil
            guard let cause else { return }
            snapshot.problem = RadioError(cause, during: place, on: place)
            (snapshot.adapters, snapshot.adapter) = ([], nil)
            (snapshot.controller, snapshot.scan) = (.notAsked, .notTried)
        }
    }

    static let elsewhereCases: [Case] = [
        Case(
            "libusb is missing",
            elsewhere(
                "usb",
                .attachment(.init("it needs libusb", remedy: "sudo apt install libusb-1.0-0", isCommand: true))
            ),
            .transport,
            .failure,
            "it needs libusb",
            .command("sudo apt install libusb-1.0-0"),
            status: .bluetoothUnavailable
        ),
        Case(
            "a serial port belongs to a group",
            elsewhere("serial:/dev/x", .attachment(.init("it is theirs", remedy: "join them", isOfPermissions: true))),
            .transport,
            .failure,
            "it is theirs",
            .advice("join them"),
            status: .permissionDenied
        ),
        Case(
            "a serial port at which nobody answers",
            elsewhere("serial:/dev/x", .controllerSilent),
            .transport,
            .failure,
            "the controller does not answer",
            .advice(
                "'ls /dev/tty[AU]*' shows the ports; the firmware may have another speed or flow control: "
                    + "serial:/dev/x,115200,flow"
            ),
            status: .temporaryFailure
        ),
        Case(
            "no program at a port",
            elsewhere("tcp:pi:1", .controllerUnreachable),
            .transport,
            .failure,
            "there is no controller at tcp:pi:1",
            .advice("start the controller there, or look at the name and the port"),
            status: .bluetoothUnavailable
        ),
        Case(
            "a program at a socket",
            elsewhere("unix:/tmp/radio"),
            .transport,
            .ok,
            "a program listens at /tmp/radio"
        ),
    ]
}
