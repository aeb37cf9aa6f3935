/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libedit, the line editor of the BSDs, loaded while the program runs: only 'blectl shell' needs it, and a machine may lack it.
 * Neither its header nor its library is needed for building. The numbers and prototypes are those of histedit.h (editline(3)),
 * whose functions are variadic, which Swift cannot call. The wrappers contain no logic.
 */
#pragma once
#include <dlfcn.h>
#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The addresses of libedit's functions. */
struct blectl_edit_library {
    uintptr_t init, set, get, gets, resize, line, delete_text, insert_text, source, history_init, history;
};

/* LineInfo: the line that is edited, with the cursor in it. */
struct blectl_edit_text {
    const char *buffer, *cursor, *end;
};

/* Reads a character: 1 with one, 0 at the end, -1 after a failure. */
typedef int (*blectl_edit_reader)(void *line, int32_t *character);
/* A command that a key calls; returns what is to be done with the line (CC_NORM and so on). */
typedef unsigned char (*blectl_edit_command)(void *line, int key);
typedef char *(*blectl_edit_prompt)(void *line);

/* What a command returns. */
static const unsigned char BLECTL_CC_NORM = 0;
static const unsigned char BLECTL_CC_REFRESH = 4;
static const unsigned char BLECTL_CC_ERROR = 6;

/* Loads libedit; false if the machine has none, or one with other functions. */
static inline bool blectl_edit_load(struct blectl_edit_library *library)
{
    void *handle = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return false;
    library->init = (uintptr_t)dlsym(handle, "el_init");
    library->set = (uintptr_t)dlsym(handle, "el_set");
    library->get = (uintptr_t)dlsym(handle, "el_get");
    library->gets = (uintptr_t)dlsym(handle, "el_gets");
    library->resize = (uintptr_t)dlsym(handle, "el_resize");
    library->line = (uintptr_t)dlsym(handle, "el_line");
    library->delete_text = (uintptr_t)dlsym(handle, "el_deletestr");
    library->insert_text = (uintptr_t)dlsym(handle, "el_insertstr");
    library->source = (uintptr_t)dlsym(handle, "el_source");
    library->history_init = (uintptr_t)dlsym(handle, "history_init");
    library->history = (uintptr_t)dlsym(handle, "history");
    return library->init && library->set && library->get && library->gets && library->resize && library->line
        && library->delete_text && library->insert_text && library->source && library->history_init && library->history;
}

static inline int blectl_edit_set_(const struct blectl_edit_library *library, void *line, int what, const void *value)
{
    return ((int (*)(void *, int, ...))library->set)(line, what, value);
}

static inline int blectl_edit_switch_(const struct blectl_edit_library *library, void *line, int what, int value)
{
    return ((int (*)(void *, int, ...))library->set)(line, what, value);
}

static inline void blectl_edit_bind_(const struct blectl_edit_library *library, void *line, const char *key, const char *to)
{
    ((int (*)(void *, int, ...))library->set)(line, 4 /* EL_BIND */, key, to, (char *)NULL);
}

/* An editor on two descriptors; NULL if there cannot be one. */
static inline void *blectl_edit_open(
    const struct blectl_edit_library *library, int input, int output, blectl_edit_reader reader, blectl_edit_command complete,
    blectl_edit_prompt prompt)
{
    FILE *in = fdopen(input, "r"), *out = fdopen(output, "w");
    if (in == NULL || out == NULL)
        return NULL;
    void *line = ((void *(*)(const char *, FILE *, FILE *, FILE *))library->init)("blectl", in, out, out);
    if (line == NULL)
        return NULL;
    blectl_edit_switch_(library, line, 3 /* EL_SIGNAL */, 0);
    blectl_edit_set_(library, line, 2 /* EL_EDITOR */, "emacs");
    blectl_edit_set_(library, line, 0 /* EL_PROMPT */, (const void *)prompt);
    blectl_edit_set_(library, line, 13 /* EL_GETCFN */, (const void *)reader);
    ((int (*)(void *, int, ...))library->set)(
        line, 9 /* EL_ADDFN */, "blectl-complete", "Complete the word before the cursor", complete);
    blectl_edit_bind_(library, line, "^I", "blectl-complete");
    blectl_edit_bind_(library, line, "^R", "em-inc-search-prev");
    blectl_edit_bind_(library, line, "^W", "ed-delete-prev-word");
    return line;
}

/* Reads the user's ~/.editrc. */
static inline void blectl_edit_read_settings(const struct blectl_edit_library *library, void *line)
{
    ((int (*)(void *, const char *))library->source)(line, NULL);
}

static inline void blectl_edit_set_client(const struct blectl_edit_library *library, void *line, void *client)
{
    blectl_edit_set_(library, line, 14 /* EL_CLIENTDATA */, client);
}

static inline void *blectl_edit_client(const struct blectl_edit_library *library, void *line)
{
    void *client = NULL;
    ((int (*)(void *, int, ...))library->get)(line, 14 /* EL_CLIENTDATA */, &client);
    return client;
}

/* Reads a line; NULL at the end of the input, or after a failure. */
static inline const char *blectl_edit_gets(const struct blectl_edit_library *library, void *line, int *count)
{
    return ((const char *(*)(void *, int *))library->gets)(line, count);
}

/* Takes the terminal over for editing, or gives it back as it was. */
static inline void blectl_edit_prepare(const struct blectl_edit_library *library, void *line, bool edits)
{
    blectl_edit_switch_(library, line, 16 /* EL_PREP_TERM */, edits ? 1 : 0);
}

/* Draws the prompt and the line where the cursor is. */
static inline void blectl_edit_refresh(const struct blectl_edit_library *library, void *line)
{
    ((int (*)(void *, int, ...))library->set)(line, 20 /* EL_REFRESH */);
}

static inline void blectl_edit_resize(const struct blectl_edit_library *library, void *line)
{
    ((void (*)(void *))library->resize)(line);
}

static inline struct blectl_edit_text blectl_edit_line(const struct blectl_edit_library *library, void *line)
{
    return *((const struct blectl_edit_text *(*)(void *))library->line)(line);
}

/* Removes characters before the cursor. */
static inline void blectl_edit_delete(const struct blectl_edit_library *library, void *line, int count)
{
    ((void (*)(void *, int))library->delete_text)(line, count);
}

static inline bool blectl_edit_insert(const struct blectl_edit_library *library, void *line, const char *text)
{
    return ((int (*)(void *, const char *))library->insert_text)(line, text) == 0;
}

/* A history of at most so many lines, in which a line is not kept twice in a row; NULL if there cannot be one. */
static inline void *blectl_edit_history(const struct blectl_edit_library *library, void *line, int limit)
{
    struct { int number; const char *text; } event;
    void *history = ((void *(*)(void))library->history_init)();
    if (history == NULL)
        return NULL;
    int (*call)(void *, void *, int, ...) = (int (*)(void *, void *, int, ...))library->history;
    call(history, &event, 1 /* H_SETSIZE */, limit);
    call(history, &event, 20 /* H_SETUNIQUE */, 1);
    ((int (*)(void *, int, ...))library->set)(line, 10 /* EL_HIST */, call, history);
    return history;
}

static inline void blectl_edit_remember(const struct blectl_edit_library *library, void *history, const char *text)
{
    struct { int number; const char *text; } event;
    ((int (*)(void *, void *, int, ...))library->history)(history, &event, 10 /* H_ENTER */, text);
}

/* Makes the characters of the calling thread those of the user's language (LC_CTYPE); NULL if that fails. */
static inline void *blectl_edit_begin_language(void)
{
    locale_t language = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (language != (locale_t)0)
        uselocale(language);
    return (void *)language;
}

static inline void blectl_edit_end_language(void *language)
{
    if (language == NULL)
        return;
    uselocale(LC_GLOBAL_LOCALE);
    freelocale((locale_t)language);
}
