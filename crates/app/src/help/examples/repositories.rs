//! Examples of the commands of the group “Repositories and facts”.

use super::Example;

pub(super) const EXAMPLES: &[Example] = &[
    ("repo", &["loci repo add", "loci repo list"]),
    ("repo add", &["loci repo add", "loci repo add github.com/acme/shop --at-forge"]),
    ("repo list", &["loci repo list"]),
    ("repo show", &["loci repo show"]),
    ("repo set", &["loci repo set memory_token_budget=3000", "loci repo set control.off=0.1 --dry-run"]),
    ("repo themes", &["loci repo themes", "loci repo themes --propose --template new-task"]),
    ("repo metrics", &["loci repo metrics --by user"]),
    (
        "repo quarantine",
        &[
            r#"loci repo quarantine $RECORD --reason "no longer true""#,
            r#"loci repo quarantine --pattern 'make db-up' --reason "no longer true" --dry-run"#,
        ],
    ),
    ("repo release", &[r#"loci repo release $RECORD --reason "it is true""#]),
    ("repo snapshots", &["loci repo snapshots"]),
    (
        "repo rollback",
        &[
            r#"loci repo rollback --to $SNAPSHOT --reason "a bad task" --dry-run"#,
            r#"loci repo rollback --to $SNAPSHOT --reason "a bad task""#,
        ],
    ),
    (
        "repo purge",
        &[
            r#"loci repo purge --task old-1 --reason "written by mistake""#,
            r#"loci repo purge --task old-1 --reason "written by mistake" --confirm $COUNT"#,
        ],
    ),
    ("repo sync", &[r#"loci repo sync --to "$PWD/../mirrors/shop.git""#]),
    ("repo alias", &["loci repo alias example.com/acme/shop"]),
    (
        "fact",
        &[r#"loci fact store --subject Carts --cite src/limits.rs:4 "MAX_ITEMS is 50.""#, "loci fact recent"],
    ),
    ("fact recent", &["loci fact recent", "loci fact recent --format prompt"]),
    ("fact store", &[r#"loci fact store --subject Carts --cite src/limits.rs:4 "MAX_ITEMS is 50.""#]),
    ("fact search", &[r#"loci fact search "How many items can a cart have?""#]),
    ("fact show", &["loci fact show $FACT"]),
    ("fact verify", &["loci fact verify $FACT"]),
    ("fact refresh", &["loci fact refresh $FACT"]),
    ("fact invalidate", &[r#"loci fact invalidate $FACT --reason "the limit is gone""#]),
    ("fact supersede", &[r#"loci fact supersede $FACT "MAX_ITEMS is 50, the limit of a cart.""#]),
    ("fact history", &["loci fact history $FACT"]),
    ("fact proposed", &["loci fact proposed"]),
    ("fact stats", &["loci fact stats"]),
    ("verify", &["loci verify", "loci verify --rev HEAD --since main"]),
];
