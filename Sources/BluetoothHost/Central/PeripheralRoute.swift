// SPDX-License-Identifier: MIT

/// A way to a device: the radio that its link is made with, and the security that belongs to a link made so.
package struct PeripheralRoute: Sendable {
    let radio: any Radio
    /// Completes the security of each link, as in `Peripheral.Configuration`.
    let completeSecurity: (@Sendable (SecurityPolicy) async -> SecurityPolicy)?
    /// Has the say before the security of a link is raised.
    let linkGuard: (any LinkGuard)?
    /// Chooses the next way when the process that has the link has ended, too; `nil` if there is none.
    let chooseRoute: (@Sendable () async -> PeripheralRoute?)?

    package init(_ radio: any Radio, _ configuration: Peripheral.Configuration) {
        self.radio = radio
        completeSecurity = configuration.completeSecurity
        linkGuard = configuration.linkGuard
        chooseRoute = configuration.chooseRoute
    }
}
