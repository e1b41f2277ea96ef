// Base64: three bytes become four characters, the last group is filled up with equal signs.
#include "io/base64.h"

#include <stdint.h>

void pl_base64_write(const unsigned char *data, size_t size, char *text) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < size; i += 3) {
    uint32_t group = (uint32_t)data[i] << 16;
    if (i + 1 < size) group |= (uint32_t)data[i + 1] << 8;
    if (i + 2 < size) group |= data[i + 2];
    *text++ = digits[group >> 18];
    *text++ = digits[group >> 12 & 63];
    *text++ = i + 1 < size ? digits[group >> 6 & 63] : '=';
    *text++ = i + 2 < size ? digits[group & 63] : '=';
  }
}
