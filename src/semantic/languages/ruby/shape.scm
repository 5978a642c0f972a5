; Ruby. Classes are open and a call may declare: a task, an example, a gem, an attribute. Methods do
; not overload; one of a class is told from one of its instances by what it is defined on.
(program) @members
(class body: (body_statement) @members)
(module body: (body_statement) @members)
(singleton_class body: (body_statement) @members)
(do_block body: (body_statement) @members)
(hash) @members
(hash (pair key: (_) @name) @decl.key)
[(heredoc_body) (regex) (subshell) (delimited_symbol)] @leaf
((call !receiver method: (identifier) @_how) @import
  (#any-of? @_how "require" "require_relative"))
((call !receiver method: (identifier) @_how arguments: (argument_list . (string) @name)) @decl.key
  (#any-of? @_how "gem"))
((call !receiver method: (identifier) @_how @name
  arguments: (argument_list . (simple_symbol) @name)) @decl.field
  (#any-of? @_how "attr_reader" "attr_writer" "attr_accessor"))
(call !receiver method: (identifier) @name
  arguments: (argument_list . [(string) (simple_symbol) (constant) (pair)] @name)
  block: (do_block)) @decl.block
(assignment left: (constant) @name) @decl.constant
(module name: (_) @name) @decl.namespace
(class name: (_) @name) @decl.type
(singleton_class value: (_) @name) @decl.type
(method name: (_) @name) @decl.function
(singleton_method object: (_) @key name: (_) @name) @decl.function
((call !receiver method: (identifier) @_how
  arguments: (argument_list . (method name: (_) @name) .)) @decl.function
  (#any-of? @_how "private" "protected" "public" "module_function"))
((call !receiver method: (identifier) @_how
  arguments: (argument_list . (method name: (_) @name) .) @decl.function)
  (#any-of? @_how "private" "protected" "public" "module_function"))
(alias name: (_) @name) @decl.alias
(method_parameters (optional_parameter name: (_) @key) @keyed)
(method_parameters (keyword_parameter name: (_) @key value: (_)) @keyed)
(argument_list (pair key: (_) @key) @keyed)
(array) @list
((call !receiver method: (identifier) @_how
  arguments: (argument_list . (simple_symbol) @name)) @decl.alias
  (#any-of? @_how "alias_method"))
; Names that are told of, each for itself.
((call !receiver method: (identifier) @_how arguments: (argument_list . (simple_symbol)) @set)
  (#any-of? @_how "attr_reader" "attr_writer" "attr_accessor" "private" "protected" "public"
    "private_constant" "private_class_method" "public_class_method"))
