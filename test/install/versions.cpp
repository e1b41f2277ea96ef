// A user in C++: the headers' version is the library's.
#include <pliant/pliant.h>

#include <cstdio>
#include <string>

int main() {
  const std::string header = std::to_string(PL_VERSION_MAJOR) + "." + std::to_string(PL_VERSION_MINOR) + "." +
                             std::to_string(PL_VERSION_PATCH);
  std::printf("headers %s, library %s\n", header.c_str(), pl_version());
  return header == pl_version() ? 0 : 1;
}
