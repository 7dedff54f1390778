//! The passages that are loaded together with the best ones: their whole conversations, or the
//! turns around them in long conversations.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::Result;

use super::PassageKey;
use crate::digests::Key16;
use crate::tx::{Column, PgTx, limit};

/// The maximum number of turns of a conversation that is loaded completely.
pub(super) const WHOLE_MAX: usize = 100;
/// The number of turns before and after a hit that are read in a longer conversation.
const NEAR: usize = 16;
/// The maximum number of passages loaded with complete conversations. Beyond it, only the
/// neighbours that signals read are loaded.
const LOADED_MAX: usize = 4_000;
/// The number of neighbours on each side: those that signals read, and some more, because turns of
/// the same millisecond have no order here.
const NEIGHBOURS: usize = 4;

/// A passage that a list contains, with its conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) passage: PassageKey,
    pub(super) chain: Option<Key16>,
    pub(super) place: i64,
}

/// A turn of a conversation, in its order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn {
    pub(super) place: i64,
    pub(super) key: Vec<u8>,
    /// The number of terms without those of a name prefix.
    pub(super) terms: i64,
}

/// Conversations by key.
type Conversations = BTreeMap<Key16, BTreeSet<Turn>>;

/// Returns the turns of conversations; [`WHOLE_MAX`] plus one of long ones.
pub(super) fn members(tx: &PgTx<'_>, memory: i64, chains: &BTreeSet<Key16>) -> Result<Conversations> {
    let chains: Vec<Key16> = chains.iter().copied().collect();
    let sql = "SELECT c.chain, x.place, x.key, x.own FROM unnest($2::uuid[]) c(chain), LATERAL (SELECT p.place, p.key, \
               (p.terms - p.name_terms)::bigint AS own FROM passages p WHERE p.mem = $1 AND p.chain = c.chain \
               AND p.state = 0 ORDER BY p.place, p.key, p.part LIMIT $3) x";
    grouped(tx, sql, &[&memory, &chains, &limit(WHOLE_MAX + 1)])
}

/// Returns the records to load for hits, best first.
pub(super) fn around(tx: &PgTx<'_>, memory: i64, hits: &[Hit]) -> Result<Vec<Vec<u8>>> {
    let chains: BTreeSet<Key16> = hits.iter().filter_map(|hit| hit.chain).collect();
    let mut turns = members(tx, memory, &chains)?;
    let long: Vec<&Hit> = hits
        .iter()
        .filter(|hit| {
            hit.chain.and_then(|chain| turns.get(&chain)).is_some_and(|turns| turns.len() > WHOLE_MAX)
        })
        .collect();
    for (chain, near) in near(tx, memory, &long)? {
        turns.insert(chain, near);
    }
    Ok(chosen(hits, &turns))
}

/// Returns the turns around hits in long conversations.
fn near(tx: &PgTx<'_>, memory: i64, hits: &[&Hit]) -> Result<Conversations> {
    if hits.is_empty() {
        return Ok(BTreeMap::new());
    }
    let chains: Vec<Option<Key16>> = hits.iter().map(|hit| hit.chain).collect();
    let places: Vec<i64> = hits.iter().map(|hit| hit.place).collect();
    let keys: Vec<&[u8]> = hits.iter().map(|hit| hit.passage.0.as_slice()).collect();
    let sql = "SELECT h.chain, x.place, x.key, 0::bigint FROM unnest($2::uuid[], $3::bigint[], $4::bytea[]) h(chain, place, key), LATERAL \
               ((SELECT p.place, p.key FROM passages p WHERE p.mem = $1 AND p.chain = h.chain AND p.state = 0 \
               AND (p.place, p.key) <= (h.place, h.key) ORDER BY p.place DESC, p.key DESC LIMIT $5) UNION ALL \
               (SELECT p.place, p.key FROM passages p WHERE p.mem = $1 AND p.chain = h.chain AND p.state = 0 \
               AND (p.place, p.key) > (h.place, h.key) ORDER BY p.place, p.key LIMIT $5)) x";
    grouped(tx, sql, &[&memory, &chains, &places, &keys, &limit(NEAR + 1)])
}

fn grouped(tx: &PgTx<'_>, sql: &str, values: crate::connection::Values<'_>) -> Result<Conversations> {
    let mut turns: Conversations = BTreeMap::new();
    for row in tx.rows(sql, values)? {
        turns.entry(row.take(0)?).or_default().insert(Turn {
            place: row.take(1)?,
            key: row.take(2)?,
            terms: row.take(3)?,
        });
    }
    Ok(turns)
}

/// Selects complete conversations while there is room, then hits with their neighbours.
fn chosen(hits: &[Hit], turns: &Conversations) -> Vec<Vec<u8>> {
    let mut keys: BTreeSet<&[u8]> = BTreeSet::new();
    let mut whole: BTreeSet<Key16> = BTreeSet::new();
    for hit in hits {
        keys.insert(&hit.passage.0);
        let Some((chain, turns)) = hit.chain.and_then(|chain| Some((chain, turns.get(&chain)?))) else {
            continue;
        };
        if whole.contains(&chain) {
            continue;
        }
        if turns.len() <= WHOLE_MAX && keys.len() + turns.len() <= LOADED_MAX {
            keys.extend(turns.iter().map(|turn| turn.key.as_slice()));
            whole.insert(chain);
            continue;
        }
        let own = Turn { place: hit.place, key: hit.passage.0.clone(), terms: 0 };
        let before = turns.range(..&own).rev().take(NEIGHBOURS);
        let after = turns.range(&own..).take(NEIGHBOURS + 1);
        keys.extend(before.chain(after).map(|turn| turn.key.as_slice()));
    }
    keys.into_iter().map(<[u8]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digests::group_key;

    #[test]
    fn whole_conversations_then_neighbours() {
        let chain = |number: usize| group_key(&number.to_string(), "");
        let turn = |chain: usize, at: usize| Turn {
            place: at as i64,
            key: format!("{chain}-{at:03}").into_bytes(),
            terms: 0,
        };
        let all: Conversations =
            (0..60).map(|one| (chain(one), (0..WHOLE_MAX).map(|at| turn(one, at)).collect())).collect();
        let hit = |one: usize, at: usize| {
            let turn = turn(one, at);
            Hit { passage: (turn.key, 0), chain: Some(chain(one)), place: turn.place }
        };
        let hits: Vec<Hit> = (0..60).map(|one| hit(one, 50)).collect();
        let keys = chosen(&hits, &all);
        let of = |one: usize| keys.iter().filter(|key| key.starts_with(format!("{one}-").as_bytes())).count();
        assert_eq!((of(0), of(38), of(59)), (WHOLE_MAX, WHOLE_MAX, 2 * NEIGHBOURS + 1));
        let alone = Hit { chain: None, ..hit(61, 1) };
        assert_eq!(chosen(std::slice::from_ref(&alone), &all), [alone.passage.0]);
    }
}
