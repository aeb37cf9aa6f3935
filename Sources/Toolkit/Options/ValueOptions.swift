// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface

/// The options of `notify` and `watch` about the values that a device sends.
package enum ValueOptions {
    package static let listen = Option(
        flag: "listen",
        summary: "also take what cannot be switched on",
        details: """
            Some devices send values without a Client Characteristic Configuration, or refuse the write to it. A \
            message says why.
            """
    )

    package static let chart = Option(
        value: "chart",
        .chartFile,
        summary: "draw the numbers over time to this file, as SVG",
        details:
            "Written at the end, also after Ctrl-C. Of many values, the least and greatest of neighbours are drawn."
    )
}

package enum TargetDocumentation {
    package static let summary = "a characteristic, or a descriptor under one"

    package static let details = """
        Such as `battery-level`, `heart-rate/0x2A38`, `battery-level/cccd`, `handle:0x0018`: see TARGETS in `blectl(1)`.
        """
}
