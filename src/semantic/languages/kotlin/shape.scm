; Kotlin. Functions overload by parameters, and by what they extend.
[(source_file) (class_body) (enum_class_body)] @members
(modifiers) @set
(import) @import
(package_header (_) @name) @decl.package
(type_alias type: (_) @name) @decl.type
(class_declaration name: (_) @name) @decl.type
(object_declaration name: (_) @name) @decl.type
(companion_object "companion" @name) @decl.type
(function_declaration name: (_) @name (function_value_parameters) @key) @decl.function
(function_declaration (user_type) @key
  . name: (_) @name (function_value_parameters) @key) @decl.function
(secondary_constructor "constructor" @name (function_value_parameters) @key) @decl.constructor
(source_file (property_declaration (variable_declaration (identifier) @name)) @decl.variable)
(class_body (property_declaration (variable_declaration (identifier) @name)) @decl.field)
(enum_class_body (property_declaration (variable_declaration (identifier) @name)) @decl.field)
(source_file (property_declaration (user_type) @key
  . (variable_declaration (identifier) @name)) @decl.variable)
(enum_entry (identifier) @name) @decl.constant
