; Kotlin. What a class is made from may be properties of it, and so are names for others.
(class_declaration (class_body) @body)
(class_declaration (enum_class_body) @body)
(object_declaration (class_body) @body)
(companion_object (class_body) @body)
(enum_entry (value_arguments) @body)
(enum_entry (class_body) @body)
(function_body) @body
(secondary_constructor (constructor_delegation_call) @body)
(secondary_constructor (block) @body)
(property_declaration "=" . (_) @body)
(property_declaration (property_delegate) @body)
(modifiers) @visibility
(annotation) @contract
(class_parameter "=" . (_) @contract)
(function_value_parameters "=" . (_) @contract)
(user_type (identifier) @type)
(delegation_specifier (user_type (identifier) @super))
(delegation_specifier (constructor_invocation (user_type (identifier) @super)))
(delegation_specifier (explicit_delegation (user_type (identifier) @super)))
(call_expression . (identifier) @call)
(class_parameter ["val" "var"] (identifier) @member)
(function_value_parameters (parameter . (identifier) @parameter))
(lambda_parameters (variable_declaration . (identifier) @parameter))
(property_declaration (variable_declaration . (identifier) @local))
(property_declaration
  (multi_variable_declaration (variable_declaration . (identifier) @local)))
(for_statement (variable_declaration . (identifier) @local))
(catch_block . (identifier) @local)
