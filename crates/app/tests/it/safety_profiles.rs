//! Safety and profiles on the command line: quarantine, masks, profiles of a file and of a folder.

use crate::program::Home;

#[test]
fn a_record_is_held_back_and_released() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let write = |text: &str| {
        home.ok(&["record", "create", "--memory", "notes", "--namespace", "/a/", text]).trim().to_owned()
    };
    let (bad, good) = (write("install left-padd first"), write("install left-pad first"));
    let pattern =
        ["record", "quarantine", "add", "--memory", "notes", "--reason", "typo", "--pattern", "padd"];
    let dry = home.json(&[&pattern[..], &["--dry-run"]].concat());
    assert_eq!((&dry["matched"], &dry["applied"]), (&1.into(), &false.into()), "{dry}");
    home.ok(&pattern);
    let found = home.json(&["search", "--memory", "notes", "what to install first"]);
    let ids: Vec<_> =
        found["hits"].as_array().unwrap().iter().map(|hit| hit["record"]["id"].clone()).collect();
    assert_eq!(ids, [good.as_str()]);
    let held = home.json(&["record", "quarantine", "list", "--memory", "notes"]);
    assert_eq!(held["records"][0]["state_reason"], "typo", "{held}");
    let decide = |verb: &str, id: &str| {
        vec!["record", "quarantine", verb, "--memory", "notes", "--reason", "fine", id]
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let words = decide("release", &good);
    home.fails(3, &words.iter().map(String::as_str).collect::<Vec<_>>());
    let words = decide("release", &bad);
    home.ok(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let found = home.json(&["search", "--memory", "notes", "what to install first"]);
    assert_eq!(found["hits"].as_array().unwrap().len(), 2, "{found}");
}

#[test]
fn what_is_said_of_a_record_is_counted_and_a_person_is_enough() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let id = home.ok(&["record", "create", "--memory", "notes", "--namespace", "/a/", "the boat is red"]);
    let id = id.trim();
    let say =
        |more: &[&str]| home.json(&[&["record", "feedback", "--memory", "notes", id][..], more].concat());
    let counts =
        |said: &serde_json::Value| (said["useful"].clone(), said["wrong"].clone(), said["state"].clone());
    assert_eq!(counts(&say(&["useful"])), (1.into(), 0.into(), "active".into()));
    // The command has all capabilities. It acts for an agent unless --human is given.
    assert_eq!(counts(&say(&["wrong", "--reason", "blue"])), (0.into(), 1.into(), "active".into()));
    let history = home.json(&["record", "history", "--memory", "notes", id]);
    assert_eq!(history["feedback"], serde_json::json!({ "useful": 0, "wrong": 1 }), "{history}");
    assert!(home.ok(&["record", "history", "--memory", "notes", id]).contains("feedback: wrong: blue"));
    assert_eq!(counts(&say(&["wrong", "--human"])), (0.into(), 1.into(), "quarantined".into()));
    home.fails(2, &["record", "feedback", "--memory", "notes", id, "bad"]);
}

#[test]
fn profiles_are_listed_shown_and_applied() {
    let home = Home::new();
    let folder = home.path("profiles");
    std::fs::create_dir(&folder).unwrap();
    let own = "profile = \"own\"\nversion = 2\n[[strategy]]\nname = \"Notes\"\nkind = \"semantic\"\nnamespace = \"/own/{actorId}/\"\n";
    std::fs::write(folder.join("own.toml"), own).unwrap();
    std::fs::write(home.path("config.toml"), format!("[profiles]\ndir = {:?}\n", folder.to_str().unwrap()))
        .unwrap();
    let config = home.path("config.toml");
    let with = |words: &[&str]| {
        let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        words.extend(["--config".to_owned(), config.to_str().unwrap().to_owned()]);
        words
    };
    let words = with(&["profile", "list"]);
    let list = home.json(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let names: Vec<_> =
        list["profiles"].as_array().unwrap().iter().map(|one| one["profile"].clone()).collect();
    assert_eq!(names, ["own", "assistant", "coding", "sre"]);

    let made = home.ok(&["memory", "create", "work", "--profile", "coding"]);
    let memory = home.json(&["memory", "get", made.trim()]);
    assert_eq!(memory["settings"]["safety"]["injection"], "quarantine", "{memory}");
    assert_eq!(memory["strategies"].as_array().unwrap().len(), 4);
    std::fs::write(home.path("mine.toml"), home.ok(&["profile", "show", "coding"])).unwrap();
    let apply = ["profile", "apply", "--memory", "work", "mine.toml"];
    home.ok(&[&apply[..], &["--dry-run"]].concat());
    let file = own.replace("Notes", "SemanticKnowledge");
    std::fs::write(home.path("mine.toml"), file).unwrap();
    let shown = home.ok(&[&apply[..], &["--dry-run"]].concat());
    assert!(shown.contains("settings.profile coding → own"), "{shown}");
    home.ok(&apply);
    let memory = home.json(&["memory", "get", "work"]);
    assert_eq!(memory["settings"]["profile"], "own");
    assert_eq!(memory["strategies"].as_array().unwrap().len(), 4);
    std::fs::write(home.path("mine.toml"), "profile = \"own\"\nversion = 1\ncolour = 1\n").unwrap();
    assert!(home.fails(2, &apply).contains("colour"));
    home.fails(3, &["profile", "show", "none-such"]);
}

#[test]
fn a_memory_is_made_as_its_profile_says_and_what_is_said_beside_it_wins() {
    let home = Home::new();
    let check = |name: &str, more: &[&str], days: u64| {
        let made = home.json(&[&["memory", "create", name, "--profile", "coding"][..], more].concat());
        assert_eq!(made["event_expiry_days"], days, "{made}");
        assert_eq!(made["settings"]["profile"], "coding", "{made}");
        assert_eq!(made["strategies"].as_array().unwrap().len(), 4, "{made}");
        assert_eq!(home.json(&["memory", "get", name]), made);
    };
    check("plain", &[], 365);
    check("short", &["--event-expiry-days", "30"], 30);
    let made = home.json(&["memory", "create", "none"]);
    assert_eq!(made["event_expiry_days"], 90);
    // An undeclared variable is detected when the profile is applied.
    let odd = "profile = \"odd\"\nversion = 1\n[[strategy]]\nname = \"N\"\nkind = \"semantic\"\nnamespace = \"/{team}/\"\n";
    std::fs::write(home.path("odd.toml"), odd).unwrap();
    let said = home.fails(2, &["memory", "create", "left", "--profile", "odd.toml"]);
    assert!(said.contains("loci profile apply --memory left") && said.contains("team"), "{said}");
    let said = home.fails(2, &["--json", "memory", "create", "more", "--profile", "odd.toml"]);
    assert!(said.contains("loci profile apply --memory more") && said.contains("team"), "{said}");
    assert_eq!(home.json(&["memory", "get", "left"])["strategies"].as_array().unwrap().len(), 0);
}
