include(GNUInstallDirs)
# pollux_folder(<name> SOURCES ... SEES <folders> LINKS <public libs> USES <private libs>)
#
# One library a folder. Its public headers are in <name>/include, and it sees only the headers of the folders
# named in SEES (and of those they see): a wrong include does not compile.
function(pollux_folder name)
  cmake_parse_arguments(F "" "" "SOURCES;SEES;LINKS;USES" ${ARGN})
  add_library(pollux_${name} STATIC ${F_SOURCES})
  add_library(pollux::${name} ALIAS pollux_${name})
  set_target_properties(pollux_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(pollux_${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_compile_features(pollux_${name} PUBLIC cxx_std_23)
  list(TRANSFORM F_SEES PREPEND pollux_)
  target_link_libraries(pollux_${name} PUBLIC ${F_SEES} ${F_LINKS} PRIVATE $<BUILD_INTERFACE:pollux_flags> ${F_USES})
endfunction()
