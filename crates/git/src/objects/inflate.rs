//! Inflates a zlib stream that starts within a file, exactly as far as requested. It reads by
//! position, so that many threads share one file, and a file that shrinks causes an error and not a
//! signal.

use std::cell::RefCell;
use std::fs::File;
use std::os::unix::fs::FileExt as _;

use flate2::{Decompress, FlushDecompress, Status};
use loci_model::ports::code::CodeResult;

use crate::fault;

const BUFFER_BYTES: usize = 16 << 10;
const FIRST_BYTES: usize = 4 << 10;

struct Tool {
    stream: Decompress,
    buffer: Box<[u8]>,
}

thread_local! {
    static TOOL: RefCell<Option<Tool>> = const { RefCell::new(None) };
}

/// A stream that is being inflated.
pub(crate) struct Inflater<'a> {
    file: &'a File,
    at: u64,
    tool: Option<Tool>,
    filled: std::ops::Range<usize>,
    ended: bool,
}

impl<'a> Inflater<'a> {
    pub(crate) fn new(file: &'a File, at: u64) -> Self {
        let kept = TOOL.with(|tool| tool.try_borrow_mut().ok().and_then(|mut tool| tool.take()));
        let tool = match kept {
            Some(mut tool) => {
                tool.stream.reset(true);
                tool
            }
            None => Tool { stream: Decompress::new(true), buffer: vec![0; BUFFER_BYTES].into_boxed_slice() },
        };
        Self { file, at, tool: Some(tool), filled: 0..0, ended: false }
    }

    /// Inflates until `out` has `bytes` bytes or the stream ends.
    pub(crate) fn fill(&mut self, out: &mut Vec<u8>, bytes: usize) -> CodeResult<()> {
        let Some(mut tool) = self.tool.take() else { return Err(fault::damaged("a stream")) };
        let result = self.fill_with(&mut tool, out, bytes);
        self.tool = Some(tool);
        result
    }

    /// Inflates exactly `bytes` further bytes, which must be the rest of the stream.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>, bytes: usize) -> CodeResult<()> {
        // Room for an additional byte distinguishes a stream that continues from one that ends.
        self.fill(out, bytes.saturating_add(1))?;
        if self.ended && out.len() == bytes { Ok(()) } else { Err(fault::damaged("an object's length")) }
    }

    fn fill_with(&mut self, tool: &mut Tool, out: &mut Vec<u8>, bytes: usize) -> CodeResult<()> {
        while !self.ended && out.len() < bytes {
            if self.filled.is_empty() {
                self.load(tool)?;
            }
            // The buffer grows with the actual data, and not with the size in the header.
            let room = (bytes - out.len()).min(out.len().max(64 << 10));
            out.reserve_exact(room);
            let input = tool.buffer.get(self.filled.clone()).unwrap_or_default();
            let (read, written) = (tool.stream.total_in(), tool.stream.total_out());
            let before = out.len();
            out.resize(before + room, 0);
            let output = out.get_mut(before..).unwrap_or_default();
            let status = tool
                .stream
                .decompress(input, output, FlushDecompress::None)
                .map_err(|_| fault::damaged("a compressed object"))?;
            let read = usize::try_from(tool.stream.total_in() - read).unwrap_or(0);
            let written = usize::try_from(tool.stream.total_out() - written).unwrap_or(0);
            out.truncate(before + written);
            self.filled.start += read;
            match status {
                Status::StreamEnd => self.ended = true,
                Status::Ok | Status::BufError if read == 0 && written == 0 && !self.filled.is_empty() => {
                    return Err(fault::damaged("a compressed object"));
                }
                Status::Ok | Status::BufError => {}
            }
        }
        Ok(())
    }

    fn load(&mut self, tool: &mut Tool) -> CodeResult<()> {
        // Most objects are short, so the first read is small.
        let want = if self.filled.end == 0 { FIRST_BYTES } else { BUFFER_BYTES };
        let room = tool.buffer.get_mut(..want).unwrap_or_default();
        let got = self.file.read_at(room, self.at).map_err(|error| fault::io(&error, "an object"))?;
        if got == 0 {
            return Err(fault::damaged("an object ends too early"));
        }
        self.at += got as u64;
        self.filled = 0..got;
        Ok(())
    }
}

impl Drop for Inflater<'_> {
    fn drop(&mut self) {
        let tool = self.tool.take();
        TOOL.with(|kept| {
            if let Ok(mut kept) = kept.try_borrow_mut() {
                *kept = tool;
            }
        });
    }
}
