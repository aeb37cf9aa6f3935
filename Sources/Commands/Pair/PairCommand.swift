// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl pair`: pairs with a device.
struct PairCommand: Command {
    static var commandName: CommandName { .pair }
    static let inputOptions: Set<String> = [outOfBand.spec.long]
    static let recordSchemas: [RecordSchema] = [PairingStepResult.record.schema, PairedResult.record.schema]
    static let foreignNames = ["trust", "bond"]

    static let capability = Option(
        value: "io",
        .choice("MEANS", of: PairingMeans.self),
        summary: "what a person here can do in the pairing",
        details: """
            The default is all at a terminal, elsewhere what `--passkey` and `--confirm` allow: without them nothing, \
            for pairing without protection against a man in the middle.
            """
    )

    static let passkey = Option(
        value: "passkey",
        .text("DIGITS"),
        summary: "the six digits that the other side shows",
        details: """
            The answer for a script. Digits that this machine shows are chosen by the kernel, and printed.
            """
    )

    static let confirm = Option(
        value: "confirm",
        .text("yes|no|DIGITS"),
        summary: "whether the two show the same digits",
        details: "The answer for a script. With `DIGITS`, it is yes if this machine shows these."
    )

    static let noBond = Option(
        flag: "no-bond",
        summary: "keep no keys",
        details: "The link is encrypted until it ends; the next one needs another pairing."
    )

    static let secureConnections = Option(
        value: "secure-connections",
        .choice("USE", of: SecureConnectionsUse.self),
        summary: "whether to use Secure Connections",
        details: "By default they are used where the device has them. Not for a managed adapter."
    )

    static let outOfBand = Option(
        value: "oob",
        .text("FILE", completion: .file),
        excludes: ["io", "passkey", "confirm", "no-bond"],
        summary: "pair with the device's data in this file",
        details: """
            Data that did not come over the air prove who the device is: no digits are needed. A device without Secure \
            Connections is refused.
            """
    )

    static let outOfBandOutput = Option(
        value: "oob-out",
        .captureFile,
        excludes: ["oob", "device", "name", "service"],
        summary: "write this machine's data for a device, and end",
        details: """
            Give the file to the device, then pair. Valid until the adapter is switched off, or the option is used \
            again.
            """
    )

    static let spec = CommandSpec(
        commandName,
        [.common, .radio, .showsAddress, .oneDevice, .timesRecords, .endsLinks],
        summary: "pair with a device, and keep the keys",
        discussion: [
            """
            Connects, and pairs. What both sides can show and enter decides the proof: a person \
            enters the digits of one at the other, compares those of both, or nothing is proved.
            """,
            """
            Questions are answered at the terminal; what was typed before one does not answer it. In a script \
            `--passkey` and `--confirm` answer; if a question may come without an answer, the command ends with status \
            64 before it begins. With `--json`, records `pairing` have what was shown.
            """,
            """
            Keys are kept for this user only (FILES in `blectl(1)`); no output has them. Later commands encrypt the \
            link with them before their first request. If another program manages the adapter, such as bluetoothd, it \
            keeps the keys, and its agent is asked as well.
            """,
            """
            See also SECURITY in `blectl(1)`.
            """,
            """
            OUT OF BAND. `--oob` reads the data that a device shows in a QR code, a tag or its log from a JSON file: \
            `{ "schema": "blectl-oob/1", "address": "C5:EC:00:00:00:0C", "address_type": "random", "confirm": \
            "6a1f...", "random": "0f1e..." }`. `confirm` and `random` are the LE Secure Connections Confirmation Value \
            and Random Value, 32 hexadecimal digits each, most significant octet first; in advertising data they have \
            the types 0x22 and 0x23, and the opposite order. With the optional address, another device is refused with \
            status 65. `--oob-out` writes the same of this machine, for this user only; Linux has it only of adapters \
            with Secure Simple Pairing. With wrong data, the pairing fails with the reason `confirm value failed`.
            """,
            """
            With an adapter of the kernel, pairing needs `CAP_NET_ADMIN`, and Linux pairs only if it was powered after a \
            program began to manage it; if none does, the first pairing switches it off and on.
            """,
        ],
        arguments: [DeviceSpec.operand.spec],
        options: [
            capability.spec, passkey.spec, confirm.spec, noBond.spec, secureConnections.spec, outOfBand.spec,
            outOfBandOutput.spec,
        ],
        groups: [.device, .link, .global],
        examples: [
            "blectl --simulate=security pair 'Passkey Shown' --passkey 271828":
                "in a script, with a device that shows digits",
            "blectl --simulate pair 'Door Lock' --passkey 123456": "pair with the built-in lock",
            "blectl --simulate=security pair Compare --confirm yes": "agree that both show the same digits",
            "blectl --simulate=security pair 'Out Of Band' --oob tag.oob": "pair with data from the device's tag",
            "blectl --simulate=security read battery-level -d 'Just Works'": "read a protected value: pairs if needed",
            "blectl bonds": "the paired devices, and which keys they have",
        ],
        seeAlso: ["bonds", "unpair"]
    )

    let options: PairOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        target = try DeviceOptions(
            arguments,
            operand: arguments[DeviceSpec.operand],
            mustBeOnlyOne: true,
            raisesSecurity: false,
            isNeeded: arguments[Self.outOfBandOutput] == nil
        )
        options = try PairOptions(arguments)
    }

    func action(on found: String?) -> String { "pair with \(target.text(found))" }

    var linkedDevice: DeviceOptions? { options.outOfBandOutput == nil ? target : nil }

    var writtenFiles: [(option: String, path: String)] { options.writtenFiles }

    var givenNames: [String] { [target.selector?.givenName].compactMap(\.self) }

    func run(in context: CommandContext) async throws {
        try await PairRun(options: options, device: target, context: context).run()
    }
}

extension CommandName {
    static var pair: CommandName { CommandName("pair", PairCommand.self) }
}

/// The values of `--io`.
package enum PairingMeans: String, OptionChoice {
    case none
    case display
    case yesNo = "yes-no"
    case keyboard
    case keyboardDisplay = "keyboard-display"

    package var summary: String {
        switch self {
        case .none: "nothing"
        case .display: "read digits"
        case .yesNo: "read digits, and say yes or no"
        case .keyboard: "enter digits"
        case .keyboardDisplay: "all of that"
        }
    }
}

package enum SecureConnectionsUse: String, OptionChoice {
    case on
    case off
    case only

    package var summary: String {
        switch self {
        case .on: "if the device has them"
        case .off: "not, for the pairing of Bluetooth 4.0"
        case .only: "pair with no device that lacks them"
        }
    }
}
