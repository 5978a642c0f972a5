; C. Alternatives of one kind are one pattern: tree-sitter analyses each pattern when it loads them.
; What the preprocessor guards is a container of its own.
[(translation_unit) (declaration_list) (field_declaration_list) (preproc_ifdef) (preproc_if)
 (preproc_else) (preproc_elif) (enumerator_list)] @members
(preproc_include) @import
[(struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @free
(preproc_ifdef name: (_) @name) @decl.guard
(preproc_if condition: (_) @name) @decl.guard
[(preproc_def name: (_) @name) (preproc_function_def name: (_) @name)] @decl.macro
(declaration declarator: (_) @name) @decl.variable
(declaration declarator: [
  (function_declarator) @name
  (pointer_declarator declarator: (function_declarator) @name)
  (pointer_declarator declarator: (pointer_declarator
    declarator: (function_declarator) @name))]) @decl.prototype
(declaration declarator: (function_declarator
  declarator: (parenthesized_declarator)) @name) @decl.variable
(function_definition declarator: [
  (function_declarator) @name
  (pointer_declarator declarator: (function_declarator) @name)
  (pointer_declarator declarator: (pointer_declarator
    declarator: (function_declarator) @name))]) @decl.function
(type_definition declarator: (_) @name) @decl.type
[(struct_specifier name: (_) @name body: (_))
 (union_specifier name: (_) @name body: (_))
 (enum_specifier name: (_) @name body: (_))] @decl.type
(field_declaration declarator: (_) @name) @decl.field
(enumerator name: (_) @name) @decl.constant
(initializer_list) @list
(initializer_list (initializer_pair . designator: (field_designator (_) @key)) @keyed)
; A case that does not go on in the next one.
(case_statement value: (_) @key
 [(return_statement) (break_statement) (continue_statement) (goto_statement)] .) @keyed
(case_statement value: (_) @key (compound_statement
 [(return_statement) (break_statement) (continue_statement) (goto_statement)] .) .) @keyed
