import { Item, Price } from "./item";
export interface Priced {
  price: number;
  total(n: number): number;
}
export type Key = string | number;
enum Kind { Small, Large = 2 }
export abstract class Cart implements Priced {
  price = 0;
  abstract total(n: number): number;
  add(item: Item): void {}
}
export function load(path: string): void;
export const limit = 3;
