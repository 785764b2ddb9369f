//! A small workspace, and the program as an editor starts it in one.

use std::process::Command;

use serde_json::Value;

use crate::support::Sandbox;
pub use crate::wire::{Editor, LONG, abilities, uri};

pub const CODE: &str = "\
//- /Cargo.toml
[package]
name = \"shop\"
version = \"0.1.0\"
edition = \"2024\"
//- /src/lib.rs
//! A shop.
pub mod pay;
pub mod stock;
pub struct Basket { pub items: Vec<u32> }
//- /src/pay.rs
//! Paying.
use crate::Basket;
impl Basket {
    /// What all of it costs.
    pub fn pay(&self) -> u32 {
        self.items.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_basket_is_free() {
        assert_eq!(Basket { items: Vec::new() }.pay(), 0);
    }
}
//- /src/stock.rs
//! What is there.
/// Counts what is left on the shelf.
pub fn shelf_count() -> u32 { 3 }
pub fn refill(basket: &crate::Basket) -> u32 { basket.pay() + shelf_count() }
";

/// The program as an editor starts it, without a daemon.
pub fn command(sandbox: &Sandbox) -> Command {
    let mut command = sandbox.command(&["lsp"]);
    command.env("DOSSIER_LSP", "false");
    command
}

/// An editor in the workspace of a sandbox, initialized.
pub fn open(sandbox: &Sandbox, options: Value) -> Editor {
    Editor::open_with(command(sandbox), &sandbox.path("ws"), options, abilities())
}
