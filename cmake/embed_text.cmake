# cmake -DOUT=x.cc -DNAME=function -DFILE=a -P embed_text.cmake: the file as `std::string_view function()`.
file(READ "${FILE}" content)
file(WRITE "${OUT}" "#include <string_view>\n\nnamespace pollux {\n\nstd::string_view ${NAME}();\nstd::string_view ${NAME}() { return R\"embedded(${content})embedded\"; }\n\n}  // namespace pollux\n")
