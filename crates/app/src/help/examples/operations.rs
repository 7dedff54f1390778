//! Examples of the commands of the group “Operations”.

use super::Example;

pub(super) const EXAMPLES: &[Example] = &[
    ("ops", &["loci ops list", r#"loci ops explain "How much memory is normal?" --service api-server"#]),
    ("ops preferences", &["loci ops preferences list", "loci ops preferences apply preferences.yaml"]),
    ("ops preferences list", &["loci ops preferences list me", "loci ops preferences list --pending"]),
    ("ops preferences confirm", &["loci ops preferences confirm $PREFERENCE"]),
    ("ops preferences reject", &["loci ops preferences reject $PREFERENCE"]),
    ("ops preferences history", &["loci ops preferences history me"]),
    (
        "ops preferences apply",
        &[
            "loci ops preferences apply preferences.yaml --dry-run",
            "loci ops preferences apply preferences.yaml",
        ],
    ),
    ("ops list", &["loci ops list", "loci ops list --type infrastructure"]),
    ("ops get", &["loci ops get $RECORD"]),
    (
        "ops delete",
        &[
            "loci ops delete $RECORD",
            "loci ops delete --type preferences --actor bob --confirm sre_agent_memory",
        ],
    ),
    ("ops export", &["loci ops export --out all.jsonl"]),
    ("ops import", &["loci ops import ops.jsonl --dry-run", "loci ops import ops.jsonl"]),
    ("ops history", &["loci ops history --service api-server"]),
    ("ops explain", &[r#"loci ops explain "How much memory is normal?" --service api-server"#]),
    ("ops pending-outcomes", &["loci ops pending-outcomes"]),
    ("ops outcome", &[r#"loci ops outcome incident-7 --confirmed --root-cause "A memory leak""#]),
    ("ops stats", &["loci ops stats --service api-server"]),
    ("ops doctor", &["loci ops doctor"]),
    ("me", &["loci me list", "loci me delete $RECORD"]),
    ("me list", &["loci me list", "loci me list --type preferences"]),
    (
        "me correct",
        &[r#"loci me correct $RECORD --data '{"preference_type":"style","preference_value":"Be brief."}'"#],
    ),
    ("me delete", &["loci me delete $RECORD", "loci me delete --all --confirm sre_agent_memory"]),
];
