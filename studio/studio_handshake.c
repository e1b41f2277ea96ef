// Token, base64 and SHA-1 (FIPS 180-4, section 6.1). The WebSocket handshake needs SHA-1, not for security but to show
// that the server knows the protocol; forty lines are less than another library.
#include "studio_handshake.h"

#include <string.h>
#include <sys/random.h>

bool studio_token_create(char token[STUDIO_TOKEN_SIZE]) {
  static const char digits[] = "0123456789abcdef";
  uint8_t bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
  for (size_t i = 0; i < sizeof bytes; ++i) {
    token[2 * i] = digits[bytes[i] >> 4];
    token[2 * i + 1] = digits[bytes[i] & 15];
  }
  token[STUDIO_TOKEN_SIZE - 1] = '\0';
  return true;
}

bool studio_token_matches(const char token[STUDIO_TOKEN_SIZE], const char *candidate) {
  if (candidate == NULL || strlen(candidate) != STUDIO_TOKEN_SIZE - 1) return false;
  volatile unsigned char differs = 0;
  for (int i = 0; i < STUDIO_TOKEN_SIZE - 1; ++i) differs = (unsigned char)(differs | (token[i] ^ candidate[i]));
  return differs == 0;
}

size_t studio_base64_size(size_t size) {
  return (size + 2) / 3 * 4 + 1;
}

void studio_base64_encode(const void *bytes, size_t size, char *text) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const uint8_t *from = bytes;
  for (size_t i = 0; i < size; i += 3) {
    uint32_t three = (uint32_t)from[i] << 16;
    if (i + 1 < size) three |= (uint32_t)from[i + 1] << 8;
    if (i + 2 < size) three |= from[i + 2];
    *text++ = letters[three >> 18];
    *text++ = letters[three >> 12 & 63];
    *text++ = i + 1 < size ? letters[three >> 6 & 63] : '=';
    *text++ = i + 2 < size ? letters[three & 63] : '=';
  }
  *text = '\0';
}

static uint32_t rotate_left(uint32_t word, int bits) {
  return word << bits | word >> (32 - bits);
}

// One block of 64 bytes.
static void sha1_block(uint32_t state[5], const uint8_t *block) {
  uint32_t w[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
  for (int i = 0; i < 16; ++i)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
           block[4 * i + 3];
  for (int i = 16; i < 80; ++i) w[i] = rotate_left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  for (int i = 0; i < 80; ++i) {
    uint32_t f = i < 20 ? (b & c) | (~b & d) : i < 40 || i >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
    uint32_t k = i < 20 ? 0x5A827999u : i < 40 ? 0x6ED9EBA1u : i < 60 ? 0x8F1BBCDCu : 0xCA62C1D6u;
    uint32_t next = rotate_left(a, 5) + f + e + k + w[i];
    e = d;
    d = c;
    c = rotate_left(b, 30);
    b = a;
    a = next;
  }
  const uint32_t sums[5] = {a, b, c, d, e};
  for (int i = 0; i < 5; ++i) state[i] += sums[i];
}

// For at most 119 bytes: two blocks.
static void sha1_short(const void *bytes, size_t size, uint8_t digest[20]) {
  uint32_t state[5] = {0x67452301u, 0xEFCDAB89u, 0x98BADCFEu, 0x10325476u, 0xC3D2E1F0u};
  uint8_t blocks[128] = {0};
  size_t length = size + 9 <= 64 ? 64 : 128;
  memcpy(blocks, bytes, size);
  blocks[size] = 0x80;
  for (size_t i = 0; i < 8; ++i) blocks[length - 1 - i] = (uint8_t)((uint64_t)(8 * size) >> (8 * i));
  for (size_t at = 0; at < length; at += 64) sha1_block(state, blocks + at);
  for (size_t i = 0; i < 20; ++i) digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

bool studio_websocket_accept(const char *key, char accept[STUDIO_ACCEPT_SIZE]) {
  static const char fixed[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  enum { KEY_LENGTH = 24 };
  if (key == NULL || strlen(key) != KEY_LENGTH || strcmp(key + KEY_LENGTH - 2, "==") != 0) return false;
  char text[KEY_LENGTH + sizeof fixed];
  uint8_t digest[20];
  memcpy(text, key, KEY_LENGTH);
  memcpy(text + KEY_LENGTH, fixed, sizeof fixed);
  sha1_short(text, KEY_LENGTH + sizeof fixed - 1, digest);
  studio_base64_encode(digest, sizeof digest, accept);
  return true;
}
