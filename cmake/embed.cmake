# cmake -DOUT=x.cc -DFILES=a;b -P embed.cmake: the files as constants, so that a program needs nothing beside itself.
set(text "// Made from the files named in it.\n#include \"web/pages.h\"\n\nnamespace pollux {\n\nstd::span<const WebFile> web_files() {\n  static constexpr WebFile files[] = {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" content)
  string(APPEND text "      {\"${name}\", R\"embedded(${content})embedded\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n}  // namespace pollux\n")
file(WRITE "${OUT}" "${text}")
