// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The options of `blectl pair`.
struct PairOptions: Sendable, Equatable {
    /// The answer to the question whether the two show the same digits.
    enum Confirmation: Sendable, Equatable {
        case yes
        case no
        /// Yes if this machine shows these digits.
        case digits(UInt32)
    }

    /// What a person here can do; `nil` if it was not given.
    var capability: IOCapability?
    var passkey: UInt32?
    var confirmation: Confirmation?
    var wantsBond = true
    var secureConnections: SetSecureConnections.Mode?
    /// Whether `--timeout` was given, which then holds also while somebody enters digits at the device.
    var isTimeGiven = false

    /// What a person here can do, by the answers that can be had.
    ///
    /// - Parameter isInteractive: Whether there is a person to ask.
    func capability(isInteractive: Bool) -> IOCapability {
        if let capability { return capability }
        if isInteractive { return .keyboardDisplay }
        switch (passkey, confirmation) {
        case (nil, nil): return .noInputNoOutput
        case (nil, _?): return .displayYesNo
        case (_?, nil): return .keyboardOnly
        case (_?, _?): return .keyboardDisplay
        }
    }

    /// The option without which a question of the pairing could have no answer; `nil` if none is missing.
    var missingAnswer: String? {
        switch capability {
        case nil, .noInputNoOutput?, .displayOnly?: nil
        case .displayYesNo?: confirmation == nil ? "--confirm" : nil
        case .keyboardOnly?: passkey == nil ? "--passkey" : nil
        case .keyboardDisplay?: passkey == nil ? "--passkey" : confirmation == nil ? "--confirm" : nil
        }
    }
}

extension PairOptions {
    /// Reads the options from a command line.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        capability = arguments[PairSpec.capability].map(\.capability)
        wantsBond = !arguments[PairSpec.noBond]
        secureConnections = arguments[PairSpec.secureConnections].map(\.mode)
        isTimeGiven = arguments.isGiven(GlobalSpec.timeout)
        guard !arguments[DeviceSpec.noPair] else { throw arguments.impossible("--no-pair contradicts the command") }
        if let text = arguments[PairSpec.passkey] {
            guard let number = Self.digits(text) else {
                throw arguments.impossible("--passkey takes six digits, not \(Prose.quoted(text))")
            }
            passkey = number
        }
        switch arguments[PairSpec.confirm] {
        case nil: break
        case "yes"?: confirmation = .yes
        case "no"?: confirmation = .no
        case let text?:
            guard let number = Self.digits(text) else {
                throw arguments.impossible("--confirm takes yes, no or six digits, not \(Prose.quoted(text))")
            }
            confirmation = .digits(number)
        }
    }

    private static func digits(_ text: String) -> UInt32? {
        guard text.utf8.count == 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(text)
    }
}

/// The options of `blectl unpair`.
enum UnpairOptions: Sendable, Equatable {
    case device(DeviceIdentifier)
    case all

    /// Reads the options from a command line.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        if arguments[UnpairSpec.all] {
            self = .all
        } else if let device = arguments[UnpairSpec.device] {
            self = .device(device)
        } else {
            throw arguments.impossible("no device is named", hint: "give its address or its name, or --all")
        }
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
