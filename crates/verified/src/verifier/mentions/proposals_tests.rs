//! Citations from text: a labelled set of sentences about one small repository, with precision (1)
//! and recall (0.94) counted.
//!
//! A label is the citation of a careful reader: `path:first-last`, or nothing if the sentence names
//! nothing of the repository or is ambiguous. A sentence marked `miss` names something that is not
//! found by design.

use loci_model::facts::citation::LineRange;
use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::Unverifiable;
use loci_testkit_ports::{CodeHistory, ManualClock};

use crate::verifier::{LineCache, Verifier, VerifierLimits};

const FILES: &[(&str, &str)] = &[
    (
        "src/cart.rs",
        "use crate::money::Cents;\n\n/// What a customer is about to buy.\npub struct Cart {\n    items: Vec<Item>,\n}\n\nimpl Cart {\n    /// Adds an item; a cart holds at most MAX_ITEMS.\n    pub fn add_item(&mut self, item: Item) -> Result<(), CartFull> {\n        if self.items.len() >= MAX_ITEMS {\n            return Err(CartFull);\n        }\n        self.items.push(item);\n        Ok(())\n    }\n\n    pub fn total_price(&self) -> Cents {\n        self.items.iter().map(|item| item.price()).sum()\n    }\n}\n",
    ),
    (
        "src/limits.rs",
        "/// Items of one cart.\npub const MAX_ITEMS: usize = 50;\n/// Requests of one customer in a minute.\npub const MAX_REQUESTS: usize = 120;\n",
    ),
    (
        "src/orders/mod.rs",
        "//! Orders.\n\npub mod refund;\n\npub fn place_order(cart: Cart) -> Order {\n    Order::of(cart)\n}\n\npub fn validate(order: &Order) -> bool {\n    !order.lines.is_empty()\n}\n",
    ),
    (
        "src/orders/refund.rs",
        "use super::Order;\n\npub fn refund_order(order: &Order) -> Refund {\n    Refund::whole(order)\n}\n\npub fn validate(refund: &Refund) -> bool {\n    refund.cents > 0\n}\n",
    ),
    ("src/users/mod.rs", "pub fn find_user(id: u64) -> Option<User> {\n    None\n}\n"),
    (
        "web/api.ts",
        "export interface CartView {\n  items: string[];\n}\n\nexport async function fetchCart(id: string): Promise<CartView> {\n  return get(`/carts/${id}`);\n}\n",
    ),
    (
        "tools/report.py",
        "\"\"\"Reports of a day.\"\"\"\n\nRETENTION_DAYS = 30\n\n\nclass DailyReport:\n    def render(self, day):\n        return self.template.format(day)\n",
    ),
    ("Makefile", "build: deps\n\tcargo build\n\ndeploy: build\n\t./scripts/deploy.sh\n"),
    ("scripts/deploy.sh", "#!/bin/sh\nset -eu\nnotify_team() {\n  curl \"$HOOK\"\n}\nnotify_team deployed\n"),
    ("README.md", "# Shop\n\nSells things to people who like them.\n"),
    ("docs/README.md", "# Documents\n\nHow the shop works inside.\n"),
    ("config/app.toml", "[database]\npool_size = 12\ntimeout_ms = 2500\n"),
    (".github/workflows/ci.yml", "name: ci\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n"),
    ("Cargo.lock", "[[package]]\nname = \"shop\"\n"),
    ("vendor/money/lib.rs", "pub fn round_cents(x: i64) -> i64 {\n    x\n}\n"),
    ("assets/logo.png", "\u{0}\u{0}png"),
];

const LABELLED: &[(&str, &[&str])] = &[
    // Named lines.
    ("`add_item` compares with MAX_ITEMS at src/cart.rs:11", &["src/cart.rs:11-11", "src/cart.rs:10-16"]),
    ("The check `self.items.len() >= MAX_ITEMS` stands in src/cart.rs:11-13.", &["src/cart.rs:11-13"]),
    ("MAX_ITEMS is 50 (src/limits.rs:2).", &["src/limits.rs:2-2"]),
    ("MAX_REQUESTS is 120, see src/limits.rs#L3-L4", &["src/limits.rs:3-4"]),
    ("RETENTION_DAYS is 30 in tools/report.py, line 3", &["tools/report.py:3-3"]),
    ("Lines 5 to 7 of src/orders/mod.rs show place_order.", &["src/orders/mod.rs:5-7"]),
    ("fetchCart fails at web/api.ts:6:10 when the cart is gone", &["web/api.ts:6-6", "web/api.ts:5-7"]),
    ("timeout_ms is 2500 in [the configuration](config/app.toml#L3)", &["config/app.toml:3-3"]),
    ("pool_size = 12 at config/app.toml:2", &["config/app.toml:2-2"]),
    ("orders/refund.rs:3-5 makes a Refund::whole of an order", &["src/orders/refund.rs:3-5"]),
    // Symbols with one definition.
    ("`add_item` refuses more than fifty items.", &["src/cart.rs:10-16"]),
    ("`Cart::add_item()` refuses more than fifty items.", &["src/cart.rs:10-16"]),
    ("A `Cart` is what a customer is about to buy.", &["src/cart.rs:4-6"]),
    ("`Cart::total_price` adds the prices of all items.", &["src/cart.rs:18-20"]),
    ("`MAX_ITEMS` must stay below one hundred.", &["src/limits.rs:2-2"]),
    (
        "Never raise `MAX_ITEMS` or `MAX_REQUESTS` without asking.",
        &["src/limits.rs:2-2", "src/limits.rs:4-4"],
    ),
    ("Use `place_order` instead of making an order by hand.", &["src/orders/mod.rs:5-7"]),
    ("`refund_order(order)` always refunds the whole order.", &["src/orders/refund.rs:3-5"]),
    ("`find_user` never finds anybody yet.", &["src/users/mod.rs:1-3"]),
    ("The view has `fetchCart` for this.", &["web/api.ts:5-7"]),
    ("Clients get a `CartView`.", &["web/api.ts:1-3"]),
    ("`RETENTION_DAYS` is thirty for legal reasons.", &["tools/report.py:3-3"]),
    ("`DailyReport` is made once a day.", &["tools/report.py:6-8"]),
    ("`DailyReport.render` formats a template.", &["tools/report.py:7-8"]),
    ("Releases call `notify_team`.", &["scripts/deploy.sh:3-5"]),
    // A path with a symbol in it.
    ("In src/limits.rs, MAX_ITEMS is 50.", &["src/limits.rs:2-2"]),
    ("web/api.ts: fetchCart asks the server for a cart", &["web/api.ts:5-7"]),
    ("`validate` in src/orders/refund.rs refuses refunds of nothing.", &["src/orders/refund.rs:7-9"]),
    ("`validate` (src/orders/mod.rs) refuses empty orders.", &["src/orders/mod.rs:9-11"]),
    ("tools/report.py::DailyReport wants a template", &["tools/report.py:6-8"]),
    ("notify_team in scripts/deploy.sh posts to a hook.", &["scripts/deploy.sh:3-5"]),
    ("src/cart.rs has add_item and total_price", &["src/cart.rs:10-16", "src/cart.rs:18-20"]),
    // A path alone: the file's first lines.
    ("Releases are made by scripts/deploy.sh.", &["scripts/deploy.sh:1-6"]),
    ("Deployments start from the Makefile.", &["Makefile:1-5"]),
    ("The pool of connections is set in config/app.toml.", &["config/app.toml:1-3"]),
    ("CI is .github/workflows/ci.yml and nothing else.", &[".github/workflows/ci.yml:1-5"]),
    ("All reports come from `tools/report.py`.", &["tools/report.py:1-8"]),
    ("See ./src/users/mod.rs", &["src/users/mod.rs:1-3"]),
    ("deploy.sh must be run from the root", &["scripts/deploy.sh:1-6"]),
    ("users/mod.rs is a stub", &["src/users/mod.rs:1-3"]),
    ("docs/README.md explains how the shop works", &["docs/README.md:1-3"]),
    // Ambiguous: no citation.
    ("`validate` is called before anything is written.", &[]),
    ("mod.rs holds the modules of a directory.", &[]),
    ("README.md should be read first.", &[]),
    ("Look into mod.rs:5 for that.", &[]),
    (
        "`orders.validate` and `refund.validate` differ.",
        &["src/orders/mod.rs:9-11", "src/orders/refund.rs:7-9"],
    ),
    // Missing: no citation.
    ("src/basket.rs was removed last year.", &[]),
    ("`remove_item` is still missing.", &[]),
    ("src/cart.rs:900 panics.", &[]),
    ("src/cart.rs:0 is no line, and src/cart.rs:13-11 is none either.", &[]),
    ("The module src/orders is large.", &[]),
    ("`json.loads` is slow for large inputs.", &[]),
    ("`Basket::add_item` comes with the next version.", &[]),
    ("`Vec::push` may allocate.", &[]),
    // Lines that contain no word of the sentence.
    ("Deployments happen on Fridays (src/limits.rs:2).", &[]),
    // Neither paths nor names.
    ("Released as 1.2.3 on 2026/11/20 at 10:30, about 3/4 done.", &[]),
    ("Ask bob@example.com or git@github.com:acme/shop.git.", &[]),
    ("See https://example.com/src/cart.rs#L10 and http://localhost:8080/a.rs.", &[]),
    ("Customers want faster checkout and/or cheaper shipping.", &[]),
    ("Use TCP/IP, not UDP; e.g. for orders, i.e. always.", &[]),
    ("The cart, the order and the user are tables.", &[]),
    ("Run `cargo test --workspace` before you push.", &[]),
    ("```\nsrc/cart.rs:10\n```", &[]),
    ("It takes 50 items, `None` of them free, and returns `true`.", &[]),
    // Paths that are not allowed, and generated files.
    ("/etc/passwd, ../secret.txt and .git/config are none of its business.", &[]),
    ("Cargo.lock is checked in.", &[]),
    ("`round_cents` rounds down.", &[]),
    ("vendor/money/lib.rs:1 rounds with round_cents", &[]),
    ("assets/logo.png is the logo.", &[]),
    // Misses by design: a reader would cite these.
    ("The function add_item refuses more than fifty items.", &["src/cart.rs:10-16"]),
    ("`cart.add_item` refuses the fifty-first item; the cart's files are in `src`.", &["src/cart.rs:10-16"]),
    ("`pool_size` is 12.", &["config/app.toml:2-2"]),
];

fn proposed(text: &str, is_exact: bool) -> Vec<String> {
    let mut history = CodeHistory::new();
    history.commit(FILES);
    let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
    let verifier = Verifier::new(&history, history.tip(), &cache, "t", &clock, VerifierLimits::default());
    verifier.propose(text, is_exact, true).unwrap().iter().map(said).collect()
}

fn said(place: &LineRange) -> String {
    format!("{}:{}-{}", place.path, place.line_start, place.line_end)
}

#[test]
fn what_is_cited_is_right_and_most_of_it_is_found() {
    let (mut right, mut wrong, mut missed) = (0, Vec::new(), Vec::new());
    for (text, expect) in LABELLED {
        let found = proposed(text, false);
        right += found.iter().filter(|place| expect.contains(&place.as_str())).count();
        wrong.extend(
            found
                .iter()
                .filter(|place| !expect.contains(&place.as_str()))
                .map(|place| format!("{text} => {place}")),
        );
        let is_missed = |place: &&&str| !found.iter().any(|found| found == **place);
        missed.extend(expect.iter().filter(is_missed).map(|place| format!("{text} => {place}")));
    }
    assert!(LABELLED.len() >= 60, "{}", LABELLED.len());
    assert_eq!(wrong, Vec::<String>::new(), "precision is 1");
    let recall = f64::from(u32::try_from(right).unwrap()) / (right + missed.len()) as f64;
    assert_eq!((right, missed.len()), (47, 3), "{missed:#?}");
    assert!(recall >= 0.9, "{recall}: {missed:#?}");
}

#[test]
fn the_revision_of_the_author_makes_line_numbers_mean_what_they_say() {
    let text = "Deployments happen on Fridays (src/limits.rs:2).";
    assert_eq!(
        (proposed(text, false).len(), proposed(text, true)),
        (0, vec!["src/limits.rs:2-2".to_owned()])
    );
}

#[test]
fn a_beginning_is_cited_where_that_is_wanted() {
    let mut history = CodeHistory::new();
    history.commit(FILES);
    let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
    let verifier = Verifier::new(&history, history.tip(), &cache, "t", &clock, VerifierLimits::default());
    let check = |text: &str, expect: &[&str]| {
        let found: Vec<String> = verifier.propose(text, false, false).unwrap().iter().map(said).collect();
        assert_eq!(found, expect, "{text}");
    };
    check("Releases are made by scripts/deploy.sh.", &[]);
    check("`total_price` of src/cart.rs; see the Makefile", &["src/cart.rs:18-20"]);
}

#[test]
fn what_is_not_looked_through_is_not_cited_and_what_cannot_be_read_is_an_error() {
    let mut history = CodeHistory::new();
    let many: Vec<(String, String)> =
        (0..3_100).map(|n| (format!("src/f{n}.rs"), format!("fn name_{n}() {{}}\n"))).collect();
    let files: Vec<(&str, &str)> = many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    history.commit(&files);
    let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
    let tip = history.tip();
    let propose = |history: &CodeHistory, text: &str| {
        Verifier::new(history, tip, &cache, "t", &clock, VerifierLimits::default()).propose(text, false, true)
    };
    assert_eq!(propose(&history, "`name_7` is the seventh").unwrap(), []);
    assert_eq!(propose(&history, "`name_7` of src/f7.rs is the seventh").unwrap().len(), 1);
    let lost: ObjectId = CodeHistory::blob_id("fn name_9() {}\n");
    history.lose(lost);
    assert_eq!(propose(&history, "src/f9.rs is lost").unwrap_err().why, Unverifiable::PartialClone);
}
