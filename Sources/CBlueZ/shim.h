/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Swift cannot import from libbluetooth and the kernel by itself. */
#pragma once
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <bluetooth/l2cap.h>
