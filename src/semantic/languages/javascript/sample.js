import fs, { readFile } from "fs";
const limit = 3;
let table = { one: 1, two() { return 2; } };
export function load(path) {
  const local = path;
  return local;
}
export class Cart extends Base {
  total = 0;
  add(item) { this.total += item; }
}
