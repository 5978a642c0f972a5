; Java.
(method_declaration body: (_) @body)
(constructor_declaration body: (_) @body)
(compact_constructor_declaration body: (_) @body)
(class_declaration body: (_) @body)
(interface_declaration body: (_) @body)
(enum_declaration body: (_) @body)
(record_declaration body: (_) @body)
(annotation_type_declaration body: (_) @body)
(variable_declarator value: (_) @body)
(enum_constant arguments: (_) @body)
(enum_constant body: (_) @body)
(modifiers) @visibility
(annotation) @contract
(marker_annotation) @contract
(throws) @contract
(annotation_type_element_declaration value: (_) @contract)
(type_identifier) @type
(superclass (type_identifier) @super)
(superclass (generic_type (type_identifier) @super))
(type_list (type_identifier) @super)
(type_list (generic_type (type_identifier) @super))
(method_invocation name: (identifier) @call)
(field_declaration declarator: (variable_declarator name: (identifier) @member))
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @member)))
(method_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @parameter)))
(constructor_declaration
  parameters: (formal_parameters (formal_parameter name: (identifier) @parameter)))
(lambda_expression parameters: (formal_parameters (formal_parameter name: (identifier) @parameter)))
(spread_parameter (variable_declarator name: (identifier) @parameter))
(local_variable_declaration declarator: (variable_declarator name: (identifier) @local))
(enhanced_for_statement name: (identifier) @local)
(catch_formal_parameter name: (identifier) @local)
