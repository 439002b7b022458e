# Writes OUT, a C++ file with the text of every file of PTX (name=path;...) as a constant.
#
#   cmake -DOUT=embedded_ptx.cpp "-DPTX=kName=file.ptx;..." -P embed_ptx.cmake
set(code "// Written by embed_ptx.cmake.\n#include \"host/embedded_ptx.h\"\n\nnamespace lockstep::device {\n")
foreach(entry IN LISTS PTX)
  string(REGEX MATCH "^([^=]+)=(.+)$" matched "${entry}")
  set(name ${CMAKE_MATCH_1})
  file(READ ${CMAKE_MATCH_2} text)
  string(APPEND code "\nconst char* const ${name} = R\"lockstep_ptx(${text})lockstep_ptx\";\n")
endforeach()
string(APPEND code "\n}  // namespace lockstep::device\n")
file(WRITE ${OUT} "${code}")
