//! The stored counts equal a fresh count of the passages after edits, moves, deletions and erasure.

use loci_model::Namespace;
use loci_model::ports::search::CandidateRequest;
use loci_model::ports::store::RecordChange;
use loci_model::record::{Record, RecordState};
use loci_testkit_ports::{block_on, samples};

use super::paired_stores::Twin;
use super::story::{self, Dice};

/// Selects the number of differences between the stored counts and a fresh count.
const DIFFERENT: &str = "SELECT count(*) FROM \
    (SELECT word, count(*) AS turns FROM (SELECT DISTINCT key, part, unnest(words[1:terms]) AS word FROM passages \
     WHERE state = 0) t GROUP BY word) held FULL JOIN term_counts USING (word) WHERE held.turns IS DISTINCT FROM term_counts.turns";
const NAMES: &str = "SELECT count(*) FROM (SELECT name, count(*) AS turns FROM passages WHERE state = 0 AND chain IS NOT NULL \
     AND name IS NOT NULL GROUP BY name) held FULL JOIN name_counts USING (name) \
     WHERE held.turns IS DISTINCT FROM name_counts.turns";
const ROWS: &str = "SELECT g.passages = (SELECT count(*) FROM passages) AND g.turns = (SELECT count(*) FROM passages \
     WHERE state = 0) FROM great g";

#[test]
fn counts_follow_every_change() {
    let twin = Twin::new(20_000);
    twin.put((0..400).map(|number| story::turn(&twin.memory, number)).collect(), |_| true);
    let mut dice = Dice::new(11);
    let catch_up = || {
        let request: CandidateRequest = twin.request(twin.whole(), "zabab");
        block_on(twin.great.search().candidates(request)).unwrap();
    };
    catch_up();
    for round in 0..6_u64 {
        for _ in 0..25 {
            let (number, what, memory) = (dice.below(400) as u32, dice.below(4), twin.memory.clone());
            twin.write(move |tx| {
                let (id, at) = (samples::record_id(number)?, samples::time(2_000 + round as i64));
                let Some(old) = tx.records().get(&memory, &id)? else { return Ok(()) };
                let state = |state| RecordChange { state, reason: "a test".into(), at };
                match what {
                    0 if old.state == RecordState::Active => {
                        let text = story::turn(&memory, number + 1_000).text;
                        let new = Record { version: old.version + 1, text, updated_at: at, ..old };
                        tx.records_mut().put_version(&new).map(drop)
                    }
                    1 => tx.records_mut().set_state(&memory, &id, &state(RecordState::Archived)).map(drop),
                    2 => tx.records_mut().set_state(&memory, &id, &state(RecordState::Erased)).map(drop),
                    _ => tx.records_mut().move_to(&memory, &[id], &Namespace::parse("/moved/")?).map(drop),
                }
            });
        }
        if round % 2 == 0 {
            catch_up();
        }
        let memory = twin.memory.clone();
        twin.write(move |tx| {
            tx.records_mut().erase_deleted(&memory, samples::time(9_000), 0, 1_000).map(drop)
        });
        // The write itself erases them, without a later question.
        let left = "SELECT count(*) FROM passages p JOIN records r ON r.key = p.key WHERE r.gone";
        assert_eq!(twin.sql(left), "0", "round {round}");
        assert_eq!(
            (twin.sql(DIFFERENT), twin.sql(NAMES), twin.sql(ROWS)),
            ("0".into(), "0".into(), "t".into()),
            "{round}"
        );
    }
    catch_up();
    assert_eq!((twin.sql(DIFFERENT), twin.sql(NAMES), twin.sql(ROWS)), ("0".into(), "0".into(), "t".into()));
    let info = |rebuilt| block_on(twin.great.search().info(&twin.memory, rebuilt)).unwrap();
    assert_eq!(info(false), info(true));
    let memory = twin.memory.clone();
    twin.write(move |tx| {
        tx.memories_mut().delete(&memory, samples::time(9_500))?;
        while !tx.memories_mut().purge(&memory, 1_000)? {}
        Ok(())
    });
    for table in ["passages", "term_counts", "name_counts", "great"] {
        assert_eq!(twin.sql(&format!("SELECT count(*) FROM {table}")), "0", "{table}");
    }
}
