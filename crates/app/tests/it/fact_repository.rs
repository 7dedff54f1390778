//! A repository created with the git executable, isolated from the configuration of this machine,
//! and facts that cite it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::program::Home;

pub(crate) const CART: &str = "use crate::money::Cents;\n\nimpl Cart {\n    /// A cart holds at most MAX_ITEMS.\n    pub fn add_item(&mut self, item: Item) -> Result<(), CartFull> {\n        if self.items.len() >= MAX_ITEMS {\n            return Err(CartFull);\n        }\n        self.items.push(item);\n        Ok(())\n    }\n\n    pub fn total_price(&self) -> Cents {\n        self.items.iter().map(|item| item.price()).sum()\n    }\n}\n";
pub(crate) const LIMITS: &str = "/// Items of one cart.\npub const MAX_ITEMS: usize = 50;\n/// Requests of one customer in a minute.\npub const MAX_REQUESTS: usize = 120;\n";

/// The search path for programs that scripts start.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A clone in a home.
pub(crate) struct Shop<'a> {
    pub(crate) home: &'a Home,
    name: String,
}

impl<'a> Shop<'a> {
    /// Creates a clone with one commit on `main` and a remote.
    pub(crate) fn new(home: &'a Home, name: &str) -> Self {
        let shop = Self { home, name: name.to_owned() };
        shop.write("src/cart.rs", CART);
        shop.write("src/limits.rs", LIMITS);
        shop.git(&["init", "--quiet", "--initial-branch=main"]);
        shop.git(&["remote", "add", "origin", "https://git.example/acme/shop.git"]);
        shop.commit("first");
        shop
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.home.path(&self.name).canonicalize().unwrap()
    }

    pub(crate) fn at(&self) -> String {
        self.path().into_os_string().into_string().unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.home.path(&self.name).join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.path(), arguments)
    }

    /// Commits all changes. Returns the commit id.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs a command in the clone. Returns its code, standard output and standard error.
    pub(crate) fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.home.command(arguments).current_dir(self.path()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Runs a command with `--json`, which must succeed, and returns its answer.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let (code, out, said) = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(code, 0, "{arguments:?}: {said}");
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
    }

    /// Stores a fact about these locations. Returns its id.
    pub(crate) fn fact(&self, fact: &str, places: &[&str]) -> String {
        let mut arguments = vec!["fact", "store", "--subject", "Carts"];
        places.iter().for_each(|place| arguments.extend(["--cite", place]));
        arguments.push(fact);
        let stored = self.json(&arguments);
        stored["id"].as_str().unwrap_or_else(|| panic!("{stored}")).to_owned()
    }

    /// Returns the state of a fact, and the number of its events.
    pub(crate) fn state(&self, id: &str) -> (String, usize) {
        let shown = self.json(&["fact", "show", id]);
        let history = self.json(&["fact", "history", id]);
        let status = shown.pointer("/memory/status").or(shown.get("status")).and_then(Value::as_str);
        let status = status.unwrap_or_else(|| panic!("{shown}")).to_owned();
        let events = history["events"].as_array().unwrap_or_else(|| panic!("{history}"));
        // Reading a fact is an event too, which does not count here.
        (status, events.iter().filter(|one| one["event"] != "retrieved").count())
    }
}

/// Runs git in a directory, without this machine's configuration.
pub(crate) fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = git_command(directory, arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// Returns git in a directory, with nothing of this machine but its programs.
pub(crate) fn git_command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.current_dir(directory).args(arguments).env_clear().env("HOME", directory).env("PATH", PATH);
    for (name, value) in [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_AUTHOR_NAME", "A"),
        ("GIT_AUTHOR_EMAIL", "a@example.org"),
        ("GIT_COMMITTER_NAME", "C"),
        ("GIT_COMMITTER_EMAIL", "c@example.org"),
    ] {
        command.env(name, value);
    }
    command
}
