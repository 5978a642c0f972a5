; Bash. A function's variables are everybody's but for those it says are local; and a variable of a
; name is no command of it.
(function_definition body: (_) @body)
(variable_assignment value: (_) @body)
((command name: (command_name (word) @_how) argument: (concatenation (_) @body))
  (#any-of? @_how "alias"))
(declaration_command ["export" "readonly" "declare" "typeset"] @visibility)
(command name: (command_name (word) @call))
(variable_assignment name: (variable_name) @member)
(for_statement variable: (variable_name) @member)
(declaration_command "local" (variable_assignment name: (variable_name) @local))
(declaration_command "local" (variable_name) @local)
