; C. A parameter and a local are names of their own, however many stars are before them.
(function_definition body: (_) @body)
(struct_specifier body: (_) @body)
(union_specifier body: (_) @body)
(enum_specifier body: (_) @body)
(enumerator value: (_) @body)
(init_declarator value: (_) @body)
(preproc_def value: (_) @body)
(preproc_function_def value: (_) @body)
(storage_class_specifier) @visibility
(type_identifier) @type
(call_expression function: (identifier) @call)
(parameter_declaration declarator: (identifier) @parameter)
(parameter_declaration declarator: (pointer_declarator declarator: (identifier) @parameter))
(parameter_declaration declarator: (array_declarator declarator: (identifier) @parameter))
(parameter_declaration declarator: (pointer_declarator
  declarator: (pointer_declarator declarator: (identifier) @parameter)))
(declaration declarator: (identifier) @local)
(declaration declarator: (pointer_declarator declarator: (identifier) @local))
(declaration declarator: (array_declarator declarator: (identifier) @local))
(init_declarator declarator: (identifier) @local)
(init_declarator declarator: (pointer_declarator declarator: (identifier) @local))
(init_declarator declarator: (array_declarator declarator: (identifier) @local))
(translation_unit (declaration declarator: (_ declarator: (_ declarator: (identifier) @define))))
