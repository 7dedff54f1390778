//! Servers of several versions on one database: passages of a newer analysis are left unchanged,
//! those of an older one are rebuilt.

use loci_model::ports::search::CandidateRequest;
use loci_testkit_ports::block_on;

use super::paired_stores::Twin;
use super::story;

const TURNS: u32 = 120;
/// The maximum number of reads of the row. Each takes some hundredths of a second.
const ASKED_MAX: u32 = 3_000;

fn told() -> Twin {
    let twin = Twin::new(20_000);
    twin.put((0..TURNS).map(|number| story::turn(&twin.memory, number)).collect(), |_| true);
    twin
}

/// Checks that both give the same results.
fn agree(twin: &Twin) {
    for number in (3..TURNS).step_by(17) {
        let text = story::question(&twin.memory, number);
        let request: CandidateRequest = twin.request(twin.whole(), &text);
        let (small, great) = twin.ask(&request);
        assert_eq!((small.statistics, small.sequence), (great.statistics, great.sequence), "{text}");
        let records = |set: &[loci_model::ports::search::Candidate]| -> Vec<_> {
            set.iter().map(|one| one.record.clone()).collect()
        };
        assert_eq!(records(&small.candidates), records(&great.candidates), "{text}");
    }
}

#[test]
fn what_a_newer_analysis_cut_is_left_alone() {
    let twin = told();
    agree(&twin);
    twin.sql("UPDATE great SET analysis = analysis + 1");
    let state =
        "SELECT g.*, (SELECT count(*) FROM passages), (SELECT sum(turns) FROM term_counts) FROM great g";
    let before = twin.sql(state);
    let more = (TURNS..TURNS + 30).map(|number| story::turn(&twin.memory, number));
    twin.put(more.collect(), |_| true);
    agree(&twin);
    assert_eq!(twin.sql(state), before);
    let info = |rebuilt| block_on(twin.great.search().info(&twin.memory, rebuilt)).unwrap();
    assert_eq!(info(false).passages, u64::from(TURNS) + 30);
}

#[test]
fn what_an_older_analysis_cut_is_cut_again() {
    let twin = told();
    twin.sql(
        "UPDATE great SET analysis = analysis - 1, turns = 7; UPDATE passages SET words = words[2:3], terms = 2; \
         UPDATE term_counts SET turns = turns + 1; INSERT INTO name_counts SELECT mem, 'Nobody', 9 FROM great",
    );
    agree(&twin);
    let info = |rebuilt| block_on(twin.great.search().info(&twin.memory, rebuilt)).unwrap();
    assert_eq!(info(false), info(true));
    assert_eq!(twin.sql("SELECT count(*) FROM name_counts WHERE name = 'Nobody'"), "0");
    assert_eq!(twin.sql("SELECT turns = passages AND measured = turns FROM great"), "t");
}

/// Averages of many turns are measured in the background of the question that finds them outdated.
#[test]
fn averages_of_a_great_memory_are_measured_beside() {
    let twin = told();
    agree(&twin);
    twin.sql("UPDATE great SET turns = 100000, measured = 50000, windows = 0");
    twin.put(vec![story::turn(&twin.memory, TURNS)], |_| true);
    block_on(twin.great.search().known_names(&twin.whole())).unwrap();
    let measured = || twin.sql("SELECT measured FROM great") == (TURNS + 1).to_string();
    assert!((0..ASKED_MAX).any(|_| measured()), "nobody measured them");
    assert_eq!(twin.sql("SELECT windows > terms FROM great"), "t");
}
