//! Tests of the weight of rules.

use loci_model::tasks::rule::{ApprovalReason, DissentItem};
use loci_model::{ActorId, MemoryId, RecordId, RepositoryId, Timestamp};

use super::*;

fn user(id: u64) -> ForgeUser {
    ForgeUser { id, login: format!("user{id}"), is_bot: false }
}

fn role(role: RepositoryRole) -> Authority {
    Authority { role, ..Authority::default() }
}

fn item(reviewer: u64, pr: u64, of: RepositoryRole, state: ReviewState) -> SupportItem {
    SupportItem {
        pr,
        review: pr * 10 + reviewer,
        comments: vec![pr],
        reviewer: user(reviewer),
        authority: role(of),
        state,
        url: None,
        at: Timestamp::EPOCH,
        excerpt: "Sort imports.".to_owned(),
        job: None,
        read_by: "rules".to_owned(),
        is_past: false,
        is_mapped: true,
        is_accepted: false,
        asks_approval: [].into(),
    }
}

fn rule(items: Vec<SupportItem>) -> RuleSupport {
    RuleSupport {
        memory: MemoryId::parse("code_memory-0123456789").unwrap(),
        actor: ActorId::parse("acme/shop").unwrap(),
        repository: RepositoryId::parse("00000000-0000-7000-8000-000000000001").unwrap(),
        rule: RecordId::compose("00000000-0000-7000-8000-000000000002").unwrap(),
        digest: String::new(),
        impact: RuleImpact::Style,
        asks_approval: [].into(),
        items,
        dissent: Vec::new(),
        approved: None,
        pinned: None,
        closed: None,
        conflicts: [].into(),
        helpful: 0,
        harmful: 0,
        created_at: Timestamp::EPOCH,
    }
}

fn standing(of: &RuleSupport) -> RuleStatus {
    weigh(of, &RuleSettings::default())
}

#[test]
fn authority_by_role() {
    use RepositoryRole as R;
    let check = |of: Authority, expect: f64| {
        assert!((authority(&of) - expect).abs() < 1e-9, "{of:?} {}", authority(&of));
    };
    check(role(R::Admin), 1.0);
    check(role(R::Maintain), 0.95);
    check(role(R::Write), 0.8);
    check(role(R::Triage), 0.5);
    check(role(R::Read), 0.1);
    check(Authority { has_merged: true, ..role(R::Read) }, 0.3);
    check(role(R::None), 0.1);
    check(Authority { is_code_owner: true, ..role(R::Write) }, 0.9);
    check(Authority { is_code_owner: true, ..role(R::Maintain) }, 1.0);
    check(Authority { is_provisional: true, ..role(R::Admin) }, 0.5);
    check(Authority { is_provisional: true, ..role(R::None) }, 0.1);
    check(Authority { overridden: Some(900_000), is_provisional: true, ..role(R::Read) }, 0.9);
}

#[test]
fn a58_quorum_of_what_is_said() {
    use {RepositoryRole as R, ReviewState as S};
    let check = |items: &[(u64, u64, R, S)], support: f64, quorum: bool, suggested: bool| {
        let items = items.iter().map(|(who, pr, role, state)| item(*who, *pr, *role, *state)).collect();
        let found = standing(&rule(items));
        assert!((found.support - support).abs() < 1e-9, "{found:?}");
        assert_eq!((found.has_quorum, found.is_suggested), (quorum, suggested), "{found:?}");
    };
    let asked = S::ChangesRequested;
    check(&[(1, 1, R::Write, asked), (2, 2, R::Write, asked)], 1.6, true, false);
    check(&[(1, 1, R::Write, S::Commented), (2, 2, R::Write, S::Commented)], 1.12, false, false);
    // One pull request, or one person, is not sufficient at any weight.
    check(&[(1, 1, R::Admin, asked), (2, 1, R::Admin, asked)], 2.0, false, false);
    check(&[(1, 1, R::Admin, asked), (1, 2, R::Admin, asked)], 1.0, false, false);
    check(
        &[(1, 1, R::Maintain, asked), (1, 2, R::Maintain, asked), (1, 3, R::Maintain, asked)],
        0.95,
        false,
        true,
    );
    check(&[(1, 1, R::Write, asked), (1, 2, R::Write, asked), (1, 3, R::Write, asked)], 0.8, false, false);
    // The highest weight of each person counts once.
    check(
        &[(1, 1, R::Write, S::Commented), (1, 2, R::Write, asked), (2, 2, R::Write, S::Approved)],
        1.44,
        false,
        false,
    );
    // A person with too little weight does not count for the quorum, nor as a second person.
    check(&[(1, 1, R::Admin, asked), (2, 2, R::Read, asked), (3, 3, R::None, asked)], 1.2, false, false);
    check(&[(1, 1, R::Admin, asked), (2, 2, R::Triage, asked)], 1.5, true, false);
    check(&[(1, 1, R::Write, S::Dismissed), (2, 2, R::Write, asked)], 0.8, false, false);
    check(&[], 0.0, false, false);
}

#[test]
fn a59_what_is_said_against_it() {
    use {RepositoryRole as R, ReviewState as S};
    let items = || vec![item(1, 1, R::Write, S::ChangesRequested), item(2, 2, R::Write, S::ChangesRequested)];
    let against = |who: u64, of: Authority| DissentItem {
        pr: 1,
        review: 9,
        comment: who,
        author: user(who),
        authority: of,
        at: Timestamp::EPOCH,
        excerpt: String::new(),
    };
    let check = |dissent: Vec<DissentItem>, expect: f64, quorum: bool| {
        let found = standing(&RuleSupport { dissent, ..rule(items()) });
        assert!((found.support - expect).abs() < 1e-9, "{found:?}");
        assert_eq!(found.has_quorum, quorum, "{found:?}");
    };
    check(vec![against(3, role(R::Write))], 0.8, false);
    check(vec![against(3, role(R::Write)), against(3, role(R::Write))], 0.8, false);
    check(vec![against(3, role(R::Write)), against(4, role(R::Admin))], 0.0, false);
    check(vec![against(3, role(R::Triage))], 1.6, true);
    check(vec![against(3, Authority { is_provisional: true, ..role(R::Admin) })], 1.6, true);
}

#[test]
fn what_was_followed_counts_more_and_the_past_alone_never() {
    use {RepositoryRole as R, ReviewState as S};
    let pair = || vec![item(1, 1, R::Write, S::ChangesRequested), item(2, 2, R::Write, S::Commented)];
    assert!(!standing(&rule(pair())).has_quorum);
    let mut items = pair();
    items.iter_mut().for_each(|item| item.is_accepted = true);
    let found = standing(&rule(items));
    assert!(found.has_quorum && (found.support - 1.56).abs() < 1e-9, "{found:?}");
    let mut items =
        vec![item(1, 1, R::Admin, S::ChangesRequested), item(2, 2, R::Admin, S::ChangesRequested)];
    items.iter_mut().for_each(|item| item.is_past = true);
    assert!(!standing(&rule(items.clone())).has_quorum);
    items[0].is_past = false;
    assert!(standing(&rule(items)).has_quorum);
}

#[test]
fn which_rules_wait_for_a_person() {
    let check = |approval, impact, asks: &[ApprovalReason], expect: Option<&str>| {
        let of = RuleSupport { impact, asks_approval: asks.iter().copied().collect(), ..rule(Vec::new()) };
        let settings = RuleSettings { approval, ..RuleSettings::default() };
        assert_eq!(weigh(&of, &settings).waits_for, expect, "{approval:?} {impact:?} {asks:?}");
    };
    use {ApprovalReason as Why, RuleApproval as A, RuleImpact as I};
    check(A::HighImpact, I::Style, &[], None);
    check(A::HighImpact, I::High, &[], Some("high_impact"));
    check(A::None, I::High, &[], None);
    check(A::All, I::Style, &[], Some("approval"));
    check(A::None, I::Style, &[Why::InjectionScore], Some("injection_score"));
    check(A::HighImpact, I::Style, &[Why::Command], Some("command"));
}

#[test]
fn the_order_of_rules() {
    use {RepositoryRole as R, ReviewState as S};
    let check = |of: RuleSupport, expect: f64| {
        let weight = order_weight(&of, &standing(&of));
        assert!((weight - expect).abs() < 1e-4, "{weight} {expect}");
    };
    let said = || rule(vec![item(1, 1, R::Write, S::ChangesRequested)]);
    check(said(), 0.5333);
    check(RuleSupport { helpful: 3, ..said() }, 0.5333);
    check(RuleSupport { harmful: 1, ..said() }, 0.2667);
    check(RuleSupport { harmful: 9, ..said() }, 0.2667);
    let person =
        Some(loci_model::tasks::rule::RuleDecided { by: "ann".into(), at: Timestamp::EPOCH, reason: None });
    check(RuleSupport { approved: person.clone(), ..said() }, 1.0);
    check(RuleSupport { pinned: person, harmful: 9, ..said() }, 1.0);
}
