/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zlib, loaded while the program runs: only compressed captures need it, and a machine may lack it. Neither its header nor its
 * library is needed for building. The structure and the prototypes are those of zlib.h, which are the same in all versions 1.
 * The wrappers contain no logic.
 */
#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* The addresses of zlib's functions. */
struct blectl_zlib {
    uintptr_t init, inflate, end, crc;
};

/* z_stream: what is read and written next, and what zlib keeps. */
struct blectl_zlib_stream {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *message;
    void *state, *allocate, *release, *opaque;
    int data_type;
    unsigned long adler, reserved;
};

/* What inflating returns. */
static const int BLECTL_Z_OK = 0;
static const int BLECTL_Z_STREAM_END = 1;
static const int BLECTL_Z_BUF_ERROR = -5;

/* Loads zlib; false if the machine has none. */
static inline bool blectl_zlib_load(struct blectl_zlib *library)
{
    void *handle = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return false;
    library->init = (uintptr_t)dlsym(handle, "inflateInit2_");
    library->inflate = (uintptr_t)dlsym(handle, "inflate");
    library->end = (uintptr_t)dlsym(handle, "inflateEnd");
    library->crc = (uintptr_t)dlsym(handle, "crc32");
    return library->init && library->inflate && library->end && library->crc;
}

/* A stream; NULL if there is no memory. The bits of the window are negative for deflated data alone, and 31 for gzip. */
static inline struct blectl_zlib_stream *blectl_zlib_open(const struct blectl_zlib *library, int bits)
{
    struct blectl_zlib_stream *stream = (struct blectl_zlib_stream *)calloc(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    if (((int (*)(void *, int, const char *, int))library->init)(stream, bits, "1", (int)sizeof *stream) == BLECTL_Z_OK)
        return stream;
    free(stream);
    return NULL;
}

/* Inflates as much as there is input and room, and tells how much that was. */
static inline int blectl_zlib_inflate(
    const struct blectl_zlib *library, struct blectl_zlib_stream *stream, const unsigned char *input, unsigned int *input_count,
    unsigned char *output, unsigned int *output_count)
{
    stream->next_in = input;
    stream->avail_in = *input_count;
    stream->next_out = output;
    stream->avail_out = *output_count;
    int result = ((int (*)(void *, int))library->inflate)(stream, 0 /* Z_NO_FLUSH */);
    *input_count -= stream->avail_in;
    *output_count -= stream->avail_out;
    return result;
}

static inline void blectl_zlib_close(const struct blectl_zlib *library, struct blectl_zlib_stream *stream)
{
    ((int (*)(void *))library->end)(stream);
    free(stream);
}

static inline uint32_t blectl_zlib_crc(const struct blectl_zlib *library, uint32_t crc, const unsigned char *octets, unsigned int count)
{
    return (uint32_t)((unsigned long (*)(unsigned long, const unsigned char *, unsigned int))library->crc)(crc, octets, count);
}
