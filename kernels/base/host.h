/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_HOST_H
#define WEFT_HOST_H

/* The name of the host that this process runs on, for error messages. */
const char *weft_host(void);

#endif
