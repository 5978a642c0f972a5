; C#. What takes parameters overloads by their types, and by the interface it is explicitly of.
[(compilation_unit) (declaration_list) (enum_member_declaration_list) (preproc_if) (preproc_elif)
 (preproc_else)] @members
(using_directive) @import
(preproc_if condition: (_) @name) @decl.guard
(namespace_declaration name: (_) @name) @decl.namespace
(file_scoped_namespace_declaration name: (_) @name) @decl.package
(class_declaration name: (_) @name) @decl.type
(struct_declaration name: (_) @name) @decl.type
(interface_declaration name: (_) @name) @decl.type
(enum_declaration name: (_) @name) @decl.type
(record_declaration name: (_) @name) @decl.type
(delegate_declaration name: (_) @name) @decl.type
(method_declaration name: (_) @name parameters: (_) @key) @decl.function
(method_declaration (explicit_interface_specifier) @key
  name: (_) @name parameters: (_) @key) @decl.function
(local_function_statement name: (_) @name parameters: (_) @key) @decl.function
(constructor_declaration name: (_) @name parameters: (_) @key) @decl.constructor
(destructor_declaration name: (_) @name) @decl.destructor
(operator_declaration operator: _ @name parameters: (_) @key) @decl.function
(conversion_operator_declaration type: (_) @name parameters: (_) @key) @decl.function
(indexer_declaration "this" @name parameters: (_) @key) @decl.function
(property_declaration name: (_) @name) @decl.field
(property_declaration (explicit_interface_specifier) @key name: (_) @name) @decl.field
(event_declaration name: (_) @name) @decl.field
(field_declaration (variable_declaration
  type: (_) . (variable_declarator name: (_) @name))) @decl.field
(event_field_declaration (variable_declaration
  type: (_) . (variable_declarator name: (_) @name))) @decl.field
(enum_member_declaration name: (_) @name) @decl.constant
