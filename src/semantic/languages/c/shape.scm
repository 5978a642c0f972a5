; C. What the preprocessor guards is a container of its own.
[(translation_unit) (declaration_list) (field_declaration_list) (preproc_ifdef) (preproc_if)
 (preproc_else) (enumerator_list)] @members
(preproc_include) @import
(preproc_ifdef name: (_) @name) @decl.guard
(preproc_if condition: (_) @name) @decl.guard
(preproc_def name: (_) @name) @decl.macro
(preproc_function_def name: (_) @name) @decl.macro
(declaration declarator: (identifier) @name) @decl.variable
(declaration declarator: (init_declarator declarator: (_) @name)) @decl.variable
(declaration declarator: (array_declarator declarator: (_) @name)) @decl.variable
(declaration declarator: (pointer_declarator declarator: (identifier) @name)) @decl.variable
(declaration declarator: (function_declarator declarator: (_) @name)) @decl.prototype
(declaration declarator: (pointer_declarator
  declarator: (function_declarator declarator: (_) @name))) @decl.prototype
(function_definition declarator: (function_declarator declarator: (_) @name)) @decl.function
(function_definition declarator: (pointer_declarator
  declarator: (function_declarator declarator: (_) @name))) @decl.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator
  declarator: (function_declarator declarator: (_) @name)))) @decl.function
(type_definition declarator: (_) @name) @decl.type
(struct_specifier name: (_) @name body: (_)) @decl.type
(union_specifier name: (_) @name body: (_)) @decl.type
(enum_specifier name: (_) @name body: (_)) @decl.type
(field_declaration declarator: (_) @name) @decl.field
(enumerator name: (_) @name) @decl.constant
