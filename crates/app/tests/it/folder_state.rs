//! A server with a damaged folder: replaced while in use, without the master key of its secrets, or
//! without the keys that its master key belongs to.

use std::fs;

use crate::listener::{get, raw};
use crate::program::{Home, Server};

const CREATE: [&str; 3] = ["memory", "create", "notes"];

/// Returns a home whose store has a key.
fn with_a_key() -> Home {
    let home = Home::new();
    home.ok(&CREATE);
    home.ok(&["key", "create", "admin"]);
    home
}

/// Checks that the command refuses to serve, with this message.
fn refuses(home: &Home, rule: &str) {
    let output = home.run(&["serve", "--listen", "127.0.0.1:0"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains(rule), "{said}");
    assert!(!said.contains("listening on"), "{said}");
    let doctor = home.run(&["doctor", "--offline"]);
    let told = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(doctor.status.code() == Some(5) && told.contains(rule), "{told}");
}

#[test]
fn an_emptied_database_beside_a_master_key_lets_nobody_in() {
    let home = with_a_key();
    for name in ["loci.db", "loci.db-wal", "loci.db-shm"] {
        fs::remove_file(home.path("data").join(name)).ok();
    }
    let refused = home.run(&["serve", "--listen", "127.0.0.1:0"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && said.contains("was in use, but its loci.db is empty or gone"),
        "{said}"
    );
    fs::remove_file(home.path("data/schema")).unwrap();
    refuses(&home, "Nobody is let in without credentials");
    // An explicit decision by a person: a key of the new database.
    home.ok(&["key", "create", "again"]);
    let server = home.serve(&[]);
    assert!(get(&server, "/v1/memories", "").starts_with("HTTP/1.1 401"));
    assert!(get(&server, "/readyz", "").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_restore_without_its_master_key_is_told_and_not_served() {
    let home = with_a_key();
    let backup = home.path("backup.db");
    home.ok(&["backup", backup.to_str().unwrap()]);
    let fresh = Home::new();
    let restored = fresh.run(&["restore", backup.to_str().unwrap()]);
    assert!(restored.status.success());
    assert!(
        String::from_utf8_lossy(&restored.stderr).contains("put master.key into the folder"),
        "{restored:?}"
    );
    refuses(&fresh, "the master key is missing");
    let said = fresh.fails(1, &["key", "create", "more"]);
    assert!(said.contains("the master key is missing"), "{said}");
    assert!(!fresh.path("data/master.key").exists(), "no key is made in passing");
    // A different master key counts as missing.
    write_key(&fresh, "33");
    refuses(&fresh, "does not open under the master key");
    fs::copy(home.path("data/master.key"), fresh.path("data/master.key")).unwrap();
    assert!(get(&fresh.serve(&[]), "/readyz", "").starts_with("HTTP/1.1 200"));

    // After a permanent loss: a new master key, under which each access key is rotated.
    write_key(&fresh, "44");
    let id = fresh.json(&["key", "list"])["keys"][0]["access_key_id"].as_str().unwrap().to_owned();
    let token = fresh.json(&["key", "rotate", &id])["token"].as_str().unwrap().to_owned();
    let server = fresh.serve(&[]);
    assert!(get(&server, "/readyz", "").starts_with("HTTP/1.1 200"));
    let bearer = format!("Authorization: Bearer {token}\r\n");
    assert!(get(&server, "/v1/memories", &bearer).starts_with("HTTP/1.1 200"));
    fs::remove_file(fresh.path("data/master.key")).unwrap();
    let unready = answered(&server, "HTTP/1.1 503");
    assert!(unready.contains("the master key is missing"), "{unready}");
    assert!(!unready.contains(fresh.path("data").to_str().unwrap()), "{unready}");
    // A page may point its own name here, and a proxy passes on all callers: neither learns more
    // than that.
    for (host, header) in
        [("evil.example:8411", "Sec-Fetch-Site: same-origin"), ("localhost", "X-Forwarded-For: 192.0.2.1")]
    {
        let head = format!("GET /readyz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{header}\r\n\r\n");
        let unready = raw(&server, &head);
        assert!(unready.starts_with("HTTP/1.1 503") && unready.contains("loci doctor"), "{unready}");
        assert!(!unready.contains("master key"), "{unready}");
    }
}

/// Returns a home without access keys, in whose memory an imported record was deleted, and the
/// import.
fn with_tombstones() -> (Home, Vec<String>) {
    let home = Home::new();
    home.ok(&CREATE);
    let file = home.path("mem0.json").to_str().unwrap().to_owned();
    fs::write(&file, r#"[{"id":"m1","memory":"Alex keeps bees."},{"id":"m2","memory":"Alex has a bike."}]"#)
        .unwrap();
    let import = ["import", "--format", "mem0", &file, "--memory", "notes"].map(str::to_owned).to_vec();
    run(&home, &import);
    delete(&home, "Alex keeps bees.");
    (home, import)
}

fn run(home: &Home, arguments: &[String]) -> String {
    home.ok(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

fn texts(home: &Home) -> Vec<(String, String)> {
    let listed = home.json(&["record", "list", "--memory", "notes", "--namespace", "/imported/mem0"]);
    let word = |one: &serde_json::Value, name: &str| one[name].as_str().unwrap().to_owned();
    listed["records"].as_array().unwrap().iter().map(|one| (word(one, "id"), word(one, "text"))).collect()
}

fn delete(home: &Home, text: &str) {
    let (id, _) = texts(home).into_iter().find(|(_, one)| one == text).unwrap();
    home.ok(&["record", "delete", "--memory", "notes", &id]);
}

/// Checks that the home is served, and that a new tombstone has its effect.
fn is_served_with_new_tombstones(home: &Home, import: &[String]) {
    let server = home.serve(&[]);
    assert!(get(&server, "/readyz", "").starts_with("HTTP/1.1 200"), "{}", home.log());
    home.ok(&["event", "create", "--memory", "notes", "--actor", "ann", "--session", "s", "a heron"]);
    run(home, import);
    delete(home, "Alex has a bike.");
    let told = run(home, import);
    assert!(told.contains("was erased here on"), "{told}");
    assert!(!texts(home).iter().any(|(_, text)| text == "Alex has a bike."));
    assert!(get(&server, "/readyz", "").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_dry_run_makes_no_key_and_the_server_still_starts() {
    let home = Home::new();
    home.ok(&CREATE);
    home.ok(&["event", "create", "--memory", "notes", "--actor", "mara", "--session", "s", "a heron"]);
    let server = home.serve(&[]);
    home.ok(&["forget", "--memory", "notes", "--actor", "mara", "--dry-run"]);
    assert!(get(&server, "/readyz", "").starts_with("HTTP/1.1 200"));
    assert!(server.stop());
    let server = home.serve(&[]);
    assert!(get(&server, "/readyz", "").starts_with("HTTP/1.1 200"));
    home.ok(&["forget", "--memory", "notes", "--actor", "mara", "--confirm", "mara"]);
    assert!(home.path("data/master.key").exists());
    assert!(server.stop());
    assert!(get(&home.serve(&[]), "/readyz", "").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_lost_key_costs_a_store_without_access_keys_its_tombstones_alone() {
    let (home, import) = with_tombstones();
    let backup = home.path("backup.db").to_str().unwrap().to_owned();
    home.ok(&["backup", &backup]);
    let restored = |key: &str| {
        let fresh = Home::new();
        fs::create_dir_all(fresh.path("data")).unwrap();
        match key {
            "" => {}
            "its own" => {
                fs::copy(home.path("data/master.key"), fresh.path("data/master.key")).unwrap();
            }
            other => write_key(&fresh, other),
        }
        let output = fresh.run(&["restore", &backup]);
        assert!(output.status.success(), "{output:?}");
        (fresh, String::from_utf8_lossy(&output.stderr).into_owned())
    };

    let (whole, note) = restored("its own");
    assert!(!note.contains("master") && note.contains("mirrors"), "{note}");
    let told = run(&whole, &import);
    assert!(told.contains("was erased here on"), "{told}");
    is_served_with_new_tombstones(&whole, &import);

    let (without, note) = restored("");
    assert!(note.contains("imports may bring back what was erased before"), "{note}");
    let told = String::from_utf8_lossy(&without.run(&["doctor", "--offline"]).stdout).into_owned();
    assert!(told.contains("were made under a master key that is not here"), "{told}");
    let server = without.serve(&[]);
    assert!(get(&server, "/readyz", "").starts_with("HTTP/1.1 200"));
    assert!(without.log().contains("were made under a master key that is not here"), "{}", without.log());
    assert!(server.stop() && !without.path("data/master.key").exists(), "no key is made in passing");
    // The correct key may still be restored. Without one, the next deletion creates one.
    is_served_with_new_tombstones(&without, &import);
    without.ok(&["key", "create", "admin"]);

    // Another key is accepted as well.
    let (other, _) = restored("33");
    is_served_with_new_tombstones(&other, &import);
    let (other, _) = restored("33");
    other.ok(&["key", "create", "admin"]);
    assert!(get(&other.serve(&[]), "/readyz", "").starts_with("HTTP/1.1 200"));
}

#[test]
fn memories_that_were_moved_without_their_key_are_written_and_deleted() {
    let (home, import) = with_tombstones();
    let folder = |home: &Home, name: &str| format!("sqlite:{}", home.path(name).display());
    let target = Home::new();
    home.ok(&["migrate", "--from", &folder(&home, "data"), "--to", &folder(&target, "data")]);
    // With their key: the new store contains no sealed data yet, and does not count as emptied.
    let server = target.serve(&[]);
    assert!(get(&server, "/readyz", "").starts_with("HTTP/1.1 200"));
    assert!(server.stop());
    let told = run(&target, &import);
    assert!(told.contains("was erased here on"), "{told}");

    let target = Home::new();
    home.ok(&["migrate", "--from", &folder(&home, "data"), "--to", &folder(&target, "data")]);
    fs::remove_file(target.path("data/master.key")).unwrap();
    is_served_with_new_tombstones(&target, &import);
}

#[test]
fn a_key_that_an_earlier_version_made_in_passing_is_taken() {
    let home = Home::new();
    home.ok(&CREATE);
    write_key(&home, "55");
    let server = home.serve(&[]);
    assert!(get(&server, "/readyz", "").starts_with("HTTP/1.1 200"));
    assert!(server.stop());
    // The key is rejected next to a database from before its first use.
    let backup = home.path("backup.db").to_str().unwrap().to_owned();
    let earlier = Home::new();
    earlier.ok(&CREATE);
    earlier.ok(&["backup", &backup]);
    earlier.ok(&["key", "create", "admin"]);
    let output = earlier.run(&["restore", &backup, "--force"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("a server does not start until"), "{output:?}");
    refuses(&earlier, "Nobody is let in without credentials");
    fs::remove_file(earlier.path("data/master.key")).unwrap();
    assert!(get(&earlier.serve(&[]), "/readyz", "").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_rotation_of_no_key_leaves_the_witness() {
    let home = with_a_key();
    let right = fs::read(home.path("data/master.key")).unwrap();
    write_key(&home, "44");
    home.fails(3, &["key", "rotate", "LOCI0000000000000000"]);
    let revoked = home.json(&["key", "list"])["keys"][0]["access_key_id"].as_str().unwrap().to_owned();
    fs::write(home.path("data/master.key"), right).unwrap();
    assert!(get(&home.serve(&[]), "/readyz", "").starts_with("HTTP/1.1 200"));
    // If all keys are revoked and the master key is lost, new ones are created.
    home.ok(&["key", "revoke", &revoked]);
    write_key(&home, "44");
    home.ok(&["key", "create", "again"]);
    assert!(get(&home.serve(&[]), "/readyz", "").starts_with("HTTP/1.1 200"));
}

/// Returns the answer of the readiness check once it has this status. The server checks at most
/// once a second.
fn answered(server: &Server, status: &str) -> String {
    let mut answers = (0..100_000).map(|_| get(server, "/readyz", ""));
    answers.find(|answer| answer.starts_with(status)).unwrap()
}

fn write_key(home: &Home, byte: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = home.path("data/master.key");
    fs::write(&path, byte.repeat(32)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn a_folder_that_is_replaced_under_a_server_takes_no_more() {
    let home = Home::new();
    let server = home.serve(&[]);
    home.ok(&CREATE);
    assert!(get(&server, "/readyz", "").starts_with("HTTP/1.1 200"));
    fs::rename(home.path("data"), home.path("away")).unwrap();
    let unready = answered(&server, "HTTP/1.1 503");
    assert!(unready.contains("was replaced, emptied or removed"), "{unready}");
    let told = home.run(&["memory", "create", "lost", "--url", &server.url]);
    let said = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(!told.status.success() && said.contains("was replaced"), "{said}");
    fs::rename(home.path("away"), home.path("data")).unwrap();
    answered(&server, "HTTP/1.1 200");
    assert!(!home.ok(&["memory", "list"]).contains("lost"));
}
