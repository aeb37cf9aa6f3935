// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
package import CommandLineInterface
import FirmwareUpdate
package import Records
package import Toolkit

/// `blectl update`: new firmware over the air.
package struct UpdateCommand: DeviceCommand {
    package static var commandName: CommandName { .update }
    package static let recordSchemas: [RecordSchema] = [UpdateResult.record.schema]
    package static let foreignNames = ["dfu", "ota", "upgrade", "flash", "firmware"]

    static let file = Argument(
        required: .text("FILE", completion: .file),
        summary: "the firmware: an image for MCUboot, or a zip",
        details: """
            An image of imgtool, or a zip with a `manifest.json`: of the nRF Connect SDK for MCUboot, of nrfutil or \
            adafruit-nrfutil for Nordic's DFU. `-` is standard input.
            """
    )

    static let test = Option(
        flag: "test",
        excludes: ["permanent"],
        summary: "do not confirm the image: the next start puts the old one back",
        details: "For firmware that confirms itself after its own tests."
    )

    static let permanent = Option(
        flag: "permanent",
        summary: "confirm the image before it has run",
        details: "If it or its Bluetooth does not run, nothing puts the old one back."
    )

    static let noReset = Option(
        flag: "no-reset",
        summary: "leave the image for the next start of the device"
    )

    static let image = Option(
        value: "image",
        .integer("NUMBER", in: 0...15),
        summary: "which program of a device with several it is",
        details: "A zip says it itself."
    )

    package static let spec = CommandSpec(
        commandName,
        [.deviceCommand, .changesDevice],
        summary: "update the firmware of a device over the air",
        discussion: [
            """
            For devices with MCUboot whose firmware has MCUmgr (SMP), as Zephyr's and Mynewt's. Header, TLVs and hash \
            of each image are checked first. blectl then asks for the slots, uploads the image into the free one, has \
            the device start it once, waits for it, and confirms the image if it runs. Otherwise the next start puts \
            the old one back.
            """,
            """
            One request less than the device has buffers is on its way, each in one or several packets. After a lost \
            link the upload goes on where the device says. An image that is in a slot is not sent again; if it runs \
            and is confirmed, the command ends with status 0.
            """,
            """
            For Nordic's boot loaders, Legacy and Secure DFU, the zip decides. The firmware is held to its checksum or \
            hash before anything is sent. An application is told to start the boot loader, which is looked for at the \
            same address and at the next one. Secure DFU goes on where the device is after a lost link; Legacy DFU \
            begins anew. The update is done when the application is back; the version that it states is shown.
            """,
            """
            Ctrl-C ends the command between two steps. What is uploaded stays on a device with MCUboot, which runs its \
            old firmware until it starts anew; a message says what state the device is in, and what to type.
            """,
        ],
        arguments: [file.spec],
        options: [test.spec, permanent.spec, noReset.spec, image.spec],
        groups: [.device, .link, .global],
        examples: [
            "blectl --simulate=mcuboot-board update zephyr.signed.bin": "update a simulated board",
            "blectl --simulate=mcuboot-board update zephyr.signed.bin --test": "leave the confirmation to the firmware",
            "blectl --simulate=dfu-watch update watch.zip":
                "replace the application of a simulated watch, by Legacy DFU",
        ],
        seeAlso: ["mcumgr"]
    )

    private let options: UpdateOptions
    package let target: DeviceOptions

    package init(_ arguments: ParsedArguments) throws(UsageError) {
        options = UpdateOptions(arguments)
        var target = try DeviceOptions(
            arguments,
            likely: .likely([.mcumgrService, .legacyDFUService, .secureDFUService], names: []),
            mustBeOnlyOne: true
        )
        // A boot loader may have the address of the application, and has other attributes.
        target.connection.usesCache = false
        // The link ends with the old firmware, and others would lose it.
        target.usesSessions = false
        self.target = target
    }

    package static func source(of text: String, isFirst: Bool) -> String? { text == "-" ? "standard input" : nil }

    package func action(on found: String?) -> String { "update \(target.text(found))" }

    package func run(in context: CommandContext) async throws {
        // Before the device is looked for: a wrong file sends nothing.
        let firmware = try await context.reading(options.path) { [options] in
            try FirmwareFile.read(options.path, image: options.image)
        }
        var target = target
        // A device for another kind of firmware beside it makes no choice necessary.
        if case .likely? = target.selector { target.selector = .likely(firmware.service) }
        if context.caller.held == nil { try await context.checkIsAlone(with: target, to: "update") }
        try await context.run(UpdateOperation(options: options, firmware: firmware, output: context.output), on: target)
    }
}

extension CommandName {
    package static var update: CommandName { CommandName("update", UpdateCommand.self) }
}

struct UpdateOptions: Sendable {
    let path: String
    let image: Int?
    let confirmation: FirmwareConfirmation
    let resets: Bool

    init(_ arguments: ParsedArguments) {
        path = arguments[UpdateCommand.file]
        image = arguments[UpdateCommand.image]
        confirmation =
            arguments[UpdateCommand.test] ? .never : arguments[UpdateCommand.permanent] ? .before : .afterwards
        resets = !arguments[UpdateCommand.noReset]
    }
}
