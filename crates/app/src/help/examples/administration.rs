//! Examples of the commands of the group “Administration”.

use super::Example;

pub(super) const EXAMPLES: &[Example] = &[
    ("key", &[r#"loci key create ci --grant '{"memory":"code","capabilities":["read"]}'"#, "loci key list"]),
    (
        "key create",
        &[
            r#"loci key create ci --grant '{"memory":"code","capabilities":["read"]}'"#,
            "loci key create acme --filter tenant=acme --max-age-days 90",
        ],
    ),
    ("key list", &["loci key list"]),
    ("key rotate", &["loci key rotate $KEY"]),
    ("key revoke", &["loci key revoke $KEY"]),
    ("config", &["loci config print", "loci config path"]),
    ("config print", &["loci config print"]),
    ("config path", &["loci config path"]),
    ("job", &["loci job list", "loci job wait"]),
    ("job list", &["loci job list", "loci job list --state failed"]),
    ("job get", &["loci job get $JOB"]),
    ("job start", &["loci job start $JOB"]),
    (
        "job next",
        &["loci job next --memory agent", "loci job next --memory agent --poll-ms 20000 > question.json"],
    ),
    ("job result", &["loci job result $QUESTION --output answer.json --model my-model"]),
    ("job fail", &[r#"loci job fail $QUESTION --error "the model did not answer""#]),
    ("job wait", &["loci job wait"]),
    ("webhooks", &["loci webhooks test jobs", "loci webhooks list"]),
    ("webhooks targets", &["loci webhooks targets"]),
    ("webhooks list", &["loci webhooks list", "loci webhooks list --memory agent --state pending"]),
    ("webhooks retry", &["loci webhooks retry --memory agent $DELIVERY"]),
    ("webhooks test", &["loci webhooks test jobs"]),
    ("tools", &["loci tools print --family coding"]),
    (
        "tools print",
        &[
            "loci tools print --family coding",
            "loci tools print --family recall --format anthropic > tools.json",
        ],
    ),
    (
        "export",
        &[
            "loci export --memory notes notes.jsonl",
            "loci export --memory code --namespace /acme/shop/ --manifest shop.jsonl",
        ],
    ),
    (
        "import",
        &[
            "loci import --format transcript talk/conversation.txt --memory notes --actor me",
            "loci import --format jsonl notes.jsonl --data-dir copy-of-notes",
        ],
    ),
    ("backup", &["loci backup loci.backup"]),
    (
        "restore",
        &[
            "loci restore loci.backup --data-dir restored",
            "loci restore loci.backup --data-dir restored --force",
        ],
    ),
    (
        "migrate",
        &[
            "loci migrate --from sqlite:$HOME/.local/share/loci --to sqlite:$PWD/moved",
            "loci migrate --from sqlite:$HOME/.local/share/loci --to postgres://loci@db.example/agents",
        ],
    ),
    ("schema", &["loci schema > tables.sql", "loci schema --database citus --partitions 32 > tables.sql"]),
    ("completions", &["loci completions bash > loci.bash"]),
    ("manual", &["loci manual man"]),
];
