//! `memory_hydrate`: memories for the prompt of a task, or for a caller that names only a
//! repository. Only an invalid or forbidden request is an error.

use loci_api::ErrorCode;
use loci_api::coding::hydration::TaskHydrate;
use loci_coding::hydration::{Estimator, GRAPH, HydrationKind, KindStatus};
use loci_model::{Error, ErrorKind, limits};
use serde_json::{Map, Value, json};

use super::shapes::{name, own_task};
use crate::tools::error::ToolError;
use crate::tools::profile::Profile;
use crate::tools::schema::{
    anything, array, closed, default, flag, list, one_of, open, said, text, whole, word,
};
use crate::tools::shapes::repo;
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};
use crate::tools::{arguments, native};
use crate::v1::coding::tasks::hydration::{THEMES, of_repository, of_task};

const ESTIMATORS: [Estimator; 3] = [Estimator::Mixed, Estimator::Chars4, Estimator::Bytes3];

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_hydrate",
        dotted: Some("memory.hydrate"),
        description: "Memories for this work: rules, knowledge, earlier tasks, preferences, within a token budget. \
                      Call once at the start; task_id needs write access, repo only read.",
        profiles: &[Profile::Coding, Profile::Full],
        scope: ToolRight::Read,
        annotations: Annotations::read(true),
        input: input(),
        output: output(),
        work: Some(|context, arguments| Box::pin(work(context, arguments))),
    }
}

fn input() -> Value {
    let kinds = HydrationKind::ALL.iter().map(|kind| kind.as_str());
    let kinds: Vec<&str> = kinds.chain([THEMES, GRAPH]).collect();
    let tokens = whole(0, limits::HYDRATION_TOKENS_MAX.into());
    let (wait_min, wait_max) = limits::HYDRATION_TIMEOUT_MS.into_inner();
    said(
        closed(
            [
                ("task_id", own_task()),
                ("repo", repo()),
                (
                    "query",
                    said(
                        text(0, limits::TASK_DESCRIPTION_CHARS_MAX as u32),
                        "Description of the work; default: the task's",
                    ),
                ),
                (
                    "paths",
                    said(
                        list(text(1, 1024), 0, limits::HYDRATION_PATHS_MAX as u32),
                        "Files, directories or globs it touches",
                    ),
                ),
                ("user", name()),
                ("ref", text(0, 250)),
                ("commit", text(0, 64)),
                ("budget_tokens", said(tokens, "Default: 2000, or as configured")),
                ("estimator", one_of(&ESTIMATORS.map(Estimator::name))),
                ("timeout_ms", whole(wait_min as i64, wait_max as i64)),
                ("include", list(one_of(&kinds), 1, kinds.len() as u32)),
                ("render", default(one_of(&["markdown", "json", "none"]), "markdown")),
            ],
            &[],
        ),
        "At most one of task_id and repo; the server checks.",
    )
}

fn output() -> Value {
    open(
        [
            ("task_id", word()),
            ("degraded", flag()),
            ("warnings", array(word())),
            ("arm", word()),
            ("exposure_id", word()),
            ("commit", word()),
            ("rules", array(anything())),
            ("knowledge", array(anything())),
            ("episodes", array(anything())),
            ("reflections", array(anything())),
            ("preferences", array(anything())),
            ("budget", anything()),
            ("withheld", array(anything())),
            ("status", anything()),
            ("rendered", word()),
        ],
        &["degraded", "warnings", "rules", "knowledge", "episodes", "reflections", "preferences", "status"],
    )
}

async fn work(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let asking = native::asking(&context, &arguments);
    let repo = arguments::string(&arguments, "repo");
    let is_task = arguments.contains_key(native::TASK);
    let id = is_task.then(|| native::task(&arguments)).transpose()?;
    let asked: TaskHydrate = native::request(arguments, &[native::TASK, "repo"])?;
    let found = match (id, repo) {
        (Some(id), None) => of_task(&asking, &id, asked).await,
        (None, Some(repo)) => of_repository(&asking, &repo, asked).await,
        (Some(_), Some(_)) | (None, None) => {
            let rule = "give exactly one of task_id and repo, or start `loci mcp` with LOCI_TASK_ID";
            return Err(ToolError::new(ErrorCode::Invalid, rule).on(native::TASK));
        }
    };
    match found {
        Ok(found) => native::answer(&found),
        Err(error) if error.kind == ErrorKind::Unavailable => Ok(unread(&error)),
        Err(error) => Err(error.into()),
    }
}

/// Returns the result without memories, with the reason. The task continues without them.
fn unread(error: &Error) -> Value {
    tracing::warn!(?error, metric_type = "memory_load_infra_failure", "memory_hydrate");
    let kinds = HydrationKind::ALL.iter().map(|kind| kind.as_str()).chain([GRAPH]);
    let status = kinds.map(|kind| (kind.to_owned(), KindStatus::Error.as_str().into()));
    json!({
        "degraded": true,
        "warnings": [format!("NOT_READ: {}", error.message)],
        "rules": [],
        "knowledge": [],
        "episodes": [],
        "reflections": [],
        "preferences": [],
        "status": status.collect::<Map<_, _>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_read_has_the_form_of_an_answer() {
        let answer = unread(&Error::unavailable("the task could not be read in time"));
        let form = output();
        for name in form["required"].as_array().unwrap() {
            assert!(answer.get(name.as_str().unwrap()).is_some(), "{name}: {answer}");
        }
        assert_eq!(answer["warnings"], json!(["NOT_READ: the task could not be read in time"]));
        assert_eq!((&answer["degraded"], &answer["status"]["rules"]), (&json!(true), &json!("error")));
    }
}
