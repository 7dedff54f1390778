//! The demo's report for people: each question with its hits and reasons, the timing, and commands
//! to copy.

use std::path::Path;

use loci_api::search::Hit;

use super::SAMPLE_REPOSITORY;
use super::excerpt::excerpt;
use super::play::{DemoAnswer, DemoReport, TOP_K};
use super::script::ACTOR;
use crate::output;
use crate::output::reasons;

/// The number of hits per question in addition to the answering one.
const SHOWN: usize = 3;
/// The default address of `loci serve`.
const ADDRESS: &str = "http://127.0.0.1:8411";

/// The style of emphasis: colour on a terminal, else none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) coloured: bool,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        if self.coloured { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    fn good(self, text: &str) -> String {
        self.paint("32", text)
    }
}

/// Prints the report. `kept` is the folder that remains.
pub(super) fn print(report: &DemoReport, kept: Option<&Path>, style: Style) {
    legend(report, style);
    for (at, asked) in report.questions.iter().enumerate() {
        question(at + 1, asked, style);
    }
    #[cfg(feature = "verified")]
    if let Some(act) = &report.code {
        code(act, style);
    }
    summary(report, style);
    let blocks = match kept {
        Some(folder) => blocks_kept(report, folder),
        None => blocks(),
    };
    output::line(blocks);
}

/// Explains what the reader sees before the first question.
fn legend(report: &DemoReport, style: Style) {
    output::styled(style.bold("Act one: a conversation"));
    output::line(format!(
        "Ines talked with her assistant for three weeks: {} messages in {} sessions. Loci has stored them and \
         made {} facts. Now you ask ten questions as she would.",
        report.turns, report.sessions, report.facts
    ));
    output::line(
        "Each hit shows its relevance (0 to 1), the date and the session, and what raised it. * marks the answer.",
    );
    output::line("");
}

/// Shows the second act: the fact, and its check after each change of the code.
#[cfg(feature = "verified")]
fn code(act: &super::code_act::CodeAct, style: Style) {
    output::styled(style.bold("Act two: a fact about code"));
    output::line(format!("An agent stores “{}” and cites {}.", act.fact, act.cites));
    output::line("Loci checks the cited lines before it serves the fact again:");
    for step in &act.steps {
        output::line("");
        output::line(format!("    {}", step.change));
        let verdict = format!("    → {}", step.verdict);
        output::styled(if step.verdict == super::code_act::SERVED {
            style.good(&verdict)
        } else {
            style.bold(&verdict)
        });
        output::line(format!("      {}", step.label));
    }
    output::line("");
}

fn question(number: usize, asked: &DemoAnswer, style: Style) {
    output::styled(style.bold(&format!("{number:>2}. {}", asked.question)));
    output::styled(style.dim(&format!("    {}", asked.note)));
    for (at, found) in asked.hits.iter().enumerate() {
        let place = at + 1;
        let answers = asked.place == Some(place);
        if at < SHOWN || answers {
            let text = excerpt(&found.record.text, if answers { &asked.expect } else { "" });
            hit(place, answers, found, &text, style);
        }
    }
    if asked.place.is_none() {
        output::line(format!("    its answer is not among the best {TOP_K}"));
    }
    output::line("");
}

fn hit(place: usize, answers: bool, hit: &Hit, text: &str, style: Style) {
    let mark = if answers { '*' } else { ' ' };
    let date = hit.time.get(..10).unwrap_or(&hit.time);
    let session = hit.record.provenance.session.as_deref().unwrap_or("-");
    let head = format!("  {mark} {place}  {:.2}  {date}  {session}", hit.relevance);
    output::styled(if answers { style.good(&head) } else { head });
    output::line(format!("         {text}"));
    output::styled(style.dim(&format!("         why: {}", reasons::strongest(&hit.explanation))));
}

fn summary(report: &DemoReport, style: Style) {
    let asked = report.questions.len();
    output::styled(style.bold(&format!(
        "{} of {asked} questions have their answer (*) among the best {TOP_K}.",
        report.answered
    )));
    let rows = [
        (
            "store",
            report.store_ms,
            format!("{} turns in {} sessions, each on disk", report.turns, report.sessions),
        ),
        (
            "extract",
            report.extract_ms,
            format!("{} facts with vectors; preferences, summaries", report.facts),
        ),
        ("a question", report.search_ms_median, "the middle one of them, with its explanation".to_owned()),
        ("in all", report.total_ms, "no key, no network, no model but the one built in".to_owned()),
    ];
    for (what, ms, note) in rows {
        output::line(format!("  {what:<11}{ms:>9.1} ms   {note}"));
    }
}

/// Returns commands to explore the demo's memory.
fn blocks_kept(report: &DemoReport, folder: &Path) -> String {
    let (memory, folder) = (&report.memory, folder.display());
    format!(
        r#"
The folder stays. The repository of act two is in {folder}/{SAMPLE_REPOSITORY}. Serve the folder:

    loci serve --data-dir '{folder}'

Ask it over the native API:

    curl -s {ADDRESS}/v1/search -H 'content-type: application/json' \
      -d '{{"memory":"{memory}","query":"What does Pilot eat?","namespace_paths":["/facts/{ACTOR}/"],"top_k":3,"explain":true}}'

Ask it with any AWS SDK, or the AWS CLI:

{AWS}
    aws bedrock-agentcore retrieve-memory-records --memory-id '{memory}' --namespace '/facts/{ACTOR}/' \
      --search-criteria 'searchQuery=What does Pilot eat?,topK=3'"#
    )
}

/// Returns commands to start with a memory of one's own.
fn blocks() -> String {
    format!(
        r#"
Look further at this conversation (--keep keeps the folder):

    loci demo --keep loci-demo && loci serve --data-dir loci-demo

Or begin with a memory of your own:

    loci serve &
    MEMORY=$(loci memory create notes)
    curl -s {ADDRESS}/v1/memories/$MEMORY/events -H 'content-type: application/json' \
      -d '{{"actor":"me","session":"s1","payload":[{{"message":{{"role":"user","text":"My boat is called Gull."}}}}]}}'
    curl -s {ADDRESS}/v1/memories/$MEMORY/extraction:wait -H 'content-type: application/json' -d '{{}}'
    curl -s {ADDRESS}/v1/search -H 'content-type: application/json' \
      -d '{{"memory":"'$MEMORY'","query":"What is the name of my boat?","explain":true}}'

Programs that use AgentCore Memory need nothing but these variables:

{AWS}"#
    )
}

/// Any keys work: without access keys a server accepts each request on loopback.
const AWS: &str = "    export AWS_ENDPOINT_URL_BEDROCK_AGENTCORE=http://127.0.0.1:8411
    export AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL=http://127.0.0.1:8411
    export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local AWS_REGION=us-west-2";
