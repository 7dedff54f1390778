//! `loci repo sync`: a clone pushes its default branch to a bare mirror, a server reads the mirror
//! and verifies against it, and nothing of a hostile clone is run.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::fact_repository::{CART, Shop, git};
use crate::program::Home;

fn report(out: &str) -> Value {
    serde_json::from_str(out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

#[test]
fn a_server_verifies_by_the_mirror_what_was_pushed() {
    let (home, other) = (Home::new(), Home::new());
    let shop = Shop::new(&other, "shop");
    let mirror = home.path("mirrors/acme/shop.git");
    let to = mirror.to_str().unwrap();
    let server = home.serve(&[]);
    let sync = ["repo", "sync", "--to", to, "--url", &server.url];

    let (code, out, said) = shop.run(&[&sync[..], &["--dry-run", "--json"]].concat());
    assert_eq!((code, mirror.exists()), (0, false), "{out}");
    assert!(said.contains("would write these changes") && !said.contains("error"), "{said}");
    assert_eq!(report(&out)["refs"][0]["change"], "created");

    let first = shop.json(&sync);
    assert_eq!(
        (&first["made"], &first["refs"][0]["name"]),
        (&json!(true), &json!("refs/heads/main")),
        "{first}"
    );
    assert_eq!((&first["repo"], &first["registered"]), (&json!("acme/shop"), &json!(to)));
    assert_eq!(git(&mirror, &["config", "receive.fsckObjects"]), "true");
    assert_eq!(git(&mirror, &["symbolic-ref", "HEAD"]), "refs/heads/main");
    let again = shop.json(&sync);
    assert_eq!((&again["refs"][0]["change"], &again["bytes"]), (&json!("unchanged"), &json!(0)), "{again}");
    assert_eq!(shop.run(&[&sync[..], &["--dry-run"]].concat()).0, 0, "nothing would change");

    // The server, which has no clone, now stores and verifies facts of the repository, and sees a
    // pushed change.
    let url = ["--url", server.url.as_str()];
    let store = ["fact", "store", "--repo", "acme/shop", "--subject", "Carts", "--cite", "src/cart.rs:5-8"];
    let stored = shop.json(&[&store[..], &["`add_item` refuses with CartFull."], &url].concat());
    assert_eq!(stored["verification"]["verdict"], "valid", "{stored}");
    let recent =
        || shop.json(&[&["fact", "recent", "--repo", "acme/shop", "--verify", "fresh"][..], &url].concat());
    assert_eq!(recent()["memories"][0]["verdict"], "valid");
    shop.write(
        "src/cart.rs",
        &CART.replace("return Err(CartFull)", "panic!()").replace("MAX_ITEMS {", "7 {"),
    );
    shop.commit("changed");
    assert_eq!(recent()["memories"][0]["verdict"], "valid", "what was not pushed is not known");
    assert_eq!(shop.json(&sync)["refs"][0]["change"], "updated");
    assert_ne!(recent()["memories"][0]["verdict"], "valid");
    // A rewritten branch is overwritten there.
    shop.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    assert_eq!(shop.json(&sync)["refs"][0]["change"], "updated");
    assert_eq!(recent()["memories"][0]["verdict"], "valid");
    assert!(server.stop(), "{}", home.log());
}

#[test]
fn further_refs_go_along_and_limits_hold() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    shop.git(&["tag", "v1"]);
    shop.git(&["checkout", "--quiet", "-b", "feature/x"]);
    shop.commit("more");
    let mirrors = home.path("mirrors");
    let configuration = home.path("loci.toml");
    fs::write(&configuration, format!("[verified]\nmirrors = {:?}\n", mirrors.to_str().unwrap())).unwrap();
    let base = ["--config", configuration.to_str().unwrap(), "repo", "sync"];
    let (code, _, said) = shop.run(&[&base[..], &["--max-bytes", "10"]].concat());
    assert!(code == 2 && said.contains("--max-bytes"), "{code}: {said}");
    assert!(!mirrors.exists(), "a mirror is not made for nothing");
    let synced = shop.json(&[&base[..], &["--ref", "feature/x", "--ref", "v1"]].concat());
    let names: Vec<_> =
        synced["refs"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["refs/heads/main", "refs/heads/feature/x", "refs/tags/v1"]);
    let mirror = mirrors.join("git.example/acme/shop.git");
    assert_eq!(git(&mirror, &["rev-parse", "feature/x"]), shop.git(&["rev-parse", "HEAD"]));
    let listed = shop.json(&["repo", "list"]);
    let places = listed["repositories"][0]["places"].to_string();
    assert!(places.contains("mirrors/git.example/acme/shop.git"), "{listed}");
    for (arguments, code, part) in [
        (&["--ref", "nowhere"][..], 3, "no branch and no tag nowhere"),
        (&["--ref", "HEAD"], 2, "name of a branch or a tag"),
        (&["--ref=--upload-pack=x"], 2, "name of a branch or a tag"),
        (&["--to", "ext::sh -c x"], 2, "--to must be"),
        (&["--to", "https://git.example/x.git"], 2, "--server-path"),
    ] {
        let (got, _, said) = shop.run(&[&base[..], arguments].concat());
        assert!(got == code && said.contains(part), "{arguments:?}: {got} {said}");
    }
    let (code, _, said) = shop.run(&["repo", "sync"]);
    assert!(code == 2 && said.contains("verified.mirrors"), "{said}");
}

#[test]
fn nothing_of_the_clone_is_run_and_nothing_else_is_written_over() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    let witness = home.path("was-run");
    let hook = shop.path().join(".git/hooks/pre-push");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let script = format!("#!/bin/sh\ntouch {}\n", witness.display());
    fs::write(&hook, &script).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    for (name, value) in [
        ("core.fsmonitor", hook.to_str().unwrap()),
        ("core.hooksPath", hook.parent().unwrap().to_str().unwrap()),
        ("core.sshCommand", hook.to_str().unwrap()),
        ("uploadpack.packObjectsHook", hook.to_str().unwrap()),
        ("remote.origin.receivepack", hook.to_str().unwrap()),
        (&format!("url.ext::sh -c {} .insteadOf", hook.display()), "/"),
    ] {
        shop.git(&["config", name, value]);
    }
    let mirror = home.path("m.git");
    shop.json(&["repo", "sync", "--to", mirror.to_str().unwrap()]);
    assert!(!witness.exists(), "a hook or a program of the clone was run");
    assert_eq!(git(&mirror, &["rev-parse", "main"]), shop.git(&["rev-parse", "main"]));
    assert!(!mirror.join("hooks").exists());

    // A folder with other content and a worktree are not changed.
    let full = home.path("full");
    fs::create_dir(&full).unwrap();
    fs::write(full.join("letter"), "mine").unwrap();
    for place in [full.to_str().unwrap(), &shop.at()] {
        let (code, _, said) = shop.run(&["repo", "sync", "--to", place]);
        assert!(code == 2 && said.contains("no bare repository"), "{place}: {code} {said}");
    }
    assert_eq!(fs::read_dir(&full).unwrap().count(), 1);

    // A shallow history and a clone with missing objects are reported.
    let source = format!("file://{}", shop.at());
    shop.commit("second");
    git(&home.path(""), &["clone", "--quiet", "--depth", "1", &source, "shallow"]);
    let shallow = home.path("shallow");
    let fails = home
        .fails(2, &["repo", "sync", "--path", shallow.to_str().unwrap(), "--to", mirror.to_str().unwrap()]);
    assert!(fails.contains("--unshallow"), "{fails}");
    let blob = shop.git(&["rev-parse", "HEAD:src/cart.rs"]);
    fs::remove_file(shop.path().join(".git/objects").join(&blob[..2]).join(&blob[2..])).unwrap();
    let (code, _, said) = shop.run(&["repo", "sync", "--to", home.path("n.git").to_str().unwrap()]);
    assert!(code == 1 && said.contains("an incomplete clone"), "{code}: {said}");
}

/// Creates a program that records its name when it is run.
fn program(folder: &Path, name: &str, witness: &Path) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\necho {name} >> '{}'\n", witness.display())).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn nothing_of_a_mirror_that_somebody_else_made_is_run() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    let (foreign, other, witness) = (home.path("f.git"), home.path("other.git"), home.path("was-run"));
    for bare in [&foreign, &other] {
        git(&home.path(""), &["init", "--quiet", "--bare", bare.to_str().unwrap()]);
    }
    fs::write(foreign.join("objects/info/alternates"), other.join("objects").to_str().unwrap()).unwrap();
    let hooks = foreign.join("hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in
        ["pre-receive", "update", "post-receive", "post-update", "reference-transaction", "pre-auto-gc"]
    {
        program(&hooks, hook, &witness);
    }
    let any = program(&hooks, "by-a-setting", &witness);
    let any = any.to_str().unwrap();
    for (name, value) in [
        ("core.hooksPath", hooks.to_str().unwrap()),
        ("core.alternateRefsCommand", any),
        ("core.fsmonitor", any),
        ("core.sshCommand", any),
        ("gpg.program", any),
        ("receive.certNonceSeed", "seed"),
        ("receive.denyCurrentBranch", "updateInstead"),
        ("receive.fsckObjects", "false"),
        ("uploadpack.packObjectsHook", any),
        ("gc.auto", "1"),
        ("gc.autoDetach", "false"),
        ("gc.recentObjectsHook", any),
    ] {
        git(&foreign, &["config", name, value]);
    }
    let sync = ["repo", "sync", "--no-register", "--to", foreign.to_str().unwrap()];
    for change in ["created", "updated"] {
        assert_eq!(shop.json(&sync)["refs"][0]["change"], change);
        let ran = fs::read_to_string(&witness).unwrap_or_default();
        assert_eq!(ran, "", "{change}: the mirror's programs were run");
        assert_eq!(git(&foreign, &["rev-parse", "main"]), shop.git(&["rev-parse", "main"]));
        shop.commit("more");
    }

    // A malformed object is rejected, regardless of the mirror's settings.
    let tree = shop.git(&["rev-parse", "HEAD^{tree}"]);
    let commit =
        format!("tree {tree}\nauthor A <a@example.org> 1 +0000\ncommitter C <c@example.org\n\nbad\n");
    shop.write("../bad-commit", &commit);
    let bad = shop.git(&["hash-object", "-t", "commit", "-w", "--literally", "../bad-commit"]);
    shop.git(&["update-ref", "refs/heads/bad", &bad]);
    let (code, _, said) = shop.run(&[&sync[..], &["--ref", "bad"]].concat());
    assert!(code == 1 && said.contains("the mirror did not take it"), "{code}: {said}");

    // A hook in a setting cannot be disabled, so no request is sent to such a repository.
    let included = home.path("included");
    fs::write(&included, format!("[hook \"x\"]\n\tevent = post-receive\n\tcommand = {any}\n")).unwrap();
    git(&foreign, &["config", "include.path", included.to_str().unwrap()]);
    let (code, _, said) = shop.run(&sync);
    assert!(code == 2 && said.contains("by its setting hook.x."), "{code}: {said}");
    assert!(!witness.exists());
}
