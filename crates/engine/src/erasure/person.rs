//! A person as a memory knows them: the actors that stand for the person, and which namespaces and records
//! are the person's: by the templates of the memory's strategies, by provenance, and by the owner that a
//! client or an import named. Pure.

use std::collections::BTreeSet;

use loci_model::ActorId;
use loci_model::memory::Memory;
use loci_model::metadata::MetadataValue;
use loci_model::record::{Record, RecordOrigin};

use crate::sre;

/// The variable of templates that holds the actor.
const ACTOR: &str = "{actorId}";
/// The profile of memories for code.
const CODE: &str = "coding";
/// The place where such a memory keeps preferences.
const PEOPLE: &str = "users";
/// Keys of metadata by which clients and imports name whose a record is.
const OWNER_KEYS: [&str; 4] = ["user_id", "actor_id", "userId", "actorId"];

/// A person, and where a memory keeps what is theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Person {
    actors: Vec<ActorId>,
    /// The spellings of the person's name in namespaces and clients.
    names: BTreeSet<String>,
    /// Templates of the memory that name the actor.
    templates: Vec<NamedTemplate>,
    /// Places of people alone are looked at, not every segment: the memory's other places are named by owners
    /// of repositories.
    is_of_code: bool,
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
    /// A person by all actors that stand for them.
    pub(crate) fn of(memory: &Memory, actors: Vec<ActorId>) -> Self {
        let mut names = BTreeSet::new();
        for actor in &actors {
            let decoded = sre::segment::decode(actor.as_str());
            names.extend(sre::segment::encode(&decoded, "actor").ok());
            names.extend([actor.as_str().to_owned(), decoded]);
        }
        let all = memory.strategies.iter().flat_map(|one| {
            let reflections = one.reflection.as_ref().map(|part| &part.template);
            std::iter::once(&one.template).chain(reflections)
        });
        let mut templates: Vec<_> = all.filter_map(|one| NamedTemplate::parse(one.as_str())).collect();
        templates.sort();
        templates.dedup();
        Self { actors, names, templates, is_of_code: memory.settings.profile.as_deref() == Some(CODE) }
    }

    /// The actors that stand for the person.
    pub(crate) fn actors(&self) -> &[ActorId] {
        &self.actors
    }

    /// True for an actor that stands for the person.
    pub(crate) fn is_actor(&self, actor: &ActorId) -> bool {
        self.actors.contains(actor) || self.names.contains(actor.as_str())
    }

    /// True for a text that is the person's name alone.
    pub(crate) fn is_name(&self, text: &str) -> bool {
        self.names.contains(text)
    }

    /// True for a namespace that is the person's, or that lies in one. A template with fixed segments before
    /// the actor decides; elsewhere a segment that is the person's name does.
    pub(crate) fn owns_namespace(&self, namespace: &str) -> bool {
        let found = segments(namespace);
        let verdicts: Vec<Verdict> =
            self.templates.iter().map(|template| self.verdict(template, &found)).collect();
        if verdicts.contains(&Verdict::Theirs) {
            return true;
        }
        !verdicts.contains(&Verdict::SomebodyElses) && self.names.iter().any(|name| self.is_in(&found, name))
    }

    /// True for a record that is the person's by its provenance, its place, or the owner that its metadata
    /// names.
    pub(crate) fn owns_record(&self, record: &Record) -> bool {
        record.provenance.actor.as_ref().is_some_and(|actor| self.is_actor(actor))
            || self.owns_namespace(record.namespace.as_str())
            || (record.origin == RecordOrigin::BatchCreated && self.is_named_owner(record))
    }

    fn is_named_owner(&self, record: &Record) -> bool {
        OWNER_KEYS.iter().any(|key| match record.metadata.get(*key) {
            Some(MetadataValue::String(name)) => self.is_name(name),
            Some(MetadataValue::StringList(_) | MetadataValue::Number(_) | MetadataValue::DateTime(_))
            | None => false,
        })
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
        let decoded = sre::segment::decode(actor);
        let names = BTreeSet::from([actor.to_owned(), decoded]);
        let templates = templates.iter().filter_map(|one| NamedTemplate::parse(one)).collect();
        Person { actors, names, templates, is_of_code: false }
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
