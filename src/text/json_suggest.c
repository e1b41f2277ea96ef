// "Did you mean …?": the candidate at the least edit distance (Damerau 1964 in the restricted form: insert, remove,
// replace, swap neighbours).
#include <string.h>

#include "text/json.h"

// Longer words are compared by their beginning.
enum { LONGEST = 63 };

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int min(int a, int b) {
  return a < b ? a : b;
}

static int distance(const char *a, int a_length, const char *b, int b_length) {
  // Three rows of the table: row i - 2, i - 1 and i.
  int rows[3][LONGEST + 1];
  for (int j = 0; j <= b_length; ++j) rows[0][j] = j;
  for (int i = 1; i <= a_length; ++i) {
    int *row = rows[i % 3], *above = rows[(i + 2) % 3], *second_above = rows[(i + 1) % 3];
    row[0] = i;
    for (int j = 1; j <= b_length; ++j) {
      bool same = lower(a[i - 1]) == lower(b[j - 1]);
      int best = min(above[j - 1] + !same, min(above[j], row[j - 1]) + 1);
      bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) best = min(best, second_above[j - 2] + 1);
      row[j] = best;
    }
  }
  return rows[a_length % 3][b_length];
}

static int length_of(const char *text) {
  size_t length = strlen(text);
  return length > LONGEST ? LONGEST : (int)length;
}

const char *pl_text_suggest(const char *word, const char *const *candidates, int32_t candidate_count) {
  int word_length = length_of(word);
  const char *best = NULL;
  int best_distance = 0;
  for (int32_t i = 0; i < candidate_count; ++i) {
    int length = length_of(candidates[i]);
    int found = distance(word, word_length, candidates[i], length);
    // One slip in three letters still looks like the word; with more the guess would only confuse.
    int longer = length > word_length ? length : word_length;
    if (found * 3 > longer + 1 || (best != NULL && found >= best_distance)) continue;
    best = candidates[i];
    best_distance = found;
  }
  return best;
}
