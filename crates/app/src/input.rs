//! Reading of files that the arguments of a command name. A text can come from standard input,
//! with the name `-`.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use anyhow::{Context, Result};
use loci_json::{BYTE_ORDER_MARK, without_mark};
use loci_model::limits;
use loci_server::regular_file;

use crate::exit::Usage;
use crate::output;

/// Opens a regular file to read it to its end. Rejects devices and pipes, because they may have no
/// end, and folders.
pub(crate) fn regular_file(path: &Path) -> Result<File> {
    let named = || format!("opening {}", path.display());
    // The check precedes opening, which alone would block on a pipe.
    if !std::fs::metadata(path).with_context(named)?.is_file() {
        let rule = format!(
            "{} is not a regular file: copy its content to a regular file, and name that file",
            path.display()
        );
        return Err(Usage(rule).into());
    }
    File::open(path).with_context(named)
}

/// Opens a regular file of lines to read it to its end, and skips its byte order mark.
pub(crate) fn file_of_lines(path: &Path) -> Result<File> {
    let named = || format!("reading {}", path.display());
    let mut file = regular_file(path)?;
    let mut first = [0; 4];
    let mark = BYTE_ORDER_MARK.encode_utf8(&mut first).len();
    let mut begin = Vec::new();
    (&mut file).take(mark as u64).read_to_end(&mut begin).with_context(named)?;
    if first.get(..mark) != Some(begin.as_slice()) {
        file.seek(SeekFrom::Start(0)).with_context(named)?;
    }
    Ok(file)
}

/// The null device, which is read as an empty text.
const NULL_DEVICE: &str = "/dev/null";

/// Returns true for the null device, under any name. It is the only permitted device, because
/// reading it never blocks.
pub(crate) fn is_null_device(path: &Path) -> bool {
    path.canonicalize().is_ok_and(|place| place == Path::new(NULL_DEVICE))
}

/// Reads the text of a file, or of standard input for `-`, without its byte order mark. `what`
/// names the text in an error.
pub(crate) fn text_of(file: impl AsRef<Path>, what: &str) -> Result<String> {
    written_text_of(file, what).map(|text| without_mark(&text).to_owned())
}

/// Reads the text of a file, or of standard input for `-`, unchanged. It is for documents, which
/// keep their byte order mark. The file must be a regular file, an open file of this process, or
/// the null device.
pub(crate) fn written_text_of(file: impl AsRef<Path>, what: &str) -> Result<String> {
    let file = file.as_ref();
    if file == Path::new("-") {
        return limited(std::io::stdin()).with_context(|| format!("reading {what} from standard input"));
    }
    if is_null_device(file) {
        return Ok(String::new());
    }
    let read = regular_file::open(file).and_then(limited);
    read.with_context(|| format!("reading {what} from {}", file.display()))
}

/// Reads the text of a regular file of limited size, or of an open file of this process, such as a
/// shell's process substitution. Removes the byte order mark. Rejects other files, because reading
/// them may block.
pub(crate) fn file_text(file: &Path) -> std::io::Result<String> {
    limited(regular_file::open(file)?).map(|text| without_mark(&text).to_owned())
}

/// Reads a whole text up to the size limit. Lone surrogates become U+FFFD, which a note on standard
/// error reports.
fn limited(input: impl std::io::Read) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    let most = limits::INPUT_TEXT_BYTES_MAX;
    input.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let rule = format!("it has more than {most} bytes: give a smaller text");
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, rule));
    }
    let Ok(read) = loci_json::text_of(bytes) else {
        let rule = "it must be UTF-8: save it in that encoding";
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, rule));
    };
    if read.replaced > 0 {
        output::note(format!("warning: {} halves of letters (lone surrogates) became U+FFFD", read.replaced));
    }
    Ok(read.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_text() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        for (text, expect) in
            [("", ""), ("ab", "ab"), ("abcd", "abcd"), ("\u{feff}", ""), ("\u{feff}{}\u{feff}", "{}\u{feff}")]
        {
            std::fs::write(&file, text).unwrap();
            assert_eq!(file_text(&file).unwrap(), expect, "{text:?}");
            assert_eq!(text_of(&file, "the text").unwrap(), expect, "{text:?}");
            assert_eq!(written_text_of(&file, "the text").unwrap(), text, "{text:?}");
            let mut read = String::new();
            file_of_lines(&file).unwrap().read_to_string(&mut read).unwrap();
            assert_eq!(read, expect, "{text:?}");
        }
    }

    #[test]
    fn an_open_file_and_the_null_device_are_texts() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::io::Write::write_all(&mut writer, b"\xef\xbb\xbfa note").unwrap();
        drop(writer);
        let path = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
        assert_eq!(text_of(&path, "the note").unwrap(), "a note");
        assert_eq!(text_of(NULL_DEVICE, "the note").unwrap(), "");
    }

    #[test]
    fn what_never_ends_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("export.jsonl");
        std::fs::write(&file, "{}").unwrap();
        assert!(regular_file(&file).is_ok());
        let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap();
        assert!(made.success());
        for path in [Path::new("/dev/zero"), &folder.path().join("pipe"), folder.path()] {
            let error = regular_file(path).unwrap_err().to_string();
            assert!(error.contains("not a regular file"), "{error}");
        }
        assert!(regular_file(Path::new("/nowhere")).is_err());
        let error = file_text(Path::new("/dev/zero")).unwrap_err().to_string();
        assert!(error.contains("not a regular file"), "{error}");
        assert_eq!(limited(&b"cut \xed\xa0\xbd."[..]).unwrap(), "cut \u{fffd}.");
        assert!(limited(&b"latin \xe9"[..]).unwrap_err().to_string().contains("must be UTF-8"));
        for path in [Path::new("/dev/zero"), &folder.path().join("pipe"), folder.path()] {
            let error = format!("{:#}", text_of(path, "the report").unwrap_err());
            let named = format!("the report from {}", path.display());
            assert!(error.contains(&named) && error.contains("not a regular file"), "{error}");
        }
        let endless = limited(std::io::repeat(b'x')).unwrap_err().to_string();
        assert!(endless.contains("more than 67108864 bytes"), "{endless}");
        let whole = "x".repeat(usize::try_from(loci_model::limits::INPUT_TEXT_BYTES_MAX).unwrap());
        assert_eq!(limited(whole.as_bytes()).unwrap().len(), whole.len());
    }
}
