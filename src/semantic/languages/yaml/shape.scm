; YAML: keys of mappings; sequences are ordered.
[(block_mapping) (flow_mapping)] @members
(block_mapping_pair key: (_) @name) @decl.key
(flow_pair key: (_) @name) @decl.key
[(block_scalar) (plain_scalar)] @leaf
[(block_sequence) (flow_sequence)] @list
