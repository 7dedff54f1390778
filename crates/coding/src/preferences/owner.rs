//! The owner of preferences. A person is known by the forge's number, and a login is a name that
//! they have for a while: a person who changes their login keeps their preferences, and a person
//! who takes a login over finds none. A person without a number is
//! known by the login alone. Loci believes a number from a caller who may write the places of both;
//! from others it is a claim.

use loci_engine::access::segment;
use loci_engine::hooks::in_write;
use loci_model::ledger::Shelved;
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

/// People of one login that are looked at: one has it, and those of before it was told who.
const SAME_LOGIN_MAX: usize = 10;
/// Logins of before that are remembered.
const FORMER_LOGINS_MAX: usize = 10;
/// People that are looked through for one who had a login before.
const PEOPLE_MAX: usize = 10_000;
/// How whoever has a number is named where they have no login, and to ask for them by it.
const BY_ID: &str = "user:";
/// States in which a record is looked for when its owner moves, or leaves.
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

/// Somebody, as far as they are known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Whose {
    /// The name of their preferences' place.
    pub(crate) place: ActorId,
    /// What else is known of them; none where nobody of that login was told of.
    pub(crate) known: Option<PreferenceUser>,
}

impl Whose {
    /// Where their preferences are.
    pub(crate) fn namespace(&self) -> Result<Namespace> {
        namespace_of(&self.place)
    }

    pub(crate) fn user_id(&self) -> Option<&str> {
        self.known.as_ref()?.user_id.as_deref()
    }

    /// The login, as the forge spells it; `None` for a person who lost it to somebody else.
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

    /// What is known of them, to be changed and put.
    pub(super) fn noun(&self, memory: &MemoryId, now: Timestamp) -> PreferenceUser {
        let known = self.known.clone();
        known.unwrap_or_else(|| new(memory, self.place.clone(), Some(self.place.to_string()), None, now))
    }
}

/// The login of a name, in lower case, as an actor; encoded where a forge's login is no actor's
/// name (`octo[bot]`, `zoë-k`). `None` for a name that is no one segment of a path, or is too long.
pub(crate) fn login_of(name: &str) -> Option<ActorId> {
    let login = spelled(name).to_lowercase();
    let plain = preferences_of(&login).and_then(|_| ActorId::parse(login.as_str()).ok());
    plain.or_else(|| ActorId::parse(segment::encode(&login, "user").ok()?).ok())
}

/// The login of an actor, as the forge spells it.
pub(super) fn spelled(actor: &str) -> String {
    let login = segment::decode(actor);
    let is_encoded = segment::encode(&login, "user").is_ok_and(|again| again == actor);
    if is_encoded { login } else { actor.to_owned() }
}

pub(super) fn namespace_of(place: &ActorId) -> Result<Namespace> {
    Namespace::parse(format!("/users/{place}/"))
}

/// Whoever has a login now.
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
    // Who has a number comes before what was set for the login alone.
    all.sort_by_key(|one| one.user_id.is_none());
    Ok(all.into_iter().next())
}

pub(super) fn of_id(tx: &dyn ReadTx, memory: &MemoryId, user_id: &str) -> Result<Option<PreferenceUser>> {
    tx.ledger().noun(memory, &PreferenceUser::key_of_id(user_id))
}

/// Somebody by the name that a door is asked for: their login, or `user:` and their number. `by_former`: also by a login that they had
/// before and that nobody has now.
///
/// # Errors
/// `Invalid` for a name that nobody can have.
pub(crate) fn named(tx: &dyn ReadTx, memory: &MemoryId, name: &str, by_former: bool) -> Result<Whose> {
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
    Ok(Whose { place: known.as_ref().map_or(login, |known| known.place.clone()), known })
}

/// Nobody is called like that.
pub(super) fn no_user() -> Error {
    let rule =
        "the user must be a login of 1 to 120 characters without slashes, braces and control characters";
    let remedy = "of another name the forge's number does: user: and the number, such as user:4711";
    Error::invalid("user", format!("{rule}; {remedy}"))
}

/// Whoever had a login before, the last one.
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

/// The logins that somebody had before and that nobody has now.
pub(super) fn free_former_logins(tx: &dyn ReadTx, memory: &MemoryId, whose: &Whose) -> Result<Vec<String>> {
    let mut free = Vec::new();
    for former in whose.known.iter().flat_map(|known| &known.former_logins) {
        let Some(login) = login_of(former) else { continue };
        if holder(tx, memory, &login)?.is_none() {
            free.push(spelled(former));
        }
    }
    Ok(free)
}

/// Whoever a task is done for; `None` where nobody is named, or where somebody else has that login now. By number where one is told:
/// a task of before is never shown what belongs to whoever took its user's login over.
pub(crate) fn of_task(tx: &dyn ReadTx, task: &Task) -> Result<Option<Whose>> {
    let by_number = match &task.user_id {
        Some(id) => of_id(tx, &task.memory, id)?,
        None => None,
    };
    if let Some(known) = by_number {
        return Ok(Some(Whose { place: known.place.clone(), known: Some(known) }));
    }
    let Some(login) = task.user.as_deref().and_then(login_of) else { return Ok(None) };
    let known = holder(tx, &task.memory, &login)?;
    let number = known.as_ref().and_then(|known| known.user_id.as_ref().or(known.claimed_id.as_ref()));
    if task.user_id.is_some() && number.is_some() && number != task.user_id.as_ref() {
        return Ok(None);
    }
    Ok(Some(Whose { place: login, known }))
}

/// Where the preferences are of whoever a hydration names that is of no task; `None` for a name that nobody can have.
pub(crate) fn place_named(tx: &dyn ReadTx, memory: &MemoryId, name: &str) -> Result<Option<String>> {
    if login_of(name).is_none() {
        return Ok(None);
    }
    Ok(Some(named(tx, memory, name, false)?.namespace()?.as_str().to_owned()))
}

/// Whether a name means whoever a task is done for: as the task has it, or by any of their logins that nobody else has now.
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

/// Notes the person of a task: preferences go with a login that was changed, and stay with their
/// owner where a login was taken over. The sender of a task only claims login and number: a caller
/// who may not write all places that this concerns binds and moves nothing. `false` where the claim
/// is not noted either.
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
        // What was set for the login alone is whose it is now known to be.
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

/// The places that are moved, moved to or given an owner when the person of a number (`mine`) gets
/// a login that another (`there`) may have: the places of the login and of the number among them,
/// also while they are empty, because later preferences there follow the number.
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

/// Notes the number of a task with its login, without proof: the first to name both could be
/// anybody. It shows, moves and erases nothing, and gives way to a number that is proved. `false`
/// where another was noted, or something is kept or set there already, unless the caller may write
/// that place.
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

/// Somebody else has the login by now: what is kept under it goes to a place of its owner's number, until a new login is told.
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

/// The place of whoever has that number and no login; of a number that can name none, one that is made of it.
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
        in_write::products()?.records_moved(tx, memory, &ids)?;
    }
    Ok(())
}

/// Preferences of a place in these states, the newest first; no others are beneath it.
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

/// All preferences of a place, whatever became of them.
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
