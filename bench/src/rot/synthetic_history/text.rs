//! Generated source text: functions, configuration and prose of random words, with the boilerplate
//! that real code repeats.

use crate::seeded_random::Seeded;

const NOUNS: &[&str] = &[
    "account", "anchor", "archive", "batch", "bucket", "buffer", "cache", "channel", "cluster", "cursor",
    "digest", "event", "export", "filter", "folder", "frame", "gateway", "header", "index", "invoice",
    "journal", "ledger", "manifest", "marker", "message", "module", "parcel", "payload", "planner", "policy",
    "profile", "quota", "record", "region", "replica", "report", "request", "router", "sample", "schema",
    "segment", "session", "shard", "signal", "snapshot", "stream", "summary", "ticket", "token", "tracker",
    "vector", "window", "worker", "zone",
];
const VERBS: &[&str] = &[
    "append",
    "apply",
    "attach",
    "balance",
    "bind",
    "build",
    "collect",
    "commit",
    "compact",
    "convert",
    "count",
    "decode",
    "deliver",
    "detach",
    "drain",
    "encode",
    "expand",
    "fetch",
    "flush",
    "freeze",
    "gather",
    "insert",
    "inspect",
    "measure",
    "merge",
    "migrate",
    "normalise",
    "observe",
    "parse",
    "prepare",
    "project",
    "publish",
    "rebuild",
    "recover",
    "release",
    "render",
    "replay",
    "resolve",
    "restore",
    "retry",
    "rotate",
    "sample",
    "select",
    "settle",
    "split",
    "stage",
    "store",
    "submit",
    "sweep",
    "trim",
    "verify",
    "weigh",
];
const WORDS: &[&str] = &[
    "after", "before", "every", "never", "between", "second", "slow", "fresh", "stale", "remote", "local",
    "small", "large", "empty", "broken", "ready", "late", "early", "shared", "single", "first", "last",
    "open", "closed",
];

/// The kind of a file's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rot) enum Kind {
    Braces,
    Indented,
    Settings,
    Prose,
}

impl Kind {
    pub(in crate::rot) fn extension(self) -> &'static str {
        match self {
            Self::Braces => "rs",
            Self::Indented => "py",
            Self::Settings => "toml",
            Self::Prose => "md",
        }
    }

    pub(in crate::rot) fn of(path: &str) -> Self {
        match path.rsplit_once('.').map(|(_, extension)| extension) {
            Some("py") => Self::Indented,
            Some("toml") => Self::Settings,
            Some("md") => Self::Prose,
            _ => Self::Braces,
        }
    }
}

fn one(seeded: &mut Seeded, from: &[&'static str]) -> &'static str {
    seeded.pick(from).copied().unwrap_or_default()
}

/// Returns a noun.
pub(in crate::rot) fn noun(seeded: &mut Seeded) -> &'static str {
    one(seeded, NOUNS)
}

/// Returns a name of two words and a number, which rarely repeats.
pub(in crate::rot) fn name(seeded: &mut Seeded) -> String {
    format!("{}_{}_{}", one(seeded, VERBS), one(seeded, NOUNS), seeded.below(90) + 10)
}

fn type_name(seeded: &mut Seeded) -> String {
    let capital = |word: &str| {
        let (head, rest) = word.split_at(word.len().min(1));
        format!("{}{rest}", head.to_ascii_uppercase())
    };
    format!("{}{}", capital(one(seeded, NOUNS)), capital(one(seeded, NOUNS)))
}

fn phrase(seeded: &mut Seeded, words: u64) -> String {
    let all = (0..words).map(|at| match at % 3 {
        0 => one(seeded, WORDS),
        1 => one(seeded, NOUNS),
        _ => one(seeded, VERBS),
    });
    all.collect::<Vec<_>>().join(" ")
}

/// Returns a paragraph of a file: a function, a table or some sentences, without blank lines.
pub(in crate::rot) fn paragraph(seeded: &mut Seeded, kind: Kind) -> Vec<String> {
    match kind {
        Kind::Braces => braces(seeded),
        Kind::Indented => indented(seeded),
        Kind::Settings => settings(seeded),
        Kind::Prose => (0..2 + seeded.below(4)).map(|_| sentence(seeded)).collect(),
    }
}

fn sentence(seeded: &mut Seeded) -> String {
    let (subject, object) = (one(seeded, NOUNS), one(seeded, NOUNS));
    format!(
        "The {subject} {} a {object} {}, {} {}.",
        one(seeded, VERBS),
        one(seeded, WORDS),
        phrase(seeded, 4),
        seeded.below(900)
    )
}

/// Returns a statement without its indentation.
pub(in crate::rot) fn statement(seeded: &mut Seeded, kind: Kind) -> String {
    let end = if kind == Kind::Braces { ";" } else { "" };
    let bind = if kind == Kind::Braces { "let " } else { "" };
    let (a, b) = (one(seeded, NOUNS), one(seeded, NOUNS));
    match (kind, seeded.below(5)) {
        (Kind::Settings, _) => format!("{}_{a} = {}", one(seeded, VERBS), seeded.below(5000)),
        (Kind::Prose, _) => sentence(seeded),
        (_, 0) => {
            format!("{bind}{a}_{} = {}({b}, {}){end}", seeded.below(40), name(seeded), seeded.below(900))
        }
        (_, 1) => format!("{}.{}(\"{}\", {b}){end}", a, one(seeded, VERBS), phrase(seeded, 3)),
        (_, 2) => {
            format!("{bind}{b} = {a}.{}().{}({}){end}", one(seeded, VERBS), name(seeded), seeded.below(64))
        }
        (_, 3) => {
            format!("{}({a}, {b}, \"{}\", {}){end}", name(seeded), phrase(seeded, 2), seeded.below(9000))
        }
        _ => format!("{a}.{} += {b}.{}{end}", name(seeded), one(seeded, NOUNS)),
    }
}

fn braces(seeded: &mut Seeded) -> Vec<String> {
    let kind = Kind::Braces;
    let mut all = vec![format!("/// {}", sentence(seeded))];
    let head =
        format!("pub fn {}({}: &{}, limit: usize)", name(seeded), one(seeded, NOUNS), type_name(seeded));
    all.push(format!("{head} -> Result<{}> {{", type_name(seeded)));
    for _ in 0..1 + seeded.below(4) {
        all.push(format!("    {}", statement(seeded, kind)));
    }
    if seeded.below(2) == 0 {
        all.push(format!("    if {}.is_empty() {{", one(seeded, NOUNS)));
        all.push("        return Ok(Default::default());".to_owned());
        all.push("    }".to_owned());
    }
    if seeded.below(2) == 0 {
        all.push(format!("    for {} in {}.iter() {{", one(seeded, NOUNS), one(seeded, NOUNS)));
        for _ in 0..1 + seeded.below(3) {
            all.push(format!("        {}", statement(seeded, kind)));
        }
        all.push("    }".to_owned());
    }
    all.push(format!("    Ok({})", one(seeded, NOUNS)));
    all.push("}".to_owned());
    all
}

fn indented(seeded: &mut Seeded) -> Vec<String> {
    let kind = Kind::Indented;
    let mut all = vec![format!("def {}({}, limit=None):", name(seeded), one(seeded, NOUNS))];
    all.push(format!("    \"\"\"{}\"\"\"", sentence(seeded)));
    for _ in 0..1 + seeded.below(4) {
        all.push(format!("    {}", statement(seeded, kind)));
    }
    if seeded.below(2) == 0 {
        all.push("    if limit is None:".to_owned());
        all.push("        return None".to_owned());
    }
    all.push(format!("    for {} in {}:", one(seeded, NOUNS), one(seeded, NOUNS)));
    for _ in 0..1 + seeded.below(3) {
        all.push(format!("        {}", statement(seeded, kind)));
    }
    all.push(format!("    return {}", one(seeded, NOUNS)));
    all
}

fn settings(seeded: &mut Seeded) -> Vec<String> {
    let mut all = vec![format!("[{}.{}_{}]", one(seeded, NOUNS), one(seeded, NOUNS), seeded.below(90))];
    for _ in 0..2 + seeded.below(5) {
        all.push(match seeded.below(3) {
            0 => "enabled = true".to_owned(),
            1 => format!("{}_{} = \"{}\"", one(seeded, VERBS), one(seeded, NOUNS), phrase(seeded, 2)),
            _ => statement(seeded, Kind::Settings),
        });
    }
    all
}
