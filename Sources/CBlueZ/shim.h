/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libbluetooth, and the parts of the kernel's interface that Swift cannot import: function-like macros, _IOR constants,
 * variadic functions, enumerations used as flags, and functions that need _GNU_SOURCE. The wrappers contain no logic.
 * Constants have the type of the field or parameter that they are used for, so that Swift code needs no conversions.
 */
#pragma once
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <bluetooth/l2cap.h>

/* epoll(7): the header declares the event bits as an enumeration; epoll_event.events holds uint32_t. */
static const uint32_t BLECTL_EPOLLIN = EPOLLIN;
static const uint32_t BLECTL_EPOLLOUT = EPOLLOUT;
static const uint32_t BLECTL_EPOLLERR = EPOLLERR;
static const uint32_t BLECTL_EPOLLHUP = EPOLLHUP;
static const uint32_t BLECTL_EPOLLRDHUP = EPOLLRDHUP;
static const uint32_t BLECTL_EPOLLET = EPOLLET;

static inline int blectl_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int blectl_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t token)
{
    struct epoll_event event = { .events = events, .data.u64 = token };
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int blectl_epoll_modify(int epoll, int descriptor, uint32_t events, uint64_t token)
{
    struct epoll_event event = { .events = events, .data.u64 = token };
    return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event);
}

static inline int blectl_epoll_remove(int epoll, int descriptor)
{
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

static inline int blectl_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline int blectl_timerfd(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK); }

/* Has the timer expire once, at that moment of CLOCK_MONOTONIC in nanoseconds, which is not 0. */
static inline int blectl_timerfd_set(int timer, int64_t nanoseconds)
{
    struct itimerspec moment = { .it_value = { nanoseconds / 1000000000, nanoseconds % 1000000000 } };
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &moment, NULL);
}

/* socket(2): the header declares types and flags as an enumeration, whose values Swift cannot combine with |. */
static inline int blectl_socket(int domain, int type, int protocol)
{
    return socket(domain, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
}

static inline int blectl_socketpair(int descriptors[2])
{
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, descriptors);
}

static const int BLECTL_SOCK_RAW = SOCK_RAW;
static const int BLECTL_SOCK_SEQPACKET = SOCK_SEQPACKET;
static const int BLECTL_SOCK_STREAM = SOCK_STREAM;

static inline ssize_t blectl_send(int descriptor, const void *bytes, size_t count)
{
    return send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static inline ssize_t blectl_receive(int descriptor, void *bytes, size_t count)
{
    return recv(descriptor, bytes, count, MSG_DONTWAIT);
}

/* fcntl(2), which is variadic. Makes a descriptor non-blocking, which libbluetooth's sockets are not. */
static inline int blectl_unblock(int descriptor)
{
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0)
        return -1;
    return fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

/* recvmmsg(2), as a system call because the headers declare its structure only with _GNU_SOURCE. Packet i is written to
 * `bytes + i * size` and cut to `size` octets; its length is in `lengths[i]`. Returns the number of packets. */
#define BLECTL_MOST_PACKETS 64

static inline int blectl_receive_several(int descriptor, uint8_t *bytes, size_t size, int most, uint32_t *lengths)
{
    struct {
        struct msghdr header;
        unsigned int length;
    } messages[BLECTL_MOST_PACKETS];
    struct iovec places[BLECTL_MOST_PACKETS];
    for (int i = 0; i < most; i++) {
        places[i] = (struct iovec) { .iov_base = bytes + i * size, .iov_len = size };
        messages[i].header = (struct msghdr) { .msg_iov = &places[i], .msg_iovlen = 1 };
    }
    int count = (int)syscall(SYS_recvmmsg, descriptor, messages, most, MSG_DONTWAIT, NULL);
    for (int i = 0; i < count; i++)
        lengths[i] = messages[i].length;
    return count;
}

static inline int blectl_bind_hci(int descriptor, const struct sockaddr_hci *address)
{
    return bind(descriptor, (const struct sockaddr *)address, sizeof(*address));
}

static inline int blectl_bind_l2cap(int descriptor, const struct sockaddr_l2 *address)
{
    return bind(descriptor, (const struct sockaddr *)address, sizeof(*address));
}

static inline int blectl_connect_l2cap(int descriptor, const struct sockaddr_l2 *address)
{
    return connect(descriptor, (const struct sockaddr *)address, sizeof(*address));
}

static inline int blectl_bind_unix(int descriptor, const struct sockaddr_un *address)
{
    return bind(descriptor, (const struct sockaddr *)address, sizeof(*address));
}

static inline int blectl_connect_unix(int descriptor, const struct sockaddr_un *address)
{
    return connect(descriptor, (const struct sockaddr *)address, sizeof(*address));
}

/* tcflag_t, of which the header's constant is an int, and negative. */
static const unsigned int BLECTL_CRTSCTS = CRTSCTS;

static inline int blectl_connect_any(int descriptor, const void *address, size_t length)
{
    return connect(descriptor, (const struct sockaddr *)address, (socklen_t)length);
}

static inline int blectl_own_unix(int descriptor, struct sockaddr_un *address, socklen_t *length)
{
    return getsockname(descriptor, (struct sockaddr *)address, length);
}

/* open(2), which is variadic. */
static inline int blectl_open(const char *path, int flags) { return open(path, flags); }

static inline int blectl_accept(int descriptor)
{
    int accepted = accept(descriptor, NULL, NULL);
    if (accepted >= 0)
        fcntl(accepted, F_SETFD, FD_CLOEXEC);
    return accepted;
}

static inline int blectl_peer_l2cap(int descriptor, struct sockaddr_l2 *address)
{
    socklen_t length = sizeof(*address);
    return getpeername(descriptor, (struct sockaddr *)address, &length);
}

static const int BLECTL_SOCK_DGRAM = SOCK_DGRAM;

/* unix(7), SCM_RIGHTS: a packet of one octet with a descriptor. */
union blectl_rights {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr alignment;
};

static inline ssize_t blectl_send_descriptor(int socket, uint8_t octet, int descriptor)
{
    struct iovec content = { .iov_base = &octet, .iov_len = 1 };
    union blectl_rights rights = { { 0 } };
    struct msghdr message = {
        .msg_iov = &content, .msg_iovlen = 1,
        .msg_control = rights.bytes, .msg_controllen = sizeof(rights.bytes),
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    __builtin_memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Sets the descriptor to -1 if none came. The buffer has room for one, so that the kernel closes any further ones. */
static inline ssize_t blectl_receive_descriptor(int socket, uint8_t *octet, int *descriptor)
{
    struct iovec content = { .iov_base = octet, .iov_len = 1 };
    union blectl_rights rights = { { 0 } };
    struct msghdr message = {
        .msg_iov = &content, .msg_iovlen = 1,
        .msg_control = rights.bytes, .msg_controllen = CMSG_LEN(sizeof(int)),
    };
    *descriptor = -1;
    ssize_t count = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = count < 0 ? NULL : CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS
        && header->cmsg_len == CMSG_LEN(sizeof(int)))
        __builtin_memcpy(descriptor, CMSG_DATA(header), sizeof(int));
    return count;
}

/* unix(7), SO_PEERCRED: struct ucred, which the headers declare only with _GNU_SOURCE. */
struct blectl_credentials {
    int32_t process;
    uint32_t user;
    uint32_t group;
};

/* socket(7), SO_MEMINFO: nine counters (linux/sock_diag.h). The first is the memory of received packets, the third that of
 * packets that were not sent, the last counts the dropped ones. */
struct blectl_meminfo {
    uint32_t received;
    uint32_t receive_limit;
    uint32_t unsent;
    uint32_t others[5];
    uint32_t drops;
};

/* Host to Bluetooth byte order, which is little-endian, in socket addresses and in HCI; a macro in the header. */
static inline uint16_t blectl_htobs(uint16_t value) { return htobs(value); }

/* HCIGETDEVLIST: struct hci_dev_list_req with room for more adapters than a machine has. It names all, also those that are
 * down, which hci_for_each_dev leaves out. */
#define BLECTL_MAX_ADAPTERS 64

struct blectl_adapter_list {
    uint16_t count;
    struct hci_dev_req adapters[BLECTL_MAX_ADAPTERS];
};

static inline int blectl_adapter_list(int descriptor, struct blectl_adapter_list *list)
{
    list->count = BLECTL_MAX_ADAPTERS;
    return ioctl(descriptor, HCIGETDEVLIST, list);
}

/* HCIGETDEVINFO on a socket that is open: hci_devinfo opens one for each question. */
static inline int blectl_adapter_info(int descriptor, struct hci_dev_info *info)
{
    return ioctl(descriptor, HCIGETDEVINFO, info);
}

/* HCIGETCONNLIST: struct hci_conn_list_req with room for more connections than a controller supports. */
#define BLECTL_MAX_CONNECTIONS 64

struct blectl_connection_list {
    uint16_t adapter;
    uint16_t count;
    struct hci_conn_info connections[BLECTL_MAX_CONNECTIONS];
};

static inline int blectl_connection_list(int descriptor, uint16_t adapter, struct blectl_connection_list *list)
{
    list->adapter = adapter;
    list->count = BLECTL_MAX_CONNECTIONS;
    return ioctl(descriptor, HCIGETCONNLIST, list);
}

/* LE_LINK of the kernel's net/bluetooth/hci.h; libbluetooth's header ends with ESCO_LINK. */
static const uint8_t BLECTL_LE_LINK = 0x80;

/* hci(7): the header declares bit numbers; hci_dev_info.flags holds the bits. */
static const uint32_t BLECTL_HCI_UP = 1u << HCI_UP;
static const uint32_t BLECTL_HCI_INIT = 1u << HCI_INIT;
static const uint32_t BLECTL_HCI_RUNNING = 1u << HCI_RUNNING;

/* GNU extensions, declared here because Swift's importer does not define _GNU_SOURCE. */
extern int pthread_setname_np(pthread_t thread, const char *name);

/* Keeps the memory of the process out of core files, and from other processes of the user: prctl(2). */
static inline int blectl_hide_memory(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

static inline void blectl_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

/* The symbolic name of an errno, such as ENODEV (glibc 2.32); null for an unknown number. */
extern const char *strerrorname_np(int error);
