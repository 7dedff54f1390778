//! Moving all data: an imported export exports equally, importing twice equals once, and partial
//! imports are invisible.

use loci_model::delivery::DeliveryDirection;
use loci_model::ports::store::{DeliveryClaim, TransferStanding};
use loci_model::record::scope::RecordScope;
use loci_model::transfer::{
    Moved, MovedMemory, TransferKey, TransferKind as Kind, TransferPlace as Place, TransferRow,
};
use loci_model::{ErrorKind, MemoryId, Result};

use super::{Bench, same};
use crate::filled_store;
use loci_testkit_ports::samples::{self, time};

/// Returns all rows of a kind, in pages of `page` rows.
fn dump(bench: &Bench, place: &Place, kind: Kind, page: usize) -> Result<Vec<TransferRow>> {
    let mut all: Vec<TransferRow> = Vec::new();
    loop {
        let (place, after) = (place.clone(), all.last().map(|row| row.key.clone()));
        let rows = bench.read(move |tx| tx.transfer().dump(&place, kind, after.as_ref(), page))?;
        if rows.is_empty() {
            return Ok(all);
        }
        all.extend(rows);
    }
}

fn everything(bench: &Bench, place: &Place) -> Result<Vec<TransferRow>> {
    let mut all = Vec::new();
    for kind in Kind::ALL {
        all.extend(dump(bench, place, *kind, 100)?);
    }
    Ok(all)
}

fn last(bench: &Bench, place: &Place, kind: Kind) -> Result<Option<TransferKey>> {
    let place = place.clone();
    bench.read(move |tx| tx.transfer().last(&place, kind))
}

fn standing(bench: &Bench, memory: &MemoryId) -> Result<TransferStanding> {
    let memory = memory.clone();
    bench.read(move |tx| tx.transfer().standing(&memory))
}

pub(super) fn pages(bench: &Bench) -> Result<()> {
    let memory = filled_store::fill(&bench.store, "full")?;
    filled_store::fill(&bench.store, "other")?;
    for (place, kinds) in [(Place::Memory(memory), Kind::OF_MEMORY), (Place::Server, Kind::OF_SERVER)] {
        for kind in kinds {
            let name = kind.as_str();
            let all = dump(bench, &place, *kind, 100)?;
            same(name, all.is_empty(), false);
            same(name, last(bench, &place, *kind)?.as_ref(), all.last().map(|row| &row.key));
            for page in [1, 2, 3] {
                same(name, dump(bench, &place, *kind, page)?, all.clone());
            }
            let (of, kind) = (place.clone(), *kind);
            let count = bench.read(move |tx| tx.transfer().count(&of, kind))?;
            same(name, usize::try_from(count).unwrap_or(0), all.len());
        }
    }
    Ok(())
}

/// Deletes a memory and purges it.
fn remove(bench: &Bench, memory: &MemoryId) -> Result<()> {
    let id = memory.clone();
    bench.write(move |tx| tx.memories_mut().delete(&id, time(100)))?;
    same("deleted", standing(bench, memory)?, TransferStanding::Deleted);
    loop {
        let id = memory.clone();
        if bench.write(move |tx| tx.memories_mut().purge(&id, 1_000))? {
            return Ok(());
        }
    }
}

fn load(bench: &Bench, place: &Place, rows: &[TransferRow]) -> Result<()> {
    let (place, rows) = (place.clone(), rows.iter().map(|row| row.moved.clone()).collect::<Vec<_>>());
    bench.write(move |tx| tx.transfer_mut().load(&place, &rows))
}

fn begin(bench: &Bench, head: &MovedMemory) -> Result<()> {
    let head = head.clone();
    bench.write(move |tx| tx.transfer_mut().begin(&head))
}

fn finish(bench: &Bench, memory: &MemoryId) -> Result<()> {
    let memory = memory.clone();
    bench.write(move |tx| tx.transfer_mut().finish(&memory))
}

pub(super) fn there_and_back(bench: &Bench) -> Result<()> {
    let memory = filled_store::fill(&bench.store, "full")?;
    let place = Place::Memory(memory.clone());
    let before = everything(bench, &place)?;
    let Some(Moved::Memory(head)) = before.first().map(|row| row.moved.clone()) else {
        same("the memory is first", true, false);
        return Ok(());
    };
    same("it is there", standing(bench, &memory)?, TransferStanding::There(head.clone()));
    same("there already", begin(bench, &head).map_err(|error| error.kind), Err(ErrorKind::Conflict));
    same("not moving", finish(bench, &memory).map_err(|error| error.kind), Err(ErrorKind::Conflict));
    remove(bench, &memory)?;
    same("absent", standing(bench, &memory)?, TransferStanding::Absent);
    same("nothing is dumped", everything(bench, &place)?, Vec::new());

    begin(bench, &head)?;
    same("moving", standing(bench, &memory)?, TransferStanding::Moving(head.clone()));
    for kind in Kind::OF_MEMORY {
        let rows = dump_of(&before, *kind);
        for page in rows.chunks(2) {
            load(bench, &place, page)?;
            load(bench, &place, page)?;
            same("where it goes on", last(bench, &place, *kind)?.as_ref(), page.last().map(|row| &row.key));
        }
    }
    same("while it moves", everything(bench, &place)?, before.clone());
    unseen(bench, &memory)?;
    finish(bench, &memory)?;
    same("moved", everything(bench, &place)?, before);
    same("no more rows", load(bench, &place, &[]).map_err(|error| error.kind), Err(ErrorKind::Conflict));
    goes_on(bench, &memory, &head)?;

    let server = everything(bench, &Place::Server)?;
    load(bench, &Place::Server, &server)?;
    same("the server's twice", everything(bench, &Place::Server)?, server);
    Ok(())
}

fn dump_of(rows: &[TransferRow], kind: Kind) -> Vec<TransferRow> {
    rows.iter().filter(|row| kind_of(&row.moved) == kind).cloned().collect()
}

fn kind_of(moved: &Moved) -> Kind {
    match moved {
        Moved::Memory(_) => Kind::Memory,
        Moved::Group(_) => Kind::Groups,
        Moved::Session(_) => Kind::Sessions,
        Moved::Place(_) => Kind::Places,
        Moved::Turn(_) => Kind::Turns,
        Moved::Event(_) => Kind::Events,
        Moved::Record(_) => Kind::Records,
        Moved::Version(_) => Kind::Versions,
        Moved::Change(_) => Kind::Changes,
        Moved::Repository(_) => Kind::Repositories,
        Moved::Fact(_) => Kind::Facts,
        Moved::FactEvent(_) => Kind::FactEvents,
        Moved::Task(_) => Kind::Tasks,
        Moved::Exposure(_) => Kind::Exposures,
        Moved::Commit(_) => Kind::Commits,
        Moved::Prompt(_) => Kind::Prompts,
        Moved::TaskSession(_) => Kind::TaskSessions,
        Moved::SessionItem(_) => Kind::SessionItems,
        Moved::Ledger(_) => Kind::Ledger,
        Moved::Object(_) => Kind::Objects,
        Moved::Token(_) => Kind::Tokens,
        Moved::Job(_) => Kind::Jobs,
        Moved::Exchange(_) => Kind::Exchanges,
        Moved::Delivery(_) => Kind::Deliveries,
        Moved::Key(_) => Kind::Keys,
    }
}

/// Checks that a memory during import is invisible: nothing of it is listed, run or sent.
fn unseen(bench: &Bench, memory: &MemoryId) -> Result<()> {
    let id = memory.clone();
    same("not read", bench.read(move |tx| tx.memories().get(&id))?, None);
    same("not named", bench.read(|tx| tx.memories().by_name("full"))?, None);
    same("not listed", bench.read(|tx| tx.memories().list(None, 9))?, Vec::new());
    same("not for purging", bench.read(|tx| tx.memories().deleted(time(9_999), 9))?, Vec::new());
    same("nothing due", bench.read(|tx| tx.jobs().next_due(&[]))?, None);
    same("nothing runs", bench.write(|tx| tx.jobs_mut().claim("h", &[], time(9_999), 1))?, None);
    same("nothing is woken", bench.write(|tx| tx.jobs_mut().wake_all(None, time(1)))?, 0);
    same("nothing asks", bench.read(|tx| tx.exchanges().next_open(&[], &[], time(9_999)))?, None);
    let out = DeliveryDirection::Out;
    let none: Vec<String> = Vec::new();
    same("nothing is sent", bench.read(move |tx| tx.deliveries().targets(out, time(9_999)))?, none);
    same("nothing waits", bench.read(|tx| tx.deliveries().backlog())?.pending, 0);
    same("nothing is looked at", bench.read(|tx| tx.repositories().unchecked_since(time(9_999), 9))?, vec![]);
    let years = time(0).plus_days(4_000);
    same("no fact expires", bench.read(move |tx| tx.facts().expired_by(years, 9))?, vec![]);
    Ok(())
}

/// Checks that later writes continue as if nothing had been moved.
fn goes_on(bench: &Bench, memory: &MemoryId, head: &MovedMemory) -> Result<()> {
    let id = memory.clone();
    same("read", bench.read(move |tx| tx.memories().get(&id))?, Some(head.memory.clone()));
    let event = samples::event(memory, "ann", "s1", 900)?;
    let arrival = bench.write(move |tx| tx.events_mut().insert(&event))?;
    same("arrivals go on", arrival, head.arrival + 1);
    let sequence = bench.put(&samples::record(memory, 900, "one more")?)?;
    same("sequences go on", sequence, head.sequence + 1);
    let scope = RecordScope::whole(memory.clone(), time(500));
    same("active ones", bench.records(move |records| records.count(&scope))?, 5);
    let runs = bench.write(|tx| tx.jobs_mut().claim("h", &[], time(50), 1))?;
    same("what ran is due", runs.map(|job| job.id.to_string()).as_deref(), Some("job-runs"));
    let claim = DeliveryClaim {
        direction: DeliveryDirection::Out,
        target: "hook",
        holder: "h",
        now: time(9_999),
        until: time(10_000),
    };
    let first = bench.write(move |tx| tx.deliveries_mut().claim(&claim, 9))?;
    let first: Vec<String> = first.into_iter().map(|delivery| delivery.id.to_string()).collect();
    same("deliveries keep their order", first, vec!["d1".to_owned()]);
    Ok(())
}

pub(super) fn given_up(bench: &Bench) -> Result<()> {
    let head = MovedMemory { memory: samples::memory("half")?, sequence: 4, arrival: 0 };
    let id = head.memory.id.clone();
    begin(bench, &head)?;
    same("twice", begin(bench, &head).map_err(|error| error.kind), Err(ErrorKind::Conflict));
    let taken = bench.memory("full")?;
    let mut namesake = samples::memory("half")?;
    namesake.id = MemoryId::compose("half", "1111111111")?;
    let other = namesake.clone();
    bench.write(move |tx| tx.memories_mut().insert(&other))?;
    same("its name is taken", finish(bench, &id).map_err(|error| error.kind), Err(ErrorKind::Conflict));
    let abandon = |memory: &MemoryId| {
        let memory = memory.clone();
        bench.write(move |tx| tx.transfer_mut().abandon(&memory, time(5)))
    };
    same("a whole one stays", abandon(&taken)?, false);
    same("given up", abandon(&id)?, true);
    same("as if deleted", standing(bench, &id)?, TransferStanding::Deleted);
    same("to be purged", bench.read(|tx| tx.memories().deleted(time(9), 9))?, vec![id]);
    Ok(())
}
