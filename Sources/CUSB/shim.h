/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libusb-1.0, loaded while the program runs: only controllers on USB need it, and a machine may lack it. Neither its header nor
 * its library is needed for building. Structures, numbers and prototypes are those of libusb.h, which are the same in all
 * versions 1.0. Its pointers are numbers here, which may pass between threads as libusb allows. The wrappers contain no logic.
 */
#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The addresses of libusb's functions. */
struct blectl_usb {
    uintptr_t init, exit, list, free_list, bus, address, open, close, driver_active, detach, attach, claim, release, reset,
        clear_halt, new_transfer, free_transfer, submit, cancel, handle_events, poll_descriptors, free_poll_descriptors;
};

/* libusb_transfer: octets on the way to or from an endpoint. */
struct blectl_usb_transfer {
    void *handle;
    uint8_t flags;
    unsigned char endpoint, type;
    unsigned int timeout;
    int status, length, actual_length;
    void (*callback)(struct blectl_usb_transfer *);
    void *user;
    unsigned char *buffer;
    int packet_count;
};

/* Called for each transfer that is over. */
typedef void (*blectl_usb_callback)(struct blectl_usb_transfer *);

/* How a transfer has ended (libusb_transfer_status). */
static const int BLECTL_USB_COMPLETED = 0;
static const int BLECTL_USB_TIMED_OUT = 2;
static const int BLECTL_USB_CANCELLED = 3;
static const int BLECTL_USB_STALL = 4;
static const int BLECTL_USB_NO_DEVICE = 5;
/* Why a call has failed (libusb_error). */
static const int BLECTL_USB_ERROR_ACCESS = -3;
static const int BLECTL_USB_ERROR_NO_DEVICE = -4;
static const int BLECTL_USB_ERROR_NOT_FOUND = -5;
static const int BLECTL_USB_ERROR_BUSY = -6;
/* The kinds of endpoints (libusb_endpoint_transfer_type). */
static const uint8_t BLECTL_USB_CONTROL = 0;
static const uint8_t BLECTL_USB_BULK = 2;
static const uint8_t BLECTL_USB_INTERRUPT = 3;

/* Loads libusb; false if the machine has none, or one with other functions. */
static inline bool blectl_usb_load(struct blectl_usb *library)
{
    void *handle = dlopen("libusb-1.0.so.0", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return false;
    static const char *const names[] = {
        "libusb_init", "libusb_exit", "libusb_get_device_list", "libusb_free_device_list", "libusb_get_bus_number",
        "libusb_get_device_address", "libusb_open", "libusb_close", "libusb_kernel_driver_active",
        "libusb_detach_kernel_driver", "libusb_attach_kernel_driver", "libusb_claim_interface", "libusb_release_interface",
        "libusb_reset_device", "libusb_clear_halt", "libusb_alloc_transfer", "libusb_free_transfer",
        "libusb_submit_transfer", "libusb_cancel_transfer", "libusb_handle_events_timeout_completed",
        "libusb_get_pollfds", "libusb_free_pollfds",
    };
    uintptr_t *function = &library->init;
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        function[index] = (uintptr_t)dlsym(handle, names[index]);
        if (function[index] == 0)
            return false;
    }
    return true;
}

/* A context, which has its own events; 0 after a failure. */
static inline uintptr_t blectl_usb_begin(const struct blectl_usb *library)
{
    void *context = NULL;
    return ((int (*)(void **))library->init)(&context) == 0 ? (uintptr_t)context : 0;
}

static inline void blectl_usb_end(const struct blectl_usb *library, uintptr_t context)
{
    ((void (*)(void *))library->exit)((void *)context);
}

/* Opens the device with that number on that bus. Returns 0, or the error. */
static inline int blectl_usb_open(
    const struct blectl_usb *library, uintptr_t context, int bus, int address, uintptr_t *device)
{
    void **list = NULL, *handle = NULL;
    int result = BLECTL_USB_ERROR_NO_DEVICE;
    long count = ((long (*)(void *, void ***))library->list)((void *)context, &list);
    for (long index = 0; index < count; index++) {
        if (((uint8_t (*)(void *))library->bus)(list[index]) == bus && ((uint8_t (*)(void *))library->address)(list[index]) == address)
            result = ((int (*)(void *, void **))library->open)(list[index], &handle);
    }
    if (count >= 0)
        ((void (*)(void **, int))library->free_list)(list, 1);
    *device = (uintptr_t)handle;
    return result;
}

static inline void blectl_usb_close(const struct blectl_usb *library, uintptr_t device)
{
    ((void (*)(void *))library->close)((void *)device);
}

/* What a function does with an interface: 1 or 0, or an error. */
static inline int blectl_usb_interface(uintptr_t function, uintptr_t device, int interface)
{
    return ((int (*)(void *, int))function)((void *)device, interface);
}

static inline int blectl_usb_reset(const struct blectl_usb *library, uintptr_t device)
{
    return ((int (*)(void *))library->reset)((void *)device);
}

static inline int blectl_usb_clear_halt(const struct blectl_usb *library, uintptr_t device, uint8_t endpoint)
{
    return ((int (*)(void *, unsigned char))library->clear_halt)((void *)device, endpoint);
}

/* A transfer with a buffer of its own; NULL if there is no memory. */
static inline struct blectl_usb_transfer *blectl_usb_transfer_new(
    const struct blectl_usb *library, uintptr_t device, uint8_t endpoint, uint8_t type, size_t length, unsigned int timeout,
    blectl_usb_callback callback, void *user)
{
    unsigned char *buffer = (unsigned char *)calloc(1, length);
    struct blectl_usb_transfer *transfer = (struct blectl_usb_transfer *)((void *(*)(int))library->new_transfer)(0);
    if (buffer == NULL || transfer == NULL) {
        free(buffer);
        if (transfer != NULL)
            ((void (*)(void *))library->free_transfer)(transfer);
        return NULL;
    }
    transfer->handle = (void *)device;
    transfer->endpoint = endpoint;
    transfer->type = type;
    transfer->timeout = timeout;
    transfer->length = (int)length;
    transfer->callback = callback;
    transfer->user = user;
    transfer->buffer = buffer;
    return transfer;
}

static inline void blectl_usb_transfer_free(const struct blectl_usb *library, struct blectl_usb_transfer *transfer)
{
    free(transfer->buffer);
    ((void (*)(void *))library->free_transfer)(transfer);
}

static inline int blectl_usb_submit(const struct blectl_usb *library, struct blectl_usb_transfer *transfer)
{
    return ((int (*)(void *))library->submit)(transfer);
}

static inline void blectl_usb_cancel(const struct blectl_usb *library, struct blectl_usb_transfer *transfer)
{
    ((int (*)(void *))library->cancel)(transfer);
}

/* Does what is to be done, and waits that long for something to do. Callbacks are called meanwhile. */
static inline int blectl_usb_handle_events(const struct blectl_usb *library, uintptr_t context, long milliseconds)
{
    /* As struct timeval has it. */
    struct limit { long seconds, microseconds; } limit = { milliseconds / 1000, milliseconds % 1000 * 1000 };
    return ((int (*)(void *, struct limit *, int *))library->handle_events)((void *)context, &limit, NULL);
}

/* Calls a function with each descriptor that says that there is something to do, and the events to wait for (poll(2)). */
static inline void blectl_usb_descriptors(
    const struct blectl_usb *library, uintptr_t context, void (*add)(void *user, int descriptor, short events), void *user)
{
    struct descriptor { int number; short events; } **list = ((struct descriptor **(*)(void *))library->poll_descriptors)((void *)context);
    for (struct descriptor **next = list; next != NULL && *next != NULL; next++)
        add(user, (*next)->number, (*next)->events);
    ((void (*)(struct descriptor **))library->free_poll_descriptors)(list);
}
