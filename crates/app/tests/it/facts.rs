//! Verified memory by real processes over a real git repository: many concurrent writers lose
//! nothing, telemetry agrees with the state (T1 to T7), and a folder without a network reads its
//! own code.

use std::path::PathBuf;
use std::process::Command;

use crate::fact_repository::{CART, Shop};
use crate::program::Home;

const CODE: &str = "/// Items of one cart.\npub const MAX_ITEMS: usize = 50;\n\npub fn add_item(count: usize) -> bool {\n    count < MAX_ITEMS\n}\n";

/// Returns a clone of `acme/shop` with one commit.
fn clone_of_shop(home: &Home) -> PathBuf {
    let directory = home.path("shop");
    std::fs::create_dir_all(directory.join("src")).unwrap();
    std::fs::write(directory.join("src/cart.rs"), CODE).unwrap();
    for arguments in [
        &["init", "--quiet", "--initial-branch", "main"][..],
        &["remote", "add", "origin", "git@github.com:acme/shop.git"],
        &["add", "--all"],
        &["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "--message", "first"],
    ] {
        let mut git = Command::new("git");
        git.current_dir(&directory).args(arguments).env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", &directory);
        assert!(git.status().unwrap().success(), "{arguments:?}");
    }
    directory
}

#[test]
fn a07_ten_writers_beside_a_server_lose_nothing() {
    const WRITERS: usize = 10;
    const EACH: usize = 2;
    let home = Home::new();
    let shop = clone_of_shop(&home);
    let server = home.serve(&[]);
    let fact = |arguments: &[&str]| {
        let mut command = home.command(&[&["fact"], arguments].concat());
        let output = command.current_dir(&shop).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    fact(&["recent"]);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let fact = &fact;
            scope.spawn(move || {
                // Half of the writers call the server, half are processes on its folder.
                let way = if writer % 2 == 0 { &[][..] } else { &["--no-attach"] };
                for nth in 0..EACH {
                    let text = format!("Rule {writer}-{nth}: add_item refuses MAX_ITEMS items.");
                    let store = ["store", "--subject", "Cart", "--cite", "src/cart.rs:4-6", &text];
                    fact(&[&store[..], way].concat());
                }
            });
        }
    });
    let listed: serde_json::Value =
        serde_json::from_str(&fact(&["recent", "--limit", "200", "--json"])).unwrap();
    let facts = listed["memories"].as_array().unwrap();
    assert_eq!(facts.len(), WRITERS * EACH, "{listed}");
    let proposed: serde_json::Value = serde_json::from_str(&fact(&["proposed", "--json"])).unwrap();
    assert_eq!(
        (&proposed["repo"], proposed["proposals"].as_array().map(Vec::len)),
        (&"acme/shop".into(), Some(0))
    );
    let told = home.json(&["doctor", "--telemetry"]);
    assert_eq!(told["ok"], true, "{told}");
    assert!(server.stop(), "{}", home.log());
}

#[test]
fn an_edit_is_seen_before_it_is_committed_and_what_is_withheld_says_why() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    let id = shop.fact("add_item refuses more than MAX_ITEMS items with CartFull.", &["src/cart.rs:5-11"]);
    let recent = || shop.json(&["fact", "recent"]);
    let served = |found: &serde_json::Value| found["memories"].as_array().map_or(0, Vec::len);
    assert_eq!(served(&recent()), 1);

    let edited = "pub fn refuses_nothing() {}\n";
    shop.write("src/cart.rs", edited);
    let found = recent();
    assert_eq!((served(&found), &found["omitted"]["gone"]), (0, &1.into()), "{found}");
    assert_eq!(found["withheld"][0]["id"], *id);
    assert_eq!(found["withheld"][0]["why"][0], "src/cart.rs:5-11 gone:range_out_of_bounds", "{found}");
    assert_eq!(served(&shop.json(&["fact", "recent", "--ref", "HEAD"])), 1, "what is committed still holds");
    let (_, _, told) = shop.run(&["fact", "recent"]);
    assert!(
        told.contains("1 withheld: gone") && told.contains("src/cart.rs:5-11 gone:range_out_of_bounds"),
        "{told}"
    );
    // The hook of a session does not pass a withheld fact off as an empty memory.
    let (_, prompt, _) = shop.run(&["fact", "recent", "--format", "prompt", "--fail-open"]);
    assert!(prompt.contains("Withheld: 1 with code that is gone."), "{prompt}");

    shop.commit("edit");
    let quarantined = shop.json(&["fact", "recent", "--ref", "HEAD"]);
    assert_eq!(quarantined["withheld"][0]["status"], "active", "as it was when it was looked at");
    let again = shop.json(&["fact", "recent", "--ref", "HEAD"]);
    assert_eq!((served(&again), &again["withheld"][0]["status"]), (0, &"quarantined".into()), "{again}");
    shop.git(&["mv", "src/cart.rs", "src/basket.rs"]);
    shop.write("src/basket.rs", &format!("//! Moved.\n{CART}"));
    shop.commit("back, elsewhere");
    let back = shop.json(&["fact", "recent", "--ref", "HEAD"]);
    assert_eq!((served(&back), &back["memories"][0]["status"]), (1, &"active".into()), "{back}");
}
