# The layers of src/. Each layer compiles with an include folder of its own, build/layers/NAME, which holds links to the folders it may use and to
# nothing else: an #include from a layer that it does not use does not compile. CMakeLists.txt is the one place that says who uses whom.
#
# pliant_layer(NAME [USES layer...] [LINK library...] [EXCEPT file...])
#   The folder src/NAME as an object library. USES names the layers it may include, and all that these use; LINK outside libraries; EXCEPT files
#   that stay out. Appends NAME to the list PLIANT_LAYERS. PLIANT_PUBLIC_HEADERS is the folder of public headers that it compiles with.
# pliant_library(NAME layer...)
#   Shared and static library made of layers.
# pliant_allow_layers(TARGET layer...)
#   Lets a program include headers of these layers, and of no others.
# pliant_layer_closure(RESULT layer...)
#   These layers and all that they use.

# pliant_header_list(RESULT list): names of the public headers that include/pliant/LIST.h names. runtime.h and lab.h are the lists of the two libraries.
function(pliant_header_list result list)
  set(file ${PROJECT_SOURCE_DIR}/include/pliant/${list}.h)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} lines REGEX "^#include \"pliant/")
  set(names ${list}.h)
  foreach(line ${lines})
    string(REGEX REPLACE "^#include \"pliant/(.*)\"$" "\\1" name ${line})
    list(APPEND names ${name})
  endforeach()
  set(${result} ${names} PARENT_SCOPE)
endfunction()

function(pliant_layer_closure result)
  set(closure)
  foreach(layer ${ARGN})
    get_property(below GLOBAL PROPERTY PLIANT_CLOSURE_${layer})
    list(APPEND closure ${below})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  set(${result} ${closure} PARENT_SCOPE)
endfunction()

# pliant_link_folder(FOLDER layer...): make FOLDER hold links to the folders of these layers.
function(pliant_link_folder folder)
  file(REMOVE_RECURSE ${folder})
  file(MAKE_DIRECTORY ${folder})
  foreach(layer ${ARGN})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${layer} ${folder}/${layer} SYMBOLIC)
  endforeach()
endfunction()

function(pliant_allow_layers target)
  set(folder ${PROJECT_BINARY_DIR}/layers/${target})
  pliant_link_folder(${folder} ${ARGN})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()

function(pliant_layer name)
  cmake_parse_arguments(ARG "" "" "USES;LINK;EXCEPT" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
  foreach(file ${ARG_EXCEPT})
    list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/${name}/${file})
  endforeach()
  foreach(layer ${ARG_USES})
    get_property(known GLOBAL PROPERTY PLIANT_CLOSURE_${layer} SET)
    if(NOT known)
      message(FATAL_ERROR "layer ${name} uses ${layer}, which is not declared before it")
    endif()
  endforeach()
  pliant_layer_closure(closure ${ARG_USES})
  list(PREPEND closure ${name})
  set_property(GLOBAL PROPERTY PLIANT_CLOSURE_${name} ${closure})
  add_library(layer_${name} OBJECT ${sources})
  set(folder ${PROJECT_BINARY_DIR}/layers/${name})
  pliant_link_folder(${folder} ${closure})
  target_include_directories(layer_${name} PRIVATE ${folder} ${PLIANT_PUBLIC_HEADERS})
  target_compile_options(layer_${name} PRIVATE ${PLIANT_WARNINGS})
  target_link_libraries(layer_${name} PUBLIC ${ARG_LINK})
  set(PLIANT_LAYERS ${PLIANT_LAYERS} ${name} PARENT_SCOPE)
endfunction()

function(pliant_library name)
  set(objects)
  foreach(layer ${ARGN})
    list(APPEND objects $<TARGET_OBJECTS:layer_${layer}>)
  endforeach()
  add_library(${name} SHARED ${objects})
  add_library(${name}-static STATIC ${objects})
  add_dependencies(product ${name} ${name}-static)
  # A function that is declared and not defined is found here and not by the first user.
  target_link_options(${name} PRIVATE LINKER:-z,defs)
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  set_target_properties(${name}-static PROPERTIES OUTPUT_NAME ${name})
  foreach(library ${name} ${name}-static)
    target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
endfunction()

# pliant_runtime_headers(RESULT): a folder with links to the public headers of the runtime, so that its layers cannot include those of the lab.
function(pliant_runtime_headers result)
  set(folder ${PROJECT_BINARY_DIR}/layers/runtime-headers)
  file(REMOVE_RECURSE ${folder})
  file(MAKE_DIRECTORY ${folder}/pliant)
  pliant_header_list(headers runtime)
  foreach(header ${headers})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/pliant/${header} ${folder}/pliant/${header} SYMBOLIC)
  endforeach()
  set(${result} ${folder} PARENT_SCOPE)
endfunction()
