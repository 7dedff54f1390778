//! A person as a memory knows them: the actors that stand for the person, and which namespaces and
//! records are the person's: by the templates of the memory's strategies, by provenance, by the
//! directory of a document, and by the owner that a client, an import or a head named. Pure.

use std::collections::BTreeSet;

use loci_model::memory::Memory;
use loci_model::record::metadata::MetadataExtraction;
use loci_model::record::{Record, RecordOrigin};
use loci_model::{ActorId, StrategyId};

use super::owner_keys::NamedOwners;
use crate::access::segment;
use crate::document_text::areas::KNOWLEDGE;

/// The variable of templates that holds the actor.
const ACTOR: &str = "{actorId}";
/// The place where such a memory keeps preferences.
const PEOPLE: &str = "users";
/// Directories of a tree below which each person, or each agent, has a directory or a file.
const PEOPLE_DIRECTORIES: [&str; 6] = [PEOPLE, "user", "actors", "actor", "people", "agents"];
/// Those among them that no agent has.
const DIRECTORIES_OF_PEOPLE_ALONE: [&str; 2] = [PEOPLE, "people"];
/// The beginning of the actor of a person who is known by the number that a forge gave.
const BY_NUMBER: &str = "user:";

/// A person, and where a memory keeps what is theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    actors: Vec<ActorId>,
    /// The spellings of the person's name in namespaces and clients.
    names: BTreeSet<String>,
    /// The numbers that a forge gave the person, bare: they name an owner, and no place.
    numbers: BTreeSet<String>,
    /// Templates of the memory that name the actor.
    templates: Vec<NamedTemplate>,
    /// Keys of metadata that the memory's strategies copy from events. In what a strategy made,
    /// nothing else says that a client named an owner there.
    copied: BTreeSet<(StrategyId, String)>,
    /// Places of people alone are looked at, not every segment: the memory's other places are named by owners
    /// of repositories.
    is_of_code: bool,
    /// Outside of the person's own places, what names others or an agent is not the person's.
    is_alone: bool,
}

/// A template that names the actor, segment by segment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct NamedTemplate {
    segments: Vec<String>,
    /// Which segment names the actor.
    at: usize,
}

/// The owner of a namespace by one template.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Theirs,
    SomebodyElses,
    Open,
}

impl Person {
    /// Returns a person by all actors that stand for them. `is_of_code`: the memory knows people by
    /// names that others give them.
    pub fn of(memory: &Memory, actors: Vec<ActorId>, is_of_code: bool) -> Self {
        let mut names = BTreeSet::new();
        for actor in &actors {
            let decoded = segment::decode(actor.as_str());
            names.extend(segment::encode(&decoded, "actor").ok());
            names.extend([actor.as_str().to_owned(), decoded]);
        }
        let all = memory.strategies.iter().flat_map(|one| {
            let reflections = one.reflection.as_ref().map(|part| &part.template);
            std::iter::once(&one.template).chain(reflections)
        });
        let mut templates: Vec<_> = all.filter_map(|one| NamedTemplate::parse(one.as_str())).collect();
        templates.sort();
        templates.dedup();
        let numbers = if is_of_code { numbers_of(&actors) } else { BTreeSet::new() };
        Self { actors, names, numbers, templates, copied: copied_keys(memory), is_of_code, is_alone: false }
    }

    /// The same person, as far as they decide themselves: a login may also be the name of an agent,
    /// and a document that names others may lie in a tree where the person may not write.
    pub fn alone(self) -> Self {
        Self { is_alone: true, ..self }
    }

    /// The actors that stand for the person.
    pub(crate) fn actors(&self) -> &[ActorId] {
        &self.actors
    }

    /// True for an actor that stands for the person.
    pub fn is_actor(&self, actor: &ActorId) -> bool {
        self.actors.contains(actor) || self.names.contains(actor.as_str())
    }

    /// True for a text that is the person's name alone.
    pub fn is_name(&self, text: &str) -> bool {
        self.names.contains(text)
    }

    /// True for a text that names the person as an owner.
    fn is_owner(&self, text: &str) -> bool {
        self.is_name(text) || self.numbers.contains(text)
    }

    /// True for a namespace that is the person's, or that lies in one. A template with fixed segments before
    /// the actor decides; elsewhere a segment that is the person's name does.
    pub fn owns_namespace(&self, namespace: &str) -> bool {
        let found = segments(namespace);
        let verdicts = self.verdicts(&found);
        if verdicts.contains(&Verdict::Theirs) {
            return true;
        }
        !verdicts.contains(&Verdict::SomebodyElses) && self.names.iter().any(|name| self.is_in(&found, name))
    }

    /// True for a record that is the person's by its provenance or its place, whatever it names.
    pub(crate) fn owns_source(&self, record: &Record) -> bool {
        record.provenance.actor.as_ref().is_some_and(|actor| self.is_actor(actor))
            || self.owns_namespace(record.namespace.as_str())
    }

    /// True for a record that names the person by its path, or by an owner in its metadata or in
    /// the head of its file.
    pub(crate) fn is_named_in(&self, record: &Record) -> bool {
        record.path.as_deref().is_some_and(|path| self.owns_path(path)) || {
            let owners = self.owners_of(record);
            if self.is_alone {
                owners.people().any(|name| self.is_owner(name))
            } else {
                owners.is_owned_by(|name| self.is_owner(name))
            }
        }
    }

    /// True for a record that names other people as owners, or lies with another. One that is also
    /// the person's is erased as a whole: which of its words are whose, nothing says.
    pub(crate) fn is_shared(&self, record: &Record) -> bool {
        self.owners_of(record).people().any(|name| !self.is_owner(name)) || self.lies_with_another(record)
    }

    /// True for a record in the place of another, or in another's directory outside of the person's
    /// places.
    fn lies_with_another(&self, record: &Record) -> bool {
        let namespace = record.namespace.as_str();
        let is_at = |path: &str| !self.owns_namespace(namespace) && self.is_path_of_another(path);
        self.is_place_of_another(namespace) || record.path.as_deref().is_some_and(is_at)
    }

    /// True where what is shared stays, unless it is the person's by its source.
    pub(crate) fn leaves_shared(&self) -> bool {
        self.is_alone
    }

    /// True for the key of a parked object in a place or a directory of the person. Of the person
    /// alone is none that lies with another.
    pub(crate) fn owns_object(&self, key: &str) -> bool {
        let stays = self.is_alone && (self.is_place_of_another(key) || self.is_path_of_another(key));
        !stays && (self.owns_namespace(key) || self.owns_path(key))
    }

    /// True for a namespace of another, or in one: below `/users/`, and where a template puts
    /// another actor. In memories for code that may be a repository, so there only an actor with a
    /// number counts.
    fn is_place_of_another(&self, namespace: &str) -> bool {
        let found = segments(namespace);
        let verdicts = self.verdicts(&found);
        if verdicts.contains(&Verdict::Theirs) {
            return false;
        }
        match found.as_slice() {
            [PEOPLE, rest @ ..] if !rest.is_empty() => !self.is_at_start(rest),
            [first, ..] if self.is_of_code => first.starts_with(BY_NUMBER) && !self.is_name(first),
            _ => !self.is_of_code && verdicts.contains(&Verdict::SomebodyElses),
        }
    }

    /// True for a path of a tree in the directory of another, or of another's file: the outermost
    /// directory of people decides, so `knowledge/users/mara/people/ben.md` is Mara's.
    fn is_path_of_another(&self, path: &str) -> bool {
        let found = segments(path);
        let mut behind = behind_directories(&found, &DIRECTORIES_OF_PEOPLE_ALONE);
        behind.next().is_some_and(|rest| match rest {
            [] => false,
            [file] => !self.names.iter().any(|name| is_file_of(file, name)),
            _ => !self.is_at_start(rest),
        })
    }

    /// True for segments that begin with the person's name.
    fn is_at_start(&self, found: &[&str]) -> bool {
        self.names.iter().any(|name| {
            let wanted = segments(name);
            !wanted.is_empty() && found.starts_with(&wanted)
        })
    }

    /// True for a path of a tree in the person's directory, or of the person's file, below a
    /// directory of people: `knowledge/users/mara/tea.md`, `knowledge/users/mara.md`.
    fn owns_path(&self, path: &str) -> bool {
        let found = segments(path);
        let directories: &[&str] =
            if self.is_alone { &DIRECTORIES_OF_PEOPLE_ALONE } else { &PEOPLE_DIRECTORIES };
        behind_directories(&found, directories).any(|rest| {
            self.names.iter().any(|name| {
                let wanted = segments(name);
                let is_directory =
                    !wanted.is_empty() && rest.len() > wanted.len() && rest.starts_with(&wanted);
                is_directory || matches!(rest, [file] if is_file_of(file, name))
            })
        })
    }

    fn owners_of(&self, record: &Record) -> NamedOwners {
        let strategy = record.strategy.as_ref().filter(|_| record.origin == RecordOrigin::Extracted);
        NamedOwners::of(record, |key| {
            let is_copied = |strategy: &StrategyId| self.copied.contains(&(strategy.clone(), key.to_owned()));
            strategy.is_some_and(|strategy| !is_copied(strategy)) && !record.provenance.bound.contains(key)
        })
    }

    fn verdicts(&self, found: &[&str]) -> Vec<Verdict> {
        self.templates.iter().map(|template| self.verdict(template, found)).collect()
    }

    fn verdict(&self, template: &NamedTemplate, found: &[&str]) -> Verdict {
        let fits_all =
            |wanted: &[String]| wanted.iter().zip(found).all(|(wanted, found)| fits(wanted, found));
        let is_theirs = |name: &String| {
            let (wanted, end) = template.with_name(name);
            end <= found.len() && fits_all(&wanted)
        };
        if self.names.iter().any(is_theirs) {
            return Verdict::Theirs;
        }
        let before = template.segments.get(..template.at).unwrap_or_default();
        let is_fixed = before.iter().any(|segment| !segment.contains('{'));
        let reaches = found.len() > template.at;
        if is_fixed && reaches && fits_all(before) { Verdict::SomebodyElses } else { Verdict::Open }
    }

    /// True where segments are the person's name.
    fn is_in(&self, found: &[&str], name: &str) -> bool {
        let wanted = segments(name);
        if self.is_of_code && wanted.len() == 1 {
            return found.first() == Some(&PEOPLE) && found.get(1) == Some(&name);
        }
        !wanted.is_empty() && found.windows(wanted.len()).any(|window| window == wanted)
    }
}

/// The numbers in actors of people.
fn numbers_of(actors: &[ActorId]) -> BTreeSet<String> {
    actors.iter().filter_map(number_of_actor).map(str::to_owned).collect()
}

/// Returns the number in the actor of a person. A mark that no digits follow may begin the name of
/// another.
pub fn number_of_actor(actor: &ActorId) -> Option<&str> {
    actor.as_str().strip_prefix(BY_NUMBER).filter(|rest| is_number(rest))
}

/// True for a text of digits alone, as a forge numbers people.
pub fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The keys of metadata that are copied from events as they are, by strategy. Of a strategy or a
/// key that is no more, nothing says that it was copied.
fn copied_keys(memory: &Memory) -> BTreeSet<(StrategyId, String)> {
    let (mut copied, mut inferred) = (BTreeSet::new(), BTreeSet::new());
    for strategy in &memory.strategies {
        let reflections = strategy.reflection.iter().flat_map(|part| part.schema.iter().flatten());
        for entry in strategy.schema.iter().flatten().chain(reflections) {
            let key = (strategy.id.clone(), entry.key.clone());
            match entry.effective_extraction() {
                MetadataExtraction::StrictlyConsistent => copied.insert(key),
                MetadataExtraction::LlmInferred => inferred.insert(key),
            };
        }
    }
    copied.retain(|key| !inferred.contains(key));
    copied
}

/// The segments behind each directory of some names in a path of a tree, the outermost directory
/// first.
fn behind_directories<'a, 'p>(
    found: &'a [&'p str],
    names: &'a [&str],
) -> impl Iterator<Item = &'a [&'p str]> {
    let is_of_tree = found.first() == Some(&KNOWLEDGE);
    let is_named = move |directory: &str| names.iter().any(|name| name.eq_ignore_ascii_case(directory));
    let directories = found.iter().enumerate().filter(move |(_, one)| is_of_tree && is_named(one));
    directories.filter_map(|(at, _)| found.get(at + 1..))
}

/// True for a file of that name, with an ending or without one.
fn is_file_of(file: &str, name: &str) -> bool {
    file == name || file.rsplit_once('.').is_some_and(|(stem, _)| stem == name)
}

fn segments(namespace: &str) -> Vec<&str> {
    namespace.split('/').filter(|segment| !segment.is_empty()).collect()
}

impl NamedTemplate {
    fn parse(template: &str) -> Option<Self> {
        let segments: Vec<String> = segments(template).into_iter().map(str::to_owned).collect();
        let at = segments.iter().position(|segment| segment.contains(ACTOR))?;
        Some(Self { segments, at })
    }

    /// The template with a name in it, which may bring segments of its own, and how many segments lead up to
    /// its end.
    fn with_name(&self, name: &str) -> (Vec<String>, usize) {
        let (mut named, mut end) = (Vec::new(), 0);
        for (number, segment) in self.segments.iter().enumerate() {
            let segment = segment.replace(ACTOR, name);
            named.extend(segments(&segment).into_iter().map(str::to_owned));
            if number == self.at {
                end = named.len();
            }
        }
        (named, end)
    }
}

/// A segment with another variable may be anything.
fn fits(wanted: &str, found: &str) -> bool {
    wanted.contains('{') || wanted == found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(templates: &[&str], actor: &str) -> Person {
        let actors = vec![ActorId::parse(actor).unwrap()];
        let decoded = crate::access::segment::decode(actor);
        let names = BTreeSet::from([actor.to_owned(), decoded]);
        let templates = templates.iter().filter_map(|one| NamedTemplate::parse(one)).collect();
        let (numbers, copied) = (numbers_of(&actors), BTreeSet::new());
        Person { actors, names, numbers, templates, copied, is_of_code: false, is_alone: false }
    }

    #[test]
    fn a_number_names_an_owner_and_no_place() {
        let check = |actor: &str, text: &str, expect: bool| {
            assert_eq!(person(&[], actor).is_owner(text), expect, "{actor} {text}");
        };
        check("user:77123", "77123", true);
        check("user:77123", "user:77123", true);
        check("user:77123", "7712", false);
        check("user:77123", "077123", false);
        check("user:mara", "mara", false);
        check("mara", "user:mara", false);
        let mara = Person { is_of_code: true, ..person(&[], "user:77123") };
        assert!(!mara.owns_namespace("/users/77123/") && mara.owns_namespace("/users/user:77123/"));
    }

    #[test]
    fn places_and_paths_of_another() {
        let templates = ["/actors/{actorId}/facts"];
        let check = |namespace: &str, of_others: bool, of_others_in_code: bool| {
            for (is_of_code, expect) in [(false, of_others), (true, of_others_in_code)] {
                let ben = Person { is_of_code, ..person(&templates, "ben") };
                assert_eq!(ben.is_place_of_another(namespace), expect, "{namespace} {is_of_code}");
            }
        };
        check("/users/mara/", true, true);
        check("/users/mara/people/ben", true, true);
        check("/users/ben/people/mara", false, false);
        check("/users/", false, false);
        check("/", false, false);
        check("/actors/mara/facts", true, false);
        check("/actors/ben/facts", false, false);
        check("/user:88/knowledge", false, true);
        check("/acme/shop/knowledge", false, false);
        for (path, expect) in [
            ("knowledge/users/mara/people/ben.md", true),
            ("knowledge/People/mara.md", true),
            ("knowledge/users/ben/people/mara.md", false),
            ("knowledge/team/people/ben.md", false),
            ("knowledge/agents/claude/users/ben/x.md", false),
            ("knowledge/facts/mara.md", false),
            ("src/users/mara/x.md", false),
        ] {
            let ben = person(&[], "ben");
            assert_eq!(ben.is_path_of_another(path), expect, "{path}");
            assert!(!expect || !ben.alone().owns_object(path), "{path}");
        }
        assert!(person(&[], "ben").alone().owns_object("knowledge/users/ben/people/mara.md"));
    }

    #[test]
    fn owners_of_repositories_are_no_people() {
        let templates = ["/{actorId}/knowledge"];
        let check = |actor: &str, namespace: &str, expect: bool| {
            let known = Person { is_of_code: true, ..person(&templates, actor) };
            assert_eq!(known.owns_namespace(namespace), expect, "{actor} {namespace}");
        };
        check("bob", "/bob/shop/knowledge/facts", false);
        check("bob", "/users/bob/", true);
        check("bob", "/users/bobby/", false);
        check("bob/shop", "/bob/shop/knowledge/facts", true);
        check("bob/shop", "/bob/shopping/knowledge", false);
    }

    #[test]
    fn paths_of_a_person() {
        let check = |actor: &str, path: &str, expect: bool| {
            for is_of_code in [false, true] {
                let known = Person { is_of_code, ..person(&[], actor) };
                assert_eq!(known.owns_path(path), expect, "{actor} {path}");
                assert!(!expect || known.owns_object(path), "{actor} {path}");
            }
        };
        check("mara", "knowledge/users/mara/tea.md", true);
        check("mara", "knowledge/users/mara/deep/tea.md", true);
        check("mara", "knowledge/team/Users/mara/tea.md", true);
        check("mara", "knowledge/users/mara.md", true);
        check("mara", "knowledge/users/mara", true);
        check("mara", "knowledge/actors/mara/tea.md", true);
        check("mara", "knowledge/people/mara.json", true);
        check("acme/shop", "knowledge/users/acme/shop/tea.md", true);
        check("mara.v2", "knowledge/users/mara.v2.md", true);
        check("mara", "knowledge/users/mara2/tea.md", false);
        check("mara", "knowledge/users/Mara/tea.md", false);
        check("mara", "knowledge/users/mara.old.md", false);
        check("mara", "knowledge/users/ben/mara.md", false);
        check("mara", "knowledge/facts/mara.md", false);
        check("mara", "knowledge/facts/mara/tea.md", false);
        check("mara", "src/users/mara/main.rs", false);
        check("users", "knowledge/users/ben/tea.md", false);
        check("acme/shop", "knowledge/users/acme/shop2/tea.md", false);
        for (path, is_of_people_alone) in [
            ("knowledge/users/mara/tea.md", true),
            ("knowledge/People/mara.md", true),
            ("knowledge/agents/mara.md", false),
            ("knowledge/actors/mara/tea.md", false),
            ("knowledge/user/mara/tea.md", false),
        ] {
            check("mara", path, true);
            let alone = person(&[], "mara").alone();
            assert_eq!(alone.owns_path(path), is_of_people_alone, "{path}");
        }
    }

    #[test]
    fn places_of_a_person() {
        let wire = "/strategies/{memoryStrategyId}/actors/{actorId}/sessions/{sessionId}";
        let check = |templates: &[&str], actor: &str, namespace: &str, expect: bool| {
            let found = person(templates, actor).owns_namespace(namespace);
            assert_eq!(found, expect, "{templates:?} {actor} {namespace}");
        };
        check(&[wire], "mara", "/strategies/s1/actors/mara/sessions/x/", true);
        check(&[wire], "mara", "strategies/s1/actors/mara", true);
        check(&[wire], "mara", "/strategies/s1/actors/maria/sessions/x", false);
        // A session that is named like the person, in somebody else's place.
        check(&[wire], "mara", "/strategies/s1/actors/ben/sessions/mara", false);
        check(&[wire], "mara", "/strategies/mara", true);
        check(&[], "mara", "/users/mara/facts", true);
        check(&[], "mara", "/users/maria/facts", false);
        check(&[], "mara", "/", false);
        check(&["/facts/{actorId}"], "mara", "/facts/ben/topics/mara", false);
        check(&["/facts/{actorId}"], "mara", "/notes/mara", true);
        check(&["/u-{actorId}/x"], "mara", "/u-mara/x/y", true);
        check(&["/{actorId}/knowledge"], "acme/shop", "/acme/shop/knowledge/facts", true);
        check(&["/{actorId}/knowledge"], "acme/shop", "/acme/shop2/knowledge", false);
        check(&["/{actorId}/knowledge"], "mara", "/users/mara", true);
        check(&["/users/{actorId}"], "x--a_40b_2eorg", "/users/x--a_40b_2eorg/p", true);
        check(&["/users/{actorId}"], "x--a_40b_2eorg", "/users/a@b.org/p", true);
    }
}
