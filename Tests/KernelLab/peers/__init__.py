# SPDX-License-Identifier: GPL-2.0-or-later
"""The devices on the lab's air: third-party hosts and controllers (Bumble), behind the kernel's own hci0."""
