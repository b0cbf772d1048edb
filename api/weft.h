/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft.h: what Weft offers beyond FFTW's interface. Functions are weft_name in libweft, weftf_name
 * in libweftf and weftl_name in libweftl, as FFTW's are.
 */
#ifndef WEFT_H
#define WEFT_H

#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_DEFINE_API(W)                                                                         \
    /* "0.1.0". */                                                                                 \
    WEFT_API const char *W(version)(void);                                                         \
    /* Why the last call of this thread failed that did, in a sentence; "" when the last call of a \
     * planning or local_size function did not fail. Valid until the next call. */                 \
    WEFT_API const char *W(last_error)(void);                                                      \
    /* The name of a backend, and a line on how it moves the data, by its place in the table, from \
     * 0; NULL past the end. */                                                                             \
    WEFT_API const char *W(backend_name)(int place);                                               \
    WEFT_API const char *W(backend_about)(int place);

#define WEFT_MANGLE_DOUBLE(name)      weft_##name
#define WEFT_MANGLE_FLOAT(name)       weftf_##name
#define WEFT_MANGLE_LONG_DOUBLE(name) weftl_##name

WEFT_DEFINE_API(WEFT_MANGLE_DOUBLE)
WEFT_DEFINE_API(WEFT_MANGLE_FLOAT)
WEFT_DEFINE_API(WEFT_MANGLE_LONG_DOUBLE)

#ifdef __cplusplus
}
#endif

#endif
