//! A person as a memory knows them: the actors that represent the person, and the person's
//! namespaces and records. They are found by the templates of the memory's strategies, by
//! provenance, by the directory of a document, and by the owner that a client, an import or front
//! matter names. Pure.

use std::collections::BTreeSet;

use loci_model::memory::Memory;
use loci_model::record::metadata::MetadataExtraction;
use loci_model::record::{Record, RecordOrigin};
use loci_model::{ActorId, StrategyId};

use super::owner_keys::NamedOwners;
use crate::access::segment;
use crate::document_text::areas::KNOWLEDGE;

/// Template variable of the actor.
const ACTOR: &str = "{actorId}";
/// Top-level segment of the preferences in a memory for code.
const PEOPLE: &str = "users";
/// Directories of a document tree with one directory or file per person or agent.
const PEOPLE_DIRECTORIES: [&str; 6] = [PEOPLE, "user", "actors", "actor", "people", "agents"];
/// Those of these directories that contain people only.
const DIRECTORIES_OF_PEOPLE_ALONE: [&str; 2] = [PEOPLE, "people"];
/// Actor prefix of a person who is identified by a number of a forge.
const BY_NUMBER: &str = "user:";

/// A person, with the actors and namespaces under which a memory keeps their data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    actors: Vec<ActorId>,
    /// The spellings of the person's name in namespaces and in data of clients.
    names: BTreeSet<String>,
    /// The numbers by which a forge identifies the person. They may name an owner, but are no
    /// namespace segments.
    numbers: BTreeSet<String>,
    /// The namespace templates of the memory that contain the variable for the actor.
    templates: Vec<NamedTemplate>,
    /// Metadata keys that the memory's strategies copy from events. In an extracted record, only
    /// such a key shows that a client named an owner.
    copied: BTreeSet<(StrategyId, String)>,
    /// True for a memory about code: only preference namespaces count as the person's, because
    /// the segments of other namespaces are names of repository owners.
    is_of_code: bool,
    /// True if a record outside of the person's namespaces that also names others or an agent
    /// does not count as the person's.
    is_alone: bool,
}

/// A template that names the actor, segment by segment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct NamedTemplate {
    segments: Vec<String>,
    /// Index of the segment that names the actor.
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
    /// Returns a person by all actors that represent them. `is_of_code`: the memory knows people by
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

    /// Returns the person restricted to data that they may decide on themselves. A login may also
    /// be the name of an agent, and a document that names others may lie in a tree that the person
    /// may not write.
    pub fn alone(self) -> Self {
        Self { is_alone: true, ..self }
    }

    /// Returns the actors that represent the person.
    pub(crate) fn actors(&self) -> &[ActorId] {
        &self.actors
    }

    /// Returns true for an actor that represents the person.
    pub fn is_actor(&self, actor: &ActorId) -> bool {
        self.actors.contains(actor) || self.names.contains(actor.as_str())
    }

    /// Returns true if the whole text is the person's name.
    pub fn is_name(&self, text: &str) -> bool {
        self.names.contains(text)
    }

    /// Returns true for a text that names the person as an owner.
    fn is_owner(&self, text: &str) -> bool {
        self.is_name(text) || self.numbers.contains(text)
    }

    /// Returns true for a namespace of the person, or one inside it. A template with fixed segments
    /// before the actor decides. Otherwise a segment that equals the person's name does.
    pub fn owns_namespace(&self, namespace: &str) -> bool {
        let found = segments(namespace);
        let verdicts = self.verdicts(&found);
        if verdicts.contains(&Verdict::Theirs) {
            return true;
        }
        !verdicts.contains(&Verdict::SomebodyElses) && self.names.iter().any(|name| self.is_in(&found, name))
    }

    /// Returns true for a record that is the person's by its provenance or namespace, independent
    /// of the owners it names.
    pub(crate) fn owns_source(&self, record: &Record) -> bool {
        record.provenance.actor.as_ref().is_some_and(|actor| self.is_actor(actor))
            || self.owns_namespace(record.namespace.as_str())
    }

    /// Returns true for a record that names the person by its path, or as an owner in its metadata
    /// or in the front matter of its file.
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

    /// Returns true for a record that names other people as owners, or lies in another person's
    /// namespace. A record that is also the person's is erased as a whole, because its words cannot
    /// be attributed.
    pub(crate) fn is_shared(&self, record: &Record) -> bool {
        self.owners_of(record).people().any(|name| !self.is_owner(name)) || self.lies_with_another(record)
    }

    /// Returns true for a record in another person's namespace, or in another person's directory
    /// outside the person's namespaces.
    fn lies_with_another(&self, record: &Record) -> bool {
        let namespace = record.namespace.as_str();
        let is_at = |path: &str| !self.owns_namespace(namespace) && self.is_path_of_another(path);
        self.is_place_of_another(namespace) || record.path.as_deref().is_some_and(is_at)
    }

    /// Returns true if shared records stay, unless they are the person's by their source.
    pub(crate) fn leaves_shared(&self) -> bool {
        self.is_alone
    }

    /// Returns true for the key of a parked object in a namespace or a directory of the person.
    /// With `is_alone`, objects in another person's namespace or directory do not count.
    pub(crate) fn owns_object(&self, key: &str) -> bool {
        let stays = self.is_alone && (self.is_place_of_another(key) || self.is_path_of_another(key));
        !stays && (self.owns_namespace(key) || self.owns_path(key))
    }

    /// Returns true for another person's namespace, or one inside it: below `/users/`, and where a
    /// template puts another actor. In memories for code the segment may be a repository, so only
    /// an actor with a number counts there.
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

    /// Returns true for a path of a tree in another person's directory, or for their file. The
    /// outermost directory of people decides, so `knowledge/users/mara/people/ben.md` is Mara's.
    fn is_path_of_another(&self, path: &str) -> bool {
        let found = segments(path);
        let mut behind = behind_directories(&found, &DIRECTORIES_OF_PEOPLE_ALONE);
        behind.next().is_some_and(|rest| match rest {
            [] => false,
            [file] => !self.names.iter().any(|name| is_file_of(file, name)),
            _ => !self.is_at_start(rest),
        })
    }

    /// Returns true for segments that begin with the person's name.
    fn is_at_start(&self, found: &[&str]) -> bool {
        self.names.iter().any(|name| {
            let wanted = segments(name);
            !wanted.is_empty() && found.starts_with(&wanted)
        })
    }

    /// Returns true for a path of a tree in the person's directory, or for the person's file, below
    /// a directory of people: `knowledge/users/mara/tea.md`, `knowledge/users/mara.md`.
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

    /// Returns true if segments equal the person's name.
    fn is_in(&self, found: &[&str], name: &str) -> bool {
        let wanted = segments(name);
        if self.is_of_code && wanted.len() == 1 {
            return found.first() == Some(&PEOPLE) && found.get(1) == Some(&name);
        }
        !wanted.is_empty() && found.windows(wanted.len()).any(|window| window == wanted)
    }
}

/// Returns the numbers in actors of people.
fn numbers_of(actors: &[ActorId]) -> BTreeSet<String> {
    actors.iter().filter_map(number_of_actor).map(str::to_owned).collect()
}

/// Returns the number in the actor of a person. A prefix without digits after it may begin another
/// name.
pub fn number_of_actor(actor: &ActorId) -> Option<&str> {
    actor.as_str().strip_prefix(BY_NUMBER).filter(|rest| is_number(rest))
}

/// Returns true for a text that contains only digits, as a forge numbers people.
pub fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the metadata keys that strategies copy from events unchanged, by strategy. Keys of a
/// strategy or a schema entry that was removed are not included.
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

/// Returns the segments after each directory with one of these names in a path of a tree, the
/// outermost directory first.
fn behind_directories<'a, 'p>(
    found: &'a [&'p str],
    names: &'a [&str],
) -> impl Iterator<Item = &'a [&'p str]> {
    let is_of_tree = found.first() == Some(&KNOWLEDGE);
    let is_named = move |directory: &str| names.iter().any(|name| name.eq_ignore_ascii_case(directory));
    let directories = found.iter().enumerate().filter(move |(_, one)| is_of_tree && is_named(one));
    directories.filter_map(|(at, _)| found.get(at + 1..))
}

/// Returns true for a file of that name, with or without an extension.
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

    /// Returns the template with a name inserted, which may add segments, and the number of
    /// segments up to the end of the name.
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

/// Returns true if the segments match. A segment with another variable matches anything.
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
        // A session with the person's name in another person's namespace.
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
