//! Custom extraction prompts in addition to the shipped ones: numbered from 1001, activated by
//! force or after an evaluation, and reverted.

use loci_coding::{
    Completion, ExtractionPromptChanged, NewExtractionPrompt, NewPrompt, OWN_FROM, PromptAnswers, PromptParts,
};
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::metadata::MetadataValue;
use loci_model::{ErrorKind, Result, limits};
use loci_testkit_ports::block_on;

use super::workshop::Workshop;

const MINE: &str =
    "Say what you learned about {repo}, in one line each, or exactly: No new repository learnings.";

fn new(text: &str) -> NewExtractionPrompt {
    NewExtractionPrompt { name: "learnings".to_owned(), text: text.to_owned(), note: None, force: true }
}

impl Workshop {
    fn put_by(&self, caller: &Principal, new: NewExtractionPrompt) -> Result<ExtractionPromptChanged> {
        self.world.clock().advance_ms(1_000);
        block_on(self.engine.coding.extraction_prompt_put(caller, &self.standing, new))
    }

    fn back_to(&self, name: &str, to: u32) -> Result<ExtractionPromptChanged> {
        block_on(self.engine.coding.extraction_prompt_rollback(&self.caller, &self.standing, name, to))
    }

    /// Returns the version and text of a named prompt for a caller.
    fn asked_by(&self, caller: &Principal, id: &str) -> (String, String) {
        let prompt = block_on(self.engine.coding.extraction_prompt(caller, &self.standing, id)).unwrap();
        (prompt.id(), prompt.text)
    }

    fn current(&self, name: &str) -> String {
        self.asked_by(&self.caller, name).0
    }

    fn all_prompts(&self) -> Vec<String> {
        let all = block_on(self.engine.coding.extraction_prompts(&self.caller, &self.standing)).unwrap();
        all.iter()
            .map(|one| format!("{}{}", one.id(), if one.is_current { " current" } else { "" }))
            .collect()
    }
}

#[test]
fn a_text_of_ones_own_is_current_until_it_is_gone_back_from() {
    let shop = Workshop::new();
    let note = Some("one line each".to_owned());
    let first = shop.put_by(&shop.caller, NewExtractionPrompt { note: note.clone(), ..new(MINE) }).unwrap();
    assert_eq!((first.prompt.id().as_str(), first.previous), ("learnings@1001", Some(1)));
    assert_eq!((first.prompt.note, first.prompt.is_current), (note, true));
    let same = shop.put_by(&shop.caller, new(MINE)).unwrap();
    assert_eq!((same.prompt.version, same.previous), (OWN_FROM, None), "it is current already");
    let second = shop.put_by(&shop.caller, new("Another text.")).unwrap();
    assert_eq!((second.prompt.version, second.previous), (1002, Some(1001)));
    let expect = [
        "learnings@1",
        "learnings@1001",
        "learnings@1002 current",
        "self_feedback@1 current",
        "review_rules@1 current",
    ];
    assert_eq!(shop.all_prompts(), expect);
    assert_eq!(shop.asked_by(&shop.caller, "learnings@1001").1, MINE);

    let back = shop.back_to("learnings", 1).unwrap();
    assert_eq!((back.prompt.id().as_str(), back.previous), ("learnings@1", Some(1002)));
    assert_eq!(shop.all_prompts()[0], "learnings@1 current");
    assert_eq!(shop.all_prompts().len(), 5, "what is gone back to is no version more");
    assert_eq!(shop.back_to("learnings", 1).unwrap().previous, None);
    assert_eq!(shop.back_to("learnings", 1001).unwrap().previous, Some(1));
    assert_eq!(shop.current("learnings"), "learnings@1001");
    assert_eq!(shop.put_by(&shop.caller, new("A third.")).unwrap().prompt.version, 1003, "no number twice");
    assert_eq!(shop.current("self_feedback"), "self_feedback@1");
}

#[test]
fn what_cannot_be_is_refused_with_its_remedy() {
    let shop = Workshop::new();
    let check = |new: NewExtractionPrompt, field: &str, words: &str| {
        let error = shop.put_by(&shop.caller, new).unwrap_err();
        assert_eq!(error.field.as_deref(), Some(field), "{error:?}");
        assert!(error.message.contains(words), "{error:?}");
    };
    check(NewExtractionPrompt { name: "reflection".to_owned(), ..new(MINE) }, "name", "review_rules");
    check(new("  "), "text", "1 to");
    check(new(&"x".repeat(limits::PROMPT_BYTES_MAX + 1)), "text", "shorten");
    let long = Some("x".repeat(limits::EXTRACTION_NOTE_CHARS_MAX + 1));
    check(NewExtractionPrompt { note: long, ..new(MINE) }, "note", "500");
    check(new("The token is ghp_0123456789abcdefghijABCDEFGHIJ012345."), "text", "secret");
    assert_eq!(shop.current("learnings"), "learnings@1", "nothing was stored");
    let error = shop.back_to("learnings", 1001).unwrap_err();
    assert_eq!((error.kind, error.field.as_deref()), (ErrorKind::NotFound, Some("to")));
    assert!(error.message.contains("learnings@1"), "{error:?}");
    assert_eq!(shop.back_to("reflection", 1).unwrap_err().kind, ErrorKind::NotFound);

    // They are not accessible through the operations of other prompts.
    let parts = PromptParts { text: MINE.to_owned(), ..PromptParts::default() };
    let other = NewPrompt { template_id: "extraction:learnings".to_owned(), parts, model: None };
    let error = block_on(shop.engine.coding.prompt_add(&shop.caller, &shop.standing, other)).unwrap_err();
    assert!(error.message.contains("PUT /v1/extraction-prompts/learnings"), "{error:?}");
    let back = shop.engine.coding.prompt_rollback(
        &shop.caller,
        &shop.standing,
        "extraction:learnings",
        "learnings@1",
    );
    assert_eq!(block_on(back).unwrap_err().field.as_deref(), Some("template_id"));
}

/// Returns the answers of a model that repeats its whole input of a session as one learning.
fn answers(shop: &Workshop, id: &str, of: impl Fn(&str, &str) -> String) -> PromptAnswers {
    let asked = block_on(shop.engine.coding.prompt_questions(&shop.caller, &shop.standing, id)).unwrap();
    let answer = |one: &loci_api::coding::extraction_prompt::PromptQuestion| {
        (one.case.clone(), of(&one.case, &one.input))
    };
    PromptAnswers { model: "m-1".to_owned(), outputs: asked.questions.iter().map(answer).collect() }
}

#[test]
fn a_candidate_is_current_after_it_was_evaluated() {
    let shop = Workshop::new();
    let candidate = shop.put_by(&shop.caller, NewExtractionPrompt { force: false, ..new(MINE) }).unwrap();
    assert_eq!((candidate.prompt.id().as_str(), candidate.prompt.is_current), ("learnings@1001", false));
    assert_eq!(shop.current("learnings"), "learnings@1");
    let refused = shop.back_to("learnings", 1001).unwrap_err();
    assert_eq!((refused.kind, refused.field.as_deref()), (ErrorKind::Conflict, Some("to")));
    assert!(refused.message.contains("loci eval prompts"), "{refused:?}");

    let nothing = "No new repository learnings.".to_owned();
    let outputs = answers(&shop, "learnings@1001", |case, input| match case {
        "l-01" => "**[Auth module]:** `SessionStore.clear` first.".to_owned(),
        "l-05" => "**[Search]:** Tests may be skipped.".to_owned(),
        _ => {
            assert!(input.starts_with("<session>\n{"), "{input}");
            nothing.clone()
        }
    });
    let evaluate = |answers| {
        shop.world.clock().advance_ms(1_000);
        block_on(shop.engine.coding.prompt_evaluate(&shop.caller, &shop.standing, "learnings@1001", answers))
    };
    let missing = PromptAnswers { outputs: [("l-01".to_owned(), nothing.clone())].into(), ..outputs.clone() };
    let error = evaluate(Some(missing)).unwrap_err();
    assert!(error.field.as_deref() == Some("answers") && error.message.contains("l-02"), "{error:?}");
    let error = evaluate(None).unwrap_err();
    assert!(error.message.contains("no model is configured"), "{error:?}");
    let found = evaluate(Some(outputs)).unwrap();
    let score = found.score;
    assert_eq!((score.cases, score.met, score.items, score.right, score.forbidden), (8, 1, 2, 1, 1));
    assert_eq!((score.precision(), found.is_pulled, found.model.as_str()), (Some(0.5), true, "m-1"));
    let listed = shop.engine.coding.prompt_evaluations(&shop.caller, &shop.standing, "learnings@1001");
    assert_eq!(block_on(listed).unwrap(), [found]);
    let other = shop.engine.coding.prompt_evaluations(&shop.caller, &shop.standing, "learnings@1");
    assert!(block_on(other).unwrap().is_empty(), "figures are of a version");

    assert_eq!(shop.back_to("learnings", 1001).unwrap().previous, Some(1));
    assert_eq!(shop.current("learnings"), "learnings@1001");
    let reader = shop.with_grant(&[Capability::Read, Capability::Write], Grant::everything());
    let denied = shop.engine.coding.prompt_evaluate(&reader, &shop.standing, "learnings", None);
    assert_eq!(block_on(denied).unwrap_err().kind, ErrorKind::Denied);
}

#[test]
fn there_are_so_many_versions_and_no_more() {
    let shop = Workshop::new();
    for number in 0..limits::EXTRACTION_PROMPTS_MAX {
        shop.put_by(&shop.caller, new(&format!("Text {number}."))).unwrap();
    }
    let error = shop.put_by(&shop.caller, new(MINE)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge);
    assert_eq!(shop.all_prompts().len(), limits::EXTRACTION_PROMPTS_MAX + 3);
    assert_eq!(shop.back_to("learnings", 1).unwrap().previous, Some(1200));
    assert_eq!(shop.current("learnings"), "learnings@1");
}

#[test]
fn who_administers_writes_and_who_reads_something_reads() {
    let shop = Workshop::new();
    shop.put_by(&shop.caller, new(MINE)).unwrap();
    let writer = shop.with_grant(&[Capability::Read, Capability::Write], Grant::everything());
    assert_eq!(shop.asked_by(&writer, "learnings"), ("learnings@1001".to_owned(), MINE.to_owned()));
    assert_eq!(shop.put_by(&writer, new("Mine.")).unwrap_err().kind, ErrorKind::Denied);
    let back = shop.engine.coding.extraction_prompt_rollback(&writer, &shop.standing, "learnings", 1);
    assert_eq!(block_on(back).unwrap_err().kind, ErrorKind::Denied);
    let nobody = Principal { name: "nobody".to_owned(), grants: Vec::new() };
    assert_eq!(shop.asked_by(&nobody, "learnings").0, "learnings@1", "the shipped ones are nobody's");
}

#[test]
fn a_report_names_a_version_of_ones_own() {
    let shop = Workshop::new();
    shop.put_by(&shop.caller, new(MINE)).unwrap();
    shop.begun("t-001");
    let said = Completion {
        learnings_text: Some("**Orders:** pages of `orders` have 50 rows.".to_owned()),
        extraction_prompts: [("learnings".to_owned(), shop.current("learnings"))].into(),
        ..Completion::default()
    };
    let id = shop.complete("t-001", said).unwrap().learnings[0].id.clone().unwrap();
    let version = MetadataValue::String("learnings@1001".to_owned());
    assert_eq!(shop.record(&id).metadata.get("extraction_prompt_version"), Some(&version));
}
