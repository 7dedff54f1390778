//! Examples of the commands of the group “Memories and search”.

use super::Example;

pub(super) const EXAMPLES: &[Example] = &[
    ("memory", &["loci memory create notes", "loci memory list"]),
    (
        "memory create",
        &[
            "loci memory create notes",
            "loci memory create team --strategy semantic --strategy episodic --tag owner=me",
        ],
    ),
    ("memory ensure", &["loci memory ensure sre_agent_memory --profile sre"]),
    ("memory recreate", &["loci memory recreate draft --confirm draft"]),
    ("memory list", &["loci memory list"]),
    ("memory get", &["loci memory get notes"]),
    ("memory delete", &["loci memory delete draft --yes"]),
    (
        "memory settings",
        &["loci memory settings notes", r#"loci memory settings team --set '{"model_mode":"pull"}'"#],
    ),
    ("memory reflect", &["loci memory reflect team episodic --namespace /episodes/me/ --window 20"]),
    ("memory tags", &["loci memory tags notes --add owner=me"]),
    (
        "event",
        &[
            r#"loci event create --actor me --session today "My boat is called Gull.""#,
            "loci event list --actor me --session today",
        ],
    ),
    ("event create", &[r#"loci event create --actor me --session today "My boat is called Gull.""#]),
    ("event list", &["loci event list --actor me --session today"]),
    ("event get", &["loci event get --actor me --session today $EVENT"]),
    ("event delete", &["loci event delete --actor me --session today $EVENT"]),
    ("event end", &["loci event end --actor me --session today"]),
    ("event actors", &["loci event actors"]),
    ("event sessions", &["loci event sessions --actor me"]),
    (
        "record",
        &[
            r#"loci record create --namespace /facts/me/ --kind fact "The key is under the mat.""#,
            "loci record list",
        ],
    ),
    (
        "record create",
        &[r#"loci record create --namespace /facts/me/ --kind fact "The key is under the mat.""#],
    ),
    ("record list", &["loci record list", "loci record list --namespace /facts/me/ --state quarantined"]),
    ("record get", &["loci record get $RECORD"]),
    ("record update", &[r#"loci record update $RECORD "The key is in the drawer.""#]),
    ("record delete", &["loci record delete $RECORD"]),
    (
        "record quarantine",
        &["loci record quarantine list", r#"loci record quarantine add $RECORD --reason "the key moved""#],
    ),
    ("record quarantine list", &["loci record quarantine list"]),
    (
        "record quarantine add",
        &[
            r#"loci record quarantine add $RECORD --reason "the key moved""#,
            r#"loci record quarantine add --pattern 'under the mat' --reason "the key moved" --dry-run"#,
        ],
    ),
    ("record quarantine release", &[r#"loci record quarantine release $RECORD --reason "the key is there""#]),
    (
        "record quarantine reject",
        &[r#"loci record quarantine reject $RECORD --reason "the key is not there""#],
    ),
    (
        "record feedback",
        &[
            "loci record feedback $RECORD useful",
            r#"loci record feedback $RECORD wrong --reason "the key is not there" --human"#,
        ],
    ),
    ("record history", &["loci record history $RECORD"]),
    ("record revert", &["loci record revert $RECORD --to-version 1"]),
    (
        "search",
        &[
            r#"loci search "What is the name of the boat?""#,
            r#"loci search "boat" --namespace /facts/bob/ --top-k 3 --explain"#,
        ],
    ),
    ("profile", &["loci profile list", "loci profile show assistant"]),
    ("profile list", &["loci profile list"]),
    ("profile show", &["loci profile show assistant"]),
    (
        "profile apply",
        &["loci profile apply assistant --dry-run", "loci profile apply --memory notes assistant"],
    ),
    ("forget", &["loci forget --actor bob --dry-run", "loci forget --actor bob --confirm bob"]),
];
