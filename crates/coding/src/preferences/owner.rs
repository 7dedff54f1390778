//! The owner of preferences. The forge's number identifies a person, and a login is a name that may
//! change: a person who changes the login keeps their preferences, and a person who takes over a
//! login finds none. A person without a number is identified by the login alone. Loci accepts a
//! number from a caller who may write the preferences of both; from others it is a claim.

use loci_engine::access::segment;
use loci_engine::hooks::write_context;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, ReadTx, RecordPage, Tx};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::tasks::preference::PreferenceUser;
use loci_model::tasks::task::Task;
use loci_model::{
    ActorId, Error, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, RecordId, Result, Timestamp, limits,
};
use sha2::{Digest, Sha256};

use crate::tasks::task_namespaces::preferences_of;

/// The maximum number of people who are read for one login: its present owner, and earlier entries.
const SAME_LOGIN_MAX: usize = 10;
/// The maximum number of former logins kept for a person.
const FORMER_LOGINS_MAX: usize = 10;
/// The maximum number of people who are searched for a former login.
const PEOPLE_MAX: usize = 10_000;
/// The prefix that names a person by number, if they have no login, and in requests.
const BY_ID: &str = "user:";
/// The states of records that move or leave with their owner.
pub(super) const ALL_STATES: &[RecordState] = &[
    RecordState::Active,
    RecordState::Candidate,
    RecordState::Superseded,
    RecordState::Invalid,
    RecordState::Quarantined,
    RecordState::Stale,
    RecordState::Expired,
    RecordState::Archived,
    RecordState::RolledBack,
];

/// A person, with the known data.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PreferenceOwner {
    /// The actor that names the namespace of their preferences.
    pub(crate) place: ActorId,
    /// Further data; `None` if no one with that login was reported.
    pub(crate) known: Option<PreferenceUser>,
}

impl PreferenceOwner {
    /// Returns the namespace of their preferences.
    pub(crate) fn namespace(&self) -> Result<Namespace> {
        namespace_of(&self.place)
    }

    pub(crate) fn user_id(&self) -> Option<&str> {
        self.known.as_ref()?.user_id.as_deref()
    }

    /// Returns the login, as the forge spells it; `None` for a person whose login another person
    /// took over.
    pub(super) fn login(&self) -> Option<String> {
        let login = match &self.known {
            Some(known) => known.login.as_deref(),
            None => Some(self.place.as_str()),
        };
        login.map(spelled)
    }

    pub(crate) fn opted_out(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.opted_out)
    }

    /// Returns the stored data of the person, or a new entry, to change and store.
    pub(super) fn noun(&self, memory: &MemoryId, now: Timestamp) -> PreferenceUser {
        let known = self.known.clone();
        known.unwrap_or_else(|| new(memory, self.place.clone(), Some(self.place.to_string()), None, now))
    }
}

/// Returns the login of a name, in lower case, as an actor; encoded if the login is not a valid
/// actor name (`octo[bot]`, `zoë-k`). `None` for a name that is too long or not a single path
/// segment.
pub(crate) fn login_of(name: &str) -> Option<ActorId> {
    let login = spelled(name).to_lowercase();
    let plain = preferences_of(&login).and_then(|_| ActorId::parse(login.as_str()).ok());
    plain.or_else(|| ActorId::parse(segment::encode(&login, "user").ok()?).ok())
}

/// Returns the login of an actor, as the forge spells it.
pub(super) fn spelled(actor: &str) -> String {
    let login = segment::decode(actor);
    let is_encoded = segment::encode(&login, "user").is_ok_and(|again| again == actor);
    if is_encoded { login } else { actor.to_owned() }
}

pub(super) fn namespace_of(place: &ActorId) -> Result<Namespace> {
    Namespace::parse(format!("/users/{place}/"))
}

/// Returns the present owner of a login.
fn holder(tx: &dyn ReadTx, memory: &MemoryId, login: &ActorId) -> Result<Option<PreferenceUser>> {
    let page = LedgerPage {
        memory: memory.clone(),
        shelf: PreferenceUser::SHELF,
        actor: None,
        subject: Some(login.to_string()),
        after: None,
        limit: SAME_LOGIN_MAX,
    };
    let mut all: Vec<PreferenceUser> = tx.ledger().nouns(&page)?;
    // An entry with a number precedes one for the login alone.
    all.sort_by_key(|one| one.user_id.is_none());
    Ok(all.into_iter().next())
}

pub(super) fn of_id(tx: &dyn ReadTx, memory: &MemoryId, user_id: &str) -> Result<Option<PreferenceUser>> {
    tx.ledger().noun(memory, &PreferenceUser::key_of_id(user_id))
}

/// Returns a person by the name in a request: a login, or `user:` and a number. With `by_former`,
/// also by a former login that no person has now.
///
/// # Errors
/// `Invalid` for a name that is not a valid user name.
pub(crate) fn named(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    name: &str,
    by_former: bool,
) -> Result<PreferenceOwner> {
    let login = login_of(name).ok_or_else(no_user)?;
    let by_number = match name.strip_prefix(BY_ID) {
        Some(id) => of_id(tx, memory, id)?,
        None => None,
    };
    let mut known = match by_number {
        Some(known) => Some(known),
        None => holder(tx, memory, &login)?,
    };
    if known.is_none() && by_former {
        known = former(tx, memory, &login)?;
    }
    Ok(PreferenceOwner { place: known.as_ref().map_or(login, |known| known.place.clone()), known })
}

/// Returns the error for an invalid user name.
pub(super) fn no_user() -> Error {
    let rule =
        "the user must be a login of 1 to 120 characters without slashes, braces and control characters";
    let remedy = "of another name the forge's number does: user: and the number, such as user:4711";
    Error::invalid("user", format!("{rule}; {remedy}"))
}

/// Returns the latest former owner of a login.
fn former(tx: &dyn ReadTx, memory: &MemoryId, login: &ActorId) -> Result<Option<PreferenceUser>> {
    let page = LedgerPage {
        memory: memory.clone(),
        shelf: PreferenceUser::SHELF,
        actor: None,
        subject: None,
        after: None,
        limit: PEOPLE_MAX,
    };
    let all: Vec<PreferenceUser> = tx.ledger().nouns(&page)?;
    let had = |one: &PreferenceUser| one.former_logins.iter().any(|former| former == login.as_str());
    Ok(all.into_iter().filter(had).max_by_key(|one| one.updated_at))
}

/// Returns the former logins of a person that no one has now.
pub(super) fn free_former_logins(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    whose: &PreferenceOwner,
) -> Result<Vec<String>> {
    let mut free = Vec::new();
    for former in whose.known.iter().flat_map(|known| &known.former_logins) {
        let Some(login) = login_of(former) else { continue };
        if holder(tx, memory, &login)?.is_none() {
            free.push(spelled(former));
        }
    }
    Ok(free)
}

/// Returns the person of a task; `None` if the task names no one, or if another person has that
/// login now. The number takes precedence: an older task never receives the preferences of the
/// person who took over its user's login.
pub(crate) fn of_task(tx: &dyn ReadTx, task: &Task) -> Result<Option<PreferenceOwner>> {
    let by_number = match &task.user_id {
        Some(id) => of_id(tx, &task.memory, id)?,
        None => None,
    };
    if let Some(known) = by_number {
        return Ok(Some(PreferenceOwner { place: known.place.clone(), known: Some(known) }));
    }
    let Some(login) = task.user.as_deref().and_then(login_of) else { return Ok(None) };
    let known = holder(tx, &task.memory, &login)?;
    let number = known.as_ref().and_then(|known| known.user_id.as_ref().or(known.claimed_id.as_ref()));
    if task.user_id.is_some() && number.is_some() && number != task.user_id.as_ref() {
        return Ok(None);
    }
    Ok(Some(PreferenceOwner { place: login, known }))
}

/// Returns the namespace of the preferences of the user in a request without a task; `None` for an
/// invalid user name.
pub(crate) fn place_named(tx: &dyn ReadTx, memory: &MemoryId, name: &str) -> Result<Option<String>> {
    if login_of(name).is_none() {
        return Ok(None);
    }
    Ok(Some(named(tx, memory, name, false)?.namespace()?.as_str().to_owned()))
}

/// True if a name means the user of a task: the name on the task, or any of the person's logins
/// that no other person has now.
pub(crate) fn is_whose(tx: &dyn ReadTx, task: &Task, name: &str) -> Result<bool> {
    if task.user.as_deref().is_some_and(|user| user.eq_ignore_ascii_case(name)) {
        return Ok(true);
    }
    if login_of(name).is_none() {
        return Ok(false);
    }
    let Some(own) = of_task(tx, task)? else { return Ok(false) };
    Ok(named(tx, &task.memory, name, true)?.place == own.place)
}

/// Records the person of a task: preferences follow a changed login, and stay with their owner if
/// another person takes over the login. The sender of a task only claims login and number. A caller
/// who may not write all namespaces involved binds and moves nothing. Returns `false` if the claim
/// is not recorded either.
pub(crate) fn seen(
    tx: &mut dyn Tx,
    task: &Task,
    may_write: &dyn Fn(&ActorId) -> Result<bool>,
    now: Timestamp,
) -> Result<bool> {
    let (Some(name), Some(id)) = (&task.user, &task.user_id) else { return Ok(true) };
    let Some(login) = login_of(name) else { return Ok(true) };
    let memory = &task.memory;
    let (mine, mut there) = (of_id(tx, memory, id)?, holder(tx, memory, &login)?);
    if mine.as_ref().is_some_and(|mine| mine.login.as_deref() == Some(login.as_str())) {
        return Ok(true);
    }
    for place in concerned((mine.as_ref(), there.as_ref()), &login, id)? {
        if !may_write(&place)? {
            let is_known = mine.is_some() || there.as_ref().is_some_and(|there| there.user_id.is_some());
            return if is_known { Ok(false) } else { claim(tx, (task, &login), there, may_write, now) };
        }
    }
    if let Some(other) = there.take_if(|there| there.user_id.is_some()) {
        give_up(tx, other, now)?;
    }
    let mut next = match (mine, there) {
        (Some(mine), other) => {
            let opted_out = mine.opted_out || other.is_some_and(|other| other.opted_out);
            tx.ledger_mut().remove(
                memory,
                &PreferenceUser::SHELF,
                &PreferenceUser::key_of_login(login.as_str()),
            )?;
            PreferenceUser { opted_out, ..mine }
        }
        // The settings for the login alone now belong to the known person.
        (None, Some(unnumbered)) => {
            tx.ledger_mut().remove(
                memory,
                &PreferenceUser::SHELF,
                &PreferenceUser::key_of_login(login.as_str()),
            )?;
            PreferenceUser { user_id: Some(id.clone()), claimed_id: None, updated_at: now, ..unnumbered }
        }
        (None, None) => new(memory, login.clone(), Some(login.to_string()), Some(id.clone()), now),
    };
    if next.login.as_deref() != Some(login.as_str()) {
        move_all(tx, memory, &next.place, &login, now)?;
        let before = next.login.replace(login.to_string());
        remember_former(&mut next, before);
        next.place = login;
        next.updated_at = now;
    }
    tx.ledger_mut().put_noun(&next)?;
    Ok(true)
}

/// Returns the actors whose namespaces are moved, moved to or given an owner when the person of a
/// number (`mine`) gets a login that another person (`there`) may have. The namespaces of the login
/// and of the number are always included, even if empty, because later preferences there follow the
/// number.
fn concerned(
    (mine, there): (Option<&PreferenceUser>, Option<&PreferenceUser>),
    login: &ActorId,
    id: &str,
) -> Result<Vec<ActorId>> {
    let mut places = vec![login.clone(), place_of_id(id)?];
    places.extend([mine, there].into_iter().flatten().map(|one| one.place.clone()));
    if let Some(id) = there.and_then(|there| there.user_id.as_deref()) {
        places.push(place_of_id(id)?);
    }
    Ok(places)
}

/// Records the number of a task with its login, without proof, because the first task that names
/// both may be from anyone. A claim shows, moves and erases nothing, and gives way to a proved
/// number. Returns `false` if another claim exists, or if the namespace already has data or
/// settings, unless the caller may write it.
fn claim(
    tx: &mut dyn Tx,
    (task, login): (&Task, &ActorId),
    there: Option<PreferenceUser>,
    may_write: &dyn Fn(&ActorId) -> Result<bool>,
    now: Timestamp,
) -> Result<bool> {
    let (memory, claimed_id) = (&task.memory, task.user_id.clone());
    if there.as_ref().is_some_and(|there| there.claimed_id == claimed_id) {
        return Ok(true);
    }
    let is_free = there.is_none() && preferences_at(tx, memory, login, ALL_STATES, now)?.is_empty();
    if !is_free && !may_write(login)? {
        return Ok(false);
    }
    let person = there.unwrap_or_else(|| new(memory, login.clone(), Some(login.to_string()), None, now));
    tx.ledger_mut().put_noun(&PreferenceUser { claimed_id, updated_at: now, ..person })?;
    Ok(true)
}

fn new(
    memory: &MemoryId,
    place: ActorId,
    login: Option<String>,
    user_id: Option<String>,
    now: Timestamp,
) -> PreferenceUser {
    PreferenceUser {
        memory: memory.clone(),
        place,
        login,
        user_id,
        claimed_id: None,
        former_logins: Vec::new(),
        opted_out: false,
        declined: Vec::new(),
        created_at: now,
        updated_at: now,
    }
}

/// Moves the data of a person whose login another person took over to a namespace of the person's
/// number, until a new login is reported.
fn give_up(tx: &mut dyn Tx, mut other: PreferenceUser, now: Timestamp) -> Result<()> {
    let Some(id) = &other.user_id else { return Ok(()) };
    let aside = place_of_id(id)?;
    let memory = other.memory.clone();
    move_all(tx, &memory, &other.place, &aside, now)?;
    let before = other.login.take();
    remember_former(&mut other, before);
    other.place = aside;
    other.updated_at = now;
    tx.ledger_mut().put_noun(&other)
}

/// Returns the actor of a person with a number and no login. A number that is not a valid name is
/// hashed.
pub(super) fn place_of_id(user_id: &str) -> Result<ActorId> {
    let named = ActorId::parse(format!("{BY_ID}{user_id}"));
    named.or_else(|_| ActorId::parse(format!("{BY_ID}{}", hex::encode(Sha256::digest(user_id)))))
}

fn remember_former(of: &mut PreferenceUser, login: Option<String>) {
    let Some(login) = login else { return };
    of.former_logins.retain(|former| *former != login);
    of.former_logins.insert(0, login);
    of.former_logins.truncate(FORMER_LOGINS_MAX);
}

fn move_all(tx: &mut dyn Tx, memory: &MemoryId, from: &ActorId, to: &ActorId, now: Timestamp) -> Result<()> {
    let ids: Vec<RecordId> = all_of(tx, memory, from, now)?.into_iter().map(|record| record.id).collect();
    if !ids.is_empty() {
        tx.records_mut().move_to(memory, &ids, &namespace_of(to)?)?;
        write_context::products()?.records_moved(tx, memory, &ids)?;
    }
    Ok(())
}

/// Returns the preferences of a person in these states, the newest first, without records below the
/// namespace.
pub(crate) fn preferences_at(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    place: &ActorId,
    states: &[RecordState],
    now: Timestamp,
) -> Result<Vec<Record>> {
    let scope = RecordScope {
        namespaces: vec![NamespaceFilter::new(&namespace_of(place)?, NamespaceMatch::Exact)],
        kinds: vec![RecordKind::Preference],
        states: states.to_vec(),
        ..RecordScope::whole(memory.clone(), now)
    };
    let limit = limits::PREFERENCES_PER_USER_MAX;
    tx.records().list(&RecordPage { scope, after: None, limit })
}

/// Returns all preferences of a person, in any state.
pub(crate) fn all_of(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    place: &ActorId,
    now: Timestamp,
) -> Result<Vec<Record>> {
    let scope = RecordScope {
        namespaces: vec![NamespaceFilter::new(&namespace_of(place)?, NamespaceMatch::Exact)],
        kinds: vec![RecordKind::Preference],
        states: ALL_STATES.to_vec(),
        ..RecordScope::whole(memory.clone(), now)
    };
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let limit = limits::PREFERENCES_PER_USER_MAX;
        let page = tx.records().list(&RecordPage { scope: scope.clone(), after, limit })?;
        let is_last = page.len() < limit;
        after = page.last().map(|record| (record.created_at, record.id.clone()));
        all.extend(page);
        if is_last {
            return Ok(all);
        }
    }
}
