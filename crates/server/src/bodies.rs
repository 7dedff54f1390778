//! Request bodies in memory. Every interface reads them here, within budgets that all interfaces
//! share.
//!
//! A body counts by the bytes received, never by the size that its client declares. A body beyond
//! the budget is rejected at once: if such requests waited, each would hold its bytes and none
//! would finish. The listener limits pauses and rates. Imports are streams with one line at a time
//! in memory, and are not counted.

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Body as _;
use loci_model::ports::clock::Clock;
use loci_model::{Error, ErrorKind, Reason, limits};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::listener::pace::TooSlow;

/// The bytes of one permit of a budget.
const UNIT_BYTES: usize = 1024;
/// The bytes of a block for bodies that arrive in several pieces.
const BLOCK_BYTES: usize = 64 * 1024;

/// The extent to which the head of a request proves its sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The head of the request proves the caller completely.
    Complete,
    /// The head names a known key, and its signature covers the body, which must be read to verify
    /// it.
    SignedBody,
    /// The head proves nothing: the signature of a hook covers only the body.
    Hook,
}

/// The budgets for request bodies in memory.
pub struct Bodies {
    clock: Arc<dyn Clock>,
    all: Arc<Semaphore>,
    /// The permits of `all` that only small bodies may take.
    reserved: usize,
    unverified: Arc<Semaphore>,
    hooks: Arc<Semaphore>,
}

/// A body that counts as long as its bytes are in use.
#[derive(Debug)]
pub struct ReadBody {
    /// The bytes as received.
    pub bytes: Bytes,
    /// The permit in the budget of unverified bodies. Drop the permit when the body is verified.
    pub unverified: Option<OwnedSemaphorePermit>,
}

/// The reason why a body was not read.
#[derive(Debug)]
pub enum BodyError {
    /// The body has more than this number of bytes.
    TooLarge(usize),
    /// The body ended early, or the connection broke.
    Broken(axum::Error),
    /// The body came too slowly, or took too long.
    TooSlow,
    /// The budget for bodies in memory is used up.
    Full,
}

impl Bodies {
    /// Creates the budgets with `bytes_max` in total.
    pub fn new(clock: Arc<dyn Clock>, bytes_max: usize) -> Self {
        let budget = |bytes: usize| Arc::new(Semaphore::new(units(bytes)));
        Self {
            clock,
            all: budget(bytes_max),
            reserved: reserved(bytes_max),
            unverified: budget(limits::BODIES_UNVERIFIED_BYTES_MAX),
            hooks: budget(limits::BODIES_HOOK_BYTES_MAX),
        }
    }

    /// Returns the size of the largest body that an empty budget of `bytes_max` accepts.
    pub fn largest(bytes_max: usize) -> usize {
        units(bytes_max).saturating_sub(reserved(bytes_max)).saturating_mul(UNIT_BYTES)
    }

    /// Reads a body of a known caller.
    ///
    /// # Errors
    /// See [`BodyError`].
    pub async fn read(&self, body: Body, bytes_max: usize) -> Result<Bytes, BodyError> {
        self.read_as(Proof::Complete, body, bytes_max).await.map(|read| read.bytes)
    }

    /// Reads a body whose head proves its sender to this extent.
    ///
    /// # Errors
    /// See [`BodyError`].
    pub async fn read_as(
        &self,
        proof: Proof,
        mut body: Body,
        bytes_max: usize,
    ) -> Result<ReadBody, BodyError> {
        check_declared(&body, bytes_max)?;
        if body.is_end_stream() {
            return Ok(ReadBody { bytes: Bytes::new(), unverified: None });
        }
        let (unverified, ms_max) = match proof {
            Proof::Complete => (None, limits::BODY_MS_MAX),
            Proof::SignedBody => (Some(&self.unverified), limits::BODY_MS_MAX),
            Proof::Hook => (Some(&self.hooks), limits::HOOK_BODY_MS_MAX),
        };
        let mut charge = Charge::new(&self.all);
        let mut unverified = unverified.map(Charge::new);
        let until_us = self.clock.monotonic_us().saturating_add(ms_max.saturating_mul(1000));
        let mut content = ReceivedBytes::Empty;
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(broken)?.into_data() else { continue };
            let bytes = content.len().saturating_add(data.len());
            if bytes > bytes_max {
                return Err(BodyError::TooLarge(bytes_max));
            }
            let kept_back = if bytes > limits::BODY_SMALL_BYTES_MAX { self.reserved } else { 0 };
            charge.grow(bytes, kept_back)?;
            unverified.as_mut().map_or(Ok(()), |charge| charge.grow(bytes, 0))?;
            content.push(data);
            // The listener bounds the wait for a frame, so this check runs often enough.
            if self.clock.monotonic_us() > until_us {
                return Err(BodyError::TooSlow);
            }
        }
        let bytes = content.counted(charge.permit);
        Ok(ReadBody { bytes, unverified: unverified.and_then(|charge| charge.permit) })
    }
}

/// Returns the permits for this number of bytes.
fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT_BYTES).min(Semaphore::MAX_PERMITS)
}

/// Returns the permits of a budget of `bytes_max` that only small bodies may take.
fn reserved(bytes_max: usize) -> usize {
    units(limits::BODIES_SMALL_BYTES_RESERVED.min(bytes_max / 8))
}

/// Rejects a body that declares more bytes than it may have. This check comes before all others.
///
/// # Errors
/// `TooLarge`.
pub fn check_declared(body: &Body, bytes_max: usize) -> Result<(), BodyError> {
    let is_larger = body.size_hint().lower() > bytes_max as u64;
    if is_larger { Err(BodyError::TooLarge(bytes_max)) } else { Ok(()) }
}

fn broken(error: axum::Error) -> BodyError {
    let mut cause: Option<&dyn std::error::Error> = Some(&error);
    while let Some(one) = cause {
        if one.is::<TooSlow>() {
            return BodyError::TooSlow;
        }
        cause = one.source();
    }
    BodyError::Broken(error)
}

/// A growing reservation in a budget.
struct Charge {
    budget: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Charge {
    fn new(budget: &Arc<Semaphore>) -> Self {
        Self { budget: Arc::clone(budget), permit: None }
    }

    /// Reserves the missing permits for this number of bytes, and leaves `units_left` units free.
    fn grow(&mut self, bytes: usize, units_left: usize) -> Result<(), BodyError> {
        let held = self.permit.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = bytes.div_ceil(UNIT_BYTES).saturating_sub(held);
        if more == 0 {
            return Ok(());
        }
        if self.budget.available_permits() < more.saturating_add(units_left) {
            return Err(BodyError::Full);
        }
        let count = u32::try_from(more).map_err(|_| BodyError::Full)?;
        let taken = Arc::clone(&self.budget).try_acquire_many_owned(count).map_err(|_| BodyError::Full)?;
        match &mut self.permit {
            Some(permit) => permit.merge(taken),
            none => *none = Some(taken),
        }
        Ok(())
    }
}

/// The bytes received so far. Most bodies arrive in one piece, which is kept. Others are gathered
/// in blocks: growing one buffer would take twice the memory, and a list of tiny pieces many times
/// as much.
enum ReceivedBytes {
    Empty,
    One(Bytes),
    Blocks(Vec<Vec<u8>>),
}

impl ReceivedBytes {
    fn len(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::One(piece) => piece.len(),
            Self::Blocks(blocks) => match blocks.split_last() {
                Some((last, full)) => full.len() * BLOCK_BYTES + last.len(),
                None => 0,
            },
        }
    }

    fn push(&mut self, mut piece: Bytes) {
        let mut blocks = match std::mem::replace(self, Self::Empty) {
            Self::Empty => return *self = Self::One(piece),
            Self::One(first) => {
                let mut gathered = Self::Blocks(Vec::new());
                gathered.push(first);
                *self = gathered;
                return self.push(piece);
            }
            Self::Blocks(blocks) => blocks,
        };
        while !piece.is_empty() {
            let room = blocks.last().map_or(0, |last| BLOCK_BYTES - last.len());
            if room == 0 {
                blocks.push(Vec::with_capacity(BLOCK_BYTES));
            } else if let Some(last) = blocks.last_mut() {
                last.extend_from_slice(&piece.split_to(room.min(piece.len())));
            }
        }
        *self = Self::Blocks(blocks);
    }

    /// Returns the whole content with its reservation in the budget.
    fn counted(self, permit: Option<OwnedSemaphorePermit>) -> Bytes {
        match self {
            Self::Empty => Bytes::new(),
            Self::One(content) => Bytes::from_owner(ReservedBytes { content, _permit: permit }),
            Self::Blocks(blocks) => {
                Bytes::from_owner(ReservedBytes { content: blocks.concat(), _permit: permit })
            }
        }
    }
}

/// Bytes with their reservation in the budget.
struct ReservedBytes<T> {
    content: T,
    _permit: Option<OwnedSemaphorePermit>,
}

impl<T: AsRef<[u8]>> AsRef<[u8]> for ReservedBytes<T> {
    fn as_ref(&self) -> &[u8] {
        self.content.as_ref()
    }
}

impl From<BodyError> for Error {
    fn from(unread: BodyError) -> Self {
        let broken = |message: &str| Self::new(ErrorKind::Invalid, message).because(Reason::CannotParse);
        match unread {
            BodyError::TooLarge(max) => {
                let rule = format!("the body must have at most {max} bytes: send a smaller one");
                Self::new(ErrorKind::TooLarge, rule).on("body")
            }
            BodyError::Broken(error) => broken("the body ended before it was whole").caused_by(error),
            BodyError::TooSlow => broken("the body came too slowly: send it faster, or in smaller requests"),
            BodyError::Full => Self::new(
                ErrorKind::Throttled,
                "the server holds as many bytes of request bodies as it may at once: send it again in a moment",
            ),
        }
    }
}

impl std::fmt::Debug for Bodies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bodies").field("free_kib", &self.all.available_permits()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use loci_testkit_ports::ManualClock;

    use super::*;

    const SMALL: usize = loci_model::limits::BODY_SMALL_BYTES_MAX;

    fn bodies(bytes_max: usize) -> Bodies {
        Bodies::new(Arc::new(ManualClock::default()), bytes_max)
    }

    fn read(bodies: &Bodies, proof: Proof, bytes: usize) -> Result<ReadBody, BodyError> {
        bodies.read_as(proof, Body::from(vec![b'a'; bytes]), 30 << 20).now_or_never().unwrap()
    }

    #[test]
    fn what_is_held_counts_until_it_is_let_go() {
        let bodies = bodies(1 << 20);
        let held = read(&bodies, Proof::Complete, 800 << 10).unwrap();
        assert_eq!(held.bytes.len(), 800 << 10);
        let clone = held.bytes.clone();
        assert!(matches!(read(&bodies, Proof::Complete, 200 << 10), Err(BodyError::Full)));
        drop(held);
        assert!(
            matches!(read(&bodies, Proof::Complete, 200 << 10), Err(BodyError::Full)),
            "a clone holds it"
        );
        drop(clone);
        assert!(read(&bodies, Proof::Complete, 200 << 10).is_ok());
        assert_eq!(bodies.all.available_permits(), 1024, "what was refused left nothing behind");
    }

    #[test]
    fn large_bodies_leave_room_for_small_ones() {
        let bodies = bodies(1 << 20); // of which an eighth is for small ones
        assert!(matches!(read(&bodies, Proof::Complete, (896 << 10) + 1), Err(BodyError::Full)));
        let _large = read(&bodies, Proof::Complete, 896 << 10).unwrap();
        assert!(matches!(read(&bodies, Proof::Complete, SMALL + 1), Err(BodyError::Full)));
        let _small = read(&bodies, Proof::Complete, SMALL).unwrap();
        let _last = read(&bodies, Proof::Complete, SMALL).unwrap();
        assert!(matches!(read(&bodies, Proof::Complete, 1), Err(BodyError::Full)));
    }

    #[test]
    fn the_largest_body_fits_and_one_byte_more_does_not() {
        for bytes_max in [1 << 20, (1 << 20) + 1, 1_234_567, 2 << 20, 16 << 20] {
            let largest = Bodies::largest(bytes_max);
            assert!(read(&bodies(bytes_max), Proof::Complete, largest).is_ok(), "{bytes_max}");
            let more = read(&bodies(bytes_max), Proof::Complete, largest + 1);
            assert!(matches!(more, Err(BodyError::Full)), "{bytes_max}");
        }
    }

    #[test]
    fn bodies_that_are_not_checked_have_a_budget_of_their_own() {
        let bodies = bodies(1 << 30);
        let hook = read(&bodies, Proof::Hook, 25 << 20).unwrap();
        assert!(matches!(read(&bodies, Proof::Hook, (7 << 20) + 1), Err(BodyError::Full)));
        let ReadBody { bytes, unverified } = hook;
        drop(unverified);
        assert!(read(&bodies, Proof::Hook, (7 << 20) + 1).is_ok(), "what is checked counts there no more");
        let signed: Vec<_> = (0..4).map(|_| read(&bodies, Proof::SignedBody, 16 << 20).unwrap()).collect();
        assert!(matches!(read(&bodies, Proof::SignedBody, 1), Err(BodyError::Full)));
        assert!(read(&bodies, Proof::Complete, 30 << 20).is_ok());
        drop((bytes, signed));
    }

    #[test]
    fn bodies_have_at_most_so_many_bytes() {
        let bodies = bodies(1 << 20);
        let read = |pieces: &[&'static str], max| {
            let pieces: Vec<_> =
                pieces.iter().map(|piece| Ok::<_, std::io::Error>(Bytes::from(*piece))).collect();
            let body = Body::from_stream(futures::stream::iter(pieces));
            bodies.read(body, max).now_or_never().unwrap()
        };
        assert_eq!(read(&["ab", "cd", "e"], 5).unwrap(), "abcde");
        assert!(matches!(read(&["ab", "cd", "ef"], 5), Err(BodyError::TooLarge(5))));
        assert!(matches!(check_declared(&Body::from("abcdef"), 5), Err(BodyError::TooLarge(5))));
        assert_eq!(read(&[], 5).unwrap(), "");
    }

    #[test]
    fn bodies_in_pieces_are_whole() {
        let bodies = bodies(1 << 30);
        for piece_bytes in [1, 7, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES] {
            let whole: Vec<u8> = (0..4 * BLOCK_BYTES + 5).map(|at| (at % 251) as u8).collect();
            let pieces: Vec<_> = whole
                .chunks(piece_bytes)
                .map(|piece| Ok::<_, std::io::Error>(Bytes::copy_from_slice(piece)))
                .collect();
            let body = Body::from_stream(futures::stream::iter(pieces));
            let read = bodies.read(body, whole.len()).now_or_never().unwrap().unwrap();
            assert!(read == whole, "{piece_bytes}");
        }
    }

    #[test]
    fn a_body_takes_so_long_at_most() {
        let clock = ManualClock::default();
        let bodies = Bodies::new(Arc::new(clock.clone()), 1 << 20);
        for (proof, ms_max) in [(Proof::Complete, 300_000), (Proof::Hook, 30_000)] {
            for (ms, expect) in [(ms_max, true), (ms_max + 1, false)] {
                let clock = clock.clone();
                let pieces = (0..2).map(move |piece| {
                    clock.advance_ms(if piece == 1 { ms } else { 0 });
                    Ok::<_, std::io::Error>(Bytes::from_static(b"a"))
                });
                let body = Body::from_stream(futures::stream::iter(pieces));
                let said = bodies.read_as(proof, body, 10).now_or_never().unwrap();
                assert_eq!(said.is_ok(), expect, "{proof:?} {ms}");
            }
        }
    }
}
