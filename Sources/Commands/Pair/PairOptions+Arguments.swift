// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Toolkit

extension PairOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        guard !arguments[DeviceSpec.noPair] else { throw arguments.impossible("--no-pair contradicts the command") }
        try self.init(answering: arguments)
        wantsBond = !arguments[PairCommand.noBond]
        secureConnections = arguments[PairCommand.secureConnections].map(\.mode)
        outOfBandFile = arguments[PairCommand.outOfBand]
        outOfBandOutput = arguments[PairCommand.outOfBandOutput]
        if outOfBandFile != nil {
            guard secureConnections != .off else { throw arguments.impossible("--oob needs Secure Connections") }
            // No person is asked, so that a device without these data cannot prove itself in another way.
            capability = .noInputNoOutput
        }
        if outOfBandOutput != nil {
            guard secureConnections != .off else {
                throw arguments.impossible("--oob-out needs Secure Connections")
            }
            guard !arguments[GlobalSpec.privacy] else { throw arguments.hidesOutOfBandAddress }
            guard arguments[DeviceSpec.operand] == nil else {
                throw arguments.impossible("--oob-out pairs with no device", hint: "pair with it afterwards")
            }
        }
    }

    /// Reads the options of a device that centrals pair with; `nil` if none of them was given.
    static func served(_ arguments: ParsedArguments) throws(UsageError) -> PairOptions? {
        let isWanted =
            arguments.isGiven(PairCommand.capability) || arguments.isGiven(PairCommand.passkey)
            || arguments.isGiven(PairCommand.confirm) || arguments[ServeCommand.bondable]
            || arguments[ServeCommand.noBondable]
            || arguments[ServeCommand.securityRequest] || arguments.isGiven(ServeCommand.outOfBand)
            || arguments.isGiven(ServeCommand.outOfBandOutput)
        guard isWanted else { return nil }
        var options = try PairOptions(answering: arguments)
        options.wantsBond = !arguments[ServeCommand.noBondable]
        options.centralFiles = arguments[ServeCommand.outOfBand]
        options.outOfBandOutput = arguments[ServeCommand.outOfBandOutput]
        if options.outOfBandOutput != nil, arguments[GlobalSpec.privacy] { throw arguments.hidesOutOfBandAddress }
        return options
    }

    /// Reads the abilities of the person at this machine, and the answers given in advance.
    private init(answering arguments: ParsedArguments) throws(UsageError) {
        self.init()
        capability = arguments[PairCommand.capability].map(\.capability)
        isTimeGiven = arguments.isGiven(GlobalSpec.timeout)
        if let text = arguments[PairCommand.passkey] {
            guard let number = Self.digits(text) else {
                // The digits are a secret, and a log of messages is no place for them.
                throw arguments.impossible("--passkey takes six digits")
            }
            passkey = number
            // The kernel chooses the digits that this machine shows (net/bluetooth/smp.c, tk_request), so that these would
            // never be shown, and the pairing would fail with digits that nobody has seen.
            if let capability, ![.keyboardOnly, .keyboardDisplay].contains(capability) {
                throw arguments.impossible(
                    "--passkey is what the other side shows, and with this --io nothing is entered here",
                    hint: "leave out --passkey: digits to type at the other side are chosen by the kernel, and shown; "
                        + "or give --io keyboard"
                )
            }
        }
        switch arguments[PairCommand.confirm] {
        case nil: break
        case "yes"?: confirmation = .yes
        case "no"?: confirmation = .no
        case let text?:
            guard let number = Self.digits(text) else {
                throw arguments.impossible("--confirm takes yes, no or six digits")
            }
            confirmation = .digits(number)
        }
    }

    private static func digits(_ text: String) -> UInt32? {
        // Leading zeros belong to a passkey. A forgotten digit must not cost the pairing.
        guard text.utf8.count == 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(text)
    }
}

extension ParsedArguments {
    /// The error that the out-of-band data of this machine contain its address.
    fileprivate var hidesOutOfBandAddress: UsageError {
        impossible("--oob-out gives away the adapter's own address, which --privacy hides")
    }
}

extension PairingMeans {
    fileprivate var capability: IOCapability {
        switch self {
        case .none: .noInputNoOutput
        case .display: .displayOnly
        case .yesNo: .displayYesNo
        case .keyboard: .keyboardOnly
        case .keyboardDisplay: .keyboardDisplay
        }
    }
}

extension SecureConnectionsUse {
    fileprivate var mode: SetSecureConnections.Mode {
        switch self {
        case .on: .on
        case .off: .off
        case .only: .only
        }
    }
}
