// SPDX-License-Identifier: GPL-2.0-or-later

/// The targets of `read`, `write` and `notify`. Their text is parsed by the commands.
extension ValueSyntax where Value == String {
    static var target: ValueSyntax { .text("TARGET", completion: .target) }
}

/// The common documentation of targets.
enum TargetDocumentation {
    static let summary = "a characteristic, or a descriptor under one"

    static let details = """
        An assigned name (`battery-level`), a UUID of 16, 32 or 128 bits (`0x2A19`), either of them behind a service \
        (`heart-rate/body-sensor-location`), a handle (`handle:0x0018`), or a descriptor behind its characteristic \
        (`battery-level/0x2901`). If a name or a UUID fits several, the first is taken.
        """
}
