; Go. A method is told by its receiver too; a group of types or constants by the first one.
[(source_file) (import_spec_list) (field_declaration_list) (interface_type) (var_spec_list)] @members
(package_clause (_) @name) @decl.package
(import_declaration (import_spec) @name) @decl.import
(import_declaration (import_spec_list)) @decl.imports
(import_spec_list (import_spec path: (_) @name) @decl.import)
(function_declaration name: (_) @name) @decl.function
(method_declaration receiver: (_) @key name: (_) @name) @decl.function
(type_declaration ["type" "("] . (type_spec name: (_) @name)) @decl.type
(type_declaration ["type" "("] . (type_alias name: (_) @name)) @decl.type
(type_declaration "(" [(type_spec name: (_) @name) (type_alias name: (_) @name)] @decl.type)
(type_declaration "(") @members
(const_declaration ["const" "("] . (const_spec name: (_) @name)) @decl.constant
(const_declaration "(") @members
; One that does not count (iota) is told by its own name.
(const_declaration (const_spec name: (_) @name value: (expression_list
  [(int_literal) (float_literal) (imaginary_literal) (rune_literal) (interpreted_string_literal)
   (raw_string_literal) (true) (false) (identifier) (selector_expression)])) @decl.constant)
(const_declaration (const_spec name: (_) @name value: (expression_list
  (unary_expression [(int_literal) (float_literal) (identifier)]))) @decl.constant)
(const_declaration (const_spec name: (_) @name value: (expression_list (call_expression (argument_list
  . [(int_literal) (float_literal) (interpreted_string_literal) (identifier)] .)))) @decl.constant)
(const_declaration (const_spec name: (_) @name value: (expression_list (binary_expression
  [(int_literal) (float_literal) (interpreted_string_literal) (identifier) (selector_expression)] .
  [(int_literal) (float_literal) (interpreted_string_literal) (identifier) (selector_expression)
  ]))) @decl.constant)
(var_declaration (var_spec name: (_) @name)) @decl.variable
(var_spec_list (var_spec name: (_) @name) @decl.variable)
(field_declaration name: (_) @name) @decl.field
(method_elem name: (_) @name) @decl.function
(keyed_element . (_) @name) @decl.key
(literal_value) @list
; A case goes on in the next one only where `fallthrough` says so.
(expression_switch_statement (expression_case value: (expression_list . (_) @key .)) @keyed)
(type_switch_statement (type_case . type: (_) @key . ":") @keyed)
