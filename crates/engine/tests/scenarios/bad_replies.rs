//! Invalid answers: corrected by one revision, asked again, or replaced; never a malformed record
//! or a lost event.

use loci_model::event::Role::User;
use loci_model::job::JobState;
use loci_model::memory::strategy::StrategyBase::{Semantic, UserPreference};
use loci_model::ports::language_model::ModelErrorKind;
use loci_model::record::derivation::MakingMode;
use loci_testkit_ports::ScriptedReply::{self, CutOff, Fails, Hangs, Panics, Refused};

use super::{facts, model, part, text};
use crate::fixture::World;

#[test]
fn one_revision_names_what_is_wrong() {
    let bad = r#"[{"fact":"Alice lives in Bern.","operation":"AddMemory"},{"sources":[1]}]"#;
    let model = model(vec![text(bad), facts(&[("Alice lives in Bern.", &[1])])]);
    let world = World::with_model(&[Semantic], &model);
    world.say("s1", User, "I live in Bern");
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.failed), (true, 0));
    assert_eq!(world.texts(), ["Alice lives in Bern."]);
    let asked = model.asked();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].system, asked[1].system);
    assert!(asked[1].input.starts_with(&asked[0].input));
    let violations = part(&asked[1].input, "violations");
    assert!(violations.contains("item 1: there is no member `operation`"), "{violations}");
    assert!(violations.contains("item 2: `fact` is missing"), "{violations}");
}

#[test]
fn an_answer_that_breaks_off_gets_more_room_then_less_to_do() {
    let roomy = model(vec![CutOff("[{".into()), facts(&[("Alice lives in Bern.", &[1])])]);
    let world = World::with_model(&[Semantic], &roomy);
    world.say("s1", User, "I live in Bern");
    assert!(world.work().complete);
    assert_eq!(world.texts(), ["Alice lives in Bern."]);
    let room: Vec<u32> = roomy.asked().iter().map(|asked| asked.max_output_tokens).collect();
    assert_eq!(room, [4_096, 8_192]);

    let halved = model(vec![
        CutOff("[".into()),
        CutOff("[".into()),
        facts(&[("One thing.", &[1])]),
        facts(&[("Another thing.", &[1])]),
    ]);
    let world = World::with_model(&[Semantic], &halved);
    world.say("s1", User, "one thing to say");
    world.say("s1", User, "another thing to say");
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.failed), (true, 0));
    assert_eq!(world.texts(), ["Another thing.", "One thing."]);
    let turns: Vec<usize> = halved
        .asked()
        .iter()
        .map(|asked| part(&asked.input, "current_conversation").lines().count())
        .collect();
    assert_eq!(turns, [2, 2, 1, 1]);
}

/// Checks that any permanent failure of the model leads to deterministic extraction and a failed
/// job with the reason.
fn falls_back(reply: ScriptedReply, calls: usize, reason: &str) {
    let model = model(vec![reply.clone()]);
    let world = World::with_model(&[Semantic, UserPreference], &model);
    world.say("s1", User, "I prefer dark mode in my editor");
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.failed), (true, 2), "{reply:?}");
    assert_eq!(model.calls(), 2 * calls, "{reply:?}");
    let records = world.active();
    assert_eq!(records.len(), 2, "{reply:?}");
    assert!(records.iter().any(|record| record.text == "I prefer dark mode in my editor"));
    assert!(records.iter().all(|record| record.making.as_ref().unwrap().mode == MakingMode::Fallback));
    for job in world.jobs() {
        assert_eq!((job.state, job.fallback, job.messages.len()), (JobState::Failed, true, 1), "{job:?}");
        let why = job.failure_reason.clone().unwrap();
        assert!(
            why.starts_with(&format!("{reason}: ")) && why.ends_with("; the deterministic half ran"),
            "{why}"
        );
        assert!(!why.contains("dark mode"), "{why}");
        assert_eq!(world.exchanges_of(&job), 0);
    }
}

#[test]
fn whatever_goes_wrong_no_event_is_lost() {
    falls_back(text("I'm sorry, I can't help with that."), 10, "MODEL_INVALID_RESPONSE");
    falls_back(text(r#"[{"fact":7}]"#), 10, "MODEL_INVALID_RESPONSE");
    falls_back(text(""), 10, "MODEL_INVALID_RESPONSE");
    falls_back(CutOff("[{\"fact\":\"A".into()), 10, "MODEL_CUT_OFF");
    falls_back(Refused, 2, "MODEL_REFUSED");
    falls_back(Fails(ModelErrorKind::Denied), 1, "MODEL_ACCESS_DENIED");
    falls_back(Fails(ModelErrorKind::QuotaUsedUp), 1, "MODEL_QUOTA_EXCEEDED");
    falls_back(Fails(ModelErrorKind::Rejected), 1, "MODEL_REQUEST_REJECTED");
    falls_back(Fails(ModelErrorKind::Throttled), 5, "LTM_RATE_EXCEEDED");
    falls_back(Fails(ModelErrorKind::Unavailable), 5, "MODEL_UNAVAILABLE");
    falls_back(Fails(ModelErrorKind::Garbled), 5, "MODEL_INVALID_RESPONSE");
    falls_back(Panics, 5, "MODEL_INTERNAL_ERROR");
    falls_back(Hangs, 5, "MODEL_TIMEOUT");
}

#[test]
fn a_model_that_comes_back_is_asked_again() {
    let down = Fails(ModelErrorKind::Unavailable);
    let model = model(vec![down.clone(), down, Refused, facts(&[("Alice lives in Bern.", &[1])])]);
    let world = World::with_model(&[Semantic], &model);
    world.say("s1", User, "I live in Bern");
    // The refusal at the third try is final.
    let outcome = world.work();
    assert_eq!((outcome.failed, model.calls()), (1, 3));
    let down = Fails(ModelErrorKind::Unavailable);
    let model = super::model(vec![down.clone(), down, facts(&[("Alice lives in Bern.", &[1])])]);
    let world = World::with_model(&[Semantic], &model);
    world.say("s1", User, "I live in Bern");
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.failed, model.calls()), (true, 0, 3));
    assert_eq!(world.texts(), ["Alice lives in Bern."]);
}
