# The studio's page. Where Node is found, the target `studio_page` makes studio/web/dist from studio/web; whoever puts its files into a program depends on it.
# The script looks itself whether there is anything to do, so that all build folders share one page; it is asked in every build and answers at once.
# Looked for where the script will find them: in PATH alone.
find_program(PLIANT_NODE NAMES node nodejs NO_CMAKE_SYSTEM_PATH)
find_program(PLIANT_NPM NAMES npm NO_CMAKE_SYSTEM_PATH)
if(PLIANT_NODE AND PLIANT_NPM)
  add_custom_target(studio_page COMMAND ${PROJECT_SOURCE_DIR}/scripts/build_page.sh COMMENT "The studio's page" VERBATIM)
elseif(EXISTS ${PROJECT_SOURCE_DIR}/studio/web/dist/index.html)
  message(STATUS "no Node or no npm: `pliant view` has the page that is in studio/web/dist")
else()
  message(STATUS "no Node or no npm: `pliant view` will have a plain page")
endif()
