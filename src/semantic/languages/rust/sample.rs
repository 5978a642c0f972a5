use std::collections::{BTreeMap, HashMap};
use crate::item::Item;

pub const LIMIT: usize = 3;

#[derive(Debug)]
pub struct Cart {
    items: Vec<Item>,
    total: u32,
}

pub enum Kind {
    Small,
    Large(u32),
}

pub trait Priced {
    type Unit;
    fn price(&self) -> u32;
}

impl Priced for Cart {
    type Unit = u32;
    fn price(&self) -> u32 { self.total }
}

impl Cart {
    pub fn new() -> Self { Cart { items: vec![], total: 0 } }
}

mod tests {
    fn works() {}
}
