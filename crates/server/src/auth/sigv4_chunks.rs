//! Bodies sent as `aws-chunked`: decoded and verified piece by piece, so that no byte is returned
//! before its chunk's signature is verified. Checksums in trailers are read but not compared; the
//! S3 interface does that.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::sigv4::{SignatureError, hmac_sha256, is_lower_hex};

/// The maximum number of bytes in one line (chunk header or trailer), line end included.
const LINE_BYTES_MAX: usize = 8 * 1024;
/// The maximum number of trailer lines of a body.
const TRAILERS_MAX: usize = 16;
/// The SHA-256 of an empty text, a part of every chunk's string to sign.
const EMPTY_SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The input of chunk signatures. The seed is the signature of the request itself.
#[derive(Debug)]
pub struct Signing {
    key: [u8; 32],
    amz_date: String,
    scope: String,
    previous: String,
    trailer: bool,
}

impl Signing {
    pub(super) fn new(key: [u8; 32], amz_date: &str, scope: &str, seed: &str, trailer: bool) -> Self {
        Self {
            key,
            amz_date: amz_date.to_owned(),
            scope: scope.to_owned(),
            previous: seed.to_owned(),
            trailer,
        }
    }

    fn check(&mut self, given: &str, algorithm: &str, hashes: &str) -> Result<(), SignatureError> {
        let to_sign = format!("{algorithm}\n{}\n{}\n{}\n{hashes}", self.amz_date, self.scope, self.previous);
        let expected = hex::encode(hmac_sha256(&self.key, to_sign.as_bytes())?);
        if !bool::from(expected.as_bytes().ct_eq(given.as_bytes())) {
            return Err(SignatureError::Mismatch);
        }
        self.previous = expected;
        Ok(())
    }

    fn check_chunk(&mut self, given: &str, data: &[u8]) -> Result<(), SignatureError> {
        let hashes = format!("{EMPTY_SHA256}\n{}", hex::encode(Sha256::digest(data)));
        self.check(given, "AWS4-HMAC-SHA256-PAYLOAD", &hashes)
    }

    fn check_trailer(&mut self, given: &str, trailer: &str) -> Result<(), SignatureError> {
        self.check(given, "AWS4-HMAC-SHA256-TRAILER", &hex::encode(Sha256::digest(trailer.as_bytes())))
    }
}

/// Decodes one chunked body. Feed it in pieces of any size, then call [`ChunkDecoder::finish`];
/// only then is the body complete. After an error every further call fails.
#[derive(Debug)]
pub struct ChunkDecoder {
    signing: Option<Signing>,
    state: State,
    line: Vec<u8>,
    chunk: Vec<u8>,
    chunk_signature: String,
    trailer: String,
    trailers: usize,
    decoded_bytes: usize,
    decoded_bytes_max: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Header,
    Data {
        left: usize,
    },
    /// The line end after a chunk's data.
    DataEnd,
    Trailer,
    Done,
    Failed,
}

impl ChunkDecoder {
    pub(super) fn new(signing: Option<Signing>, decoded_bytes_max: usize) -> Self {
        Self {
            signing,
            state: State::Header,
            line: Vec::new(),
            chunk: Vec::new(),
            chunk_signature: String::new(),
            trailer: String::new(),
            trailers: 0,
            decoded_bytes: 0,
            decoded_bytes_max,
        }
    }

    /// Creates a decoder of chunks whose signatures, if there are any, are not verified.
    pub fn unsigned(decoded_bytes_max: usize) -> Self {
        Self::new(None, decoded_bytes_max)
    }

    /// Decodes a whole body. Its trailers are lines `name:value`, the names in lower case.
    pub fn decoded(mut self, body: &[u8]) -> Result<(Vec<u8>, String), SignatureError> {
        let mut content = Vec::with_capacity(body.len());
        self.feed(body, &mut content)?;
        self.finish()?;
        Ok((content, self.trailer))
    }

    /// Takes the next piece, and appends to `out` the data of every chunk that is complete and
    /// verified.
    pub fn feed(&mut self, mut piece: &[u8], out: &mut Vec<u8>) -> Result<(), SignatureError> {
        while !piece.is_empty() {
            match self.step(piece, out) {
                Ok(rest) => piece = rest,
                Err(error) => {
                    self.state = State::Failed;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Marks the end of the body. An incomplete body is rejected.
    pub fn finish(&self) -> Result<(), SignatureError> {
        match self.state {
            State::Done => Ok(()),
            // The last, empty line may be missing after the zero chunk of a body without trailers.
            State::Trailer if self.trailers == 0 && self.line.is_empty() && !self.expects_trailer() => Ok(()),
            State::Header | State::Data { .. } | State::DataEnd | State::Trailer | State::Failed => {
                Err(SignatureError::Chunk("it ends before its last chunk"))
            }
        }
    }

    fn expects_trailer(&self) -> bool {
        self.signing.as_ref().is_some_and(|signing| signing.trailer)
    }

    fn step<'p>(&mut self, piece: &'p [u8], out: &mut Vec<u8>) -> Result<&'p [u8], SignatureError> {
        match self.state {
            State::Data { left } => {
                let (data, rest) = piece.split_at(left.min(piece.len()));
                self.chunk.extend_from_slice(data);
                let left = left - data.len();
                self.state = if left == 0 { State::DataEnd } else { State::Data { left } };
                Ok(rest)
            }
            State::Header | State::DataEnd | State::Trailer => {
                let (line, rest) = self.take_line(piece)?;
                if let Some(line) = line {
                    self.on_line(&line, out)?;
                }
                Ok(rest)
            }
            State::Done => Err(SignatureError::Chunk("bytes follow its end")),
            State::Failed => Err(SignatureError::Chunk("an earlier part was refused")),
        }
    }

    /// Returns a whole line without its `\r\n`, or nothing while it is incomplete.
    fn take_line<'p>(&mut self, piece: &'p [u8]) -> Result<(Option<String>, &'p [u8]), SignatureError> {
        let end = piece.iter().position(|byte| *byte == b'\n');
        let (taken, rest) = piece.split_at(end.map_or(piece.len(), |at| at + 1));
        self.line.extend_from_slice(taken);
        if self.line.len() > LINE_BYTES_MAX {
            return Err(SignatureError::Chunk("a line is too long"));
        }
        if end.is_none() {
            return Ok((None, rest));
        }
        let line = std::mem::take(&mut self.line);
        let text = line
            .strip_suffix(b"\r\n")
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .ok_or(SignatureError::Chunk("a line does not end with CR LF or is not text"))?;
        Ok((Some(text.to_owned()), rest))
    }

    fn on_line(&mut self, line: &str, out: &mut Vec<u8>) -> Result<(), SignatureError> {
        match self.state {
            State::Header => self.on_header(line),
            State::DataEnd if line.is_empty() => {
                self.verify_chunk()?;
                out.append(&mut self.chunk);
                self.state = State::Header;
                Ok(())
            }
            State::DataEnd => Err(SignatureError::Chunk("a chunk is longer than the size in its header")),
            State::Trailer => self.on_trailer(line),
            State::Data { .. } | State::Done | State::Failed => Err(SignatureError::Chunk("unexpected line")),
        }
    }

    fn on_header(&mut self, line: &str) -> Result<(), SignatureError> {
        let (size, extension) = line.split_once(';').unwrap_or((line, ""));
        if size.is_empty() || size.len() > 8 || !size.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(SignatureError::Chunk("a chunk size is not hexadecimal"));
        }
        let size = usize::from_str_radix(size, 16)
            .map_err(|_| SignatureError::Chunk("a chunk size is not hexadecimal"))?;
        if self.signing.is_some() {
            let signature = extension.strip_prefix("chunk-signature=").unwrap_or_default();
            if signature.len() != 64 || !is_lower_hex(signature) {
                return Err(SignatureError::Chunk("a chunk has no signature"));
            }
            self.chunk_signature = signature.to_owned();
        }
        let total = self.decoded_bytes.saturating_add(size);
        if total > self.decoded_bytes_max {
            return Err(SignatureError::ChunkedBodyTooLarge(self.decoded_bytes_max));
        }
        self.decoded_bytes = total;
        self.state = if size == 0 {
            self.verify_chunk()?;
            State::Trailer
        } else {
            State::Data { left: size }
        };
        Ok(())
    }

    fn verify_chunk(&mut self) -> Result<(), SignatureError> {
        match &mut self.signing {
            Some(signing) => signing.check_chunk(&self.chunk_signature, &self.chunk),
            None => Ok(()),
        }
    }

    fn on_trailer(&mut self, line: &str) -> Result<(), SignatureError> {
        if line.is_empty() {
            // A signed trailer ends with the line of its signature. An end before that line is an
            // unsigned trailer.
            if self.expects_trailer() {
                return Err(SignatureError::Chunk("its trailer is not signed"));
            }
            self.state = State::Done;
            return Ok(());
        }
        let (name, value) =
            line.split_once(':').ok_or(SignatureError::Chunk("a trailer is not name:value"))?;
        self.trailers += 1;
        if self.trailers > TRAILERS_MAX {
            return Err(SignatureError::Chunk("it has too many trailers"));
        }
        match &mut self.signing {
            Some(signing) if name.eq_ignore_ascii_case("x-amz-trailer-signature") => {
                signing.check_trailer(value.trim(), &self.trailer)?;
                signing.trailer = false;
            }
            Some(signing) if !signing.trailer => {
                return Err(SignatureError::Chunk("a trailer is outside the signature"));
            }
            Some(_) | None => {
                self.trailer.push_str(&name.to_ascii_lowercase());
                self.trailer.push(':');
                self.trailer.push_str(value.trim());
                self.trailer.push('\n');
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
