; JavaScript.
[(program) (class_body)] @members
[(named_imports) (export_clause) (object_pattern)] @set
(import_statement source: (_) @name) @decl.import
(program (lexical_declaration (variable_declarator name: (_) @name)) @decl.variable)
(program (variable_declaration (variable_declarator name: (_) @name)) @decl.variable)
(function_declaration name: (_) @name) @decl.function
(generator_function_declaration name: (_) @name) @decl.function
(class_declaration name: (_) @name) @decl.type
(method_definition name: (_) @name) @decl.function
(field_definition property: (_) @name) @decl.field
(export_statement declaration: (function_declaration name: (_) @name)) @decl.function
(export_statement declaration: (class_declaration name: (_) @name)) @decl.type
(export_statement declaration: (lexical_declaration
  (variable_declarator name: (_) @name))) @decl.variable
(export_statement declaration: (generator_function_declaration name: (_) @name)) @decl.function
(program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_owner) @name)) @decl.variable
  (#any-of? @_owner "exports" "module"))
(program (expression_statement (assignment_expression left: (member_expression) @name
  right: (object))) @decl.variable)
(program (expression_statement (assignment_expression
  left: [(member_expression) (identifier)] @name
  right: [(class) (new_expression constructor: (function_expression))])) @decl.variable)
(program (expression_statement (assignment_expression
  left: [(member_expression) (identifier)] @name
  right: [(function_expression) (generator_function) (arrow_function)])) @decl.function)
(object) @members
(pair key: (_) @name) @decl.key
(shorthand_property_identifier) @name @decl.key
(formal_parameters (assignment_pattern left: (identifier) @key) @keyed)
(statement_block (expression_statement (assignment_expression left: (member_expression
  object: (this) property: (_) @key))) @keyed)
(array) @list
; A case that does not go on in the next one is told by its value; a test by its name.
(switch_case value: (_) @key
 [(return_statement) (break_statement) (continue_statement) (throw_statement)] .) @keyed
(switch_case value: (_) @key (statement_block
 [(return_statement) (break_statement) (continue_statement) (throw_statement)] .) .) @keyed
((expression_statement (call_expression
  function: [(identifier) @_test (member_expression object: (identifier) @_test)]
  arguments: (arguments . [(string) (template_string)] @key [(arrow_function) (function_expression)]))) @keyed
 (#any-of? @_test "it" "test" "describe" "suite"))
; What is handed on from another module.
(export_statement source: (_)) @free
