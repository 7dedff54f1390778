//! Rules by one maintainer, by a one-step approval, and under changed settings; and the rule in the
//! design's example, from the comment to the block.

use loci_coding::hydration::Hydration;
use loci_coding::settings::RuleSettings;
use loci_coding::{CodingSettings, RuleDecision};
use loci_model::record::RecordState;
use loci_model::tasks::review::{Authority, RepositoryRole, Review, ReviewState};
use loci_testkit_ports::block_on;
use serde_json::{Value, json};

use super::hydration::engine_with;
use super::rules::{HIGH, STYLE, Team, only, role};
use super::workshop::task_id;

const WHOLE: &str = "We don't use `any` types in this codebase. Use proper generics.";

fn by(team: &Team, authority: Authority, pr: u64, text: &str) -> RecordState {
    only(&team.learn(&Review { authority, ..team.review(1, pr, text) })).1
}

#[test]
fn the_rule_of_the_design_is_taken_whole_and_names_its_source() {
    let shop = Team::new();
    shop.begun("t-001");
    let rule = shop.agreed(WHOLE, (41, 42));
    assert_eq!((shop.state(&rule), shop.record(&rule).text.as_str()), (RecordState::Active, WHOLE));
    let day = shop.support(&rule).items[1].at.date();
    let asked = Hydration { query: Some("types".to_owned()), ..Hydration::default() };
    let found =
        block_on(shop.engine.coding.task_hydrate(&shop.caller, &shop.standing, &task_id("t-001"), asked));
    let block = found.unwrap().plan.block;
    assert!(block.contains(&format!("PR #42 by @user2 on {day}")) && block.contains(WHOLE), "{block}");
    // Different words of the same meaning support the same rule.
    let other = only(&shop.learn(&shop.review(3, 43, "Avoid any types everywhere.")));
    assert_eq!(other, (rule.clone(), RecordState::Active));
    assert_eq!((shop.support(&rule).items.len(), shop.record(&rule).text.as_str()), (3, WHOLE));
}

#[test]
fn two_reviewers_in_other_words_make_a_quorum() {
    let shop = Team::new();
    let (rule, first) = only(&shop.learn(&shop.review(1, 1, "Avoid any types everywhere.")));
    let second = only(&shop.learn(&shop.review(2, 2, "We don't use `any` types.")));
    assert_eq!((first, second), (RecordState::Candidate, (rule, RecordState::Active)));
}

#[test]
fn a_prohibition_is_superseded_by_what_it_forbids_in_any_words() {
    let shop = Team::new();
    let ban = shop.agreed("Avoid default exports everywhere.", (1, 2));
    let scoped = shop.agreed("In `src/legacy/`, never use default exports.", (3, 4));
    let asked = shop.agreed("Always use default exports in this codebase.", (5, 6));
    let states = [&ban, &scoped, &asked].map(|id| shop.state(id));
    assert_eq!(states, [RecordState::Superseded, RecordState::Active, RecordState::Active]);
    assert_eq!(shop.record(&scoped).scope.as_deref(), Some("src/legacy/**"));
    assert_eq!(shop.record(&ban).superseded_by, Some(asked));
}

#[test]
fn the_one_maintainer_repeats_a_statement() {
    let maintainer = role(RepositoryRole::Maintain);
    let shop = Team::new();
    assert_eq!(by(&shop, maintainer, 1, STYLE), RecordState::Candidate);
    assert_eq!(by(&shop, maintainer, 1, STYLE), RecordState::Candidate, "the same pull request");
    let review = Review { authority: maintainer, ..shop.review(1, 2, STYLE) };
    let (rule, state) = only(&shop.learn(&review));
    assert_eq!(state, RecordState::Active);
    let reason = shop.record(&rule).state_reason.unwrap();
    assert_eq!(reason, "the one maintainer says it on 2 pull requests");
    // Another maintainer joins: active rules stay, new ones need both.
    let joins = Review { authority: role(RepositoryRole::Admin), ..shop.review(2, 3, "Nice work.") };
    shop.learn(&joins);
    assert_eq!(by(&shop, maintainer, 4, STYLE), RecordState::Active);
    let other = "Always name test files after the module in this repo.";
    assert_eq!(by(&shop, maintainer, 5, other), RecordState::Candidate);
    assert_eq!(by(&shop, maintainer, 6, other), RecordState::Candidate);
}

#[test]
fn what_the_word_of_one_is_not_enough_for() {
    let repeated = |authority: Authority, text: &str, settings: &[(&str, Value)]| {
        let shop = Team::new();
        shop.setting(settings);
        by(&shop, authority, 1, text);
        by(&shop, authority, 2, text)
    };
    let check = |authority: Authority, text: &str, settings: &[(&str, Value)], expect: RecordState| {
        assert_eq!(repeated(authority, text, settings), expect, "{authority:?} {text} {settings:?}");
    };
    use RecordState::{Active, Candidate};
    let maintainer = role(RepositoryRole::Maintain);
    check(role(RepositoryRole::Admin), STYLE, &[], Active);
    check(role(RepositoryRole::Write), STYLE, &[], Candidate);
    check(Authority { is_provisional: true, ..role(RepositoryRole::Admin) }, STYLE, &[], Candidate);
    check(maintainer, HIGH, &[], Candidate);
    check(maintainer, HIGH, &[("rules.approval", json!("none"))], Active);
    check(maintainer, STYLE, &[("rules.approval", json!("all"))], Candidate);
    check(maintainer, STYLE, &[("rules.quorum.prs", json!(3))], Candidate);
    // The repository's own weight of a person overrides the forge's.
    check(Authority { overridden: Some(1_000_000), ..role(RepositoryRole::Read) }, STYLE, &[], Active);
    check(Authority { overridden: Some(500_000), ..role(RepositoryRole::Admin) }, STYLE, &[], Candidate);
    // A reviewer with weight objects.
    let shop = Team::new();
    by(&shop, maintainer, 1, STYLE);
    let mut against = shop.review(2, 1, "I don't agree, that is overkill.");
    against.comments[0].in_reply_to = Some(1_001);
    shop.learn(&against);
    assert_eq!(by(&shop, maintainer, 2, STYLE), Candidate);
    // A person's approval is a single step, independent of the rule's support and effect.
    let shop = Team::new();
    let (rule, _) = only(&shop.learn(&shop.review(1, 1, HIGH)));
    assert_eq!(shop.decide(&rule, RuleDecision::Approve).unwrap().state, Active);
}

#[test]
fn an_answer_approves_what_the_comment_supports() {
    let check = |of: RepositoryRole, in_thread: bool, expect: RecordState| {
        let shop = Team::new();
        shop.setting(&[("rules.approval_by_reply", json!(true))]);
        let (rule, _) = only(&shop.learn(&shop.review(1, 7, HIGH)));
        let (other, _) = only(&shop.learn(&shop.review(1, 8, STYLE)));
        let mut answer = Review { authority: role(of), ..shop.review(3, 7, "/loci approve") };
        answer.comments[0].in_reply_to = in_thread.then_some(7_001);
        shop.learn(&answer);
        assert_eq!(shop.state(&rule), expect, "{of:?} {in_thread}");
        assert_eq!(shop.state(&other), RecordState::Candidate, "of another pull request");
    };
    check(RepositoryRole::Maintain, true, RecordState::Active);
    check(RepositoryRole::Write, true, RecordState::Candidate);
    check(RepositoryRole::Maintain, false, RecordState::Candidate);
    // The review's own text approves its content.
    let shop = Team::new();
    shop.setting(&[("rules.approval_by_reply", json!(true))]);
    let authority = role(RepositoryRole::Admin);
    let review = Review { authority, body: "/loci approve".to_owned(), ..shop.review(1, 1, HIGH) };
    assert_eq!(only(&shop.learn(&review)).1, RecordState::Active);
}

#[test]
fn changed_settings_weigh_candidates_again() {
    let shop = Team::new();
    let commented = |who: u64, pr: u64| {
        only(&shop.learn(&Review { state: ReviewState::Commented, ..shop.review(who, pr, STYLE) }))
    };
    commented(1, 1);
    let (rule, state) = commented(2, 2);
    assert_eq!(state, RecordState::Candidate);
    let check = |settings: &[(&str, Value)], expect: RecordState| {
        shop.setting(settings);
        assert_eq!(shop.state(&rule), expect, "{settings:?}");
    };
    check(&[("rules.quorum.weight", json!(1.1))], RecordState::Active);
    check(&[("rules.quorum.reviewers", json!(3))], RecordState::Candidate);
    check(&[("rules.quorum.reviewers", Value::Null)], RecordState::Active);
    check(&[("rules.approval", json!("all"))], RecordState::Candidate);
    check(&[("rules.approval", Value::Null)], RecordState::Active);
    check(&[("authority.overrides", json!({"user1": 0.0}))], RecordState::Candidate);
    check(&[("authority.overrides", Value::Null)], RecordState::Active);
    check(&[("rules.quorum.weight", Value::Null)], RecordState::Candidate);
    // A person's approval stays valid under all settings.
    shop.decide(&rule, RuleDecision::Approve).unwrap();
    check(&[("rules.approval", json!("all"))], RecordState::Active);
}

#[test]
fn the_server_s_settings_weigh_candidates_again_in_a_sweep() {
    let shop = Team::new();
    let rule = only(&shop.learn(&shop.review(1, 1, STYLE))).0;
    let swept = |weight: f64, reviewers: u32| {
        let rules = RuleSettings {
            quorum_weight: weight,
            quorum_reviewers: reviewers,
            quorum_prs: 1,
            ..RuleSettings::default()
        };
        let engine = engine_with(&shop, CodingSettings { rules, ..CodingSettings::default() }, None);
        block_on(engine.sweep()).unwrap();
        (shop.state(&rule), shop.record(&rule).version)
    };
    let (state, version) = swept(0.8, 1);
    assert_eq!(state, RecordState::Active);
    assert_eq!(swept(0.8, 1), (state, version), "the same settings change nothing");
    assert_eq!(swept(1.5, 2).0, RecordState::Candidate);
}
