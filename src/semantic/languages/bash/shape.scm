; Bash. White space in a here-document and in ${...} counts.
(program) @members
[(heredoc_redirect) (expansion) (regex)] @leaf
((command name: (command_name (word) @_how) argument: (_)) @import
  (#any-of? @_how "source" "."))
(program (command name: (command_name (word) @_how) argument: (concatenation . (word) @name))
  @decl.alias (#any-of? @_how "alias"))
(program (variable_assignment name: (_) @name) @decl.variable)
(program (declaration_command (variable_assignment name: (_) @name)) @decl.variable)
(function_definition name: (_) @name) @decl.function
; A case that does not go on in the next one.
(case_item . value: (_) @key . ")" ";;") @keyed
(case_item . value: (_) @key . "|" . value: (_) @key . ")" ";;") @keyed
