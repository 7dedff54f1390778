//! Examples of the commands of the group “Documents”.

use super::Example;

pub(super) const EXAMPLES: &[Example] = &[
    ("files", &["loci files put knowledge/facts/theme.md theme.md", "loci files ls"]),
    ("files ls", &["loci files ls", "loci files ls knowledge/facts --depth 1"]),
    (
        "files cat",
        &["loci files cat knowledge/facts/theme.md", "loci files cat knowledge/facts/theme.md --raw"],
    ),
    ("files grep", &[r#"loci files grep "make" knowledge/skills -C 1"#]),
    ("files put", &["loci files put knowledge/facts/theme.md theme.md"]),
    (
        "files append",
        &[
            r#"loci files append --title "Shell" "- Use bash.""#,
            r#"loci files append knowledge/skills/deploy.md "- Run make deploy.""#,
        ],
    ),
    ("files edit", &["loci files edit knowledge/facts/theme.md --old Dark --new Light"]),
    ("files mv", &["loci files mv knowledge/facts/theme.md knowledge/preferences/theme.md"]),
    ("files rm", &["loci files rm knowledge/skills/deploy.md"]),
    ("files listing", &["loci files listing"]),
    ("files context", &["loci files context --memory notes --budget-tokens 1000"]),
    ("files tool", &[r#"loci files tool '{"command":"view","path":"/memories"}' --memory notes"#]),
    ("files log", &["loci files log", "loci files log knowledge/preferences/theme.md"]),
    ("files diff", &["loci files diff before-cleanup"]),
    ("files snapshot", &["loci files snapshot before-cleanup", "loci files snapshot"]),
    ("files restore", &["loci files restore before-cleanup", "loci files restore before-cleanup --apply"]),
    ("mirror", &["loci mirror add desk desk", "loci mirror sync desk"]),
    ("mirror add", &["loci mirror add desk desk", "loci mirror add team team --kind git"]),
    ("mirror sync", &["loci mirror sync", "loci mirror sync desk"]),
    ("mirror status", &["loci mirror status"]),
    ("mirror pull", &["loci mirror pull team --from clone"]),
    ("mirror rm", &["loci mirror rm desk"]),
    (
        "backend",
        &[
            "loci backend check --directory plain",
            "loci backend copy --from-memory notes --to-directory copy",
        ],
    ),
    (
        "backend check",
        &["loci backend check --directory plain", "loci backend check --url http://127.0.0.1:8412"],
    ),
    ("backend serve", &["loci backend serve --directory plain"]),
    (
        "backend copy",
        &[
            "loci backend copy --from-memory notes --to-directory copy",
            "loci backend copy --from-directory copy --to-url http://127.0.0.1:8412",
        ],
    ),
    (
        "consolidate",
        &[
            "loci consolidate --memory notes --scope all",
            "loci consolidate --memory notes --run $RUN --apply",
        ],
    ),
];
