// SPDX-License-Identifier: MIT

import Bluetooth

/// The firmware of a device, with what it keeps from one event to the next: its random numbers and its timers.
struct FirmwareRunner: Sendable {
    private var firmware: any DeviceFirmware
    private var random: SeededGenerator
    /// The moment that the firmware has asked for.
    private(set) var timer: Instant?
    /// The part of the timer that does not wait for a connection.
    private(set) var radioTimer: Instant?

    /// Firmware that has seen no event yet.
    init(_ firmware: any DeviceFirmware, random: SeededGenerator) {
        self.firmware = firmware
        self.random = random
    }

    /// The names of the databases that the firmware can put in place.
    var databaseNames: [String] { firmware.databaseNames }

    /// Whether the moment of the timer has come. The timer is off then: the firmware sets a new one in its event.
    mutating func takeTimer(now: Instant) -> Bool {
        guard let moment = timer, moment <= now else { return false }
        timer = nil
        radioTimer = nil
        return true
    }

    /// Runs the firmware for one event.
    ///
    /// - Parameters:
    ///   - question: The question of a client that the firmware may answer later; `nil` if there is none.
    ///   - event: Calls the firmware.
    /// - Returns: The result of the call, and the effects that the machine has to carry out, in order.
    mutating func run<Answer>(
        _ now: Instant,
        asking question: GATTServer.Token?,
        of database: GATTDatabase,
        _ event: (inout any DeviceFirmware, inout DeviceContext) -> Answer
    ) -> (answer: Answer, effects: [DeviceContext.Effect]) {
        var context = DeviceContext(
            now: now,
            question: question,
            database: database,
            random: random,
            timer: timer,
            radioTimer: radioTimer
        )
        let answer = event(&firmware, &context)
        random = context.random
        timer = context.timer
        radioTimer = context.radioTimer
        return (answer, context.effects)
    }
}
