// Numbers as text without the locale.
//
// Reading: up to 19 digits are gathered in an integer; when that integer is exact in a double and so is the power of
// ten, one multiplication or division is correctly rounded (Clinger 1990). Everything else goes to the C library's
// strtod in the "C" locale, which is correctly rounded but six times slower. Writing: the C library's digits, with the
// point put in by us, because printf takes it from the locale.
#define _GNU_SOURCE
#include "text/number_text.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Longer than any number a program writes; what exceeds it is refused rather than read in part.
enum { LONGEST_NUMBER = 400 };

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Length of `word` if the text starts with it in any case, else 0.
static size_t match_word(const char *at, const char *end, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(end - at) < length) return 0;
  for (size_t i = 0; i < length; ++i) {
    char c = at[i];
    if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
    if (c != word[i]) return 0;
  }
  return length;
}

// nan, inf and the ways some tools spell them.
static const char *read_not_finite(const char *at, const char *end, bool negative, double *value) {
  static const struct {
    const char *word;
    bool is_nan;
  } words[] = {{"nan(ind)", true}, {"nan", true},    {"infinity", false}, {"inf", false},
               {"1.#inf", false},  {"1.#ind", true}, {"1.#qnan", true}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
    size_t length = match_word(at, end, words[i].word);
    if (length == 0) continue;
    *value = words[i].is_nan ? (double)NAN : negative ? -(double)INFINITY : (double)INFINITY;
    at += length;
    // 1.#INF0000 and the like carry padding digits.
    if (words[i].word[0] == '1')
      while (at < end && is_digit(*at)) ++at;
    return at;
  }
  return NULL;
}

static double slow_number(const char *begin, const char *end) {
  char text[LONGEST_NUMBER + 1];
  size_t length = (size_t)(end - begin);
  memcpy(text, begin, length);
  text[length] = '\0';
  for (size_t i = 0; i < length; ++i)
    if (text[i] == 'd' || text[i] == 'D') text[i] = 'e';
  // The C library hands out its static "C" locale here: nothing is allocated.
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (plain == (locale_t)0) return strtod(text, NULL);
  double value = strtod_l(text, NULL, plain);
  freelocale(plain);
  return value;
}

// The exponent at `at`, or 0 if there is none; returns the place behind it. One that no double can have is cut, not
// overflowed.
static const char *read_exponent(const char *at, const char *end, int *exponent) {
  *exponent = 0;
  if (at >= end || (*at != 'e' && *at != 'E' && *at != 'd' && *at != 'D')) return at;
  const char *digit = at + 1;
  bool down = digit < end && *digit == '-';
  if (digit < end && (*digit == '-' || *digit == '+')) ++digit;
  if (digit >= end || !is_digit(*digit)) return at;
  for (; digit < end && is_digit(*digit); ++digit)
    if (*exponent < 100000) *exponent = 10 * *exponent + (*digit - '0');
  if (down) *exponent = -*exponent;
  return digit;
}

const char *pl_number_read(const char *begin, const char *end, double *value) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char *at = begin;
  bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) ++at;
  const char *special = read_not_finite(at, end, negative, value);
  if (special != NULL) return special;

  uint64_t mantissa = 0;
  int kept_count = 0, dropped_count = 0, fraction_count = 0;
  bool any = false, after_point = false;
  for (; at < end; ++at) {
    if (*at == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!is_digit(*at)) break;
    any = true;
    if (kept_count < 19) {
      mantissa = 10 * mantissa + (uint64_t)(*at - '0');
      if (mantissa > 0) ++kept_count;
      fraction_count += after_point;
    } else {
      ++dropped_count;
    }
    if (at - begin > LONGEST_NUMBER) return NULL;
  }
  if (!any) return NULL;

  int exponent;
  at = read_exponent(at, end, &exponent);
  if (at - begin > LONGEST_NUMBER) return NULL;

  int scale = exponent - fraction_count;
  if (mantissa == 0 && dropped_count == 0) {
    *value = negative ? -0.0 : 0.0;
  } else if (dropped_count == 0 && mantissa <= (UINT64_C(1) << 53) && scale >= -22 && scale <= 22) {
    double m = (double)mantissa;
    m = scale < 0 ? m / powers[-scale] : m * powers[scale];
    *value = negative ? -m : m;
  } else {
    *value = slow_number(begin, at);
  }
  return at;
}

const char *pl_integer_read(const char *begin, const char *end, int64_t *value) {
  const char *at = begin;
  bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) ++at;
  if (at >= end || !is_digit(*at)) return NULL;
  uint64_t sum = 0;
  for (; at < end && is_digit(*at); ++at) {
    if (sum > (uint64_t)INT64_MAX / 10) return NULL;
    sum = 10 * sum + (uint64_t)(*at - '0');
  }
  if (sum > (uint64_t)INT64_MAX) return NULL;
  *value = negative ? -(int64_t)sum : (int64_t)sum;
  return at;
}

// Digits (no point, no trailing zeros) and decimal exponent of a positive finite number; returns the digit count.
static int take_digits(double value, int precision, char digits[24], int *exponent) {
  char text[64];
  snprintf(text, sizeof text, "%.*e", precision - 1, value);
  int count = 0;
  const char *at = text;
  for (; *at != '\0' && *at != 'e'; ++at)
    if (is_digit(*at) && count < 20) digits[count++] = *at;
  *exponent = (int)strtol(at + 1, NULL, 10);
  while (count > 1 && digits[count - 1] == '0') --count;
  return count;
}

// Put the point where it reads best: plain between 1e-5 and 1e17, with an exponent elsewhere.
static size_t compose(bool negative, const char *digits, int count, int exponent, char *text) {
  char *to = text;
  if (negative) *to++ = '-';
  if (exponent >= 0 && exponent < 17) {
    for (int i = 0; i <= exponent || i < count; ++i) {
      if (i == exponent + 1) *to++ = '.';
      *to++ = i < count ? digits[i] : '0';
    }
  } else if (exponent < 0 && exponent >= -5) {
    *to++ = '0';
    *to++ = '.';
    for (int i = -1; i > exponent; --i) *to++ = '0';
    for (int i = 0; i < count; ++i) *to++ = digits[i];
  } else {
    *to++ = digits[0];
    if (count > 1) *to++ = '.';
    for (int i = 1; i < count; ++i) *to++ = digits[i];
    to += snprintf(to, 8, "e%d", exponent);
  }
  *to = '\0';
  return (size_t)(to - text);
}

size_t pl_number_write(double value, char text[PL_NUMBER_SIZE]) {
  if (!isfinite(value)) {
    const char *word = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    strcpy(text, word);
    return strlen(word);
  }
  if (value == 0) return compose(signbit(value) != 0, "0", 1, 0, text);
  size_t length = 0;
  for (int precision = 15; precision <= 17; ++precision) {
    char digits[24];
    int exponent;
    int count = take_digits(fabs(value), precision, digits, &exponent);
    length = compose(value < 0, digits, count, exponent, text);
    double back;
    if (pl_number_read(text, text + length, &back) != NULL && back == value) break;
  }
  return length;
}
