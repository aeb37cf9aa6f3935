// SPDX-License-Identifier: GPL-2.0-or-later

package enum TargetDocumentation {
    package static let summary = "a characteristic, or a descriptor under one"

    package static let details = """
        Such as `battery-level`, `0x2A19`, `heart-rate/body-sensor-location`, `battery-level/cccd`, `handle:0x0018`: \
        see TARGETS in `blectl(1)`.
        """
}
