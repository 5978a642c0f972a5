#!/usr/bin/env bash
# git txn symbols, git txn impact, and what a transaction did by symbol.
. "$(dirname "$0")/lib.sh"

new_shop() {
  new_repo
  mkdir -p shop tests web lib include
  printf '%s\n' 'class Token:' '    """A key."""' '' '    def validate(self, now):' '        return self.end > now' \
    '' '' 'def check(token):' '    return token.validate(1)' >shop/auth.py
  printf '%s\n' 'from .auth import check' '' '' 'def login(token):' '    return check(token)' >shop/login.py
  printf '%s\n' 'from shop.auth import check' '' '' 'def test_check():' '    assert check(None)' >tests/test_login.py
  printf '%s\n' "import { price } from './price.js';" '' 'export function total(items) {' \
    '  return items.map(price);' '}' >web/total.js
  printf '%s\n' 'export function price(item) {' '  return item.price;' '}' >web/price.js
  printf '%s\n' 'int put(int key);' >include/table.h
  printf '%s\n' '#include "table.h"' '' 'int put(int key)' '{' '  return key;' '}' >lib/table.c
  printf '%s\n' '#include "table.h"' '' 'int main(void)' '{' '  return put(1);' '}' >lib/tool.c
  printf '%s\n' 'add_library(table lib/table.c)' 'add_executable(tool lib/tool.c)' >CMakeLists.txt
  printf '{\n  "name": "shop",\n  "port": 80\n}\n' >config.json
  git add -A
  git commit -qm 'shop'
}
pairs() { printf '%s\n' "$OUT" | jq -r "$1"; }

of_files() {
  new_shop
  exits 0 git txn symbols shop/auth.py
  assert_contains "$OUT" '4-5'
  assert_contains "$OUT" 'shop/auth.py/Token#validate().'
  exits 0 git txn symbols shop/auth.py --json
  assert_eq "$(pairs 'select(.name == "check") | "\(.kind) \(.language) \(.lines[0]) \(.lines[1])"')" \
    'function python 8 9'
  local before after
  before=$(pairs 'select(.name == "check") | .hashes | "\(.signature) \(.body)"')
  # As it stands on disk: laid out anew its hashes are the same, with another body one of them is not.
  sed -i 's/token.validate(1)/token . validate( 1 )/' shop/auth.py
  exits 0 git txn symbols shop/auth.py --json
  assert_eq "$(pairs 'select(.name == "check") | .hashes | "\(.signature) \(.body)"')" "$before"
  sed -i 's/validate( 1 )/validate( 2 )/' shop/auth.py
  exits 0 git txn symbols shop/auth.py --json
  after=$(pairs 'select(.name == "check") | .hashes | "\(.signature) \(.body)"')
  assert_eq "${after% *}" "${before% *}"
  [ "${after#* }" != "${before#* }" ] || fail 'the hash of a body that changed is the same'
  exits 0 git txn symbols --at HEAD shop/auth.py --json
  assert_eq "$(pairs 'select(.name == "check") | .hashes | "\(.signature) \(.body)"')" "$before"
  cd shop
  exits 0 git txn symbols login.py ../web --kind function --json
  assert_eq "$(pairs .symbol)" 'shop/login.py/login().
web/price.js/price().
web/total.js/total().'
  cd ..
  exits 0 git txn symbols --at HEAD --name put --json
  assert_eq "$(pairs .symbol)" 'include/table.h/put().
lib/table.c/put().'
  exits 0 git txn symbols --at HEAD --limit 3
  assert_contains "$OUT" 'more; --limit 0 shows all'
  exits 0 git txn symbols config.json --kind key --json
  assert_eq "$(pairs .name)" '"name"
"port"'
  exits 0 git txn symbols config.json --name port --json
  assert_eq "$(pairs .symbol)" 'config.json/`"port"`.'
}
test_case 'symbols: of files on disk and in a commit, with lines, kinds and hashes' of_files

bad_input() {
  new_shop
  printf 'a\0b' >shop/data.py
  printf 'def f(:\n' >shop/broken.py
  ln -s auth.py shop/link.py
  printf 'x = "caf\351"\n' >shop/latin1.py
  head -c 52428800 /dev/zero | tr '\0' 'x' >shop/large.py
  printf 'no language\n' >'odd
name'
  exits 0 git txn symbols shop 'odd
name'
  assert_contains "$OUT" 'shop/data.py/  it is binary'
  assert_contains "$OUT" 'shop/broken.py/  it has a syntax error'
  assert_contains "$OUT" 'shop/link.py/  it is no file'
  assert_contains "$OUT" 'shop/large.py/  it is too large'
  assert_contains "$OUT" 'shop/latin1.py/x.'
  assert_contains "$OUT" 'odd\nname/  its language is not known'
  truncate -s 1G shop/huge.py
  (ulimit -v 500000 && git txn symbols shop/huge.py) >huge.txt
  assert_contains "$(cat huge.txt)" 'shop/huge.py/  it is too large'
  exits 1 git txn symbols shop/auth.py --name nosuch
  assert_contains "$ERR" "nothing is called 'nosuch' in 1 file"
  assert_eq "$OUT" ''
  exits 1 git txn symbols --at HEAD --name nosuch
  assert_contains "$ERR" "nothing is called 'nosuch' in $(git ls-tree -r HEAD | wc -l) files"
  exits 1 git txn symbols --at HEAD --name nosuch --json
  assert_eq "$OUT" ''
  exits 3 git txn symbols
  assert_contains "$ERR" 'needs a path or a commit'
  exits 3 git txn symbols shop/none.py
  assert_contains "$ERR" "there is no file 'shop/none.py'"
  exits 3 git txn symbols --at nothing
  assert_contains "$ERR" "'nothing' is no commit"
  exits 3 git txn symbols --at HEAD shop/none.py
  assert_contains "$ERR" 'is not in that commit'
  exits 3 git txn symbols ../elsewhere
  assert_contains "$ERR" 'outside of the repository'
  exits 3 git txn impact nothing_is_called_so
  assert_contains "$ERR" "nothing is called 'nothing_is_called_so'"
  exits 3 git txn impact chekc
  assert_contains "$ERR" 'shop/auth.py/check().'
}
test_case 'symbols: what cannot be looked into says why, what makes no sense is refused' bad_input

who_is_affected() {
  new_shop
  exits 0 git txn impact check --json
  assert_eq "$(pairs '.affected[] | select(.relation != "target") | "\(.relation) \(.certainty) \(.path) \(.line)"')" \
    'caller resolved shop/login.py 5
importer resolved shop/login.py 1
importer resolved tests/test_login.py 1
test resolved tests/test_login.py 5'
  exits 0 git txn impact Token.validate
  assert_contains "$OUT" 'by name   shop/auth.py:9'
  assert_contains "$OUT" 'whose member it is cannot be told'
  exits 0 git txn impact price --json
  assert_contains "$(pairs '.affected[] | "\(.relation) \(.certainty) \(.path) \(.symbol)"')" \
    'user resolved web/total.js web/total.js/total().'
  exits 0 git txn impact put --json
  assert_contains "$(pairs '.affected[] | "\(.relation) \(.certainty) \(.path) \(.symbol)"')" \
    'caller resolved lib/tool.c lib/tool.c/main().'
  assert_contains "$(pairs '.affected[] | "\(.relation) \(.certainty) \(.path) \(.symbol)"')" \
    'target resolved CMakeLists.txt table'
  exits 0 git txn impact shop/auth.py --json
  assert_contains "$(pairs '.affected[] | "\(.relation) \(.certainty) \(.path)"')" \
    'importer resolved shop/login.py'
  # A second one of the name: which, is for the person to say, and nothing is sure any more.
  printf '%s\n' 'def check():' '    pass' >shop/other.py
  git add -A
  git commit -qm 'other'
  exits 3 git txn impact check
  assert_contains "$ERR" "2 symbols are called 'check'"
  assert_contains "$OUT" 'shop/auth.py/check().'
  assert_contains "$OUT" 'shop/other.py/check().'
  exits 0 git txn impact 'shop/auth.py/check().'
  assert_contains "$OUT" '2 definitions have the name'
  exits 0 git txn impact check --at HEAD^ --json
  assert_eq "$(field '.affected[0].certainty')" resolved
}
test_case 'impact: callers, importers, tests and targets, each with how sure it is' who_is_affected

# A test that calls what calls it; and once units have run, those that looked into the file.
by_others() {
  new_shop
  printf '%s\n' 'from shop.login import login' '' '' 'def test_login():' '    assert login(None)' >tests/test_far.py
  printf '%s\n' 'import shop.nothing' '' '' 'def test_one(x):' '    assert x.validate(1)' \
    '' '' 'def test_two():' '    from shop.auth import Token' '    Token().validate(1)' >tests/test_names.py
  printf '%s\n' 'grep -q check shop/auth.py' >tests/look.sh
  printf '%s\n' 'grep -q login shop/login.py' >tests/other.sh
  git add -A
  git commit -qm far
  exits 0 git txn impact check --json
  assert_eq "$(pairs '.affected[] | select(.relation == "test") | "\(.steps) \(.certainty) \(.symbol)"')" \
    '1 resolved tests/test_login.py/test_check().
2 resolved tests/test_far.py/test_login().'
  exits 0 git txn impact check
  assert_contains "$OUT" "it uses it through 'login'"
  exits 0 git txn impact Token.validate --json
  assert_contains "$(pairs '.affected[] | "\(.relation) \(.certainty) \(.symbol)"')" \
    'test by name tests/test_names.py/test_two().'
  assert_contains "$(pairs '.affected[] | "\(.relation) \(.certainty) \(.symbol)"')" \
    'user by name tests/test_names.py/test_one().'
  policy '[[gate]]
name = "suite"
units = ["tests/*.sh"]
run = ["sh", "{unit}"]'
  exits 0 git txn gate run HEAD
  exits 0 git txn impact check --json
  assert_eq "$(pairs '.affected[] | select(.certainty == "seen") | "\(.relation) \(.path) \(.of)"')" \
    'test tests/look.sh shop/auth.py'
  exits 0 git txn impact check
  assert_contains "$OUT" "it read the file when gate 'suite' ran it"
}
test_case 'impact: tests that reach a symbol through others, and units that looked into its file' by_others

of_a_change() {
  new_shop
  open_work 'sed -i "s/token.validate(1)/token.validate(2)/" shop/auth.py
    printf "\n\ndef fresh():\n    return 1\n" >>shop/auth.py
    sed -i "s/80/81/" config.json; echo more >>README; git rm -q web/price.js'
  exits 0 git txn writes "$ID"
  assert_contains "$OUT" 'changed  check().  body'
  assert_contains "$OUT" 'added    fresh().'
  assert_contains "$OUT" 'removed  price().'
  exits 0 git txn writes "$ID" --json
  assert_eq "$(pairs 'select(.path == "config.json") | .symbols[] | "\(.symbol) \(.change) \(.capabilities[0])"')" \
    'config.json/`"port"`. changed body'
  exits 0 git txn diff "$ID" --symbols
  assert_contains "$OUT" 'changed  check().  body'
  exits 0 git txn diff "$ID"
  assert_contains "$OUT" '+    return token.validate(2)'
  exits 0 git txn impact "$ID" --json
  assert_contains "$(pairs '.affected[] | "\(.relation) \(.path) \(.of)"')" \
    'caller shop/login.py shop/auth.py/check().'
  exits 0 git txn commit "$ID"
  exits 0 git txn diff "$ID" --symbols --json
  assert_contains "$(pairs '.symbols[].symbol')" 'shop/auth.py/fresh().'
  assert_sound
}
test_case 'writes and diff --symbols: what a transaction did, by symbol' of_a_change

kept() {
  new_shop
  exits 0 git txn impact check --json
  local first=$OUT cache=.git/txn/catalogue
  assert_eq "$(stat -c %a $cache $cache/cache.db | tr '\n' ' ')" '700 600 '
  exits 0 git txn impact check --json
  assert_eq "$OUT" "$first"
  dd if=/dev/urandom of=$cache/cache.db bs=1k seek=4 count=40 conv=notrunc status=none
  exits 0 git txn impact check --json
  assert_eq "$OUT" "$first"
  echo 'not a database' >$cache/cache.db
  exits 0 git txn impact check --json
  assert_eq "$OUT" "$first"
  rm -r $cache
  exits 0 git txn impact check --json
  assert_eq "$OUT" "$first"
  rm -r $cache
  echo 'in its place' >$cache
  exits 0 git txn impact check --json
  assert_eq "$(field '.affected | length')" 6
  assert_contains "$(field '.notes[0]')" 'the catalogue could not be kept'
  rm $cache
  killed_at catalogue.batch git-txn impact check
  exits 0 git txn impact check --json
  assert_eq "$OUT" "$first"
  git clone -q --bare . ../bare.git
  cd ../bare.git
  exits 0 git txn impact check --json
  assert_eq "$(field '.affected | length')" 6
  exits 3 git txn symbols shop/auth.py
  assert_contains "$ERR" 'a bare repository has no files on disk'
}
test_case 'what is found out is kept, and lost or damaged it is found out again' kept
finish
