//! Keys, idempotency tokens, telemetry.

use std::collections::BTreeSet;

use loci_model::idempotency::{TokenAnswer, TokenScope};
use loci_model::principal::key::AccessKey;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::RecordState;
use loci_model::record::telemetry::StateChange;
use loci_model::{AccessKeyId, Document, ErrorKind, Result, Timestamp};

use super::{Bench, same};
use loci_testkit_ports::samples::{self, time};

pub(super) fn keys_tokens_telemetry(bench: &Bench) -> Result<()> {
    keys(bench)?;
    tokens(bench)?;
    telemetry(bench)
}

fn keys(bench: &Bench) -> Result<()> {
    let grant = Grant { capabilities: BTreeSet::from([Capability::Read]), ..Grant::everything() };
    let key = AccessKey {
        id: AccessKeyId::parse("LOCI000000000001")?,
        principal: Principal { name: "ci".into(), grants: vec![grant] },
        secret_sealed: vec![1, 2, 255],
        token_digest: "d1".into(),
        created_at: time(1),
        rotated_at: None,
        revoked_at: None,
    };
    same("none", bench.read(|tx| tx.keys().any())?, false);
    let row = key.clone();
    bench.write(move |tx| tx.keys_mut().insert(&row))?;
    let row = key.clone();
    let twice = bench.write(move |tx| tx.keys_mut().insert(&row)).map_err(|error| error.kind);
    same("an id twice", twice, Err(ErrorKind::Conflict));
    let id = key.id.clone();
    same("by id", bench.read(move |tx| tx.keys().get(&id))?, Some(key.clone()));
    same("by token", bench.read(|tx| tx.keys().by_token("d1"))?, Some(key.clone()));
    same("one", bench.read(|tx| tx.keys().any())?, true);
    let revoked = AccessKey { revoked_at: Some(time(2)), token_digest: "d2".into(), ..key };
    let row = revoked.clone();
    same("update", bench.write(move |tx| tx.keys_mut().update(&row))?, true);
    same("the old token", bench.read(|tx| tx.keys().by_token("d1"))?, None);
    same("revoked ones are keys too", bench.read(|tx| tx.keys().any())?, true);
    same("listed", bench.read(|tx| tx.keys().list())?, vec![revoked]);
    Ok(())
}

fn tokens(bench: &Bench) -> Result<()> {
    let memory = bench.memory("tokens")?;
    let scope = |place: &str, token: &str| TokenScope {
        place: place.to_owned(),
        operation: "CreateEvent".into(),
        token: token.to_owned(),
    };
    let answer = TokenAnswer {
        parameters: "0123".into(),
        answer: Document::parse(r#"{"id":1.50}"#)?,
        expires: time(100),
    };
    let (here, row) = (scope(memory.as_str(), "t"), answer.clone());
    bench.write(move |tx| tx.idempotency_mut().put(&here, &row))?;
    let get = |scope: TokenScope, now: Timestamp| bench.read(move |tx| tx.idempotency().get(&scope, now));
    same("remembered", get(scope(memory.as_str(), "t"), time(99))?, Some(answer));
    same("until it expires", get(scope(memory.as_str(), "t"), time(100))?, None);
    same("another token", get(scope(memory.as_str(), "u"), time(1))?, None);
    same("another place", get(scope("server", "t"), time(1))?, None);
    let (here, there) = (scope(memory.as_str(), "v"), scope("server", "v"));
    let of = |id: u32| -> Result<TokenAnswer> {
        let answer = Document::parse(&format!("{{\"id\":{id}}}"))?;
        Ok(TokenAnswer { parameters: String::new(), answer, expires: time(100) })
    };
    let (two, three, elsewhere) = (of(2)?, of(3)?, there.clone());
    let (asked, name) = (here.clone(), bench.read(move |tx| tx.idempotency().name(&here))?);
    bench.write(move |tx| {
        tx.idempotency_mut().put(&asked, &two)?;
        tx.idempotency_mut().put(&there, &three)
    })?;
    let place = memory.clone();
    let list = |after: Option<String>, rows: usize| {
        let place = memory.clone();
        bench.read(move |tx| tx.idempotency().list(&place, after.as_deref(), rows))
    };
    let all = list(None, 9)?;
    same("those of the memory", all.len(), 2);
    same("by name", all.is_sorted_by(|one, other| one.0 < other.0), true);
    let kept = all.iter().find(|(known, _)| *known == name).map(|(_, answer)| answer.clone());
    same("with their answers", kept, Some(of(2)?));
    let first = list(None, 1)?;
    let rest = list(first.first().map(|(name, _)| name.clone()), 9)?;
    same("in pages", first.into_iter().chain(rest).collect::<Vec<_>>(), all);
    let (of_memory, known, new) = (memory.clone(), name.clone(), of(7)?.answer);
    let rewrite = bench.write(move |tx| {
        let is_there = tx.idempotency_mut().rewrite(&of_memory, &known, &new)?;
        Ok((is_there, tx.idempotency_mut().rewrite(&of_memory, "00", &new)?))
    });
    same("an answer is written anew", rewrite?, (true, false));
    let kept = list(None, 9)?.into_iter().find(|(known, _)| *known == name).map(|(_, answer)| answer);
    same("as it is now", kept, Some(of(7)?));
    let remove = |name: &str| {
        let (place, name) = (place.clone(), name.to_owned());
        bench.write(move |tx| tx.idempotency_mut().remove(&place, &name))
    };
    same("removed", remove(&name)?, true);
    same("removed before", remove(&name)?, false);
    same("no name", remove("names are hex digits")?, false);
    same("forgotten", get(scope(memory.as_str(), "v"), time(1))?, None);
    same("another place stays", get(elsewhere, time(1))?.is_some(), true);
    same("swept", bench.write(|tx| tx.idempotency_mut().sweep(time(100), 9))?, 2);
    Ok(())
}

fn telemetry(bench: &Bench) -> Result<()> {
    let memory = bench.memory("telemetry")?;
    bench.put(&samples::record(&memory, 1, "one")?)?;
    let id = samples::record_id(1)?;
    let change = |from, to, at| StateChange {
        memory: memory.clone(),
        record: id.clone(),
        version: 1,
        from,
        to,
        reason: "because".into(),
        by: "loci".into(),
        at,
    };
    let rows = vec![
        change(None, RecordState::Active, time(1)),
        change(Some(RecordState::Active), RecordState::Erased, time(2)),
    ];
    let written = rows.clone();
    bench.write(move |tx| written.iter().try_for_each(|row| tx.telemetry_mut().append(row)))?;
    let (place, record) = (memory.clone(), id.clone());
    same("oldest first", bench.read(move |tx| tx.telemetry().of_record(&place, &record))?, rows.clone());
    let was = change(None, RecordState::Active, time(1));
    let other = StateChange { by: "ann".into(), ..was.clone() };
    let reworded = |row: StateChange| StateChange { reason: "gone".into(), by: "erased-1".into(), ..row };
    let is = reworded(was.clone());
    bench.write(move |tx| {
        tx.telemetry_mut().reword(&other, &is)?;
        tx.telemetry_mut().reword(&was, &is)
    })?;
    let expect: Vec<StateChange> = rows.iter().cloned().map(reworded).collect();
    let (place, record) = (memory.clone(), id.clone());
    same("in other words", bench.read(move |tx| tx.telemetry().of_record(&place, &record))?, expect);
    let (place, record) = (memory.clone(), id.clone());
    bench.write(move |tx| tx.telemetry_mut().blank(&place, std::slice::from_ref(&record)))?;
    let bare: Vec<StateChange> =
        rows.into_iter().map(|row| StateChange { reason: String::new(), by: String::new(), ..row }).collect();
    let (place, record) = (memory.clone(), id.clone());
    same("without words", bench.read(move |tx| tx.telemetry().of_record(&place, &record))?, bare);
    Ok(())
}
