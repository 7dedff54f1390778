//! What a server does with a folder that is not as it should be: replaced under it, without the master key
//! of its secrets, or
//! without the keys that its master key belongs to.

use std::fs;

use crate::program::{Home, Server};
use crate::serving::get;

const CREATE: [&str; 3] = ["memory", "create", "notes"];

/// A home whose store has a key.
fn with_a_key() -> Home {
    let home = Home::new();
    home.ok(&CREATE);
    home.ok(&["key", "create", "admin"]);
    home
}

/// The command does not come to serve anybody, and says this.
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
    refuses(&home, "Nobody is let in without credentials");
    // A person's word: a key of the new database.
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
    // Another key than the one of the secrets is none.
    write_key(&fresh, "33");
    refuses(&fresh, "does not open under the master key");
    fs::copy(home.path("data/master.key"), fresh.path("data/master.key")).unwrap();
    assert!(get(&fresh.serve(&[]), "/readyz", "").starts_with("HTTP/1.1 200"));

    // Lost for good: a new one, under which every key is rotated.
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
}

/// The answer of the readiness check once it has this status: the server looks at most once a second.
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
