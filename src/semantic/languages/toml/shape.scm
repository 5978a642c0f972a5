; TOML: keys and tables; a table of an array of tables is told by its place.
[(document) (table) (table_array_element) (inline_table)] @members
(pair . (_) @name) @decl.key
(table . (_) @name) @decl.table
(table_array_element . (_) @name) @decl.element
(array) @list
((pair (bare_key) @_names (array) @set) (#any-of? @_names "keywords" "classifiers" "categories"
  "authors" "maintainers" "dependencies" "dynamic" "optional-dependencies"))
