# How our own code is compiled. Nothing here is forced on those who build on Pollux.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

find_program(POLLUX_CCACHE ccache)
if(POLLUX_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${POLLUX_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${POLLUX_CCACHE})
endif()

add_library(pollux_flags INTERFACE)
target_compile_options(pollux_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wformat=2)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(pollux_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these falsely from inside its own headers once they are inlined.
  target_compile_options(pollux_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow
                                                -Wno-stringop-overread -Wno-array-bounds -Wno-dangling-pointer
                                                -Wno-missing-field-initializers)
else()
  target_compile_options(pollux_flags INTERFACE -Wno-missing-field-initializers)
endif()
if(POLLUX_SANITIZE)
  target_compile_options(pollux_flags INTERFACE -fsanitize=${POLLUX_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(pollux_flags INTERFACE -fsanitize=${POLLUX_SANITIZE})
  if(POLLUX_SANITIZE MATCHES "undefined")
    target_compile_options(pollux_flags INTERFACE -fno-sanitize-recover=undefined)
  endif()
  if(POLLUX_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Boost.Asio's fences: the sanitizer does not see them, but the scheduler's lock, which it does, is enough.
    target_compile_options(pollux_flags INTERFACE -Wno-tsan)
  endif()
endif()
