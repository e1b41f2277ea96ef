// What the handshakes need: a random token, its comparison, and the answer to a WebSocket key (RFC 6455, section 4.2.2).
#ifndef STUDIO_HANDSHAKE_H
#define STUDIO_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STUDIO_TOKEN_SIZE = 33, STUDIO_ACCEPT_SIZE = 29 };

// 128 random bits as 32 hexadecimal digits; false when the system has none to give.
bool studio_token_create(char token[STUDIO_TOKEN_SIZE]);

// Whether `candidate` (may be NULL) is the token; takes the same time wherever they differ.
bool studio_token_matches(const char token[STUDIO_TOKEN_SIZE], const char *candidate);

// Text of `size` bytes in base64, terminated, into `text` of studio_base64_size() bytes.
size_t studio_base64_size(size_t size);
void studio_base64_encode(const void *bytes, size_t size, char *text);

// `Sec-WebSocket-Accept` of a `Sec-WebSocket-Key`; false for a key that is none (16 bytes in base64).
bool studio_websocket_accept(const char *key, char accept[STUDIO_ACCEPT_SIZE]);

#endif
