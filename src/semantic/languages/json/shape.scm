; JSON: keys of objects; arrays are ordered.
(object) @members
(pair key: (_) @name) @decl.key
(array) @list
