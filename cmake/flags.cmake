# Language and warnings, the same for every target of the tree. All of it holds for this folder and below: a project that includes Pliant keeps its own.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# No contraction of a*b+c to one rounding where the compiler likes: results must be the same bits from every build of one source.
# No -ffast-math anywhere, for the same reason.
add_compile_options(-ffp-contract=off -fno-math-errno)
# Silences gcc's note that passing 8-wide vectors by value depends on the target: all functions that do so are inlined (math/simd.h).
add_compile_options(-Wno-psabi)
set(PLIANT_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wdouble-promotion)

# Off for packagers with compilers newer than ours, and inside other projects, whose build a new warning must not stop.
option(PLIANT_WERROR "Treat warnings as errors" ${PROJECT_IS_TOP_LEVEL})
if(PLIANT_WERROR)
  list(APPEND PLIANT_WARNINGS -Werror)
endif()
