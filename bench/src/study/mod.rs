//! `study`: the benefit of each tier of memory for a scripted agent on repeated tasks. It is a
//! simulation, and its report states this: the agent is a script that follows the shown items with
//! a stated probability. It measures Loci's part: the items that it learns from reports and
//! reviews, and shows in the tasks that need them.
//!
//! | file | idea |
//! |---|---|
//! | `script` | the items that can be wrong, and the tasks: data |
//! | `chance` | draws that are the same in every arm |
//! | `agent` | one task: its mistakes, their cost, its reports |
//! | `study_memory` | the memory of a run and the calls of the native API |
//! | `report` | figures by arm |

mod agent;
mod chance;
mod report;
mod script;
mod study_memory;

use anyhow::{Result, ensure};

use self::agent::{Agent, Costs, Habits};
use self::report::{Figures, Report};
use self::script::Script;
use self::study_memory::StudyMemory;

/// The arms, the control group first.
const ARMS: &[&str] = &["off", "tier1", "tier2", "tier3"];

/// The size of the study and the behaviour of the scripted agent.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Arguments {
    /// Tasks of one run.
    #[arg(long, default_value_t = 80)]
    tasks: u32,
    /// Runs of each arm, each with its own tasks and draws; the same ones in every arm.
    #[arg(long, default_value_t = 5)]
    runs: u64,
    /// Seed of the first run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    habits: Habits,
    #[command(flatten)]
    costs: Costs,
    /// Print one JSON document instead of a table.
    #[arg(long)]
    json: bool,
    /// Fail if a tier has more repeated mistakes than the one below it.
    #[arg(long)]
    gate: bool,
}

/// Runs every arm on the same tasks.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    ensure!(arguments.tasks > 0 && arguments.runs > 0, "--tasks and --runs must be at least 1");
    arguments.habits.check()?;
    let script = Script::bundled()?;
    let mut report = Report::new(&arguments.habits, &arguments.costs, arguments.tasks);
    for arm in ARMS {
        for run in 0..arguments.runs {
            let seed = arguments.seed.wrapping_add(run);
            report.add(arm, one_run(&arguments, &script, arm, seed).await?);
        }
    }
    if arguments.json {
        println!("{}", report.json());
    } else {
        print!("{}", report.table());
    }
    if arguments.gate { report.gate() } else { Ok(()) }
}

async fn one_run(arguments: &Arguments, script: &Script, arm: &'static str, seed: u64) -> Result<Figures> {
    let folder = tempfile::tempdir()?;
    let shop = StudyMemory::open(folder.path(), arm).await?;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let jobs = shop.jobs(stopped);
    let work = async {
        let mut agent = Agent::new(seed, arguments.habits.clone(), arguments.costs.clone());
        let mut figures = Figures::default();
        let worked = async {
            for number in 0..arguments.tasks {
                let task = script.task(seed, number)?;
                figures.add(&agent.work(&shop, script, number, task).await?);
            }
            shop.count(&mut figures).await
        };
        let worked = worked.await;
        stop.send(()).ok();
        worked.map(|()| figures)
    };
    futures::join!(jobs, work).1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A short study with the real memory. No tier repeats more mistakes than the one below it, and
    /// the arm without memory is shown nothing.
    #[tokio::test(flavor = "multi_thread")]
    async fn tiers_repeat_less() {
        let habits = Habits { wrong_unaware: 0.7, wrong_aware: 0.1, reports: 0.8, notices: 0.9 };
        let arguments = Arguments {
            tasks: 30,
            runs: 1,
            seed: 1,
            habits,
            costs: Costs { round_tokens: 20_000 },
            json: true,
            gate: true,
        };
        let script = Script::bundled().unwrap();
        let mut report = Report::new(&arguments.habits, &arguments.costs, arguments.tasks);
        for arm in ARMS {
            report.add(arm, one_run(&arguments, &script, arm, 1).await.unwrap());
        }
        report.gate().unwrap();
        let arms = &report.json()["arms"];
        let mean = |arm: &str, figure: &str| arms[arm][figure]["mean"].as_f64().unwrap();
        assert_eq!(mean("off", "block_tokens_per_task").to_bits(), 0.0_f64.to_bits(), "{}", report.table());
        let (off, all) =
            (mean("off", "repeated_mistakes_per_task"), mean("tier3", "repeated_mistakes_per_task"));
        assert!(all < off * 0.8, "{}", report.table());
        assert!(mean("tier3", "shown_of_known") > 0.5, "{}", report.table());
    }
}
