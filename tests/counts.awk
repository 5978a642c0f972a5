# "passed failed skipped" of a suite's log, from the last line that tells; a suite that ends without
# telling, or tells no failure and yet fails (status), has one failure more.
/^\[  PASSED  \] [0-9]+ test/ { passed = $4; told = 1 }
/^\[  FAILED  \] [0-9]+ test/ { failed = $4; told = 1 }
/^\[  SKIPPED \] [0-9]+ test/ { skipped = $4 }
/^\[       OK \]/ { ok++ }
/^[a-zA-Z0-9_.-]+: [0-9]+ passed, [0-9]+ failed/ { passed = $2; failed = $4; told = 1 }
/^crash: [0-9]+ points of [0-9]+, [0-9]+ wrong states/ { failed = $6; passed = $2 - $6; told = 1 }
/^powercut: [a-z0-9]+, [0-9]+ points, [0-9]+ wrong states/ { failed = $5; passed = $3 - $5; told = 1 }
/^SKIP/ { none = 1 }
/^stress: [0-9]+ landed/ { failed = $(NF - 1); passed = !failed; told = 1 }
END {
  if (status == 77 && none) { print 0, 0, 1; exit }
  if (!told) { passed = ok; failed = 1 }
  if (status != 0 && failed + 0 == 0) failed = 1
  print passed + 0, failed + 0, skipped + 0
}
