//! Repositories at a forge: identified by the forge's number across renames, never by a similar
//! name.

use loci_api::verified::repository::RepositoryAdd;
use loci_model::facts::repository::Repository;
use loci_model::ports::code::ForgeRepository;
use loci_testkit_ports::block_on;

use super::fixture::Shop;

const HOST: &str = "github.com";

fn says(id: u64, path: &str) -> ForgeRepository {
    ForgeRepository {
        host: HOST.to_owned(),
        id,
        path: path.to_owned(),
        default_branch: Some("main".to_owned()),
        parent: None,
    }
}

fn add(
    shop: &Shop,
    name: &str,
    forge_id: Option<&str>,
) -> loci_model::Result<loci_verified::RepositoryAdded> {
    let add = RepositoryAdd {
        name: Some(format!("{HOST}/{name}")),
        at_forge: true,
        forge_id: forge_id.map(str::to_owned),
        ..RepositoryAdd::default()
    };
    block_on(shop.engine.verified.repository_add(&shop.caller, &shop.standing, add))
}

/// Runs the next round of background work.
fn sweep(shop: &Shop) {
    shop.world.clock().advance_ms(120_000);
    block_on(shop.engine.sweep()).unwrap();
}

fn named(shop: &Shop, name: &str) -> Option<Repository> {
    let all =
        block_on(shop.engine.verified.repository_list(&shop.caller, &shop.standing, None, 100)).unwrap();
    all.items.into_iter().find(|one| one.aliases.contains(&format!("{HOST}/{name}")))
}

#[test]
fn a_renamed_repository_stays_the_same_by_its_number() {
    let shop = Shop::new();
    shop.shelf.at_forge(HOST, "old/name", says(7, "old/name"));
    let first = add(&shop, "old/name", None).unwrap();
    assert!(first.created && first.warnings.is_empty(), "{first:?}");
    assert!(first.repository.aliases.contains("id:github.com:7"), "{:?}", first.repository.aliases);
    shop.shelf.at_forge(HOST, "new/name", says(7, "new/name"));
    let again = add(&shop, "new/name", None).unwrap();
    assert!(!again.created);
    assert_eq!(again.repository.id, first.repository.id);
    // The same name on the same forge with another number now belongs to another repository.
    let wrong = add(&shop, "new/name", Some("github.com:8")).unwrap_err();
    assert_eq!(wrong.field.as_deref(), Some("forge_id"));
    // Similar names have no effect.
    shop.shelf.at_forge(HOST, "old/names", says(9, "old/names"));
    assert!(add(&shop, "old/names", None).unwrap().created);
}

#[test]
fn the_background_learns_where_a_repository_moved() {
    let shop = Shop::new();
    shop.shelf.at_forge(HOST, "old/name", says(7, "old/name"));
    let first = add(&shop, "old/name", None).unwrap().repository;
    shop.shelf.at_forge(HOST, "old/name", says(7, "new/home"));
    sweep(&shop);
    let found = named(&shop, "new/home").expect("known by its new name");
    assert_eq!(found.id, first.id);
    assert!(found.aliases.contains("github.com/old/name"), "{:?}", found.aliases);
    // Another repository has the name: nothing is added, and a person decides.
    shop.shelf.at_forge(HOST, "other/one", says(8, "other/one"));
    let other = add(&shop, "other/one", None).unwrap().repository;
    shop.shelf.at_forge(HOST, "other/one", says(7, "other/one"));
    sweep(&shop);
    let same = named(&shop, "other/one").unwrap();
    assert_eq!((same.id, same.aliases), (other.id, other.aliases));
}

#[test]
fn a_forge_that_cannot_be_asked_is_said_and_nothing_is_lost() {
    let shop = Shop::new();
    let added = add(&shop, "silent/one", None).unwrap();
    assert!(added.created);
    assert!(added.warnings.iter().any(|warning| warning.starts_with("UNVERIFIABLE")), "{:?}", added.warnings);
    sweep(&shop);
    assert!(named(&shop, "silent/one").is_some());
}
