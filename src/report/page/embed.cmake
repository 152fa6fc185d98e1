# Writes OUTPUT, a C++ file with the text of STYLE and SCRIPT. Long texts go into several literals, because compilers
# need not take more than 64 kB in one.
function(literal file result)
  file(READ ${file} text)
  string(FIND "${text}" ")asset\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${file}: must not contain )asset\"")
  endif()
  string(LENGTH "${text}" length)
  set(out "")
  set(begin 0)
  while(begin LESS length)
    string(SUBSTRING "${text}" ${begin} 8000 part)
    string(APPEND out "R\"asset(${part})asset\"\n")
    math(EXPR begin "${begin} + 8000")
  endwhile()
  set(${result} "${out}" PARENT_SCOPE)
endfunction()
literal(${STYLE} style)
literal(${SCRIPT} script)
file(WRITE ${OUTPUT} "#include \"report/page/assets.hpp\"\n\nnamespace pliant::report {\n
const std::string_view kStyleSheet =\n${style};\nconst std::string_view kScript =\n${script};\n
}  // namespace pliant::report\n")
