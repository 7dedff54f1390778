//! Visibility between tenants, and the identity of repositories.

use std::collections::BTreeSet;

use loci_api::verified::repository::RepositoryAdd;
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::NewMemory;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::{ActorId, CodeReason, ErrorKind, Namespace};
use loci_testkit_ports::block_on;
use loci_verified::FactReadOptions;

use super::fixture::{DIRECTORY, REPO, Shop, history, limit_fact, reason};

#[test]
fn two_tenants_of_one_repository_know_nothing_of_each_other() {
    let shop = Shop::new();
    let id = shop.stored();
    let new = NewMemory { name: "other".to_owned(), event_expiry_days: 30, ..NewMemory::default() };
    let other = block_on(shop.engine.memory_create(&shop.caller, new, None)).unwrap();
    let capabilities = BTreeSet::from([Capability::Read, Capability::Write, Capability::Admin]);
    let grant = Grant { memory: Some(other.id.clone()), capabilities, ..Grant::everything() };
    let tenant = Principal { name: "tenant".to_owned(), grants: vec![grant] };
    let standing = CallContext::default();
    let recent = || {
        block_on(shop.engine.verified.facts_recent(&tenant, &standing, REPO, 5, FactReadOptions::default()))
    };
    assert_eq!(reason(&recent().unwrap_err()), Some(CodeReason::RepositoryUnknown));
    let add = |directory: &str| {
        let add = RepositoryAdd { directory: Some(directory.into()), ..RepositoryAdd::default() };
        block_on(shop.engine.verified.repository_add(&tenant, &standing, add))
    };
    // A tenant must not name directories on the server, and no error reveals their existence.
    let refused = add(DIRECTORY).unwrap_err();
    assert_eq!((refused.kind, refused.field.as_deref()), (ErrorKind::Denied, Some("directory")));
    for nothing in ["/src/nothing", "/folders", "/folders/code-0123456789/shop"] {
        let error = add(nothing).unwrap_err();
        assert_eq!((error.kind, &error.message), (refused.kind, &refused.message), "{nothing}");
    }
    let folder = format!("/folders/{}", other.id);
    assert_eq!(add(&format!("{folder}/nothing")).unwrap_err().kind, ErrorKind::Invalid);
    let own = format!("{folder}/shop");
    shop.shelf.put(&own, Some("git@github.com:acme/shop.git"), history());
    // A clone in the folder whose repository lies elsewhere counts as none.
    shop.shelf.put_worktree(&format!("{folder}/led"), DIRECTORY, history());
    assert_eq!(add(&format!("{folder}/led")).unwrap_err().kind, ErrorKind::Invalid);
    add(&own).unwrap();
    assert!(recent().unwrap().facts.is_empty());
    let mine = block_on(shop.engine.verified.fact_store(&tenant, &standing, limit_fact(), None)).unwrap();
    assert_ne!(mine.view.remembered.record.id, id, "equal facts of two tenants are two");
    for error in [
        block_on(shop.engine.verified.fact_get(&tenant, &standing, &id)).unwrap_err(),
        block_on(shop.engine.verified.fact_verify(&tenant, &standing, &id, None)).unwrap_err(),
        block_on(shop.engine.verified.fact_invalidate(&tenant, &standing, &id, "not mine", true, None))
            .unwrap_err(),
        block_on(shop.engine.verified.fact_history(&tenant, &standing, &id, 5)).unwrap_err(),
        block_on(shop.engine.verified.fact_applied(&tenant, &standing, &id, None, None)).unwrap_err(),
    ] {
        assert_eq!(error.kind, ErrorKind::NotFound, "{error:?}");
    }
    let named = CallContext { memory: Some("code".to_owned()), ..CallContext::default() };
    let error = block_on(shop.engine.verified.fact_get(&tenant, &named, &id)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotFound, "the memory itself is unknown to them: {error:?}");
}

#[test]
fn a_reader_of_one_repository_reads_that_one_alone() {
    let shop = Shop::new();
    let id = shop.stored();
    let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
    let of = |namespace: &str| {
        let grant = Grant {
            memory: Some(memory.clone()),
            namespace: Some(Namespace::parse(namespace).unwrap()),
            capabilities: BTreeSet::from([Capability::Read]),
            ..Grant::everything()
        };
        Principal { name: "reader".to_owned(), grants: vec![grant] }
    };
    let standing = CallContext::default();
    let (reader, stranger) = (of("/acme/shop/"), of("/acme/other/"));
    let recent = |who: &Principal| {
        block_on(shop.engine.verified.facts_recent(who, &standing, REPO, 5, FactReadOptions::default()))
    };
    assert_eq!(recent(&reader).unwrap().facts.len(), 1);
    assert_eq!(reason(&recent(&stranger).unwrap_err()), Some(CodeReason::RepositoryUnknown));
    let error =
        block_on(shop.engine.verified.fact_store(&reader, &standing, limit_fact(), None)).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Denied | ErrorKind::NotFound), "{error:?}");
    let error =
        block_on(shop.engine.verified.fact_invalidate(&stranger, &standing, &id, "no business", false, None))
            .unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Denied | ErrorKind::NotFound), "{error:?}");
}

#[test]
fn a_key_on_one_actor_knows_of_that_repository_alone() {
    let shop = Shop::new();
    let id = shop.stored();
    let memory = block_on(shop.engine.verified.code_memory(&shop.caller, &shop.standing)).unwrap();
    let standing = CallContext::default();
    let check = |grants: &[Option<&str>], knows: bool| {
        let grant = |actor: Option<&str>| Grant {
            memory: Some(memory.clone()),
            actor: actor.map(|actor| ActorId::parse(actor).unwrap()),
            capabilities: BTreeSet::from([Capability::Read]),
            ..Grant::everything()
        };
        let who =
            Principal { name: "reader".to_owned(), grants: grants.iter().copied().map(grant).collect() };
        let list = block_on(shop.engine.verified.repository_list(&who, &standing, None, 100)).unwrap();
        let keys: Vec<&str> = list.items.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(keys, if knows { vec![REPO] } else { Vec::new() }, "{grants:?}");
        assert_eq!(
            block_on(shop.engine.verified.fact_get(&who, &standing, &id)).is_ok(),
            knows,
            "{grants:?}"
        );
        let answers = [
            block_on(shop.engine.verified.facts_recent(&who, &standing, REPO, 5, FactReadOptions::default()))
                .map(drop),
            block_on(shop.engine.verified.facts_proposed(&who, &standing, REPO, 5, None)).map(drop),
            block_on(shop.engine.verified.facts_evidence(&who, &standing, REPO, None, 5)).map(drop),
            block_on(shop.engine.verified.fact_mark(&who, &standing, REPO)).map(drop),
        ];
        for answer in answers {
            let unknown = (!knows).then_some(CodeReason::RepositoryUnknown);
            assert_eq!(answer.err().as_ref().and_then(reason), unknown, "{grants:?}");
        }
    };
    check(&[Some(REPO)], true);
    check(&[Some("acme/other")], false);
    check(&[Some("acme/other"), Some(REPO)], true);
    check(&[None], true);
}

#[test]
fn one_repository_under_many_names_and_never_by_a_similar_one() {
    let shop = Shop::new();
    let id = shop.add(DIRECTORY).repository.id;
    // The same clone with another origin: facts are neither lost nor forked.
    shop.shelf.put(DIRECTORY, Some("https://gitlab.example/acme/store.git"), history());
    let moved = shop.add(DIRECTORY);
    assert_eq!((moved.created, &moved.repository.id), (false, &id));
    for name in ["acme/shop", "github.com/ACME/Shop", "gitlab.example/acme/store", "acme/store"] {
        let list = block_on(shop.engine.verified.facts_recent(
            &shop.caller,
            &shop.standing,
            name,
            5,
            FactReadOptions::default(),
        ));
        assert_eq!(list.unwrap().repo, "acme/shop", "{name}");
    }
    for name in ["acme/shop2", "acme/sho", "acm/shop", "gitlab.example/acme/shop"] {
        let list = block_on(shop.engine.verified.facts_recent(
            &shop.caller,
            &shop.standing,
            name,
            5,
            FactReadOptions::default(),
        ));
        assert_eq!(reason(&list.unwrap_err()), Some(CodeReason::RepositoryUnknown), "{name}");
    }
    // Another clone with the same first commit is a fork until a person decides otherwise.
    shop.shelf.put("/src/fork", Some("git@github.com:someone/shop.git"), history());
    let fork = shop.add("/src/fork");
    assert!(fork.created && !fork.warnings.is_empty(), "{fork:?}");
    // Its origin changes to another repository's name: it stays unchanged, and the name stays with
    // the other one.
    shop.shelf.put("/src/fork", Some("git@github.com:acme/shop.git"), history());
    let moved = shop.add("/src/fork");
    assert_eq!((moved.created, &moved.repository), (false, &fork.repository));
    assert!(moved.warnings.iter().any(|said| said.contains("github.com/acme/shop")), "{:?}", moved.warnings);
    for name in ["acme/shop", "github.com/acme/shop"] {
        let list = block_on(shop.engine.verified.facts_recent(
            &shop.caller,
            &shop.standing,
            name,
            5,
            FactReadOptions::default(),
        ));
        assert_eq!(list.unwrap().repo, "acme/shop", "{name}");
    }
    let same = RepositoryAdd {
        directory: Some("/src/fork".into()),
        same_as: Some("someone/shop".to_owned()),
        forge_id: Some("github.com:7".to_owned()),
        ..RepositoryAdd::default()
    };
    let same = block_on(shop.engine.verified.repository_add(&shop.caller, &shop.standing, same)).unwrap();
    assert!(same.repository.aliases.contains("id:github.com:7") && !same.warnings.is_empty(), "{same:?}");
    let taken = RepositoryAdd {
        name: Some("acme/shop".to_owned()),
        same_as: Some("acme/shop".to_owned()),
        forge_id: Some("github.com:7".to_owned()),
        ..RepositoryAdd::default()
    };
    let taken = block_on(shop.engine.verified.repository_add(&shop.caller, &shop.standing, taken)).unwrap();
    assert!(!taken.repository.aliases.contains("id:github.com:7") && !taken.warnings.is_empty(), "{taken:?}");
    // The same name on another host gets another key.
    shop.shelf.put(
        "/src/twin",
        Some("git@codeberg.org:acme/shop.git"),
        loci_testkit_ports::CodeHistory::new(),
    );
    let twin = shop.add("/src/twin");
    assert!(twin.created && twin.repository.key != "acme/shop", "{twin:?}");
    let list = block_on(shop.engine.verified.facts_recent(
        &shop.caller,
        &shop.standing,
        "acme/shop",
        5,
        FactReadOptions::default(),
    ));
    let error = list.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Conflict);
    assert!(error.details.iter().any(|name| name == "codeberg.org/acme/shop"), "{error:?}");
}
