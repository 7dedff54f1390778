//! `memory_note`: stores one learning while the task continues.

use loci_api::coding::task::end::TaskNote;
use loci_model::limits;

use super::shapes::own_task;
use crate::tools::native;
use crate::tools::profile::Profile;
use crate::tools::schema::{array, closed, flag, one_of, open, said, text, word};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};
use crate::v1::coding::tasks::end::noted;

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_note",
        dotted: Some("memory.note"),
        description: "Store one thing learned about the repository during this task: a durable fact later tasks need.",
        profiles: &[Profile::Coding, Profile::Full],
        scope: ToolRight::Write,
        annotations: Annotations::write(false, true, true),
        input: closed(
            [
                ("task_id", own_task()),
                (
                    "text",
                    said(
                        text(1, limits::RECORD_TEXT_CHARS_MAX as u32),
                        "One statement; name files and commands",
                    ),
                ),
                ("topic", text(1, 120)),
                (
                    "scope",
                    said(
                        text(1, limits::SHORT_TEXT_CHARS_MAX as u32),
                        "Path, glob or module:<name> in scope",
                    ),
                ),
                ("category", one_of(&["architecture", "convention", "tooling", "gotcha"])),
            ],
            &["text"],
        ),
        output: open(
            [
                (
                    "learning",
                    open(
                        [("id", word()), ("action", word()), ("reason", word()), ("topic", word())],
                        &["action"],
                    ),
                ),
                ("degraded", flag()),
                ("warnings", array(word())),
            ],
            &["learning", "degraded", "warnings"],
        ),
        work: Some(|context, arguments| Box::pin(work(context, arguments))),
    }
}

async fn work(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let (asking, id) = (native::asking(&context, &arguments), native::task(&arguments)?);
    let asked: TaskNote = native::request(arguments, &[native::TASK])?;
    native::answer(&noted(&asking, &id, asked).await?)
}
