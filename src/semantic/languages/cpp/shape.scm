; C++. Alternatives of one kind are one pattern, as in C. Functions overload by parameter types; a template is the declaration it holds.
[(translation_unit) (declaration_list) (field_declaration_list) (preproc_ifdef) (preproc_if)
 (preproc_else) (preproc_elif) (enumerator_list)] @members
[(preproc_include) (using_declaration)] @import
[(struct_specifier !body) (class_specifier !body) (union_specifier !body)
 (enum_specifier !body)] @free
[(preproc_ifdef name: (_) @name) (preproc_if condition: (_) @name)] @decl.guard
[(preproc_def name: (_) @name) (preproc_function_def name: (_) @name)] @decl.macro
[(namespace_definition name: (_) @name) (linkage_specification value: (_) @name)] @decl.namespace
[(alias_declaration name: (_) @name)
 (type_definition declarator: (_) @name)
 (struct_specifier name: (_) @name body: (_))
 (class_specifier name: (_) @name body: (_))
 (union_specifier name: (_) @name body: (_))
 (enum_specifier name: (_) @name body: (_))
 (concept_definition name: (_) @name)] @decl.type
(declaration declarator: (_) @name) @decl.variable
(declaration declarator: [
  (function_declarator parameters: (_) @key) @name
  (_ (function_declarator parameters: (_) @key) @name)
  (_ (_ (function_declarator parameters: (_) @key) @name))]) @decl.prototype
(field_declaration declarator: (_) @name) @decl.field
(field_declaration declarator: [
  (function_declarator parameters: (_) @key) @name
  (_ (function_declarator parameters: (_) @key) @name)
  (_ (_ (function_declarator parameters: (_) @key) @name))]) @decl.prototype
(function_definition declarator: [
  (function_declarator parameters: (_) @key) @name
  (_ (function_declarator parameters: (_) @key) @name)
  (_ (_ (function_declarator parameters: (_) @key) @name))]) @decl.function
(function_definition declarator: (operator_cast) @name) @decl.function
(template_declaration (declaration declarator: (_) @name)) @decl.variable
(template_declaration [
  (class_specifier name: (_) @name body: (_))
  (struct_specifier name: (_) @name body: (_))
  (union_specifier name: (_) @name body: (_))
  (alias_declaration name: (_) @name)
  (concept_definition name: (_) @name)]) @decl.type
(template_declaration (declaration declarator: [
  (function_declarator parameters: (_) @key) @name
  (_ (function_declarator parameters: (_) @key) @name)
  (_ (_ (function_declarator parameters: (_) @key) @name))])) @decl.prototype
(template_declaration (function_definition declarator: [
  (function_declarator parameters: (_) @key) @name
  (_ (function_declarator parameters: (_) @key) @name)
  (_ (_ (function_declarator parameters: (_) @key) @name))])) @decl.function
(enumerator name: (_) @name) @decl.constant
(parameter_list (optional_parameter_declaration declarator: (_) @key) @keyed)
(initializer_list) @list
(initializer_list (initializer_pair . designator: (field_designator (_) @key)) @keyed)
; A case that does not go on in the next one.
(case_statement value: (_) @key
 [(return_statement) (break_statement) (continue_statement) (goto_statement)
  (throw_statement)] .) @keyed
(case_statement value: (_) @key (compound_statement
 [(return_statement) (break_statement) (continue_statement) (goto_statement)
  (throw_statement)] .) .) @keyed
