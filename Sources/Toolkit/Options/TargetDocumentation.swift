// SPDX-License-Identifier: GPL-2.0-or-later

package enum TargetDocumentation {
    package static let summary = "a characteristic, or a descriptor under one"

    package static let details = """
        Such as `battery-level`, `heart-rate/0x2A38`, `battery-level/cccd`, `handle:0x0018`: see TARGETS in `blectl(1)`.
        """
}
