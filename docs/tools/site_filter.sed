# Markdown as Doxygen understands it (GNU sed).

# Doxygen finds pictures by their names.
s,[.][.]/[.][.]/docs/plots/[a-z0-9_-]*/,,

# Doxygen makes no anchors of headings, so the glossary's entries get theirs here, and links name them.
s,](\([./]*docs/\)\{0\,1\}glossary[.]md#\([^)]*\)),](@ref glossary-\2),g
1{
  /^# Glossary$/h
}
x
/^# Glossary$/!{
  x
  b
}
x
s,](#\([^)]*\)),](@ref glossary-\1),g
/^### /{
  s/^### \(.*\)$/## \1 {#glossary-\L\1}/
  :spaces
  s/\({#[^}]*\) /\1-/
  t spaces
  :signs
  s/\({#[^}]*\)[^a-z0-9_{}#-]/\1/
  t signs
}
