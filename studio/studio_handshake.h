// Handshakes: the random token, base64, and the answer to a WebSocket key (RFC 6455,
// section 4.2.2).
#ifndef STUDIO_HANDSHAKE_H
#define STUDIO_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STUDIO_TOKEN_SIZE = 33, STUDIO_ACCEPT_SIZE = 29 };

// Create a token: 128 random bits as 32 hexadecimal digits. False if the system has no random
// numbers.
bool studio_token_create(char token[STUDIO_TOKEN_SIZE]);

// Whether `candidate` (may be NULL) is the token; constant time for its length.
bool studio_token_matches(const char token[STUDIO_TOKEN_SIZE], const char *candidate);

// Encode `size` bytes in base64, terminated, into `text` of studio_base64_size() bytes.
size_t studio_base64_size(size_t size);
void studio_base64_encode(const void *bytes, size_t size, char *text);

// `Sec-WebSocket-Accept` for a `Sec-WebSocket-Key`; false if the key is not valid (16 bytes in
// base64).
bool studio_websocket_accept(const char *key, char accept[STUDIO_ACCEPT_SIZE]);

#endif
