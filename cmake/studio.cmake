# The studio's page. Where Node is found, the target `studio_page` makes the files PLIANT_PAGE_FILES (in PLIANT_PAGE_FOLDER) from studio/web; whoever puts them
# into a program depends on it. The script looks itself whether there is anything to do, so that every build folder shares one page.
find_program(PLIANT_NODE NAMES node nodejs)
find_program(PLIANT_NPM NAMES npm)
set(PLIANT_PAGE_FOLDER ${PROJECT_SOURCE_DIR}/studio/web/dist)
set(PLIANT_PAGE_FILES index.html assets/studio.js assets/studio.css)

if(PLIANT_NODE AND PLIANT_NPM)
  set(PLIANT_HAS_PAGE ON)
  list(TRANSFORM PLIANT_PAGE_FILES PREPEND ${PLIANT_PAGE_FOLDER}/ OUTPUT_VARIABLE page_outputs)
  file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/studio/web/src/*)
  foreach(name index.html package.json package-lock.json tsconfig.json vite.config.ts)
    list(APPEND page_sources ${PROJECT_SOURCE_DIR}/studio/web/${name})
  endforeach()
  add_custom_command(OUTPUT ${page_outputs}
                     COMMAND ${PROJECT_SOURCE_DIR}/scripts/build_page.sh
                     COMMAND ${CMAKE_COMMAND} -E touch ${page_outputs}
                     DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/scripts/build_page.sh
                     COMMENT "Making the studio's page" VERBATIM)
  add_custom_target(studio_page DEPENDS ${page_outputs})
else()
  set(PLIANT_HAS_PAGE OFF)
  message(STATUS "no Node: the studio is built without its page")
endif()
