; Java. Types, methods, constructors, fields and enum constants; methods overload by parameter types.
[(program) (class_body) (interface_body) (enum_body) (enum_body_declarations)
 (annotation_type_body)] @members
[(modifiers) (type_list) (throws) (catch_type)] @set
(import_declaration) @import
(package_declaration (_) @name) @decl.package
(class_declaration name: (_) @name) @decl.type
(interface_declaration name: (_) @name) @decl.type
(enum_declaration name: (_) @name) @decl.type
(record_declaration name: (_) @name) @decl.type
(annotation_type_declaration name: (_) @name) @decl.type
(method_declaration name: (_) @name parameters: (_) @key) @decl.function
(constructor_declaration name: (_) @name parameters: (_) @key) @decl.constructor
(compact_constructor_declaration name: (_) @name) @decl.constructor
(field_declaration declarator: (variable_declarator name: (_) @name)) @decl.field
(constant_declaration declarator: (variable_declarator name: (_) @name)) @decl.field
(annotation_type_element_declaration name: (_) @name) @decl.function
(enum_constant name: (_) @name) @decl.constant
(constructor_body (expression_statement (assignment_expression left: (field_access
  object: (this) field: (_) @key))) @keyed)
(array_initializer) @list
; A case that does not go on in the next one.
(switch_rule (switch_label . (_) @key .)) @keyed
(switch_block_statement_group . (switch_label . (_) @key .) [(return_statement) (break_statement)
  (continue_statement) (throw_statement) (yield_statement)] .) @keyed
