# cmake -DSOURCE=folder -DOUTPUT=tool_commit.h -P commit.cmake
#   The commit that SOURCE is at, as PLIANT_COMMIT in a header that is written only when it changes. "unknown" outside git, also where a released tree
#   lies inside somebody else's repository.
set(commit unknown)
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} describe --always --dirty --abbrev=12 --exclude=* WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE found
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit ${found})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define PLIANT_COMMIT \"${commit}\"\n" @ONLY)
