; Python. White space is structure, so a block is never put together from parts with other indents.
(module) @members
(class_definition body: (block) @members)
[(import_from_statement) (set)] @set
(list) @list
((assignment left: (identifier) @_names right: (list) @set) (#eq? @_names "__all__"))
[(import_statement) (future_import_statement)] @import
(import_from_statement module_name: (_) @name) @decl.import
(module (expression_statement (assignment left: (identifier) @name)) @decl.variable)
(class_definition body: (block
  (expression_statement (assignment left: (identifier) @name)) @decl.field))
(function_definition name: (_) @name) @decl.function
(class_definition name: (_) @name) @decl.type
(decorated_definition definition: (function_definition name: (_) @name)) @decl.function
(decorated_definition definition: (class_definition name: (_) @name)) @decl.type
(dictionary) @members
(dictionary (pair key: (string) @name) @decl.key)
(argument_list (keyword_argument name: (_) @key) @keyed)
(parameters (default_parameter name: (_) @key) @keyed)
(parameters (typed_default_parameter name: (_) @key) @keyed)
(block (expression_statement (assignment left: (attribute
  object: (identifier) @_self attribute: (_) @key))) @keyed (#eq? @_self "self"))
