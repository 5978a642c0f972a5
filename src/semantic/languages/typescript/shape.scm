; TypeScript and TSX. An overload is told by its parameter types.
[(program) (class_body) (interface_body) (enum_body) (object_type)] @members
[(named_imports) (export_clause) (implements_clause)] @set
(import_statement source: (_) @name) @decl.import
(program (lexical_declaration (variable_declarator name: (_) @name)) @decl.variable)
(program (variable_declaration (variable_declarator name: (_) @name)) @decl.variable)
(function_declaration name: (_) @name) @decl.function
(generator_function_declaration name: (_) @name) @decl.function
(function_signature name: (_) @name parameters: (_) @key) @decl.prototype
(class_declaration name: (_) @name) @decl.type
(abstract_class_declaration name: (_) @name) @decl.type
(interface_declaration name: (_) @name) @decl.type
(enum_declaration name: (_) @name) @decl.type
(type_alias_declaration name: (_) @name) @decl.type
(internal_module name: (_) @name) @decl.namespace
(module name: (_) @name) @decl.namespace
(method_definition name: (_) @name) @decl.function
(method_signature name: (_) @name parameters: (_) @key) @decl.prototype
(abstract_method_signature name: (_) @name parameters: (_) @key) @decl.prototype
(public_field_definition name: (_) @name) @decl.field
(property_signature name: (_) @name) @decl.field
(enum_assignment name: (_) @name) @decl.constant
(enum_body name: (_) @name @decl.constant)
[(union_type) (intersection_type) (object_pattern)] @set
(export_statement declaration: (function_declaration name: (_) @name)) @decl.function
(export_statement declaration: (function_signature
  name: (_) @name parameters: (_) @key)) @decl.prototype
(export_statement declaration: (class_declaration name: (_) @name)) @decl.type
(export_statement declaration: (abstract_class_declaration name: (_) @name)) @decl.type
(export_statement declaration: (interface_declaration name: (_) @name)) @decl.type
(export_statement declaration: (enum_declaration name: (_) @name)) @decl.type
(export_statement declaration: (type_alias_declaration name: (_) @name)) @decl.type
(export_statement declaration: (lexical_declaration
  (variable_declarator name: (_) @name))) @decl.variable
(export_statement declaration: (generator_function_declaration name: (_) @name)) @decl.function
(export_statement declaration: (internal_module name: (_) @name)) @decl.namespace
(expression_statement (internal_module name: (_) @name)) @decl.namespace
[(internal_module body: (statement_block
  (lexical_declaration (variable_declarator name: (_) @name)) @decl.variable))
 (module body: (statement_block
  (lexical_declaration (variable_declarator name: (_) @name)) @decl.variable))]
(ambient_declaration (lexical_declaration (variable_declarator name: (_) @name))) @decl.variable
(ambient_declaration (variable_declaration (variable_declarator name: (_) @name))) @decl.variable
(ambient_declaration (function_signature
  name: (_) @name parameters: (_) @key)) @decl.prototype
(ambient_declaration [
  (class_declaration name: (_) @name)
  (abstract_class_declaration name: (_) @name)
  (interface_declaration name: (_) @name)
  (enum_declaration name: (_) @name)
  (type_alias_declaration name: (_) @name)]) @decl.type
(ambient_declaration [(module name: (_) @name) (internal_module name: (_) @name)]) @decl.namespace
(export_statement declaration: (ambient_declaration [
  (lexical_declaration (variable_declarator name: (_) @name))
  (variable_declaration (variable_declarator name: (_) @name))])) @decl.variable
(export_statement declaration: (ambient_declaration (function_signature
  name: (_) @name parameters: (_) @key))) @decl.prototype
(export_statement declaration: (ambient_declaration [
  (class_declaration name: (_) @name)
  (abstract_class_declaration name: (_) @name)
  (interface_declaration name: (_) @name)
  (enum_declaration name: (_) @name)
  (type_alias_declaration name: (_) @name)])) @decl.type
(export_statement declaration: (ambient_declaration [
  (module name: (_) @name)
  (internal_module name: (_) @name)])) @decl.namespace
(object) @members
(pair key: (_) @name) @decl.key
(shorthand_property_identifier) @name @decl.key
(formal_parameters (required_parameter pattern: (identifier) @key value: (_)) @keyed)
(formal_parameters (optional_parameter pattern: (identifier) @key) @keyed)
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
