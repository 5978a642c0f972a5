; Rust. An attribute belongs to the item behind it; an implementation is told by trait and type.
[(source_file) (declaration_list) (field_declaration_list) (enum_variant_list)] @members
[(use_list) (trait_bounds)] @set
(attribute_item) @prefix
(use_declaration) @import
(use_declaration argument: (scoped_use_list path: (_) @name)) @decl.import
(function_item name: (_) @name) @decl.function
(function_signature_item name: (_) @name) @decl.function
(struct_item name: (_) @name) @decl.type
(union_item name: (_) @name) @decl.type
(enum_item name: (_) @name) @decl.type
(trait_item name: (_) @name) @decl.type
(type_item name: (_) @name) @decl.type
(associated_type name: (_) @name) @decl.type
(mod_item name: (_) @name) @decl.namespace
(impl_item type: (_) @name) @decl.impl
(impl_item trait: (_) @key type: (_) @name) @decl.impl
(const_item name: (_) @name) @decl.constant
(static_item name: (_) @name) @decl.variable
(macro_definition name: (_) @name) @decl.macro
(field_declaration name: (_) @name) @decl.field
(enum_variant name: (_) @name) @decl.constant
(field_initializer field: (_) @name) @decl.key
(shorthand_field_initializer) @name @decl.key
(field_initializer_list) @members
(array_expression) @list
; Patterns that cannot both match: by a path, or of one value.
(match_arm pattern: (match_pattern . [(scoped_identifier) (string_literal) (integer_literal)
  (char_literal)] @key .)) @keyed
(match_arm pattern: (match_pattern . [
  (tuple_struct_pattern type: (scoped_identifier) @key)
  (struct_pattern type: (scoped_type_identifier) @key)] .)) @keyed
