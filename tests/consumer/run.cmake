# Installs into a prefix of its own, builds the stranger's project against that prefix only, runs it.
file(REMOVE_RECURSE ${WORK_DIR})

function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed (${result}):\n${output}")
  endif()
endfunction()

step("Installing" ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
# The libraries bear the sanitizers of the build under test.
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
step("Configuring" ${CMAKE_COMMAND} -G ${GENERATOR} -S ${PROJECT_DIR} -B ${WORK_DIR}/build
  -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix -D CMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${flags}")
step("Building" ${CMAKE_COMMAND} --build ${WORK_DIR}/build)
step("Running the stranger's program" ${WORK_DIR}/build/counter)
step("Running the installed command" ${WORK_DIR}/prefix/bin/pollux version)

# A component that does not exist is not found, and the message names those that do.
execute_process(
  COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${PROJECT_DIR} -B ${WORK_DIR}/wrong -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix
          -D CMAKE_CXX_COMPILER=${COMPILER} -D COUNTER_COMPONENT=teapot
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result EQUAL 0 OR NOT output MATCHES "no component \"teapot\"")
  message(FATAL_ERROR "A component that does not exist was found, or the message does not name it:\n${output}")
endif()
file(REMOVE_RECURSE ${WORK_DIR})
