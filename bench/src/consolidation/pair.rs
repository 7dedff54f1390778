//! A labelled pair of statements, as in the sets of `bench/data/consolidation`.

use anyhow::{Context, Result, ensure};
use loci_model::Timestamp;
use loci_model::record::RecordKind;
use serde::{Deserialize, Serialize};

use crate::labelled_set::json_lines;

/// The effect of a newer statement on an older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Expect {
    /// Both stay.
    Add,
    /// The newer statement adds no information.
    Skip,
    /// The newer statement replaces the older one.
    Supersede,
}

/// The subject of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Semantic,
    UserPreference,
    Code,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: String,
    kind: Kind,
    old: SideLine,
    new: SideLine,
    expect: Expect,
    why: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct SideLine {
    text: String,
    time: String,
    #[serde(default)]
    scope: Option<String>,
}

/// One of the two statements.
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub(super) text: String,
    pub(super) time: Timestamp,
    pub(super) scope: Option<String>,
}

/// A labelled pair.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) id: String,
    pub(super) kind: Kind,
    pub(super) old: Side,
    pub(super) new: Side,
    pub(super) expect: Expect,
    pub(super) why: String,
}

impl Pair {
    /// Returns the kind of the records of this pair.
    pub(super) fn record_kind(&self) -> RecordKind {
        match self.kind {
            Kind::Semantic | Kind::Code => RecordKind::Fact,
            Kind::UserPreference => RecordKind::Preference,
        }
    }

    /// Returns true if its scopes, as written, differ.
    pub(super) fn scopes_differ(&self) -> bool {
        self.old.scope != self.new.scope
    }
}

/// Reads the pairs of a set, and fails if an id occurs twice.
pub(super) fn read(text: &str) -> Result<Vec<Pair>> {
    let mut pairs: Vec<Pair> = Vec::new();
    for line in json_lines(text) {
        let (_, line): (usize, Line) = line?;
        ensure!(pairs.iter().all(|pair| pair.id != line.id), "the id {} is there twice", line.id);
        let side = |side: SideLine| -> Result<Side> {
            let time =
                Timestamp::parse(&side.time).map_err(|error| anyhow::anyhow!("{}: {error}", side.time))?;
            Ok(Side { text: side.text, time, scope: side.scope })
        };
        pairs.push(Pair {
            kind: line.kind,
            old: side(line.old).with_context(|| line.id.clone())?,
            new: side(line.new).with_context(|| line.id.clone())?,
            expect: line.expect,
            why: line.why,
            id: line.id,
        });
    }
    Ok(pairs)
}
