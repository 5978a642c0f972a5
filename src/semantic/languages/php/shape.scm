; PHP. Functions do not overload; what stands outside the tags is text.
[(program) (declaration_list) (enum_declaration_list)] @members
(namespace_definition body: (compound_statement) @members)
[(namespace_use_group) (class_interface_clause)] @set
[(heredoc) (nowdoc) (shell_command_expression) (text_interpolation)] @leaf
(namespace_use_declaration) @import
(namespace_use_declaration (namespace_name) @name body: (namespace_use_group)) @decl.import
(declaration_list (use_declaration) @import)
(namespace_definition name: (_) @name) @decl.namespace
(namespace_definition name: (_) @name !body) @decl.package
(const_declaration (const_element . (name) @name)) @decl.constant
(class_declaration name: (_) @name) @decl.type
(interface_declaration name: (_) @name) @decl.type
(trait_declaration name: (_) @name) @decl.type
(enum_declaration name: (_) @name) @decl.type
(function_definition name: (_) @name) @decl.function
(method_declaration name: (_) @name) @decl.function
(property_declaration (property_element name: (_) @name)) @decl.field
(enum_case name: (_) @name) @decl.constant
(array_creation_expression "[") @members
(array_creation_expression "["
  (array_element_initializer . [(string) (encapsed_string)] @name . (_)) @decl.key)
(formal_parameters (simple_parameter name: (_) @key default_value: (_)) @keyed)
(formal_parameters (property_promotion_parameter name: (_) @key default_value: (_)) @keyed)
(arguments (argument name: (_) @key) @keyed)
