//! How important a thread is to the operating system's scheduler, and how many threads background work gets. Nothing here
//! raises a priority: an ordinary user cannot.

use std::num::NonZero;

/// Added to a background thread's nice value: such a thread gets about a tenth of what one at the usual value gets where
/// they compete, and all of a processor that nobody else wants.
#[cfg(target_os = "linux")]
const NICER_BY: i32 = 10;
/// Background threads at most, where nobody says how many: more would be in each other's way on a machine of many uses.
const THREADS_MAX: usize = 8;

/// Lowers the priority of the calling thread, for good. On Linux the nice value belongs to the thread; elsewhere it belongs
/// to the process, questions and all, so there it stays as it is.
pub fn lower_own_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(NICER_BY) {
        tracing::warn!(%error, "background work runs at the usual priority");
    }
}

/// As many background threads as were asked for, else one for each processor this process may use, at most eight.
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

    /// Nice values of the threads of this process that have a name.
    #[cfg(target_os = "linux")]
    fn nice_values(name: &str) -> Vec<i32> {
        let mut found = Vec::new();
        for thread in std::fs::read_dir("/proc/self/task").unwrap() {
            let folder = thread.unwrap().path();
            // A thread of another test may end meanwhile.
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
        // Of the calling thread.
        let own = || rustix::process::getpriority_process(None).unwrap();
        let begin = || {
            lower_own_priority();
            BATCHES.lock().unwrap().push(rustix::process::getpriority_process(None).unwrap());
        };
        let usual = own();
        let embedder = loci_embed::BuiltInEmbedder::start(2, begin).unwrap();
        // When it answers, its thread has begun. Other tests of this process may have threads of that name too.
        let asked = embedder.embed_question("When does the harbour open?".to_owned());
        tokio::runtime::Runtime::new().unwrap().block_on(asked).unwrap();
        let questions = nice_values("embed-question");
        assert!(!questions.is_empty() && questions.iter().all(|nice| *nice == usual), "{questions:?}");
        // When it is dropped, both batch threads have begun, and ended.
        drop(embedder);
        assert_eq!(*BATCHES.lock().unwrap(), [(usual + NICER_BY).min(19); 2]);
        assert_eq!(own(), usual);
    }
}
