//! `retrieve_memory`: memories by type and question. Those that the start of the investigation has
//! already shown are left out, and counted.

use loci_model::services::knowledge::SreType;
use loci_model::{MemoryId, RecordId, limits};
use loci_operations::SreRetrieve;
use serde_json::{Map, Value, json};

use super::{memory, memory_type, named_session, open_session, user, user_form, user_if_known};
use crate::tools::arguments::{needed, string};
use crate::tools::check::whole;
use crate::tools::native;
use crate::tools::profile::Profile;
use crate::tools::schema::{
    anything, array, closed, count, flag, list, open, said, text, whole as number, word,
};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};
use crate::v1::operations::retrieve::shown;

/// The default number of results, of the simple form and of the one with filters.
const RESULTS_SIMPLE: usize = 10;
const RESULTS_FILTERED: usize = 5;
/// The maximum number of results.
const RESULTS_MAX: i64 = 100;

pub(in crate::tools) fn tool() -> Tool {
    let filters = limits::SRE_FILTERS_MAX as u32;
    Tool {
        name: "retrieve_memory",
        dotted: None,
        description: "Find preferences, service knowledge or past investigations. Use it for context that the prompt lacks.",
        profiles: &[Profile::Sre],
        scope: ToolRight::Read,
        annotations: Annotations::read(false),
        input: closed(
            [
                ("memory_type", said(word(), "preferences, infrastructure or investigations")),
                ("query", text(0, limits::QUERY_CHARS_MAX as u32)),
                ("actor_id", said(word(), "Only of this user or agent")),
                ("max_results", number(1, RESULTS_MAX)),
                ("session_id", said(word(), "Only of this session")),
                ("user_id", user_form()),
                ("since", word()),
                ("until", word()),
                ("service", list(word(), 0, filters)),
                ("environment", list(word(), 0, filters)),
                ("include_shown", said(flag(), "Include context of the investigation")),
            ],
            &["memory_type", "query"],
        ),
        output: open(
            [
                ("results", array(anything())),
                ("time_filter", anything()),
                ("left_out", count()),
                ("degraded", flag()),
                ("warnings", array(word())),
            ],
            &["results", "left_out", "degraded", "warnings"],
        ),
        work: Some(|context, arguments| Box::pin(retrieve(context, arguments))),
    }
}

async fn retrieve(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let kind = memory_type(&needed(&arguments, "memory_type")?)?;
    let memory = memory(&context).await?;
    let wants_shown = arguments.get("include_shown").and_then(Value::as_bool).unwrap_or_default();
    let named_actor = string(&arguments, "actor_id").filter(|id| !id.is_empty());
    let user = match (kind, &named_actor) {
        (SreType::Preferences, None) => Some(user(&context, &memory, &arguments).await?),
        // Neither team knowledge nor the preferences of a named user require a user of the call.
        _ => user_if_known(&context, &memory, &arguments).await?,
    };
    let leave_out = if wants_shown {
        Vec::new()
    } else {
        let session = match (named_session(&arguments), &user) {
            (Some(named), _) => Some(named),
            (None, Some(user)) => open_session(&context, &memory, user).await?,
            (None, None) => None,
        };
        match session {
            Some(session) => context.engine.operations.sre_shown(&context.caller, &memory, &session).await?,
            None => Vec::new(),
        }
    };
    let asked = asked((user, named_actor), (memory, leave_out), kind, &arguments);
    let found = context.engine.operations.sre_retrieve(&context.caller, asked).await?;
    let left_out = found.left_out;
    let Value::Object(answer) = native::answer(&shown(found))? else { return Ok(json!({})) };
    let mut members: Map<String, Value> = answer;
    members.insert("left_out".to_owned(), json!(left_out));
    Ok(Value::Object(members))
}

/// Returns the request. Preferences are the user's own. Knowledge is that of every agent, even if a
/// user is named, so that a tool returns what the start returned.
fn asked(
    (user, named): (Option<String>, Option<String>),
    (memory, leave_out): (MemoryId, Vec<RecordId>),
    kind: SreType,
    arguments: &ReceivedArguments,
) -> SreRetrieve {
    let actor = match kind {
        SreType::Preferences => named.or(user),
        SreType::Infrastructure => named.filter(|id| Some(id) != user.as_ref()),
        SreType::Investigations => named,
    };
    let texts = |name: &str| -> Vec<String> {
        let items = arguments.get(name).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let has = |name: &&str| arguments.contains_key(*name);
    let is_filtered = ["since", "until", "service", "environment"].iter().any(has);
    let default = if is_filtered { RESULTS_FILTERED } else { RESULTS_SIMPLE };
    let top_k = arguments.get("max_results").and_then(whole).and_then(|most| usize::try_from(most).ok());
    SreRetrieve {
        memory,
        kinds: vec![kind],
        query: string(arguments, "query").unwrap_or_default(),
        actor,
        session: named_session(arguments),
        since: string(arguments, "since"),
        until: string(arguments, "until"),
        tz: None,
        services: texts("service"),
        environments: texts("environment"),
        filters_boost: false,
        min_confidence: None,
        top_k: Some(top_k.unwrap_or(default)),
        include_superseded: false,
        as_of: None,
        explain: false,
        leave_out,
    }
}
