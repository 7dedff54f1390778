// A real git repository for tools that cite code: `acme/shop`, with files, a second commit that changes one
// of them, and what is stored about it. Nothing of this machine's configuration is used.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const nobody = {
  PATH: process.env.PATH,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "nobody",
  GIT_AUTHOR_EMAIL: "nobody@example.com",
  GIT_COMMITTER_NAME: "nobody",
  GIT_COMMITTER_EMAIL: "nobody@example.com",
};

export const repo = "acme/shop";

const cart = `use crate::money::Cents;

/// What a customer is about to buy.
pub struct Cart {
    items: Vec<Item>,
}

impl Cart {
    /// Adds an item; a cart holds at most MAX_ITEMS.
    pub fn add_item(&mut self, item: Item) -> Result<(), CartFull> {
        if self.items.len() >= MAX_ITEMS {
            return Err(CartFull);
        }
        self.items.push(item);
        Ok(())
    }
}
`;
const limits = `/// Items of one cart.
pub const MAX_ITEMS: usize = 50;
/// Requests of one customer in a minute.
pub const MAX_REQUESTS: usize = 120;
`;

/// Makes it; the folder of its worktree.
export function make_repository(parent) {
  const folder = join(parent, "shop");
  const git = (...args) => execFileSync("git", ["-C", folder, ...args], { env: nobody, encoding: "utf8" });
  mkdirSync(folder, { recursive: true });
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", "https://github.com/acme/shop.git");
  write("src/cart.rs", cart);
  write("src/limits.rs", limits);
  git("add", "--all");
  git("commit", "--quiet", "-m", "a cart");
  return folder;
}

/// A fact about the cart, of its own for each way of asking; letters, as facts with other numbers would
/// contradict each other.
export function fact(way) {
  return {
    repo,
    subject: `Carts of ${way}`,
    fact: `\`add_item\` refuses more than MAX_ITEMS items with CartFull, as ${way} knows.`,
    citations: [
      { path: "src/cart.rs", line_start: 10, line_end: 13 },
      { path: "src/limits.rs", line_start: 1, line_end: 2 },
    ],
  };
}
