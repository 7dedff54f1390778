//! `rules_list`: the rules from the reviews of a repository.

use loci_api::coding::rule::RuleListing;
use loci_model::limits;
use loci_model::record::RecordState;
use serde_json::Value;

use super::shapes::{cursor, limit, words};
use crate::tools::profile::Profile;
use crate::tools::schema::{anything, array, closed, default, one_of, open, said, text, time, word};
use crate::tools::shapes::repo;
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};
use crate::tools::{arguments, native};
use crate::v1::coding::rules::listed;

/// The default number of items.
const ITEMS: u32 = 50;

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "rules_list",
        dotted: None,
        description: "Rules from code reviews of a repository, newest first. Follow the active ones.",
        profiles: &[Profile::Coding, Profile::Full],
        scope: ToolRight::Read,
        annotations: Annotations::read(false),
        input: closed(
            [
                ("repo", repo()),
                ("state", state()),
                ("scope", said(text(1, limits::SHORT_TEXT_CHARS_MAX as u32), "As written in the rule")),
                ("since", time()),
                ("until", time()),
                ("q", said(words(), "The text holds this")),
                ("limit", limit(ITEMS)),
                ("cursor", cursor()),
            ],
            &[],
        ),
        output: open([("rules", array(anything())), ("next_cursor", word())], &["rules"]),
        work: Some(|context, arguments| Box::pin(work(context, arguments))),
    }
}

/// Returns the schema of states that may be read.
fn state() -> Value {
    let states = RecordState::ALL.iter().filter(|state| **state != RecordState::Erased);
    let words: Vec<&str> = states.map(|state| state.as_str()).collect();
    default(one_of(&words), RecordState::Active.as_str())
}

async fn work(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let (asking, repo) = (native::asking(&context, &arguments), arguments::needed(&arguments, "repo")?);
    let mut asked: RuleListing = native::request(arguments, &["repo"])?;
    asked.limit = asked.limit.or(Some(ITEMS));
    native::answer(&listed(&asking, &repo, asked).await?)
}
