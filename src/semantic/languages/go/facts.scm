; Go. What begins with a capital is visible: that is in the name.
(function_declaration body: (_) @body)
(method_declaration body: (_) @body)
(const_spec value: (_) @body)
(var_spec value: (_) @body)
(field_declaration tag: (_) @contract)
(type_identifier) @type
(package_identifier) @type
(field_declaration !name type: (_) @super)
(call_expression function: (identifier) @call)
(parameter_declaration name: (identifier) @parameter)
(variadic_parameter_declaration name: (identifier) @parameter)
(short_var_declaration left: (expression_list (identifier) @local))
(var_spec name: (identifier) @local)
(const_spec name: (identifier) @local)
(range_clause left: (expression_list (identifier) @local))
(type_switch_statement alias: (expression_list (identifier) @local))
(receive_statement left: (expression_list (identifier) @local))
