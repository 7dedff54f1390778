//! Scheduling priority of background threads, and their number. Nothing here raises a priority,
//! because an ordinary user cannot.

use std::num::NonZero;

/// The increment of a background thread's nice value. Such a thread gets about a tenth of the time
/// of a competing thread at the usual value, and all of an idle processor.
#[cfg(target_os = "linux")]
const NICER_BY: i32 = 10;
/// The maximum default number of background threads. More would disturb other work on a shared
/// machine.
const THREADS_MAX: usize = 8;

/// Lowers the priority of the calling thread permanently. On Linux the nice value belongs to the
/// thread. Elsewhere it belongs to the process, including the threads that answer questions, so it
/// stays unchanged.
pub fn lower_own_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(NICER_BY) {
        tracing::warn!(%error, "background work runs at the usual priority");
    }
}

/// Returns the configured number of background threads, else one per processor available to this
/// process, but at most eight.
pub fn background_threads(asked: Option<NonZero<usize>>) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, NonZero::get).min(THREADS_MAX);
    asked.map_or_else(processors, NonZero::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_threads_as_asked_for_or_as_there_are_processors() {
        assert_eq!(background_threads(NonZero::new(11)), 11);
        assert!((1..=THREADS_MAX).contains(&background_threads(None)));
    }

    /// Returns the nice values of the threads of this process with this name.
    #[cfg(target_os = "linux")]
    fn nice_values(name: &str) -> Vec<i32> {
        let mut found = Vec::new();
        for thread in std::fs::read_dir("/proc/self/task").unwrap() {
            let folder = thread.unwrap().path();
            // A thread of another test may end during the listing.
            let Ok(line) = std::fs::read_to_string(folder.join("stat")) else { continue };
            let (start, rest) = line.rsplit_once(')').unwrap();
            if start.split_once('(').unwrap().1 == name {
                // After the name: state, fourteen numbers, priority, nice.
                found.push(rest.split_whitespace().nth(16).unwrap().parse().unwrap());
            }
        }
        found
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn batches_run_at_a_low_priority_and_questions_do_not() {
        use loci_model::ports::embedder::Embedder;
        use std::sync::Mutex;
        static BATCHES: Mutex<Vec<i32>> = Mutex::new(Vec::new());
        // The nice value of the calling thread.
        let own = || rustix::process::getpriority_process(None).unwrap();
        let begin = || {
            lower_own_priority();
            BATCHES.lock().unwrap().push(rustix::process::getpriority_process(None).unwrap());
        };
        let usual = own();
        let embedder = loci_embed::BuiltInEmbedder::start(2, begin).unwrap();
        // After the first answer its thread has started. Other tests of this process may have
        // threads with the same name.
        let asked = embedder.embed_question("When does the harbour open?".to_owned());
        tokio::runtime::Runtime::new().unwrap().block_on(asked).unwrap();
        let questions = nice_values("embed-question");
        assert!(!questions.is_empty() && questions.iter().all(|nice| *nice == usual), "{questions:?}");
        // After the drop both batch threads have started and ended.
        drop(embedder);
        assert_eq!(*BATCHES.lock().unwrap(), [(usual + NICER_BY).min(19); 2]);
        assert_eq!(own(), usual);
    }
}
